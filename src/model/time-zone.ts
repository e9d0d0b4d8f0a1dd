// Time zones by name. Adapter for luxon, loaded only where a zone is named.
import { IANAZone } from 'luxon';
import { dayMs } from './calendar.ts';
import { InvalidTime } from './instant.ts';
import { type TimeZone, utc } from './period.ts';

/**
 * The zone of an IANA name (`America/Los_Angeles`), of an offset in hours, minutes and seconds
 * (`+02:00`, `-0800`, `+05`), of Java's `GMT+2` or one of its short names (`PST`), or `UTC`. Throws
 * InvalidTime with Joda's message for any other name.
 */
export function timeZoneOf(id: string): TimeZone {
  if (utcNames.has(id)) return utc;
  const known = zones.get(id);
  if (known) return known;
  const zone = fixedZone(id) ?? namedZone(id);
  if (zones.size < 1000) zones.set(id, zone);
  return zone;
}

const utcNames = new Set(['UTC', 'Z', 'Etc/UTC']);
const zones = new Map<string, TimeZone>();

function fixedZone(id: string): TimeZone | undefined {
  const match =
    /^([+-])(\d{2})(?::?([0-5]\d)(?::?([0-5]\d))?)?$/.exec(id) ??
    /^GMT([+-])(\d{1,2})(?::?([0-5]\d))?$/.exec(id);
  if (!match) return undefined;
  const [, sign, hours, minutes = '00', seconds = '00'] = match;
  if (Number(hours) > 23) return undefined;
  const fixedOffsetMs =
    (sign === '-' ? -1000 : 1000) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds));
  if (fixedOffsetMs === 0) return utc;
  const name = `${sign}${String(hours).padStart(2, '0')}:${minutes}${seconds === '00' ? '' : `:${seconds}`}`;
  return { id: name, fixedOffsetMs, offsetMs: () => fixedOffsetMs };
}

// java.util.TimeZone: "three-letter time zone IDs".
const shortNames: Readonly<Record<string, string>> = {
  ACT: 'Australia/Darwin',
  AET: 'Australia/Sydney',
  AGT: 'America/Argentina/Buenos_Aires',
  ART: 'Africa/Cairo',
  AST: 'America/Anchorage',
  BET: 'America/Sao_Paulo',
  BST: 'Asia/Dhaka',
  CAT: 'Africa/Harare',
  CNT: 'America/St_Johns',
  CST: 'America/Chicago',
  CTT: 'Asia/Shanghai',
  EAT: 'Africa/Addis_Ababa',
  ECT: 'Europe/Paris',
  IET: 'America/Indiana/Indianapolis',
  IST: 'Asia/Kolkata',
  JST: 'Asia/Tokyo',
  MIT: 'Pacific/Apia',
  NET: 'Asia/Yerevan',
  NST: 'Pacific/Auckland',
  PLT: 'Asia/Karachi',
  PNT: 'America/Phoenix',
  PRT: 'America/Puerto_Rico',
  PST: 'America/Los_Angeles',
  SST: 'Pacific/Guadalcanal',
  VST: 'Asia/Ho_Chi_Minh',
};

function namedZone(given: string): TimeZone {
  const id = (Object.hasOwn(shortNames, given) ? shortNames[given] : undefined) ?? given;
  if (!IANAZone.isValidZone(id))
    throw new InvalidTime(`The datetime zone id '${id}' is not recognised`);
  const zone = IANAZone.create(id);
  const weeks = steadyOffsets((instant) => zone.offset(withinDates(instant)) * 60_000, weekMs);
  return { id, offsetMs: steadyOffsets(weeks, quarterHourMs) };
}

// Date is limited to the year 275760. The calendar, and so the last known rule, repeats every 400
// years; the first known rule applies to all earlier times.
function withinDates(instant: number): number {
  const beyond = Math.max(0, instant - latestRead);
  return Math.max(-latestRead, instant - Math.ceil(beyond / calendarCycleMs) * calendarCycleMs);
}

const latestRead = 8e15;
const calendarCycleMs = 146_097 * dayMs;

// Computing an offset takes 8 µs, and rows are close in time. The offset is cached for a span
// without a clock change: no zone ever changed its clock and changed it back within a week.
function steadyOffsets(
  read: (instant: number) => number,
  spanMs: number,
): (instant: number) => number {
  const known = new Map<number, number>();
  return (instant) => {
    const span = Math.floor(instant / spanMs);
    const offset = known.get(span);
    if (offset !== undefined) return offset;
    const first = read(span * spanMs);
    if (first !== read((span + 1) * spanMs - 1)) return read(instant);
    if (known.size >= mostSpans) known.clear();
    known.set(span, first);
    return first;
  };
}

const weekMs = 7 * dayMs;
const quarterHourMs = 900_000;
const mostSpans = 20_000;
