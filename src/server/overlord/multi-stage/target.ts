// Target of INSERT and REPLACE: time chunks, partitions and replaced segments.
import { bucketOf, type Granularity, periodGranularity } from '../../../model/granularity.ts';
import {
  condense,
  contains,
  eternity,
  formatInterval,
  type Interval,
  intersection,
  without,
} from '../../../model/interval.ts';
import { parsePeriod } from '../../../model/period.ts';
import type { SegmentColumn } from '../../../model/segment.ts';
import type { IngestStatement } from '../../../sql/statement.ts';
import type { Session } from '../../engine/session.ts';
import { bucketStartSql, timeRange } from '../../ingestion/granularities.ts';
import { rangeParts } from '../../ingestion/range-parts.ts';
import { columnSql } from '../../ingestion/stored-values.ts';
import type { Division, RowTable } from '../../ingestion/write-segments.ts';
import { timeOutOfBounds } from '../../statements/faults.ts';
import type { SegmentStore } from '../../storage/segment-store.ts';
import type { QuerySettings } from './settings.ts';

/** The granularity of PARTITIONED BY. */
export const granularityOf = ({ partitionedBy }: IngestStatement): Granularity =>
  partitionedBy === 'ALL' ? { type: 'all' } : periodGranularity(parsePeriod(partitionedBy));

/** The time chunk that begins at an instant. */
export const chunkAt = (granularity: Granularity, start: number): Interval =>
  bucketOf(granularity, start);

/**
 * Division of the rows: by time chunk, and by the columns of CLUSTERED BY if the leading ones are
 * all plain strings. Within a segment, rows are sorted by time, `segmentSortOrder` and CLUSTERED
 * BY.
 */
export async function divisionFor(
  session: Session,
  statement: IngestStatement,
  rows: RowTable,
  settings: QuerySettings,
): Promise<Division> {
  const { rowsPerSegment, segmentSortOrder, forceSegmentSortByTime } = settings;
  const granularity = granularityOf(statement);
  const chunk =
    granularity.type === 'all'
      ? `${eternity.start}::BIGINT`
      : await bucketStartSql(
          session,
          granularity,
          't',
          () => timeRange(session, rows.table),
          'chunk_buckets',
        );
  const named = [
    ...segmentSortOrder,
    ...statement.clusteredBy.map(({ column }) => column),
    ...rows.columns.map(({ name }) => name),
  ];
  const order = [
    ...new Set([
      ...(forceSegmentSortByTime ? ['t'] : []),
      ...named.flatMap((name) => columnSql(rows.columns, name) ?? []),
    ]),
  ];
  const keys = rangeColumns(statement, rows.columns).flatMap(
    (name) => columnSql(rows.columns, name) ?? [],
  );
  if (keys.length === 0)
    return { chunk, part: '0', order, boundaries: [], maxRows: rowsPerSegment };
  const parts = await rangeParts(session, { chunk, keys, targetRows: rowsPerSegment }, rows);
  return { chunk, order, maxRows: Number.POSITIVE_INFINITY, ...parts };
}

/**
 * The columns of CLUSTERED BY whose values define ranges of partitions; empty when one of them is
 * not a plain string.
 */
export function rangeColumns(
  { kind, clusteredBy }: IngestStatement,
  columns: readonly SegmentColumn[],
): readonly string[] {
  if (kind !== 'replace') return []; // appended partitions are beside existing ones, so they do not define ranges
  const strings = clusteredBy.every(({ column }) =>
    columns.some(
      ({ name, type, multiValue }) => name === column && type === 'STRING' && !multiValue,
    ),
  );
  return strings ? clusteredBy.map(({ column }) => column) : [];
}

/** The intervals that a REPLACE overwrites; undefined for INSERT. */
export function findOverwritten({
  kind,
  overwrite,
}: IngestStatement): readonly Interval[] | undefined {
  if (kind === 'insert' || overwrite === undefined) return undefined;
  return overwrite === 'ALL'
    ? [eternity]
    : condense(
        overwrite.map(({ startMs, endMs }) => ({ start: Number(startMs), end: Number(endMs) })),
      );
}

/** Throws when rows lie outside the intervals to overwrite. */
export function checkBounds(chunks: readonly Interval[], targets: readonly Interval[]): void {
  const outside = chunks.find((chunk) => !targets.some((target) => contains(target, chunk)));
  if (outside) throw timeOutOfBounds(formatInterval(outside), targets.map(formatInterval));
}

/** The parts of the overwritten intervals with visible segments and without new rows. */
export function empty(
  segments: SegmentStore,
  dataSource: string,
  targets: readonly Interval[],
  chunks: readonly Interval[],
): Interval[] {
  const visible = condense(
    segments
      .timeline(dataSource)
      .visible(targets)
      .map(({ segment }) => segment.interval),
  );
  const inside = targets.flatMap((target) =>
    visible.flatMap((interval) => intersection(target, interval) ?? []),
  );
  return condense(inside).flatMap((interval) => without(interval, chunks));
}
