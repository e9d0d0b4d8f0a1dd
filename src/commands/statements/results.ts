import { type Context, command } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import {
  type LineFormat,
  rowsOf as parsedRowsOf,
  wholeLinesOf,
} from '../../client/line-formats.ts';
import { count, optional } from '../../contract/schema.ts';
import type { ResultFormat, SqlRequest } from '../../contract/sql.ts';
import { type StatementResult, statements } from '../../contract/statements.ts';
import { formatJson } from '../../model/json.ts';
import { commandLine } from '../../model/shell-text.ts';
import { planResult } from '../shared/sql/print-result.ts';
import { completers, hints, identified, statementId } from './statement-id.ts';
import { failureOf } from './wait-for-statement.ts';

export const results = command({
  summary: 'Print the results of a finished statement',
  description:
    'Rows are streamed page by page: a million rows need no more memory than one. Times are milliseconds since 1970. Exit code 8 while the statement is running, 1 when it has failed.',
  examples: [
    'svcctl statements results query-report-1 -o csv',
    'svcctl statements results query-report-1 --page 0',
  ],
  endpoints: [statements.results, statements.status],
  arguments: statementId,
  options: { page: optional(count, 'Only this page, from 0') },
  columns: 'dynamic',
  completers,
  ids: { queryId: identified },
  hints,
  async run(context, { args, options }) {
    const found = await context.call(statements.status, { params: args });
    const { state, schema, result } = found;
    if (state === 'FAILED') throw failureOf(found);
    if (state !== 'SUCCESS')
      throw new CommandError(
        'pending',
        `Statement [${args.queryId}] has not ended: it is ${state}`,
        commandLine`svcctl statements wait ${args.queryId}`,
      );
    if (!schema) {
      context.out.note(`The statement has no rows to show: it wrote to [${result?.dataSource}].`);
      if (context.out.isForPrograms) await context.out.rows([], []);
      return;
    }
    const plan = planResult(context);
    const ids = (result?.pages ?? []).map(({ id }) => id);
    const pages = options.page === undefined || ids.length === 0 ? ids : [options.page];
    await plan.print(rowsOf(context, args.queryId, schema, plan.ask, pages));
  },
});

// The same form as the query endpoint: an optional header, the rows of all pages, and an empty
// line.
async function* rowsOf(
  { call }: Pick<Context, 'call'>,
  queryId: string,
  schema: NonNullable<StatementResult['schema']>,
  {
    header,
    resultFormat,
    sqlTypesHeader,
  }: Pick<SqlRequest, 'header' | 'resultFormat' | 'sqlTypesHeader'>,
  pages: readonly number[],
): AsyncGenerator<Uint8Array> {
  const format = lineFormats.find((name) => name === resultFormat) ?? 'arrayLines';
  if (header)
    yield headerLine(
      format,
      schema.map(({ name }) => name),
    );
  if (sqlTypesHeader)
    yield headerLine(
      format,
      schema.map(({ type }) => type),
    );
  for (const page of pages) {
    const rows = await call(statements.results, {
      params: { queryId },
      query: { page, resultFormat: format },
    });
    yield* linesIn(
      rows,
      format,
      schema.map(({ name }) => name ?? ''),
    );
  }
  yield Buffer.from('\n');
}

// Older services always return rows as objects, whatever the requested format. Rows in other
// formats never begin like an object.
async function* linesIn(
  reply: AsyncIterable<Uint8Array>,
  format: LineFormat,
  names: readonly string[],
): AsyncGenerator<Uint8Array> {
  const chunks = reply[Symbol.asyncIterator]();
  const first = await chunks.next();
  const whole = (async function* () {
    for (let chunk = first; !chunk.done; chunk = await chunks.next()) yield chunk.value;
  })();
  const isOlder =
    format !== 'objectLines' &&
    !first.done &&
    Buffer.from(first.value.subarray(0, 2)).toString() === '{"';
  if (!isOlder) return yield* wholeLinesOf(whole, format);
  for await (const rows of parsedRowsOf(whole, 'objectLines')) {
    const values = (rows as readonly Record<string, unknown>[]).map((row) =>
      names.map((name) => row[name] ?? null),
    );
    const lines = values.map((row) =>
      format === 'csv' ? row.map((value) => quote(cellOf(value))).join(',') : formatJson(row),
    );
    yield Buffer.from(lines.map((line) => `${line}\n`).join(''));
  }
}

const cellOf = (value: unknown) =>
  value === null ? '' : typeof value === 'string' ? value : formatJson(value);

const lineFormats: readonly (LineFormat & ResultFormat)[] = ['arrayLines', 'csv', 'objectLines'];

function headerLine(format: LineFormat, names: readonly (string | null)[]): Buffer {
  if (format !== 'csv') return Buffer.from(`${JSON.stringify(names)}\n`);
  return Buffer.from(`${names.map((name) => quote(name ?? '')).join(',') || '""'}\n`);
}

const quote = (name: string) => (/[",\n\r]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
