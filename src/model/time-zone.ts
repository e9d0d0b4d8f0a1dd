// Time zones by name. The one file that knows luxon, and so loaded only where a zone is named.
import { FixedOffsetZone, IANAZone } from 'luxon';
import { InvalidTime } from './instant.ts';
import { type TimeZone, utc } from './period.ts';

/** The zone of an IANA name (`America/Los_Angeles`), of an offset (`+02:00`), or `UTC`; throws InvalidTime for any other name, in Joda's words. */
export function timeZoneOf(id: string): TimeZone {
  if (utcNames.has(id)) return utc;
  const known = zones.get(id);
  if (known) return known;
  const zone = fixedZone(id) ?? namedZone(id);
  if (zones.size < 1000) zones.set(id, zone);
  return zone;
}

const utcNames = new Set(['UTC', 'Z', 'Etc/UTC', '+00:00']);
const zones = new Map<string, TimeZone>();

function fixedZone(id: string): TimeZone | undefined {
  const match = /^([+-])(\d{2}):?(\d{2})$/.exec(id);
  if (!match) return undefined;
  const [, sign, hours, minutes] = match;
  const zone = FixedOffsetZone.instance((sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)));
  return { id, offsetMs: (instant) => zone.offset(instant) * 60_000 };
}

function namedZone(id: string): TimeZone {
  if (!IANAZone.isValidZone(id)) throw new InvalidTime(`The datetime zone id '${id}' is not recognised`);
  const zone = IANAZone.create(id);
  // Beyond a Date's range the first and the last known rule apply.
  return { id, offsetMs: (instant) => zone.offset(Math.max(-8e15, Math.min(8e15, instant))) * 60_000 };
}
