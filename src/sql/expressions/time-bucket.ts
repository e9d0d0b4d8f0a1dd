// TIME_FLOOR and related functions: the start or the end of the period that contains a time.
import { dayMs, mod } from '../../model/calendar.ts';
import {
  bucketStart,
  type Granularity,
  nextBucket,
  periodGranularity,
} from '../../model/granularity.ts';
import {
  formatPeriod,
  instantOfLocal,
  type Period,
  type TimeZone,
  utc,
} from '../../model/period.ts';
import type { TimeRange } from '../catalog.ts';
import { quote } from '../runtime/quoted.ts';
import { bindOnce } from './bind-once.ts';
import {
  bucketStartOf,
  instantOf,
  type LocalBuckets,
  localMs,
  localTimestamp,
  withYearAround,
} from './local-time.ts';
import { startUnits } from './time-starts.ts';
import { zoneOf } from './time-text.ts';
import type { StartOf } from './typed.ts';

/** The bucket's start, or for `up` the start of the first bucket at or after the time. */
export function bucketConstant(
  ms: bigint,
  period: Period,
  zone: string,
  origin: bigint | undefined,
  up: boolean,
): bigint {
  const timeZone = zoneOf(zone);
  const granularity = periodGranularity(
    period,
    timeZone,
    origin === undefined ? undefined : Number(origin),
  );
  const start = asInEngine(
    Number(ms),
    bucketStart(granularity, Number(ms)),
    period,
    timeZone,
    origin,
  );
  return BigInt(up && start !== Number(ms) ? nextBucket(granularity, start) : start);
}

// Several hours are rounded towards an origin in 1970 or earlier: up, if the time is before the
// origin. With an origin before 1970 they start at an hour of the zone's clock.
function asInEngine(
  ms: number,
  start: number,
  period: Period,
  timeZone: TimeZone,
  origin: bigint | undefined,
): number {
  const from = origin === undefined ? instantOfLocal(0, timeZone) : Number(origin);
  if (start === ms || from > 0 || !countsHours(period, origin)) return start;
  if (ms < from) return start + period.ms;
  return from === 0 ? start : start - mod(start + timeZone.offsetMs(start), 3_600_000);
}

/** Whether times before the origin are rounded up, so that no bucket contains them. */
export const losesTimes = (granularity: Granularity): boolean =>
  granularity.type === 'period' &&
  countsHours(
    granularity.period,
    granularity.origin === undefined ? undefined : BigInt(granularity.origin),
  );

// A single hour is an hour of the zone's clock, unless it is counted from an origin.
const countsHours = ({ years, months, weeks, days, ms }: Period, origin: bigint | undefined) =>
  ms % 3_600_000 === 0 &&
  ms > (origin === undefined ? 3_600_000 : 0) &&
  [years, months, weeks, days].every((part) => part === 0);

/**
 * The bucket of a column as DuckDB text: arithmetic for buckets of fixed length, DuckDB's calendar
 * for the usual ones, a function for the rest. What is known of a table's times makes the text
 * shorter.
 */
export const bucketText = (
  sql: string,
  period: Period,
  zone: string,
  origin: bigint | undefined,
  up: boolean,
  known: KnownTimes = {},
): string => {
  const { startOf, ...range } = known;
  const unit = zoneOf(zone).id === 'UTC' && origin === undefined ? calendarUnit(period) : undefined;
  const stored = up ? undefined : startUnits.find((each) => each === unit);
  if (startOf && stored) return startOf(stored);
  return bindOnce([sql], ([time = '']) => {
    const text = textOfBucket(time, period, zone, origin, up, range);
    const starts = calendarStarts(period, zone, origin, range);
    if (!starts || starts.length === 0) return text;
    const [first, end] = [starts[0], starts.at(-1)];
    const isKnown = up
      ? `${time} > ${first} AND ${time} <= ${end}`
      : `${time} >= ${first} AND ${time} < ${end}`;
    return `(CASE WHEN ${isKnown} THEN ${searchText(time, starts, up)} ELSE ${text} END)`;
  });
};

/** The range of a table's times, and the columns with the starts of their buckets. */
type KnownTimes = TimeRange & { readonly startOf?: StartOf };

// The starts of the calendar's buckets of the known times, and the end of the last one: a search
// among them takes a fifth of the time of DuckDB's calendar. Undefined for arithmetic buckets, for
// unknown times and for many buckets.
function calendarStarts(
  period: Period,
  zone: string,
  origin: bigint | undefined,
  { startMs, endMs }: TimeRange = {},
): readonly bigint[] | undefined {
  if (startMs === undefined || endMs === undefined || startMs >= endMs) return undefined;
  if (fixedBuckets(period, zoneOf(zone), origin)) return undefined;
  const starts = [bucketConstant(startMs, period, zone, origin, false)];
  for (let last = starts[0]; last !== undefined && last < endMs; last = starts.at(-1)) {
    if (starts.length > mostStarts) return undefined;
    const next = bucketConstant(last + 1n, period, zone, origin, true);
    if (next <= last) return undefined;
    starts.push(next);
  }
  return starts;
}

const mostStarts = 128;

// The start, or for `up` the end, of the bucket that contains a time, by a binary search.
function searchText(time: string, starts: readonly bigint[], up: boolean): string {
  if (starts.length === 2) return `${starts[up ? 1 : 0]}`;
  const middle = starts.length >> 1;
  const [below, above] = [starts.slice(0, middle + 1), starts.slice(middle)];
  const isBelow = `${time} ${up ? '<=' : '<'} ${starts[middle]}`;
  return `CASE WHEN ${isBelow} THEN ${searchText(time, below, up)} ELSE ${searchText(time, above, up)} END`;
}

function textOfBucket(
  sql: string,
  period: Period,
  zone: string,
  origin: bigint | undefined,
  up: boolean,
  range: TimeRange | undefined,
): string {
  const timeZone = zoneOf(zone);
  const fixed = fixedBuckets(period, timeZone, origin);
  if (fixed && countsHours(period, origin) && fixed.origin <= 0n) {
    const buckets = `druid_${up ? 'ceil' : 'floor'}_hours(${sql} - (${fixed.origin}), ${fixed.size})`;
    if (startsWithHours(timeZone, origin)) return `(${buckets} + (${fixed.origin}))`;
  } else if (fixed) return shift(up ? `(${sql} + ${fixed.size - 1})` : sql, fixed);
  const unit = calendarUnit(period);
  if (unit !== undefined && origin === undefined) {
    const start = bucketStartOf(sql, zone, calendarBuckets(unit, period), range);
    if (!up) return start;
    // A day that starts late because of a clock change is followed by a day that starts equally
    // late.
    const around = range && withYearAround(range);
    return bindOnce([start], ([from = '']) => {
      const local = localTimestamp(from, zone, around);
      const next = instantOf(`${local} + INTERVAL 1 ${unit}`, zone, around);
      return `druid_ceil(${sql}, ${from}, ${next})`;
    });
  }
  if (isSeveralDays(period) && origin === undefined && !up)
    return bucketStartOf(sql, zone, calendarBuckets(undefined, period), range);
  if (isClockUnit(period) && origin === undefined) {
    const start = `(${sql} - druid_modulo(${localMs(sql, zone, range)}, ${period.ms}))`;
    return up ? `druid_ceil(${sql}, ${start}, ${start} + ${period.ms})` : start;
  }
  return `druid_time_bucket(${sql}, ${quote(formatPeriod(period))}, ${origin === undefined ? "''" : quote(String(origin))}, ${quote(zone)}, ${up})`;
}

function calendarBuckets(unit: CalendarUnit | undefined, period: Period): LocalBuckets {
  const granularity = periodGranularity(period, utc);
  return {
    textOf: (local) =>
      unit === undefined
        ? `druid_floor(${local}, ${period.days * dayMs})`
        : `epoch_ms(date_trunc('${unit}', make_timestamp_ms(${local})))`,
    next(local) {
      const start = bucketStart(granularity, local);
      return start === local ? start : nextBucket(granularity, start);
    },
  };
}

interface FixedBuckets {
  readonly size: number; // in milliseconds
  readonly origin: bigint;
}

const shift = (sql: string, { size, origin }: FixedBuckets) =>
  origin === 0n
    ? `druid_floor(${sql}, ${size})`
    : `(druid_floor(${sql} - (${origin}), ${size}) + (${origin}))`;

const mondayMs = BigInt(-3 * dayMs); // 1969-12-29

// Buckets of fixed length: days in UTC, and shorter units in any zone except a single hour, minute
// or second of its clock. Multiples of units only in UTC.
function fixedBuckets(
  period: Period,
  timeZone: TimeZone,
  given: bigint | undefined,
): FixedBuckets | undefined {
  const { years, months, weeks, days, ms } = period;
  const parts = [years, months, weeks, days, ms].filter((part) => part !== 0);
  if (years !== 0 || months !== 0 || parts.length === 0 || parts.some((part) => part < 0))
    return undefined;
  const size = (weeks * 7 + days) * dayMs + ms;
  const origin = given ?? BigInt(instantOfLocal(0, timeZone));
  if (parts.length > 1) return timeZone.id === 'UTC' ? { size, origin } : undefined;
  if (timeZone.id !== 'UTC' && (ms === 0 || (isClockUnit(period) && given === undefined)))
    return undefined;
  return { size, origin: weeks === 1 && given === undefined ? mondayMs : origin };
}

const halfYearMs = 182 * dayMs;

// Whether hours counted from the origin start at an hour of the zone's clock: always, unless the
// zone's offset had a part of an hour.
function startsWithHours(timeZone: TimeZone, origin: bigint | undefined): boolean {
  if (origin === 0n || timeZone.id === 'UTC') return (origin ?? 0n) === 0n;
  const seasons = [Date.now(), Date.now() - halfYearMs];
  return (
    origin === undefined &&
    seasons.every((now) => (timeZone.offsetMs(0) - timeZone.offsetMs(now)) % 3_600_000 === 0)
  );
}

const isClockUnit = ({ years, months, weeks, days, ms }: Period) =>
  [years, months, weeks, days].every((part) => part === 0) &&
  [3_600_000, 60_000, 1000].includes(ms);

const longestDays = 366;

const isSeveralDays = ({ years, months, weeks, days, ms }: Period) =>
  [years, months, weeks, ms].every((part) => part === 0) && days > 1 && days <= longestDays;

type CalendarUnit = 'year' | 'quarter' | 'month' | 'week' | 'day';

function calendarUnit({ years, months, weeks, days, ms }: Period): CalendarUnit | undefined {
  const parts = [years, months, weeks, days, ms].filter((part) => part !== 0);
  if (parts.length !== 1) return undefined;
  if (years === 1) return 'year';
  if (months === 1) return 'month';
  if (months === 3) return 'quarter';
  if (weeks === 1) return 'week';
  return days === 1 ? 'day' : undefined;
}
