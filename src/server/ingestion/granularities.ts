// Time buckets in the engine: expressions for the start of the bucket of a time.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { bucketsIn, type Granularity } from '../../model/granularity.ts';
import type { Interval } from '../../model/interval.ts';
import { requestLimits } from '../../model/limits.ts';
import { formatPeriod } from '../../model/period.ts';
import { requestLimitExceeded } from '../checks/refusals.ts';
import type { Session } from '../engine/session.ts';

/**
 * An expression for the start of the bucket of `time` (milliseconds, a column or an expression). If
 * the engine cannot compute the buckets, they are listed in a temporary table named `buckets`;
 * `range` contains all times.
 */
export async function bucketStartSql(
  session: Session,
  granularity: Granularity,
  time: string,
  range: () => Promise<Interval | undefined>,
  buckets: string,
): Promise<string> {
  const computed = computedBucketSql(granularity, time);
  if (computed !== undefined) return computed;
  const whole = await range();
  const starts = whole ? await bucketStarts(granularity, whole) : [];
  // A table is joined, and DuckDB keeps the joined rows in memory
  if (starts.length <= fewBuckets)
    return `CASE${[...starts]
      .reverse()
      .map((start) => ` WHEN ${time} >= ${start} THEN ${start}::BIGINT`)
      .join('')} WHEN true THEN NULL::BIGINT END`;
  await session.run(
    `CREATE TEMP TABLE ${buckets} AS SELECT unnest([${starts.join(', ')}]::BIGINT[]) AS start ORDER BY 1`,
  );
  return `(SELECT max(start) FROM ${buckets} WHERE start <= ${time})`;
}

/**
 * An expression for the start of the bucket of `time`, whatever the times; undefined if the engine
 * cannot compute the buckets.
 */
export function computedBucketSql(granularity: Granularity, time: string): string | undefined {
  if (granularity.type === 'none') return time;
  if (granularity.type === 'duration')
    return floorSql(time, granularity.durationMs, granularity.origin);
  if (
    granularity.type === 'period' &&
    granularity.timeZone.id === 'UTC' &&
    granularity.origin === undefined
  ) {
    const { years, months, weeks, days, ms } = granularity.period;
    const calendar = calendarUnits[formatPeriod(granularity.period)];
    if (calendar) return `epoch_ms(date_trunc('${calendar}', make_timestamp_ms(${time})))`;
    if (years === 0 && months === 0 && weeks === 0 && days <= 1 && (days === 0 || ms === 0))
      return floorSql(time, days * 86_400_000 + ms, 0);
  }
  return undefined;
}

const fewBuckets = 64;

// The first and the last row may be far apart, so other work gets turns in between.
async function bucketStarts(granularity: Granularity, whole: Interval): Promise<readonly number[]> {
  const { most } = requestLimits.timeBuckets;
  const starts: number[] = [];
  for (const { start } of bucketsIn(granularity, whole)) {
    if (starts.push(start) > most)
      throw requestLimitExceeded('timeBuckets', starts.length, 'the rows');
    if (starts.length % 1000 === 0) await nextTurn();
  }
  return starts;
}

const calendarUnits: Readonly<Record<string, string>> = {
  P1W: 'week',
  P1M: 'month',
  P3M: 'quarter',
  P1Y: 'year',
};

const floorSql = (time: string, size: number, origin: number) =>
  origin === 0
    ? `(${time} - ((${time} % ${size}) + ${size}) % ${size})`
    : `(${time} - (((${time} - ${origin}) % ${size}) + ${size}) % ${size})`;

/** The range of times in a table with the column `t`; undefined for an empty table. */
export async function timeRange(session: Session, table: string): Promise<Interval | undefined> {
  const [[min, max] = []] = await session.rows(`SELECT min(t), max(t) + 1 FROM ${table}`);
  return typeof min === 'number' && typeof max === 'number' ? { start: min, end: max } : undefined;
}
