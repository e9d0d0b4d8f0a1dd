// TIME_FLOOR and its kin: the start (or the end) of the period a time lies in.
import { dayMs } from '../model/calendar.ts';
import { bucketStart, nextBucket, periodGranularity } from '../model/granularity.ts';
import { formatPeriod, instantOfLocal, type Period } from '../model/period.ts';
import { bindOnce } from './bind-once.ts';
import { quoted } from './duckdb-text.ts';
import { instantOf, localTimestamp } from './local-time.ts';
import { zoneOf } from './time-text.ts';

/** The bucket's start, or for `up` the start of the first bucket that begins at the time or later. */
export function bucketConstant(ms: bigint, period: Period, zone: string, origin: bigint | undefined, up: boolean): bigint {
  const granularity = granularityOf(period, zone, origin);
  const start = roundedUp(ms, period, origin)
    ? nextBucket(granularity, bucketStart(granularity, Number(ms)))
    : bucketStart(granularity, Number(ms));
  return BigInt(up && start !== Number(ms) ? nextBucket(granularity, start) : start);
}

// Several hours count from the start of the day; the engine rounds them up, not down, on days before 1970.
const roundedUp = (ms: bigint, { years, months, weeks, days, ms: size }: Period, origin: bigint | undefined): boolean =>
  ms < 0n && countsHours(size) && years + months + weeks + days === 0 && origin === undefined && ms % BigInt(size) !== 0n;

const countsHours = (size: number) => size > 3_600_000 && size % 3_600_000 === 0;

// Longer periods count from 1970 in the zone, unlike the named granularities.
function granularityOf(period: Period, zone: string, origin: bigint | undefined) {
  const timeZone = zoneOf(zone);
  const isOneMonth = period.years + period.months === 1;
  const counted = period.years + period.months > 0 && !isOneMonth ? instantOfLocal(0, timeZone) : undefined;
  const start = origin === undefined ? counted : Number(origin);
  return periodGranularity(period, timeZone, start);
}

/** The same for a column, as DuckDB text: arithmetic where buckets have one length, DuckDB's calendar for the usual ones, a function for the rest. */
export const bucketText = (sql: string, period: Period, zone: string, origin: bigint | undefined, up: boolean): string =>
  bindOnce([sql], ([time = '']) => textOfBucket(time, period, zone, origin, up));

function textOfBucket(sql: string, period: Period, zone: string, origin: bigint | undefined, up: boolean): string {
  const size = fixedSize(period, zone, origin);
  if (size !== undefined && countsHours(period.ms) && period.days === 0 && origin === undefined) {
    return `druid_${up ? 'ceil' : 'floor'}_hours(${sql}, ${size})`;
  }
  if (size !== undefined) {
    const start = shifted(sql, size, period.weeks > 0 ? mondayMs : (origin ?? 0n));
    return up ? `(${shifted(`(${sql} + ${size - 1})`, size, period.weeks > 0 ? mondayMs : (origin ?? 0n))})` : start;
  }
  const unit = calendarUnit(period);
  if (unit !== undefined && origin === undefined) {
    const start = `date_trunc('${unit}', ${localTimestamp(sql, zone)})`;
    const instant = (text: string) => instantOf(text, zone);
    return up ? `druid_ceil(${sql}, ${instant(start)}, ${instant(`${start} + INTERVAL 1 ${unit}`)})` : instant(start);
  }
  return `druid_time_bucket(${sql}, ${quoted(formatPeriod(period))}, ${origin === undefined ? "''" : quoted(String(origin))}, ${quoted(zone)}, ${up})`;
}

const mondayMs = BigInt(-3 * dayMs); // 1969-12-29

const shifted = (sql: string, size: number, origin: bigint) =>
  origin === 0n ? `druid_floor(${sql}, ${size})` : `(druid_floor(${sql} - (${origin}), ${size}) + (${origin}))`;

// Buckets of one length that are counted from the epoch (or an origin) without regard to a calendar.
function fixedSize({ years, months, weeks, days, ms }: Period, zone: string, origin: bigint | undefined): number | undefined {
  if (years !== 0 || months !== 0 || zone !== 'UTC') return undefined;
  if (weeks !== 0) return days === 0 && ms === 0 && origin === undefined ? weeks * 7 * dayMs : undefined;
  if (origin !== undefined || (days !== 0 && ms !== 0)) return days * dayMs + ms;
  if (days !== 0) return days * dayMs;
  // Without an origin, hours count from the day's start, minutes from the hour's, seconds from the minute's.
  const whole = ms % 3_600_000 === 0 ? dayMs : ms % 60_000 === 0 ? 3_600_000 : 60_000;
  return whole % ms === 0 ? ms : undefined;
}

function calendarUnit({ years, months, weeks, days, ms }: Period): string | undefined {
  const parts = [years, months, weeks, days, ms].filter((part) => part !== 0);
  if (parts.length !== 1) return undefined;
  if (years === 1) return 'year';
  if (months === 1) return 'month';
  if (months === 3) return 'quarter';
  if (weeks === 1) return 'week';
  return days === 1 ? 'day' : undefined;
}
