// Items of a native result on stdout: unchanged for JSON, otherwise one line for each row in them.

import type { Context } from '../../cli/command/command.ts';
import type { Cell, Columns } from '../../cli/lists/columns.ts';
import { itemsOf } from '../../client/array-items.ts';
import { formatJson } from '../../model/json.ts';

export async function printItems(
  chunks: AsyncIterable<Uint8Array>,
  { out, settings }: Pick<Context, 'out' | 'settings'>,
): Promise<void> {
  const { format } = out;
  if (format === 'json' && !out.looksAtValues) return out.text(withNewline(chunks));
  const isDocument = format === 'json' || format === 'yaml' || settings.query !== undefined;
  const batches = isDocument ? objectsIn(itemsOf(chunks)) : rowsIn(itemsOf(chunks));
  const { row, all } = await firstOf(batches);
  // Without a row, the columns are unknown.
  if (row === undefined && !isDocument) return out.note('The result has no rows');
  await out.rows(all, columnsOf(row ?? {}));
}

type Row = Readonly<Record<string, unknown>>;

async function* withNewline(chunks: AsyncIterable<Uint8Array>) {
  yield* chunks;
  yield Buffer.from('\n');
}

async function* objectsIn(batches: AsyncIterable<readonly unknown[]>) {
  for await (const batch of batches)
    yield batch.map((item) => (isObject(item) ? item : { value: item }));
}

async function* rowsIn(batches: AsyncIterable<readonly unknown[]>) {
  for await (const batch of batches) yield batch.flatMap(rowsOf);
}

/**
 * The rows of an item, which depend on the query type: events, hits, the entries of a topN, or
 * an array as one row.
 */
function rowsOf(item: unknown): Row[] {
  if (Array.isArray(item)) return [nameByPosition(item)];
  if (!isObject(item)) return [{ value: item }];
  const { timestamp, event, events, columns, result } = item;
  if (isObject(event)) return [{ timestamp, ...event }];
  if (Array.isArray(events))
    return events.map((each) =>
      Array.isArray(each) ? rowWithNames(each, columns) : isObject(each) ? each : { value: each },
    );
  if (Array.isArray(result))
    return result.map((each) => ({ timestamp, ...(isObject(each) ? each : { value: each }) }));
  return isObject(result) ? [{ timestamp, ...result }] : [item];
}

const nameByPosition = (values: readonly unknown[]): Row =>
  Object.fromEntries(values.map((value, index) => [`column${index + 1}`, value]));

const rowWithNames = (values: readonly unknown[], names: unknown): Row =>
  Array.isArray(names)
    ? Object.fromEntries(names.map((name, index) => [String(name), values[index]]))
    : nameByPosition(values);

const isObject = (value: unknown): value is Row =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

// The first row defines the columns.
async function firstOf(batches: AsyncIterable<readonly Row[]>) {
  const iterator = batches[Symbol.asyncIterator]();
  let next = await iterator.next();
  while (!next.done && next.value.length === 0) next = await iterator.next();
  const head = next;
  const all = (async function* () {
    for (let batch = head; !batch.done; batch = await iterator.next()) yield batch.value;
  })();
  return { row: head.done ? undefined : head.value[0], all };
}

const columnsOf = (row: Row): Columns<Row> =>
  Object.keys(row).map((name) => ({ name, value: (each: Row) => cellOf(each[name]) }));

const cellOf = (value: unknown): Cell =>
  typeof value === 'object' && value !== null ? formatJson(value) : (value as Cell);
