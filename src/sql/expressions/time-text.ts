// Parsing and printing of times in SQL: wall-clock times of the statement's zone.
import { civilOf, daysInMonth, msOf } from '../../model/calendar.ts';
import {
  InvalidTime,
  maxInstant,
  minInstant,
  parseFarInstant,
  parseInstant,
} from '../../model/instant.ts';
import type { Interval } from '../../model/interval.ts';
import {
  addPeriod,
  formatPeriod,
  instantOfLocal,
  isPeriodText,
  type Period,
  parsePeriod,
  type TimeZone,
  utc,
} from '../../model/period.ts';
import { timeZoneOf } from '../../model/time-zone.ts';

/** The zone of a name. Unknown zones fall back to UTC, as in the engine. */
export function zoneOf(name: string): TimeZone {
  if (name === 'UTC') return utc;
  try {
    return timeZoneOf(name);
  } catch (error) {
    if (error instanceof InvalidTime) return utc;
    throw error;
  }
}

/**
 * The time a number of periods later, exactly; undefined if either time is beyond the calendar's
 * years.
 */
export function shiftTime(
  ms: bigint,
  period: Period,
  times: bigint,
  zone: TimeZone,
): bigint | undefined {
  const shifted = addPeriod(Number(ms), period, Number(times), zone);
  return isOnCalendar(Number(ms)) && isOnCalendar(shifted) ? BigInt(shifted) : undefined;
}

const isOnCalendar = (ms: number) => ms > minInstant && ms < maxInstant;

/** The error message for a time that `shiftTime` cannot represent. */
export const beyondCalendar = (times: bigint, period: Period): string =>
  `A time moved by [${times}] times [${formatPeriod(period)}] is outside of the years that the calendar supports. Use a smaller shift.`;

/**
 * `start/end`, `start/period` or `period/end`. Times without an offset use the zone's wall clock.
 * Throws InvalidTime.
 */
export function parseInterval(text: string, zoneName: string): Interval {
  const [left = '', right, ...more] = text.split('/');
  if (right === undefined) throw new InvalidTime(`Format requires a '/' separator: ${text}`);
  if (!left || !right || more.length > 0) throw new InvalidTime(`Format invalid: ${text}`);
  const zone = zoneOf(zoneName);
  if (isPeriodText(left)) {
    const end = instantIn(right, zone);
    return { start: addPeriod(end, parsePeriod(left), -1, zone), end };
  }
  const start = instantIn(left, zone);
  const end = isPeriodText(right)
    ? addPeriod(start, parsePeriod(right), 1, zone)
    : instantIn(right, zone);
  if (end < start) throw new InvalidTime('The end instant must be greater than the start instant');
  return { start, end };
}

function instantIn(text: string, zone: TimeZone): number {
  const ms = parseInstant(text);
  return hasOffset(text) ? ms : instantOfLocal(ms, zone);
}

// `Z` or an offset at the end, after a T.
function hasOffset(iso: string): boolean {
  const start = iso.toUpperCase().indexOf('T') + 1;
  return (
    start > 0 && /(?:Z|[+-]\d\d(?::?\d\d)?)$/i.test(iso.slice(Math.max(start, iso.length - 6)))
  );
}

/** The wall-clock fields of an instant, and the instant at which its day began. */
export function localTime(ms: bigint, zoneName: string) {
  const zone = zoneOf(zoneName);
  const instant = Number(ms);
  const local = instant + zone.offsetMs(instant);
  const fields = civilOf(local);
  return { ...fields, dayStart: BigInt(instantOfLocal(local - fields.msOfDay, zone, instant)) };
}

/** `2024-02-29 01:02:03`, as a cast to VARCHAR prints a TIMESTAMP. */
export function sqlTimeText(ms: bigint, zone: string): string {
  const { msOfDay } = localTime(ms, zone);
  const seconds = Math.floor(msOfDay / 1000);
  return `${sqlDateText(ms, zone)} ${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}`;
}

/** `2024-02-29`. */
export function sqlDateText(ms: bigint, zone: string): string {
  const { year, month, day } = localTime(ms, zone);
  return `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}-${two(month)}-${two(day)}`;
}

const two = (value: number) => String(value).padStart(2, '0');

const longestTime = 100; // in characters

/**
 * ISO 8601 with a blank or `T` between date and time. Without an offset it uses the zone's wall
 * clock. Null for anything else and for a time that the clock skipped.
 */
export function parseSqlTime(text: string, zoneName: string): bigint | null {
  if (text.length > longestTime) return null;
  const iso = text.replace(/^([^ ]*\d) (?=\d)/, '$1T');
  if (!/^[+-]?\d/.test(iso)) return null;
  try {
    if (hasOffset(iso) || zoneName === 'UTC') return parseFarInstant(iso);
    const local = parseFarInstant(iso);
    const zone = zoneOf(zoneName);
    const ms = Number(local);
    if (!Number.isSafeInteger(ms)) return local - BigInt(zone.offsetMs(ms));
    const instant = instantOfLocal(ms, zone);
    // Null in an hour that the clock skipped
    return instant + zone.offsetMs(instant) === ms ? BigInt(instant) : null;
  } catch (error) {
    if (error instanceof InvalidTime) return null;
    throw error;
  }
}

/**
 * A literal in the zone's wall clock: `yyyy-MM-dd` for a DATE, `yyyy-MM-dd HH:mm:ss[.SSS...]` for a
 * TIMESTAMP. The time of day is optional, and digits after the third decimal are cut off. Null for
 * anything else.
 */
export function parseTimeLiteral(
  text: string,
  type: 'date' | 'timestamp',
  zoneName: string,
): bigint | null {
  if (text.length > longestTime) return null;
  const pattern = type === 'date' ? DATE_LITERAL : TIMESTAMP_LITERAL;
  const match = pattern.exec(text.trimStart());
  if (!match || Number(match[1]) === 0) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (
    month < 1 ||
    month > 12 ||
    day < 1 ||
    day > daysInMonth(year, month) ||
    hour > 23 ||
    minute > 59 ||
    second > 59
  )
    return null;
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const local = msOf({
    year,
    month,
    day,
    msOfDay: ((hour * 60 + minute) * 60 + second) * 1000 + ms,
  });
  return BigInt(zoneName === 'UTC' ? local : instantOfLocal(local, zoneOf(zoneName)));
}

const DATE_LITERAL = /^(\d{1,4})-(\d{1,2})-(\d{1,2})$/;
const TIMESTAMP_LITERAL =
  /^(\d{1,4})-(\d{1,2})-(\d{1,2})(?: +(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d*))?)?$/;
