// Execution of the statements of `svcctl sql` in order, up to the first error.
import { randomUUID } from 'node:crypto';
import type { Context } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { Interrupted, ServiceError } from '../../client/errors.ts';
import { type SqlRequest, sql } from '../../contract/sql.ts';
import { type Drawing, planChart } from '../shared/sql/draw-result.ts';
import { explained } from '../shared/sql/explained.ts';
import { formatIn, planResult, type ShownTypes } from '../shared/sql/print-result.ts';
import { withQueryProgress } from '../shared/sql/query-progress.ts';
import {
  type StatementText,
  settingIn,
  statementsIn,
  withoutEnd,
} from '../shared/sql/statement-parts.ts';

type Request = Pick<SqlRequest, 'context' | 'parameters' | 'query'>;

/**
 * Prints the results in order. Throws the service's refusal, with the statement's number when there
 * are several.
 */
export async function runStatements(
  context: Context,
  request: Request,
  { queryId, types, chart, file }: Omit<How, 'separator'> & { readonly file?: string },
): Promise<void> {
  const statements = statementsIn(request.query);
  if (statements.length === 0)
    throw new UsageError('The statement is empty: there are only comments');
  // The service itself accepts SET before a single statement.
  if (statements.slice(0, -1).every(({ text }) => settingIn(text))) {
    const whole = { ...request, query: withoutEnd(request.query) };
    return explained(context, request.query, run(context, whole, { queryId, types, chart })).catch(
      (error: unknown) => {
        throw placeInFile(error, file);
      },
    );
  }
  refuseOneDocument(context, statements.length);
  const settings = { ...request.context };
  const values = [...(request.parameters ?? [])];
  let separator = '';
  for (const [at, statement] of statements.entries()) {
    const setting = settingIn(statement.text);
    if (setting) {
      settings[setting[0]] = setting[1];
      continue;
    }
    const parameters = values.splice(0, statement.parameters);
    const one = {
      query: statement.text,
      context: settings,
      ...(parameters.length > 0 && { parameters }),
    };
    await explained(
      context,
      statement.text,
      run(context, one, { queryId, types, chart, separator }),
      statement.line,
    ).catch((error: unknown) => {
      throw placeInFile(place(error, statement, at + 1), file);
    });
    separator = separators[formatIn(context)] ?? '';
  }
}

interface How {
  readonly queryId: string | undefined;
  readonly types: ShownTypes | undefined; // of the columns, before the rows
  readonly chart: Drawing | undefined; // instead of rows
  readonly separator?: string; // after the previous result
}

async function run(
  context: Context,
  request: Request,
  { queryId = randomUUID(), types, chart, separator = '' }: How,
): Promise<void> {
  const plan = chart ? planChart(context, chart) : planResult({ ...context, types });
  const forget = context.onInterrupt((callNow) =>
    callNow(sql.cancel, { params: { sqlQueryId: queryId } }),
  );
  const body = { ...request, ...plan.ask, context: { ...request.context, sqlQueryId: queryId } };
  const isPrinted = Boolean(context.io.stdout.isTTY);
  await withQueryProgress({ ...context, isPrinted, ask: plan.ask }, async (watch) => {
    const rows = await context.call(sql.query, { body });
    if (separator !== '') await context.out.text([separator]);
    await plan.print(watch(rows));
  });
  forget();
}

const separators: Readonly<Record<string, string>> = {
  csv: '\n',
  table: '\n',
  tsv: '\n',
  wide: '\n',
  yaml: '---\n',
};

function refuseOneDocument({ out, settings }: Context, count: number) {
  const isDocument =
    out.format === 'json' || (out.format === undefined && settings.query !== undefined);
  if (isDocument)
    throw new UsageError(
      `${out.format === 'json' ? '-o json' : '--query'} prints one document, but the text has ${count} statements`,
      '-o jsonl prints the rows of all of them',
    );
}

function placeInFile(error: unknown, file: string | undefined): unknown {
  if (file !== undefined && file !== '-' && error instanceof ServiceError)
    error.message += ` of file [${file}]`;
  return error;
}

// The service counts lines and columns within the statement: convert them to positions in the whole
// text.
function place(error: unknown, { line, column }: StatementText, number: number): unknown {
  if (!(error instanceof Error) || error instanceof Interrupted) return error;
  const message = error.message
    .trim()
    .replace(/\bline \[(\d+)\], column \[(\d+)\]/g, (_, at: string, character: string) => {
      return `line [${Number(at) + line - 1}], column [${at === '1' ? Number(character) + column - 1 : character}]`;
    });
  error.message = `${message}, in statement [${number}] at line [${line}]`;
  return error;
}
