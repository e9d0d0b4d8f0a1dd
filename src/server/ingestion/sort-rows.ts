// Sorting of rows, and their division into partitions: in memory, or bin by bin.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeSegmentFile } from '../engine/segment-file.ts';
import type { Session } from '../engine/session.ts';
import {
  areLong,
  type Bins,
  type Overflow,
  parquetRelation,
  rowBytesOf,
  rowsPerGroup,
} from './overflow.ts';
import { sortableTexts } from './range-parts.ts';
import { Slices } from './slices.ts';
import { type SortKey, type SortPlan, SortPlanner } from './sort-plan.ts';
import type {
  Division,
  RowTable,
  SegmentPartition,
  SortedRows,
  TimeSpan,
} from './write-segments.ts';

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
    partitions: partitionsFrom(groups.map(equalPieces(division)), division, 0),
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
    const divided = await divideBetweenTimes(
      session,
      from,
      groups.map(equalPieces(division)),
      division,
    );
    partitionsOf.push(partitionsFrom(divided, division, index));
  }
  const rowBytes = rowBytesOf(rows.columns.length, room);
  const planner = new SortPlanner(session, rows.columns, sortKeys(rows, division), rowBytes);
  let planned: { readonly bin: number; readonly plan: SortPlan } | undefined;
  let sorted: (SortedBin & { readonly bin: number }) | undefined;
  let sliced: { readonly bin: number; readonly slices: Slices } | undefined;
  return {
    partitions: partitionsOf.flat(),
    async sortedRowsOf(partition) {
      const { bin } = partition;
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
      const relation = isSortedByTime(division) ? from : `(${dividedSql(rows, from, division)})`;
      if (planned?.bin !== bin)
        planned = { bin, plan: await planner.planFor(relation, rowsOf(siblings)) };
      const { columns, order } = planned.plan;
      const { times } = partition;
      if (times && isReadPerPartition(siblings))
        return `(SELECT ${columns} FROM ${relation} WHERE ${isWithin(times)} ORDER BY ${order})`;
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
// its spilled rows would need much room. So is one of long rows: DuckDB fills the memory with them,
// and none is left for a row group.
function slicesFor(siblings: readonly SegmentPartition[], rows: RowTable, room: Overflow): number {
  const bytes = bytesOf(siblings, rows, room);
  if (areLong(rows.columns.length, room)) {
    const bytesAtOnce = room.memoryBytes / 16;
    const fits = siblings.every((partition) => bytesOf([partition], rows, room) <= bytesAtOnce);
    return fits && isReadPerPartition(siblings) ? 1 : Math.ceil(bytes / bytesAtOnce);
  }
  const mostBytes = room.memoryBytes * timesTheMemory;
  return bytes <= mostBytes ? 1 : Math.ceil(bytes / (mostBytes / 4));
}

const timesTheMemory = 16;

const isSortedByTime = ({ part, order }: Division): boolean => part === '0' && order[0] === 't';

// Few partitions of a bin are sorted while they are written. Each of them reads the whole bin.
const isReadPerPartition = (siblings: readonly SegmentPartition[]): boolean =>
  siblings.length <= fewPartitions && siblings.every(({ times }) => times !== undefined);

const fewPartitions = 12;

const isWithin = ({ first, last }: TimeSpan): string => `t BETWEEN ${first} AND ${last}`;

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

// Rows of one part of a chunk.
interface Group {
  readonly chunkStart: number;
  readonly part: number;
  readonly numRows: number;
  readonly start: readonly (string | null)[];
  readonly times: TimeSpan;
}

interface DividedGroup extends Group {
  readonly pieces: readonly Pick<SegmentPartition, 'numRows' | 'times'>[];
}

async function groupsIn(
  session: Session,
  relation: string,
  { boundaries }: Division,
): Promise<Group[]> {
  const own = boundaries.map((_, index) => `b${index}`);
  const start =
    own.length > 0 ? `arg_min([${own.join(', ')}]::VARCHAR[], ${sortableTexts(own)})` : 'NULL';
  const found = await session.rows(
    `SELECT chunk, part, count(*), ${start}, min(t), max(t) FROM ${relation} GROUP BY chunk, part ORDER BY chunk, part`,
  );
  return found.map(([chunkStart, part, count, starts, first, last]) => ({
    chunkStart: Number(chunkStart),
    part: Number(part),
    numRows: Number(count),
    start: Array.isArray(starts)
      ? starts.map((value) => (typeof value === 'string' ? value : null))
      : [],
    times: { first: Number(first), last: Number(last) },
  }));
}

// A group that is too large is divided into equal pieces.
const equalPieces =
  ({ part, maxRows }: Division) =>
  (group: Group): DividedGroup => {
    const { numRows, times } = group;
    const count = Math.max(1, Math.ceil(numRows / maxRows));
    if (count === 1) return { ...group, pieces: [{ numRows, ...(part === '0' && { times }) }] };
    const ends = Array.from({ length: count }, (_, piece) =>
      Math.ceil((numRows * (piece + 1)) / count),
    );
    const pieces = ends.map((end, piece) => ({ numRows: end - (ends[piece - 1] ?? 0) }));
    return { ...group, pieces };
  };

// Groups that are sorted by time are divided between times, so that each piece can be read and
// sorted on its own. In a bin of many pieces, none of them will be.
async function divideBetweenTimes(
  session: Session,
  from: string,
  groups: readonly DividedGroup[],
  division: Division,
): Promise<readonly DividedGroup[]> {
  const total = groups.reduce((sum, { pieces }) => sum + pieces.length, 0);
  if (total > fewPartitions || !isSortedByTime(division)) return groups;
  const divided: DividedGroup[] = [];
  for (const group of groups)
    divided.push(
      group.pieces.length === 1 ? group : await piecesBetweenTimes(session, from, group, division),
    );
  return divided;
}

// Pieces of about the same size, or of the same size if one would be too large.
async function piecesBetweenTimes(
  session: Session,
  from: string,
  group: DividedGroup,
  { maxRows }: Division,
): Promise<DividedGroup> {
  const count = group.pieces.length;
  const own = `${from} WHERE ${isWithin(group.times)}`;
  const shares = Array.from({ length: count - 1 }, (_, index) => (index + 1) / count);
  const [[found] = []] = await session.rows(
    `SELECT approx_quantile(t, [${shares.join(', ')}]) FROM ${own}`,
  );
  const starts = [
    ...new Set([group.times.first, ...(Array.isArray(found) ? found.map(Number) : [])]),
  ];
  const spans = starts.map((first, piece) => ({
    first,
    last: piece === starts.length - 1 ? group.times.last : (starts[piece + 1] ?? 0) - 1,
  }));
  const [counts = []] = await session.rows(
    `SELECT ${spans.map((times) => `count(*) FILTER (${isWithin(times)})`).join(', ')} FROM ${own}`,
  );
  const pieces = spans.map((times, piece) => ({ times, numRows: Number(counts[piece]) }));
  const fits = pieces.every(({ numRows }) => numRows > 0 && numRows <= maxRows);
  return fits && pieces.length === count ? { ...group, pieces } : group;
}

function partitionsFrom(
  groups: readonly DividedGroup[],
  { numBuckets = () => 1 }: Division,
  bin: number,
): SegmentPartition[] {
  let firstRow = 0;
  return groups.flatMap(({ chunkStart, part, start, pieces }) =>
    pieces.map((piece): SegmentPartition => {
      const partition = {
        ...piece,
        chunkStart,
        part,
        numBuckets: numBuckets(chunkStart),
        bin,
        firstRow,
        start,
      };
      firstRow += piece.numRows;
      return partition;
    }),
  );
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
