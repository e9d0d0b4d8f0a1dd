// Selection of rows and columns of a list: --columns, --where, --sort, --limit. Streams stay
// streams unless they are sorted.

import { nearest } from '../../model/nearest.ts';
import { UsageError } from '../process/errors.ts';
import type { Settings } from '../process/flags.ts';
import { type Columns, compareCells } from './columns.ts';

// Streams yield batches: awaiting each row would take longer than its processing.
export type Rows<T> = readonly T[] | AsyncIterable<readonly T[]>;

/** Applies `change` to each batch; a stream stays a stream. */
export function mapBatches<T, Row>(
  rows: Rows<T>,
  change: (batch: readonly T[]) => readonly Row[],
): Rows<Row> {
  return isWhole(rows) ? change(rows) : mapRows(rows, change);
}

const isWhole = <T>(rows: Rows<T>): rows is readonly T[] => Array.isArray(rows);

type Selection = Pick<Settings, 'columns' | 'where' | 'sort' | 'limit'>;

export interface Cut {
  total?: number; // of all rows, when some were left out; -1 when unknown
}

/**
 * Refuses invalid names and expressions before any request. Columns that only the answer defines
 * are not checked.
 */
export async function checkSelection(
  columns: Columns<never> | 'any',
  { columns: wanted, where, sort }: Selection,
): Promise<void> {
  if (columns !== 'any') chooseColumns(columns, wanted, false);
  if (columns !== 'any' && sort !== undefined)
    columnNamed(columns, sort.replace(/^[-+]/, ''), '--sort');
  if (where !== undefined) await (await import('./where.ts')).conditionOf(where, columns);
}

/** The selected rows in blocks, and the columns to show. */
export async function selectRows<T>(
  rows: Rows<T>,
  columns: Columns<T>,
  selection: Selection,
  narrow: boolean,
  cut: Cut,
) {
  const { where, sort, limit } = selection;
  const shown = chooseColumns(columns, selection.columns, narrow);
  let kept = blocksOf(rows);
  if (where !== undefined) {
    const { conditionOf } = await import('./where.ts');
    const condition = await conditionOf(where, columns);
    kept = mapRows(kept, (block) => block.filter(condition));
  }
  if (sort !== undefined) kept = sortRows(kept, columns, sort);
  if (limit !== undefined && limit > 0)
    kept = limitRows(kept, limit, isWhole(rows) || sort !== undefined, cut);
  return { kept, shown };
}

export function chooseColumns<T>(
  columns: Columns<T>,
  wanted: string | undefined,
  narrow: boolean,
): Columns<T> {
  if (wanted === undefined) return columns.filter(({ wide }) => !(narrow && wide));
  return wanted.split(',').map((name) => columnNamed(columns, name.trim(), '--columns'));
}

export const cutNotice = ({ total }: Cut, limit: number | undefined) => {
  if (total === undefined) return;
  const rows = total < 0 ? 'there are more' : `there are ${total}`;
  return `Only the first ${limit === 1 ? 'is' : `${limit} are`} shown, ${rows}: --limit 0 shows all`;
};

function columnNamed<T>(columns: Columns<T>, name: string, flag: string) {
  const found =
    columns.find((column) => column.name === name) ??
    columns.find((column) => column.name.toLowerCase() === name.toLowerCase());
  if (found) return found;
  const names = columns.map((column) => column.name);
  const near = nearest(name, names);
  throw new UsageError(
    `Value [${name}] of ${flag} is not a column: there are ${names.join(', ')}`,
    near && `did you mean ${near}?`,
  );
}

function sortRows<T>(
  rows: AsyncIterable<readonly T[]>,
  columns: Columns<T>,
  by: string,
): AsyncIterable<readonly T[]> {
  const downwards = by.startsWith('-');
  const { kind, value } = columnNamed(columns, by.replace(/^[-+]/, ''), '--sort');
  return (async function* () {
    const all: T[] = [];
    for await (const block of rows) all.push(...block);
    const sign = downwards ? -1 : 1;
    yield all.sort((a, b) => sign * compareCells(kind, value(a), value(b)));
  })();
}

// An array's omitted rows are counted; a stream is not read to its end.
async function* limitRows<T>(
  rows: AsyncIterable<readonly T[]>,
  limit: number,
  isThere: boolean,
  cut: Cut,
): AsyncIterable<readonly T[]> {
  let seen = 0;
  for await (const block of rows) {
    if (seen < limit) yield block.slice(0, limit - seen);
    seen += block.length;
    if (seen > limit) cut.total = isThere ? seen : -1;
    if (seen > limit && !isThere) return;
  }
}

async function* mapRows<T, Row>(
  rows: AsyncIterable<readonly T[]>,
  change: (block: readonly T[]) => readonly Row[],
): AsyncIterable<readonly Row[]> {
  for await (const block of rows) yield change(block);
}

/** Rows as a stream of blocks. */
export async function* blocksOf<T>(rows: Rows<T>): AsyncIterable<readonly T[]> {
  if (!isWhole(rows)) yield* rows;
  else
    for (let start = 0; start < rows.length; start += 1000) yield rows.slice(start, start + 1000);
}
