// The time chunks that rows are divided into: buckets of a granularity, or the intervals that were given.
import { bucketOf, bucketsIn, type Granularity } from '../../model/granularity.ts';
import { formatInstant } from '../../model/instant.ts';
import { condensed, type Interval } from '../../model/interval.ts';
import type { Session } from '../engine/session.ts';
import { bucketStartSql, timeRange } from './granularities.ts';

export interface TimeChunks {
  readonly granularity: Granularity | undefined; // absent: the intervals are the chunks
  readonly intervals: readonly Interval[];
}

/** An expression for the start of the chunk in which a row of the table lies; null where it lies in none. */
export async function chunkSql(session: Session, { granularity, intervals }: TimeChunks, table: string): Promise<string> {
  if (granularity) return bucketStartSql(session, granularity, 't', () => timeRange(session, table), 'chunk_buckets');
  if (intervals.length === 0) return 'NULL::BIGINT';
  return `CASE ${intervals.map(({ start, end }) => `WHEN t >= ${start} AND t < ${end} THEN ${start}::BIGINT`).join(' ')} END`;
}

/** Finds the chunk that starts at a time. */
export function chunkFinder({ granularity, intervals }: TimeChunks): (start: number) => Interval {
  const known = new Map<number, Interval>();
  return (start) => {
    const chunk = known.get(start) ?? (granularity ? bucketOf(granularity, start) : intervals.find((interval) => interval.start === start));
    if (!chunk) throw new Error(`No interval starts at [${formatInstant(start)}]`);
    known.set(start, chunk);
    return chunk;
  };
}

/** The chunks that intervals touch. */
export function chunksIn({ granularity, intervals }: TimeChunks): Interval[] {
  if (!granularity || granularity.type === 'none' || granularity.type === 'all') return [...intervals];
  return condensed(intervals).flatMap((interval) => [...bucketsIn(granularity, interval)]);
}
