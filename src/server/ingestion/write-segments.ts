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
import { type Bins, rowsPerGroup } from './overflow.ts';
import { columnSql, valueCount } from './stored-values.ts';

/**
 * A table with the columns `t` (milliseconds) and `c0`, `c1`, ... for `columns` without `__time`,
 * which is the first of them.
 */
export interface RowTable {
  readonly table: string;
  readonly bins?: Bins; // of rows that are too many for memory
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
export interface SegmentPartition {
  readonly chunkStart: number;
  readonly part: number;
  readonly numBuckets: number; // number of possible parts of the chunk
  readonly bin: number; // index of its bin, if the rows are in bins
  readonly firstRow: number; // among the sorted rows of its bin, or of all
  readonly numRows: number;
  readonly start: readonly (string | null)[]; // of the boundaries
  readonly times?: TimeSpan; // its rows are all rows of these times
}

/** Milliseconds of the first and the last row. */
export interface TimeSpan {
  readonly first: number;
  readonly last: number;
}

/** Rows that are divided into partitions. */
export interface SortedRows {
  readonly partitions: readonly SegmentPartition[];
  /** A relation with the sorted rows of a partition; partitions of a bin follow each other. */
  sortedRowsOf(partition: SegmentPartition): Promise<string>;
}

/** The partitions of each chunk, by the chunk's start. */
export function groupByChunk(
  partitions: readonly SegmentPartition[],
): ReadonlyMap<number, readonly SegmentPartition[]> {
  const groups = new Map<number, SegmentPartition[]>();
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
  readonly placeOf: (partition: SegmentPartition) => SegmentPlace;
  readonly onWritten?: (segment: StagedSegment, partition: SegmentPartition) => void;
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
  partitions: readonly SegmentPartition[],
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
  const mostRowsPerGroup = rows.bins && rowsPerGroup(rows.columns.length, rows.bins.room);
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
      { ...writing, mostRowsPerGroup },
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
    `SELECT ${open.map((column) => valueCount(column, columnSql(rows.columns, column.name) ?? 'NULL')).join(', ')} FROM ${stretch}`,
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

const typeOf = (rows: RowTable, name: string) =>
  rows.columns.find((column) => column.name === name)?.type;
