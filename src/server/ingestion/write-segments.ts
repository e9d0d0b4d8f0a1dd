// Segments from rows: sorted, divided into time chunks and partitions, and written as unpublished
// files.
import { join } from 'node:path';
import type { Interval } from '../../model/interval.ts';
import type { SegmentColumn, SegmentIngestion, ShardSpec } from '../../model/segment.ts';
import { identifiersOf } from '../../sql/expressions/column-names.ts';
import { serialize } from '../engine/native-types.ts';
import { type Compression, writeSegmentFile } from '../engine/segment-file.ts';
import type { Session } from '../engine/session.ts';
import type { StagedSegment } from '../storage/segment-store.ts';
import { columnSql } from './stored-values.ts';

/**
 * A table with the columns `t` (milliseconds) and `c0`, `c1`, ... for `columns` without `__time`,
 * which is the first of them.
 */
export interface RowTable {
  readonly table: string;
  // Relations with the rows of `table` if they are too many for memory: no time chunk is in two
  readonly bins?: readonly string[];
  readonly columns: readonly SegmentColumn[];
  readonly dimensions: readonly string[];
  readonly metrics: readonly string[];
  // Columns with a discovered type: in a segment without values, it is STRING
  readonly discovered: readonly string[];
  // Dimensions that a segment without values for them omits
  readonly omittable: readonly string[];
}

export interface Division {
  readonly chunk: string; // expression for the start of a row's time chunk
  // Expression for the number of a row's partition in its chunk; may use `chunk`
  readonly part: string;
  readonly order: readonly string[]; // columns to sort by within a partition
  // expressions of type text, whose smallest values in a partition are its start
  readonly boundaries: readonly string[];
  readonly maxRows: number; // larger partitions are divided
  // Number of possible values of `part`; by default, the number of actual ones
  readonly numBuckets?: (chunkStart: number) => number;
}

/** A range of sorted rows that becomes one segment. */
export interface Partition {
  readonly chunkStart: number;
  readonly part: number;
  readonly numBuckets: number; // number of possible parts of the chunk
  readonly bin: number; // index of its bin, if the rows are in bins
  readonly firstRow: number; // among the sorted rows of its bin, or of all
  readonly numRows: number;
  readonly start: readonly (string | null)[]; // of the boundaries
}

/** Rows that are divided into partitions. */
export interface SortedRows {
  readonly partitions: readonly Partition[];
  /** A relation with the sorted rows of a partition; partitions of a bin follow each other. */
  sortedRowsOf(partition: Partition): Promise<string>;
}

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
  await session.run(`${sortedTable(rows, rows.table, division)}; DROP TABLE ${rows.table}`);
  const groups = await groupsIn(session, 'sorted_rows', division);
  return {
    partitions: partitionsFrom(groups, division, 0),
    sortedRowsOf: async (partition) => stretchOf(partition),
  };
}

async function sortBins(
  session: Session,
  rows: RowTable,
  bins: readonly string[],
  division: Division,
): Promise<SortedRows> {
  const partitionsOf: (readonly Partition[])[] = [];
  for (const [index, bin] of bins.entries()) {
    const groups = await groupsIn(session, `(${dividedSql(rows, bin, division)})`, division);
    partitionsOf.push(partitionsFrom(groups, division, index));
  }
  let sorted: number | undefined;
  return {
    partitions: partitionsOf.flat(),
    async sortedRowsOf(partition) {
      const { bin, chunkStart } = partition;
      const from = bins[bin] ?? rows.table;
      const siblings = partitionsOf[bin] ?? [];
      if (isWholeChunk(partition, siblings, division))
        return `(SELECT * FROM (${dividedSql(rows, from, division)}) WHERE chunk = ${chunkStart} ORDER BY ${orderSql(rows, division)})`;
      if (sorted !== bin)
        await session.run(`DROP TABLE IF EXISTS sorted_rows; ${sortedTable(rows, from, division)}`);
      sorted = bin;
      return stretchOf(partition);
    },
  };
}

// A chunk in a bin of few chunks is sorted while it is written.
const isWholeChunk = (
  { chunkStart }: Partition,
  siblings: readonly Partition[],
  { part }: Division,
): boolean =>
  part === '0' &&
  siblings.length <= fewChunks &&
  siblings.filter((sibling) => sibling.chunkStart === chunkStart).length === 1;

const fewChunks = 4;

const stretchOf = ({ firstRow, numRows }: Partition): string =>
  `sorted_rows WHERE rowid >= ${firstRow} AND rowid < ${firstRow + numRows}`;

const sortedTable = (rows: RowTable, from: string, division: Division): string =>
  `CREATE TEMP TABLE sorted_rows AS ${dividedSql(rows, from, division)} ORDER BY ${orderSql(rows, division)}`;

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
const orderSql = (rows: RowTable, { part, order }: Division): string =>
  [
    ...(part === '0' && order[0] === 't' ? [] : ['chunk', 'part']),
    ...order.map((column) => sortKey(rows, column)),
  ].join(', ');

function groupsIn(
  session: Session,
  relation: string,
  { boundaries }: Division,
): Promise<Awaited<ReturnType<Session['rows']>>> {
  const least = boundaries.map((_, index) => `b${index}`).join(', ');
  const start = boundaries.length > 0 ? `min(row(${least}))` : 'NULL';
  const list =
    boundaries.length > 0
      ? `[${boundaries.map((_, index) => `s[${index + 1}]`).join(', ')}]::VARCHAR[]`
      : 'NULL';
  return session.rows(
    `SELECT chunk, part, n, ${list} FROM (SELECT chunk, part, count(*) AS n, ${start} AS s FROM ${relation} GROUP BY chunk, part ORDER BY chunk, part)`,
  );
}

function partitionsFrom(
  groups: Awaited<ReturnType<Session['rows']>>,
  { maxRows, numBuckets = () => 1 }: Division,
  bin: number,
): Partition[] {
  const partitions: Partition[] = [];
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

/** The partitions of each chunk, by the chunk's start. */
export function groupByChunk(
  partitions: readonly Partition[],
): ReadonlyMap<number, readonly Partition[]> {
  const groups = new Map<number, Partition[]>();
  for (const partition of partitions) {
    const group = groups.get(partition.chunkStart);
    if (group) group.push(partition);
    else groups.set(partition.chunkStart, [partition]);
  }
  return groups;
}

export interface Writing {
  readonly session: Session;
  readonly rows: RowTable;
  readonly sortedRowsOf: SortedRows['sortedRowsOf'];
  readonly dataSource: string;
  readonly folder: string; // a staging folder
  readonly filePrefix?: string; // of the file names, if other writers use the folder
  readonly rowsPerGroup?: number;
  readonly compression?: Compression;
  readonly placeOf: (partition: Partition) => SegmentPlace;
  readonly onWritten?: (segment: StagedSegment, partition: Partition) => void;
  readonly lastCompactionState?: Readonly<Record<string, unknown>>;
  readonly ingestion: SegmentIngestion;
}

/** Place of a partition. */
export interface SegmentPlace {
  readonly interval: Interval;
  readonly version: string;
  readonly partitionNum: number | undefined; // absent: the next one of the chunk
  readonly shardSpec: ShardSpec;
}

/** Segments in the order of their time chunks, which bins do not have. */
export const inOrderOfTime = (staged: readonly StagedSegment[]): StagedSegment[] =>
  [...staged].sort((a, b) => a.interval.start - b.interval.start);

/** Writes partitions of sorted rows as files, one after the other. */
export async function writeSegments(
  partitions: readonly Partition[],
  writing: Writing,
): Promise<StagedSegment[]> {
  const {
    session,
    rows,
    sortedRowsOf,
    dataSource,
    folder,
    filePrefix = 'segment',
    placeOf,
    onWritten,
    lastCompactionState,
    ingestion,
  } = writing;
  const staged: StagedSegment[] = [];
  for (const [index, partition] of partitions.entries()) {
    const { numRows } = partition;
    const stretch = await sortedRowsOf(partition);
    const columns = await columnsIn(session, rows, stretch);
    const values = columns.map(({ name, type }) => {
      const value = columnSql(rows.columns, name) ?? 'NULL';
      return `${type === typeOf(rows, name) ? value : 'NULL::VARCHAR'} AS ${identifiersOf(columns)(name)}`;
    });
    const query = `SELECT ${values.join(', ')} FROM ${stretch}`;
    const written = await writeSegmentFile(
      session,
      query,
      join(folder, `${filePrefix}-${index}.parquet`),
      writing,
    );
    const { partitionNum, ...place } = placeOf(partition);
    const segment: StagedSegment = {
      dataSource,
      ...place,
      ...(partitionNum !== undefined && { partitionNum }),
      file: written.file,
      sizeBytes: written.sizeBytes,
      numRows,
      columns: columns.map(serialize),
      dimensions: rows.dimensions.filter((name) => columns.some((column) => column.name === name)),
      metrics: rows.metrics,
      ingestion,
      ...(lastCompactionState && { lastCompactionState }),
    };
    staged.push(segment);
    onWritten?.(segment, partition);
  }
  return staged;
}

// The real engine detects dimensions and types for each segment, and a column without values is a
// STRING.
async function columnsIn(
  session: Session,
  rows: RowTable,
  stretch: string,
): Promise<readonly SegmentColumn[]> {
  const [discovered, omittable] = [new Set(rows.discovered), new Set(rows.omittable)];
  const open = rows.columns.filter(
    ({ name, type }) => omittable.has(name) || (discovered.has(name) && type !== 'STRING'),
  );
  if (open.length === 0) return rows.columns;
  const [counts = []] = await session.rows(
    `SELECT ${open.map(({ name }) => `count(${columnSql(rows.columns, name)})`).join(', ')} FROM ${stretch}`,
  );
  const empty = new Set(
    open.filter((_, index) => Number(counts[index]) === 0).map(({ name }) => name),
  );
  if (empty.size === 0) return rows.columns;
  return rows.columns.flatMap((column) => {
    if (!empty.has(column.name)) return column;
    return omittable.has(column.name) ? [] : { ...column, type: 'STRING' };
  });
}

// DuckDB restores sorted columns from its sort keys, which cannot represent -0.0: for a numeric
// column, the key is a computed value beside it.
const sortKey = ({ columns }: RowTable, column: string) => {
  const type = column === 't' ? 'LONG' : columns[Number(column.slice(1)) + 1]?.type;
  return type === 'DOUBLE' || type === 'FLOAT' ? `${column} + 0` : column;
};

const typeOf = (rows: RowTable, name: string) =>
  rows.columns.find((column) => column.name === name)?.type;
