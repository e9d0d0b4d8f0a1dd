// Sorting of rows, and their division into partitions: in memory, or bin by bin.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSegmentFile } from '../engine/segment-file.ts';
import type { Session } from '../engine/session.ts';
import { type Bins, type Overflow, parquetRelation, rowBytesOf, rowsPerGroup } from './overflow.ts';
import { sortableTexts } from './range-parts.ts';
import { Slices } from './slices.ts';
import { type SortKey, type SortPlan, SortPlanner } from './sort-plan.ts';
import type { Division, RowTable, SegmentPartition, SortedRows } from './write-segments.ts';

/**
 * Sorts rows and divides them into partitions, chunk by chunk. Rows in bins are sorted later, bin
 * by bin, when the first rows of a bin are wanted.
 */
export async function sortRows(
  session: Session,
  rows: RowTable,
  division: Division,
): Promise<SortedRows> {
  if (rows.bins) return sortBins(session, rows, rows.bins, division);
  const order = sortKeys(rows, division).map(({ sql }) => sql);
  await session.run(
    `CREATE TEMP TABLE sorted_rows AS ${dividedSql(rows, rows.table, division)} ORDER BY ${order.join(', ')}; DROP TABLE ${rows.table}`,
  );
  const groups = await groupsIn(session, 'sorted_rows', division);
  return {
    partitions: partitionsFrom(groups, division, 0),
    sortedRowsOf: async (partition) => stretchOf(partition),
  };
}

async function sortBins(
  session: Session,
  rows: RowTable,
  { relations, room }: Bins,
  division: Division,
): Promise<SortedRows> {
  const partitionsOf: (readonly SegmentPartition[])[] = [];
  for (const [index, from] of relations.entries()) {
    const groups = await groupsIn(session, `(${dividedSql(rows, from, division)})`, division);
    partitionsOf.push(partitionsFrom(groups, division, index));
  }
  const planner = new SortPlanner(session, rows.columns, sortKeys(rows, division));
  let planned: { readonly bin: number; readonly plan: SortPlan } | undefined;
  let sorted: (SortedBin & { readonly bin: number }) | undefined;
  let sliced: { readonly bin: number; readonly slices: Slices } | undefined;
  return {
    partitions: partitionsOf.flat(),
    async sortedRowsOf(partition) {
      const { bin, chunkStart } = partition;
      const from = relations[bin] ?? rows.table;
      const siblings = partitionsOf[bin] ?? [];
      const numSlices = slicesFor(siblings, rows, room);
      if (numSlices > 1 && isSortedByTime(division)) {
        if (sliced?.bin !== bin) {
          const divided = { from, numSlices, planner };
          sliced = { bin, slices: await Slices.of(session, rows.columns, divided, room) };
        }
        return sliced.slices.stretch(partition);
      }
      const divided = `(${dividedSql(rows, from, division)})`;
      const relation = isSortedByTime(division) ? from : divided;
      if (planned?.bin !== bin)
        planned = { bin, plan: await planner.planFor(relation, rowsOf(siblings)) };
      const { columns, order } = planned.plan;
      if (isWholeChunk(partition, siblings, division)) {
        const own = siblings.length > 1 ? `${divided} WHERE chunk = ${chunkStart}` : from;
        return `(SELECT ${columns} FROM ${own} ORDER BY ${order})`;
      }
      if (sorted?.bin !== bin) {
        if (sorted) await sorted.remove();
        const isLarge = bytesOf(siblings, rows, room) > room.memoryBytes / 4;
        const query = `SELECT ${columns} FROM ${relation} ORDER BY ${order}`;
        sorted = { bin, ...(await sortBin(session, rows, query, isLarge ? room : undefined)) };
      }
      return sorted.stretchOf(partition);
    },
  };
}

const bytesOf = (
  siblings: readonly SegmentPartition[],
  { columns }: RowTable,
  room: Overflow,
): number => rowsOf(siblings) * rowBytesOf(columns.length, room);

const rowsOf = (partitions: readonly SegmentPartition[]): number =>
  partitions.reduce((sum, { numRows }) => sum + numRows, 0);

interface SortedBin {
  stretchOf(partition: SegmentPartition): string;
  remove(): Promise<unknown>;
}

// Keeps a sorted bin in a table, or in a file of the room.
async function sortBin(
  session: Session,
  { columns }: RowTable,
  query: string,
  room: Overflow | undefined,
): Promise<SortedBin> {
  if (!room) {
    await session.run(`CREATE TEMP TABLE sorted_rows AS ${query}`);
    return { stretchOf, remove: () => session.run('DROP TABLE sorted_rows') };
  }
  const file = join(room.folder, 'sorted.parquet');
  await writeSegmentFile(session, query, file, {
    mostRowsPerGroup: rowsPerGroup(columns.length, room),
  });
  const relation = parquetRelation([file]);
  return {
    stretchOf: ({ firstRow, numRows }) =>
      `${relation} WHERE file_row_number >= ${firstRow} AND file_row_number < ${firstRow + numRows}`,
    remove: () => rm(file, { force: true }),
  };
}

// DuckDB sorts a bin of several times the memory on disk. A larger one is sorted in slices, because
// its spilled rows would need much room. So is one of long rows: DuckDB takes 2048 rows at a time
// into memory.
function slicesFor(siblings: readonly SegmentPartition[], rows: RowTable, room: Overflow): number {
  const bytes = bytesOf(siblings, rows, room);
  const areLong = rowsPerGroup(rows.columns.length, room) !== undefined;
  const mostBytes = room.memoryBytes * (areLong ? 1 / 4 : timesTheMemory);
  return bytes <= mostBytes ? 1 : Math.ceil(bytes / (mostBytes / 4));
}

const timesTheMemory = 16;

const isSortedByTime = ({ part, order }: Division): boolean => part === '0' && order[0] === 't';

// A chunk in a bin of few chunks is sorted while it is written.
const isWholeChunk = (
  { chunkStart }: SegmentPartition,
  siblings: readonly SegmentPartition[],
  { part }: Division,
): boolean =>
  part === '0' &&
  siblings.length <= fewChunks &&
  siblings.filter((sibling) => sibling.chunkStart === chunkStart).length === 1;

const fewChunks = 4;

const stretchOf = ({ firstRow, numRows }: SegmentPartition): string =>
  `sorted_rows WHERE rowid >= ${firstRow} AND rowid < ${firstRow + numRows}`;

function dividedSql(
  { columns }: RowTable,
  from: string,
  { chunk, part, boundaries }: Division,
): string {
  const own = ['t', ...columns.slice(1).map((_, index) => `c${index}`)];
  const bounds = boundaries.map((boundary, index) => `${boundary} AS b${index}`);
  return `SELECT ${['chunk', `${part} AS part`, ...own, ...bounds].join(', ')} FROM (SELECT *, ${chunk} AS chunk FROM ${from}) AS divided`;
}

// The order by time is the order by chunk, too.
const sortKeys = (rows: RowTable, division: Division): readonly SortKey[] => [
  ...(isSortedByTime(division) ? [] : [{ sql: 'chunk' }, { sql: 'part' }]),
  ...division.order.map((column) => sortKey(rows, column)),
];

function groupsIn(
  session: Session,
  relation: string,
  { boundaries }: Division,
): Promise<Awaited<ReturnType<Session['rows']>>> {
  const own = boundaries.map((_, index) => `b${index}`);
  const start =
    own.length > 0 ? `arg_min([${own.join(', ')}]::VARCHAR[], ${sortableTexts(own)})` : 'NULL';
  return session.rows(
    `SELECT chunk, part, count(*), ${start} FROM ${relation} GROUP BY chunk, part ORDER BY chunk, part`,
  );
}

function partitionsFrom(
  groups: Awaited<ReturnType<Session['rows']>>,
  { maxRows, numBuckets = () => 1 }: Division,
  bin: number,
): SegmentPartition[] {
  const partitions: SegmentPartition[] = [];
  let firstRow = 0;
  for (const [chunkStart, number, count, starts] of groups) {
    // A partition that is too large is divided into equal parts.
    const total = Number(count);
    const pieces = Math.max(1, Math.ceil(total / maxRows));
    for (let piece = 0, left = total; piece < pieces; piece++) {
      const numRows = Math.ceil(left / (pieces - piece));
      const boundary = Array.isArray(starts)
        ? starts.map((value) => (typeof value === 'string' ? value : null))
        : [];
      partitions.push({
        chunkStart: Number(chunkStart),
        part: Number(number),
        numBuckets: numBuckets(Number(chunkStart)),
        bin,
        firstRow,
        numRows,
        start: boundary,
      });
      firstRow += numRows;
      left -= numRows;
    }
  }
  return partitions;
}

// DuckDB restores sorted columns from its sort keys, which cannot represent -0.0: for a numeric
// column, the key is a computed value beside it.
function sortKey({ columns }: RowTable, column: string): SortKey {
  const type = column === 't' ? 'LONG' : columns[Number(column.slice(1)) + 1]?.type;
  if (type === 'LONG') return { sql: column };
  return type === 'DOUBLE' || type === 'FLOAT'
    ? { sql: `${column} + 0` }
    : { sql: column, wide: column };
}
