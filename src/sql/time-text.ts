// Times as SQL reads and prints them: wall-clock times of the statement's zone.
import { civilOf, dayMs, daysInMonth, msOf } from '../model/calendar.ts';
import { InvalidTime, instantOf, parseInstant } from '../model/instant.ts';
import { instantOfLocal, type TimeZone, utc } from '../model/period.ts';
import { timeZoneOf } from '../model/time-zone.ts';

/** A zone by its name; an unknown one is UTC here, because a query that uses no time never looks at it. */
export const zoneOf = (name: string): TimeZone => (name === 'UTC' ? utc : timeZoneOf(name));

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

/** ISO 8601 with a blank or `T` between date and time, an offset or none (then the zone's wall clock); null for anything else. */
export function parseSqlTime(text: string, zoneName: string): bigint | null {
  const iso = text.replace(/^([^ ]*\d) (?=\d)/, '$1T');
  if (!/^[+-]?\d/.test(iso)) return null;
  try {
    const ms = parseInstant(iso);
    const hasOffset = /T.*(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(iso);
    return BigInt(hasOffset || zoneName === 'UTC' ? ms : instantOf(instantOfLocal(ms, zoneOf(zoneName))));
  } catch (error) {
    if (error instanceof InvalidTime) return null;
    throw error;
  }
}

/**
 * A TIMESTAMP or DATE literal in the zone's wall clock: `yyyy-MM-dd HH:mm:ss[.SSS...]`, the time may be missing, digits beyond the third after the
 * point are cut; null for anything else.
 */
export function parseTimeLiteral(text: string, zoneName: string): bigint | null {
  const match = /^(\d{1,4})-(\d{1,2})-(\d{1,2})(?: (\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d+))?)?$/.exec(text);
  if (!match) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1, 7).map((part) => Number(part ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month) || hour > 23 || minute > 59 || second > 59) return null;
  const ms = Number((match[7] ?? '').padEnd(3, '0').slice(0, 3));
  const local = msOf({ year, month, day, msOfDay: ((hour * 60 + minute) * 60 + second) * 1000 + ms });
  return BigInt(zoneName === 'UTC' ? local : instantOfLocal(local, zoneOf(zoneName)));
}

/** Whole days since 1970 of an instant. */
export const dayOf = (ms: bigint): number => Math.floor(Number(ms) / dayMs);
