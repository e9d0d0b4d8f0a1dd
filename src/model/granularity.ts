// Granularities: the division of time into buckets (Druid: querying/granularities).
import { civilOf, dayMs, mod } from './calendar.ts';
import { formatInstant, InvalidTime, maxInstant, parseInstant } from './instant.ts';
import { eternity, type Interval } from './interval.ts';
import {
  addPeriod,
  formatPeriod,
  instantOfLocal,
  type Period,
  parsePeriod,
  type TimeZone,
  utc,
} from './period.ts';
import { timeZoneOf } from './time-zone.ts';

export type Granularity =
  | { readonly type: 'all' }
  | { readonly type: 'none' }
  | { readonly type: 'duration'; readonly durationMs: number; readonly origin: number }
  | {
      readonly type: 'period';
      readonly period: Period;
      readonly timeZone: TimeZone;
      readonly origin?: number;
    };

/**
 * Parses a granularity of a query or an ingestion spec: a name in any case (`hour`,
 * `FIFTEEN_MINUTE`), `{"type":"duration",...}` or `{"type":"period",...}`. Throws InvalidTime for
 * other values.
 */
export function parseGranularity(given: unknown): Granularity {
  if (typeof given === 'string') return granularityNamed(given);
  if (typeof given !== 'object' || given === null)
    throw new InvalidTime(`Granularity [${String(given)}] is neither a name nor an object`);
  const { type, period, duration, origin, timeZone }: Record<string, unknown> = { ...given };
  if (type === 'all' || type === 'none') return { type };
  const hasOrigin = origin !== undefined && origin !== null && origin !== '';
  const originAt = hasOrigin ? instantFrom(origin) : undefined;
  if (typeof timeZone === 'object' && timeZone !== null)
    throw new InvalidTime('The time zone of a granularity is a name');
  if (type === 'duration') {
    const durationMs = Number(duration);
    if (!Number.isSafeInteger(durationMs) || durationMs <= 0)
      throw new InvalidTime('duration should be greater than 0!');
    return { type, durationMs, origin: originAt ?? 0 };
  }
  const length = periodIn(period);
  if (type !== 'period' || length === undefined)
    throw new InvalidTime('A granularity is of type [all, none, duration, period]');
  return periodGranularity(
    length,
    typeof timeZone === 'string' ? timeZoneOf(timeZone) : utc,
    originAt,
  );
}

// A whole number is a number of milliseconds (Joda's Period of an integer in JSON).
function periodIn(given: unknown): Period | undefined {
  const ms = typeof given === 'bigint' ? Number(given) : given;
  if (typeof ms === 'number' && Number.isSafeInteger(ms))
    return { years: 0, months: 0, weeks: 0, days: 0, ms };
  return typeof given === 'string' ? parsePeriod(given.trim()) : undefined;
}

/** The period of a granularity has no length. */
export class ZeroPeriod extends InvalidTime {}

/** The granularity of a period; throws InvalidTime for an empty one. */
export function periodGranularity(
  period: Period,
  timeZone: TimeZone = utc,
  origin?: number,
): Granularity {
  if (formatPeriod(period) === 'PT0S')
    throw new ZeroPeriod('zero period is not acceptable in PeriodGranularity!');
  return { type: 'period', period, timeZone, ...(origin !== undefined && { origin }) };
}

/** A granularity as plain data, for storage or other threads; `parseGranularity` reads it. */
export type GranularityJson = Readonly<Record<string, unknown>>;

/** The granularity in the form of the API. */
export function granularityJson(granularity: Granularity): GranularityJson {
  switch (granularity.type) {
    case 'all':
    case 'none':
      return { type: granularity.type };
    case 'duration':
      return {
        type: 'duration',
        duration: granularity.durationMs,
        origin: formatInstant(granularity.origin),
      };
    case 'period': {
      const { period, timeZone, origin } = granularity;
      return {
        type: 'period',
        period: formatPeriod(period),
        timeZone: timeZone.id,
        origin: origin === undefined ? null : formatInstant(origin),
      };
    }
  }
}

/**
 * The usual name of a granularity in capitals (`DAY`, `ALL`), as in ingestion specs; undefined
 * without one.
 */
export function granularityName(granularity: Granularity): string | undefined {
  if (granularity.type === 'all' || granularity.type === 'none')
    return granularity.type.toUpperCase();
  if (
    granularity.type !== 'period' ||
    granularity.origin !== undefined ||
    granularity.timeZone.id !== 'UTC'
  )
    return undefined;
  const text = formatPeriod(granularity.period);
  return Object.keys(periods).find(
    (name) => periods[name] === text || (name === 'WEEK' && text === 'P7D'),
  );
}

/**
 * A granularity by its usual name, else as the object itself; throws InvalidTime for an invalid
 * one.
 */
export function shownGranularity(given: unknown): unknown {
  const granularity = parseGranularity(given);
  return granularity.type === 'all' || granularity.type === 'none'
    ? granularityJson(granularity)
    : (granularityName(granularity) ?? granularityJson(granularity));
}

/** The start of the bucket that contains an instant. */
export function bucketStart(granularity: Granularity, instant: number): number {
  switch (granularity.type) {
    case 'all':
      return eternity.start;
    case 'none':
      return instant;
    case 'duration':
      return instant - mod(instant - granularity.origin, granularity.durationMs);
    case 'period':
      return periodStart(granularity, instant);
  }
}

/** The start of the bucket after the one with this start. */
export function nextBucket(granularity: Granularity, start: number): number {
  switch (granularity.type) {
    case 'all':
      return eternity.end;
    case 'none':
      return start + 1;
    case 'duration':
      return start + granularity.durationMs;
    case 'period':
      return addPeriod(start, granularity.period, 1, granularity.timeZone);
  }
}

/** The bucket that contains an instant, as an interval. */
export function bucketOf(granularity: Granularity, instant: number): Interval {
  const start = bucketStart(granularity, instant);
  return { start, end: nextBucket(granularity, start) };
}

/** Whether an interval is exactly one bucket. */
export function isBucket(granularity: Granularity, { start, end }: Interval): boolean {
  const bucket = bucketOf(granularity, start);
  return bucket.start === start && bucket.end === end;
}

/**
 * All buckets that overlap an interval, ascending. They are computed lazily, because there may be
 * many.
 */
export function* bucketsIn(
  granularity: Granularity,
  { start, end }: Interval,
): Generator<Interval> {
  if (start >= end) return;
  let bucket = bucketOf(granularity, start);
  while (bucket.start < end) {
    yield bucket;
    if (bucket.end <= bucket.start || bucket.end >= maxInstant) return;
    bucket = { start: bucket.end, end: nextBucket(granularity, bucket.end) };
  }
}

const periods: Record<string, string> = {
  SECOND: 'PT1S',
  MINUTE: 'PT1M',
  FIVE_MINUTE: 'PT5M',
  TEN_MINUTE: 'PT10M',
  FIFTEEN_MINUTE: 'PT15M',
  THIRTY_MINUTE: 'PT30M',
  HOUR: 'PT1H',
  SIX_HOUR: 'PT6H',
  EIGHT_HOUR: 'PT8H',
  DAY: 'P1D',
  WEEK: 'P1W',
  MONTH: 'P1M',
  QUARTER: 'P3M',
  YEAR: 'P1Y',
};

function granularityNamed(name: string): Granularity {
  const upper = name.toUpperCase();
  if (upper === 'ALL') return { type: 'all' };
  if (upper === 'NONE') return { type: 'none' };
  const period = periods[upper];
  if (!period) {
    throw new InvalidTime(
      `Granularity [${name}] is unknown; known are [ALL, NONE, ${Object.keys(periods).join(', ')}]`,
    );
  }
  return periodGranularity(parsePeriod(period));
}

function instantFrom(value: unknown): number {
  if (Number.isSafeInteger(value)) return Number(value);
  if (typeof value === 'string') return parseInstant(value);
  throw new InvalidTime('The origin of a granularity is a time');
}

type PeriodGranularity = Extract<Granularity, { type: 'period' }>;

/**
 * A period of one unit counts whole units from its origin, local 1970-01-01 by default. Without an
 * origin, one year, month, week (from Monday), day, hour, minute or second follows the zone's
 * calendar. Days and longer units follow the wall clock, hours and shorter ones have a fixed
 * length. A period of several units is added to the origin repeatedly. (Druid: PeriodGranularity.)
 */
function periodStart({ period, timeZone, origin }: PeriodGranularity, instant: number): number {
  const [unit, ...others] = unitsOf(period);
  if (unit === undefined) return instant;
  if (others.length > 0) return compoundStart(period, timeZone, origin, instant);
  const local = instant + timeZone.offsetMs(instant);
  const localOrigin = origin === undefined ? 0 : origin + timeZone.offsetMs(origin);
  if (unit === 'years' || unit === 'months')
    return monthStart(local, period.years * 12 + period.months, localOrigin, timeZone, instant);
  if (unit === 'ms') return timeStart(period.ms, { local, instant }, timeZone, origin);
  const days = period.weeks * 7 + period.days;
  const from = origin === undefined && period.weeks === 1 ? firstMonday : localOrigin;
  return instantOfLocal(local - mod(local - from, days * dayMs), timeZone, instant);
}

// Zero and negative parts are ignored.
const unitsOf = (period: Period) =>
  (['years', 'months', 'weeks', 'days', 'ms'] as const).filter((unit) => period[unit] > 0);

const firstMonday = -3 * dayMs; // 1969-12-29, the Monday of the ISO week that holds 1970-01-01

function monthStart(
  local: number,
  months: number,
  localOrigin: number,
  timeZone: TimeZone,
  instant: number,
): number {
  const [from, at] = [civilOf(localOrigin), civilOf(local)];
  const times = Math.floor(((at.year - from.year) * 12 + at.month - from.month) / months);
  const startAfter = (count: number) =>
    addPeriod(localOrigin, { years: 0, months, weeks: 0, days: 0, ms: 0 }, count);
  const start = startAfter(times);
  return instantOfLocal(start > local ? startAfter(times - 1) : start, timeZone, instant);
}

const calendarUnits = [3_600_000, 60_000, 1000];

// An hour that a clock change repeats is two buckets.
function timeStart(
  ms: number,
  { local, instant }: { local: number; instant: number },
  timeZone: TimeZone,
  origin: number | undefined,
): number {
  if (origin === undefined && calendarUnits.includes(ms)) return instant - mod(local, ms);
  return instant - mod(instant - (origin ?? instantOfLocal(0, timeZone)), ms);
}

/**
 * The start of the bucket of a period with several units. Throws InvalidTime when the bucket is too
 * far from the origin to be counted.
 */
function compoundStart(
  period: Period,
  timeZone: TimeZone,
  origin: number | undefined,
  instant: number,
): number {
  const from = origin ?? instantOfLocal(0, timeZone);
  const { years, months, weeks, days, ms } = period;
  if (
    (timeZone.id === 'UTC' || timeZone.fixedOffsetMs !== undefined) &&
    years === 0 &&
    months === 0
  )
    return instant - mod(instant - from, (weeks * 7 + days) * dayMs + ms);
  const times = instant < from ? -1 : 1;
  const starts = startsFrom(from, period, timeZone, times);
  while (((starts.at(-1) ?? from) - instant) * times <= 0) {
    const last = starts.at(-1) ?? from;
    const next = addPeriod(last, period, times, timeZone);
    if ((next - last) * times <= 0 || starts.length >= mostCounted)
      throw new InvalidTime(
        `Buckets of period [${formatPeriod(period)}] cannot be counted to [${formatInstant(instant)}]`,
      );
    starts.push(next);
  }
  // The starts lead away from the origin. After the origin, the result is the last start before the
  // instant; before the origin, it is the first one.
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (((starts[middle] ?? 0) - instant) * times > 0 || starts[middle] === instant) high = middle;
    else low = middle + 1;
  }
  const found = starts[low] ?? from;
  return found > instant ? (starts[low - 1] ?? from) : found;
}

const mostCounted = 100_000;
const mostCountings = 16;
const countings = new Map<string, number[]>();

// Computed starts are cached: the rows of a query need neighbouring buckets.
function startsFrom(from: number, period: Period, timeZone: TimeZone, times: 1 | -1): number[] {
  const key = [formatPeriod(period), timeZone.id, from, times].join(' ');
  const known = countings.get(key) ?? [from];
  if (!countings.has(key) && countings.size >= mostCountings) countings.clear();
  countings.set(key, known);
  return known;
}
