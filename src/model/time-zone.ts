// Time zones by name. The one file that knows luxon, and so loaded only where a zone is named.
import { IANAZone } from 'luxon';
import { InvalidTime } from './instant.ts';
import { type TimeZone, utc } from './period.ts';

/**
 * The zone of an IANA name (`America/Los_Angeles`), of an offset in hours, minutes and seconds (`+02:00`, `-0800`, `+05`), of Java's `GMT+2` or one of its
 * short names (`PST`), or `UTC`; throws InvalidTime for any other name, in Joda's words.
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
  const match = /^([+-])(\d{2})(?::?([0-5]\d)(?::?([0-5]\d))?)?$/.exec(id) ?? /^GMT([+-])(\d{1,2})(?::?([0-5]\d))?$/.exec(id);
  if (!match) return undefined;
  const [, sign, hours, minutes = '00', seconds = '00'] = match;
  if (Number(hours) > 23) return undefined;
  const fixedOffsetMs = (sign === '-' ? -1000 : 1000) * ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds));
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
  if (!IANAZone.isValidZone(id)) throw new InvalidTime(`The datetime zone id '${id}' is not recognised`);
  const zone = IANAZone.create(id);
  // Beyond a Date's range the first and the last known rule apply.
  const read = (instant: number) => zone.offset(Math.max(-8e15, Math.min(8e15, instant))) * 60_000;
  const known = new Map<number, number>();
  return {
    id,
    offsetMs(instant) {
      const quarter = Math.floor(instant / quarterHourMs);
      const offset = known.get(quarter);
      if (offset !== undefined) return offset;
      const first = read(quarter * quarterHourMs);
      if (first !== read((quarter + 1) * quarterHourMs - 1)) return read(instant);
      if (known.size >= mostQuarters) known.clear();
      known.set(quarter, first);
      return first;
    },
  };
}

// An offset takes 8 µs to read, and rows lie near each other: it is kept for quarters of an hour in which the clock does not change.
const quarterHourMs = 900_000;
const mostQuarters = 20_000;
