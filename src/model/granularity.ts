// How time is cut into buckets (Druid: querying/granularities).
import { civilOf, dayMs, mod, msOf } from './calendar.ts';
import { formatInstant, InvalidTime, maxInstant, parseInstant } from './instant.ts';
import { eternity, type Interval } from './interval.ts';
import { addPeriod, formatPeriod, instantOfLocal, type Period, parsePeriod, type TimeZone, utc } from './period.ts';
import { timeZoneOf } from './time-zone.ts';

export type Granularity =
  | { readonly type: 'all' }
  | { readonly type: 'none' }
  | { readonly type: 'duration'; readonly durationMs: number; readonly origin: number }
  | { readonly type: 'period'; readonly period: Period; readonly timeZone: TimeZone; readonly origin?: number };

/**
 * Reads a granularity as a query or an ingestion spec has it: a name in any case (`hour`, `FIFTEEN_MINUTE`), `{"type":"duration",...}` or
 * `{"type":"period",...}`. Throws InvalidTime for anything else.
 */
export function parseGranularity(given: unknown): Granularity {
  if (typeof given === 'string') return named(given);
  if (typeof given !== 'object' || given === null) throw new InvalidTime(`Granularity [${String(given)}] is neither a name nor an object`);
  const { type, period, duration, origin, timeZone }: Record<string, unknown> = { ...given };
  if (type === 'all' || type === 'none') return { type };
  const originAt = origin === undefined || origin === null ? undefined : instantFrom(origin);
  if (type === 'duration') {
    const durationMs = Number(duration);
    if (!Number.isSafeInteger(durationMs) || durationMs <= 0) throw new InvalidTime('duration should be greater than 0!');
    return { type, durationMs, origin: originAt ?? 0 };
  }
  if (type !== 'period' || typeof period !== 'string') throw new InvalidTime('A granularity is of type [all, none, duration, period]');
  return periodGranularity(parsePeriod(period), typeof timeZone === 'string' ? timeZoneOf(timeZone) : utc, originAt);
}

/** Buckets of a period; throws InvalidTime for an empty one. */
export function periodGranularity(period: Period, timeZone: TimeZone = utc, origin?: number): Granularity {
  if (formatPeriod(period) === 'PT0S') throw new InvalidTime('zero period is not acceptable in PeriodGranularity!');
  return { type: 'period', period, timeZone, ...(origin === undefined ? {} : { origin }) };
}

/** A granularity as data alone, which can be written, or sent to another thread; `parseGranularity` reads it. */
export type GranularityJson = Readonly<Record<string, unknown>>;

/** As the API writes it. */
export function granularityJson(granularity: Granularity): GranularityJson {
  switch (granularity.type) {
    case 'all':
    case 'none':
      return { type: granularity.type };
    case 'duration':
      return { type: 'duration', duration: granularity.durationMs, origin: formatInstant(granularity.origin) };
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

/** The usual name of a granularity in capitals (`DAY`, `ALL`), as ingestion specs say it; undefined when it has none. */
export function granularityName(granularity: Granularity): string | undefined {
  if (granularity.type === 'all' || granularity.type === 'none') return granularity.type.toUpperCase();
  if (granularity.type !== 'period' || granularity.origin !== undefined || granularity.timeZone.id !== 'UTC') return undefined;
  const text = formatPeriod(granularity.period);
  return Object.keys(periods).find((name) => periods[name] === text || (name === 'WEEK' && text === 'P7D'));
}

/** The start of the bucket an instant lies in. */
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

/** The start of the next bucket, given the start of one. */
export function nextBucket(granularity: Granularity, start: number): number {
  switch (granularity.type) {
    case 'all':
      return eternity.end;
    case 'none':
      return start + 1;
    case 'duration':
      return start + granularity.durationMs;
    case 'period':
      return hasSeveralUnits(granularity.period)
        ? countedFrom(granularity, start).next
        : addPeriod(start, granularity.period, 1, granularity.timeZone);
  }
}

/** The bucket an instant lies in, as an interval. */
export function bucketOf(granularity: Granularity, instant: number): Interval {
  const start = bucketStart(granularity, instant);
  return { start, end: nextBucket(granularity, start) };
}

/** Whether an interval is exactly one bucket. */
export function isBucket(granularity: Granularity, { start, end }: Interval): boolean {
  const bucket = bucketOf(granularity, start);
  return bucket.start === start && bucket.end === end;
}

/** Every bucket that overlaps an interval, ascending; lazily, because there may be many. */
export function* bucketsIn(granularity: Granularity, { start, end }: Interval): Generator<Interval> {
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

function named(name: string): Granularity {
  const upper = name.toUpperCase();
  if (upper === 'ALL') return { type: 'all' };
  if (upper === 'NONE') return { type: 'none' };
  const period = periods[upper];
  if (!period) {
    throw new InvalidTime(`Granularity [${name}] is unknown; known are [ALL, NONE, ${Object.keys(periods).join(', ')}]`);
  }
  return periodGranularity(parsePeriod(period));
}

function instantFrom(value: unknown): number {
  if (typeof value === 'number') return Math.trunc(value);
  if (typeof value === 'string') return parseInstant(value);
  throw new InvalidTime('The origin of a granularity is a time');
}

type PeriodGranularity = Extract<Granularity, { type: 'period' }>;

/**
 * Without an origin, periods of one unit count on that unit of the zone's calendar: years from year 0, months from January, weeks from the ISO
 * week of 1970, days and hours from local 1970-01-01. With an origin, or several units at once, whole periods are counted from there.
 */
function periodStart(granularity: PeriodGranularity, instant: number): number {
  const { period, timeZone, origin } = granularity;
  if (hasSeveralUnits(period)) return countedFrom(granularity, instant).start;
  const local = instant + timeZone.offsetMs(instant);
  const localOrigin = origin === undefined ? undefined : origin + timeZone.offsetMs(origin);
  const months = period.years * 12 + period.months;
  if (months !== 0) return monthStart(local, months, localOrigin, timeZone, instant);
  const days = period.weeks * 7 + period.days;
  if (days !== 0) {
    const from = localOrigin ?? (period.weeks === 0 ? 0 : firstMonday);
    return instantOfLocal(local - mod(local - from, days * dayMs), timeZone, instant);
  }
  return timeStart(local, period.ms, localOrigin, timeZone, instant);
}

const firstMonday = -3 * dayMs; // 1969-12-29, the Monday of the ISO week that holds 1970-01-01

function monthStart(local: number, months: number, localOrigin: number | undefined, timeZone: TimeZone, instant: number): number {
  const from = civilOf(localOrigin ?? 0);
  const { year, month, day, msOfDay } = civilOf(local);
  // Years count from year 0, so that decades and centuries begin where one expects them; other months from January 1970.
  const fromMonth = localOrigin === undefined ? (months % 12 === 0 ? 0 : 1970 * 12) : from.year * 12 + from.month - 1;
  const pastStart = localOrigin === undefined || day > from.day || (day === from.day && msOfDay >= from.msOfDay);
  const monthNumber = year * 12 + month - 1 - (pastStart ? 0 : 1);
  const start = monthNumber - mod(monthNumber - fromMonth, months);
  const fields = localOrigin === undefined ? { day: 1, msOfDay: 0 } : { day: from.day, msOfDay: from.msOfDay };
  return instantOfLocal(msOf({ year: 0, month: start + 1, ...fields }), timeZone, instant);
}

// Hours and less follow the wall clock where the clock's changes leave them whole, so that PT6H starts at local midnight. An hour that happens
// twice is two buckets.
function timeStart(local: number, ms: number, localOrigin: number | undefined, timeZone: TimeZone, instant: number): number {
  const start = local - mod(local - (localOrigin ?? 0), ms);
  const sameOffset = instant - (local - start);
  if (timeZone.offsetMs(sameOffset) === local - instant) return sameOffset;
  return instantOfLocal(start, timeZone, instant);
}

const hasSeveralUnits = ({ years, months, weeks, days, ms }: Period) =>
  [years || months, weeks, days, ms].filter((part) => part !== 0).length > 1;

const mostSteps = 1000;

// The last whole number of periods after the origin that is not behind the instant, and the one after it.
function countedFrom({ period, timeZone, origin }: PeriodGranularity, instant: number): { readonly start: number; readonly next: number } {
  const from = origin ?? instantOfLocal(0, timeZone);
  const lengthMs = period.ms + (period.years * 365.2425 + period.months * 30.436875 + period.weeks * 7 + period.days) * dayMs;
  let times = Math.floor((instant - from) / lengthMs);
  let steps = 0;
  // Parts of different signs may take each other away.
  const step = () => {
    if (++steps > mostSteps) throw new InvalidTime(`Buckets of period [${formatPeriod(period)}] cannot be counted`);
  };
  for (; addPeriod(from, period, times, timeZone) > instant; step()) times--;
  for (; addPeriod(from, period, times + 1, timeZone) <= instant; step()) times++;
  return { start: addPeriod(from, period, times, timeZone), next: addPeriod(from, period, times + 1, timeZone) };
}
