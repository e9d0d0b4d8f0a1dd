// Time chunks for dividing rows: buckets of a granularity, or given intervals.
import { bucketOf, bucketsIn, type Granularity } from '../../model/granularity.ts';
import { formatInstant } from '../../model/instant.ts';
import { condense, type Interval } from '../../model/interval.ts';
import { requestLimits } from '../../model/limits.ts';
import { requestLimitExceeded } from '../checks/refusals.ts';
import type { Session } from '../engine/session.ts';
import { bucketStartSql, computedBucketSql, timeRange } from './granularities.ts';

export interface TimeChunks {
  readonly granularity: Granularity | undefined; // absent: the intervals are the chunks
  readonly intervals: readonly Interval[];
}

/**
 * An expression for the start of the chunk that contains a row of the table; null for a row outside
 * all chunks.
 */
export async function chunkSql(
  session: Session,
  { granularity, intervals }: TimeChunks,
  table: string,
  buckets = 'chunk_buckets',
): Promise<string> {
  if (!granularity) return startSql(intervals, 't');
  return bucketStartSql(session, granularity, 't', () => timeRange(session, table), buckets);
}

/**
 * An expression for the start of the chunk of `time`, whatever the times; undefined if the engine
 * cannot compute the chunks.
 */
export const computedChunkSql = (
  { granularity, intervals }: TimeChunks,
  time: string,
): string | undefined =>
  granularity ? computedBucketSql(granularity, time) : startSql(intervals, time);

const startSql = (intervals: readonly Interval[], time: string): string =>
  intervals.length === 0
    ? 'NULL::BIGINT'
    : `CASE ${intervals.map(({ start, end }) => `WHEN ${time} >= ${start} AND ${time} < ${end} THEN ${start}::BIGINT`).join(' ')} END`;

/** The intervals from the start of their first chunk to the end of their last one. */
export const wholeChunks = ({ granularity, intervals }: TimeChunks): readonly Interval[] =>
  granularity
    ? intervals.map(({ start, end }) => ({
        start: bucketOf(granularity, start).start,
        end: bucketOf(granularity, end - 1).end,
      }))
    : intervals;

/** Returns a function that finds the chunk with a given start. */
export function chunkFinder({ granularity, intervals }: TimeChunks): (start: number) => Interval {
  const known = new Map<number, Interval>();
  return (start) => {
    const chunk =
      known.get(start) ??
      (granularity
        ? bucketOf(granularity, start)
        : intervals.find((interval) => interval.start === start));
    if (!chunk) throw new Error(`No interval starts at [${formatInstant(start)}]`);
    known.set(start, chunk);
    return chunk;
  };
}

/** Refuses more chunks than allowed for a task. */
export function checkChunks(count: number): void {
  if (count > requestLimits.timeChunks.most)
    throw requestLimitExceeded('timeChunks', count, 'intervals');
}

/** The chunks that overlap intervals. Refuses too many. */
export function chunksIn({ granularity, intervals }: TimeChunks): Interval[] {
  if (!granularity || granularity.type === 'none' || granularity.type === 'all')
    return [...intervals];
  const chunks: Interval[] = [];
  for (const interval of condense(intervals))
    for (const bucket of bucketsIn(granularity, interval)) checkChunks(chunks.push(bucket));
  return chunks;
}
