// Rows of a result on stdout. If the service can write the requested format, its bytes pass
// through. Values are parsed only for tables, and for --columns, --where, --sort, --limit and
// --query.

import type { Context } from '../../../cli/command/command.ts';
import { type Cell, type Column, type Columns, formatValue } from '../../../cli/lists/columns.ts';
import { blocksOf } from '../../../cli/lists/select.ts';
import type { Sink } from '../../../cli/process/io.ts';
import { type LineFormat, rowsOf, wholeLinesOf } from '../../../client/line-formats.ts';
import { LineReader, rowsOfLines } from '../../../client/line-reader.ts';
import type { ResultFormat, SqlRequest } from '../../../contract/sql.ts';
import { formatJson } from '../../../model/json.ts';

/** The request for a result, and its printer. */
export interface ResultPlan {
  readonly ask: Pick<SqlRequest, 'header' | 'resultFormat' | 'sqlTypesHeader' | 'typesHeader'>;
  /**
   * Returns the number of rows; undefined when bytes passed through uncounted, or the answer is
   * shown as a plan.
   */
  print(chunks: AsyncIterable<Uint8Array>): Promise<number | undefined>;
}

interface ResultOutput {
  readonly out: Context['out'];
  readonly io: { readonly stdout: Sink };
  readonly settings: Pick<Context['settings'], 'noHeader' | 'query'>;
  readonly isExpanded?: boolean; // tables have one line per value
  readonly types?: ShownTypes | undefined; // before the rows
}

export const shownTypes = ['native', 'sql', 'both'] as const;
export type ShownTypes = (typeof shownTypes)[number];

/** The format of a result: the requested one, or the usual one for its destination. */
export const formatIn = ({ out, io }: Pick<ResultOutput, 'io' | 'out'>) =>
  out.format ?? (io.stdout.isTTY ? 'table' : 'tsv');

export function planResult({
  out,
  io,
  settings,
  isExpanded = false,
  types,
}: ResultOutput): ResultPlan {
  const format = formatIn({ out, io });
  const typed = types && {
    header: true,
    ...(types !== 'sql' && { typesHeader: true }),
    ...(types !== 'native' && { sqlTypesHeader: true }),
  };
  const through = (
    resultFormat: LineFormat & ResultFormat,
    header: boolean,
    around?: { open: string; between: string; close: string },
  ) => ({
    ask: { resultFormat, header, ...typed },
    async print(chunks: AsyncIterable<Uint8Array>) {
      const lines = wholeLinesOf(chunks, resultFormat);
      await out.text(around ? join(lines, around) : lines);
      return undefined;
    },
  });
  if (!out.looksAtValues) {
    if (format === 'csv') return through('csv', settings.noHeader !== true);
    if (format === 'jsonl') return through('objectLines', false);
    if (format === 'json')
      return through('objectLines', false, { open: '[', between: ',\n ', close: ']\n' });
  }
  const place = { out, io, settings, isExpanded };
  const isCopied = format === 'table' && !out.looksAtValues && !isExpanded;
  return {
    ask: { resultFormat: 'arrayLines', header: true, ...typed },
    print: async (chunks) =>
      isCopied
        ? printLines(place, wholeLinesOf(chunks, 'arrayLines'))
        : printRows(place, await withColumns(rowsOf(chunks, 'arrayLines'))),
  };
}

/** Prints rows given as objects, such as those of a stream. */
export function printObjects(
  place: ResultOutput,
  objects: readonly Row[],
): Promise<number | undefined> {
  const columns = Object.keys(objects[0] ?? {}).map(columnOf);
  return printRows(place, {
    columns,
    rows: blocksOf(objects.map((row) => columns.map(({ name }) => row[name]))),
    count: () => objects.length,
  });
}

interface Result {
  readonly columns: Columns<readonly unknown[]>;
  readonly rows: AsyncIterable<readonly (readonly unknown[])[]>;
  readonly count: () => number;
}

async function printRows(
  { out, io, settings, isExpanded }: ResultOutput,
  { columns, rows, count }: Result,
): Promise<number | undefined> {
  const format = formatIn({ out, io });
  const isDocument = ['json', 'jsonl', 'yaml'].includes(format) || settings.query !== undefined;
  const isTable = format === 'table' || format === 'wide';
  if (isDocument)
    await out.rows(
      objects(rows, columns),
      columns.map(({ name, kind }) => ({
        name,
        ...(kind && { kind }),
        value: (row: Row) => row[name] as Cell,
      })),
    );
  else if (isExpanded && isTable)
    await out.text((await import('./expanded.ts')).expand(rows, columns, io.stdout.columns || 80));
  else if (isTable && !out.looksAtValues && isPlan(columns))
    return printOutlines(rows, { out, io });
  else await out.rows(rows, columns);
  return count();
}

// Most rows of a table can be copied.
async function printLines(
  { out, io }: ResultOutput,
  batches: AsyncIterable<Buffer>,
): Promise<number | undefined> {
  const iterator = batches[Symbol.asyncIterator]();
  const lines = new LineReader(iterator);
  let count = 0;
  try {
    const header = await lines.next(1);
    const [names = []] = header ? rowsOfLines(header) : [];
    const columns = names.map((name, at) => columnOf(String(name), at));
    if (isPlan(columns)) {
      const plans = await lines.next();
      return await printOutlines(plans ? [rowsOfLines(plans)] : [], { out, io });
    }
    const { tableOfLines } = await import('../../../cli/output/table-lines.ts');
    await out.tableText((look) =>
      tableOfLines(columns, look, lines, (rows) => {
        count += rows;
      }),
    );
    return count;
  } finally {
    await iterator.return?.();
  }
}

// Tests for the columns of EXPLAIN.
const isPlan = ([first, second]: Columns<readonly unknown[]>) =>
  first?.name === 'PLAN' && second?.name === 'RESOURCES';

async function printOutlines(
  plans: AsyncIterable<readonly (readonly unknown[])[]> | Iterable<readonly (readonly unknown[])[]>,
  { out, io }: Pick<ResultOutput, 'io' | 'out'>,
) {
  const { planOutline } = await import('./plan-outline.ts');
  for await (const batch of plans)
    await out.text(
      batch.map(([plan, , attributes]) =>
        planOutline(String(plan), String(attributes ?? ''), io.stdout.columns || 80),
      ),
    );
  return undefined;
}

type Row = Readonly<Record<string, unknown>>;

// The first row holds the names.
async function withColumns(batches: AsyncIterable<readonly unknown[]>): Promise<Result> {
  const iterator = batches[Symbol.asyncIterator]();
  const begun = await iterator.next();
  const [names = [], ...first] = begun.done ? [] : (begun.value as readonly (readonly unknown[])[]);
  const columns: Columns<readonly unknown[]> = names.map((name, at) => columnOf(String(name), at));
  let seen = first.length;
  const rows = (async function* () {
    if (first.length > 0) yield first;
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      seen += next.value.length;
      yield next.value as readonly (readonly unknown[])[];
    }
  })();
  return { columns, rows, count: () => seen };
}

// Headings are the names in the query, so that the next query can use them.
const columnOf = (name: string, at: number): Column<readonly unknown[]> => ({
  name,
  isVerbatim: true,
  value: (row) => cellOf(row[at]),
  show: formatValue,
});

const cellOf = (value: unknown): Cell =>
  typeof value === 'object' && value !== null
    ? formatJson(value)
    : (value as string | number | bigint | boolean | null | undefined);

async function* objects(
  batches: AsyncIterable<readonly (readonly unknown[])[]>,
  columns: Columns<readonly unknown[]>,
) {
  for await (const batch of batches)
    yield batch.map((row) => Object.fromEntries(columns.map(({ name }, at) => [name, row[at]])));
}

async function* join(
  lines: AsyncIterable<Buffer>,
  { open, between, close }: { open: string; between: string; close: string },
) {
  let before = open;
  try {
    for await (const batch of lines) {
      yield Buffer.from(
        before + batch.toString('utf8', 0, batch.length - 1).replaceAll('\n', between),
      );
      before = between;
    }
  } finally {
    // An interrupted result is still a valid document
    yield Buffer.from(before === open ? open + close : close);
  }
}
