// ISO 8601 periods (P1M, PT6H, P1Y2M10DT2H30M) and their meaning in the calendar of a time zone. As
// Joda's Period.
import { civilOf, dayMs, daysInMonth, msOf } from './calendar.ts';
import { InvalidTime, instantOf } from './instant.ts';

export interface Period {
  readonly years: number;
  readonly months: number;
  readonly weeks: number;
  readonly days: number;
  readonly ms: number; // hours, minutes and seconds have a fixed length
}

/** The relation of a zone's wall clock to UTC. `time-zone.ts` creates zones by name. */
export interface TimeZone {
  readonly id: string;
  readonly fixedOffsetMs?: number; // of a zone that is a plain offset
  /** Milliseconds east of UTC at an instant. */
  offsetMs(instant: number): number;
}

export const utc: TimeZone = { id: 'UTC', offsetMs: () => 0 };

/** Whether a text can only be a period and not an instant. */
export const isPeriodText = (text: string): boolean => /^p/i.test(text);

/** Parses a period in upper or lower case; throws InvalidTime. Each part may have its own sign. */
export function parsePeriod(text: string): Period {
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] =
    partsOf(text);
  const ms = hours * 3_600_000 + minutes * 60_000 + Math.round(seconds * 1000);
  return { years, months, weeks, days, ms };
}

/**
 * A period as Joda prints it: in upper case and without zero parts, with the units as they are
 * given (PT90M). Throws InvalidTime.
 */
export function reprintPeriod(text: string): string {
  const printed = partsOf(text).map((value, at) => {
    if (value === 0) return '';
    return `${Number.isInteger(value) ? value : value.toFixed(3)}${'YMWDHMS'.charAt(at)}`;
  });
  const [date, time] = [printed.slice(0, 4).join(''), printed.slice(4).join('')];
  return date || time ? `P${date}${time && 'T'}${time}` : 'PT0S';
}

// Years, months, weeks, days, hours, minutes and seconds. P alone is a period without length.
function partsOf(text: string): number[] {
  const match = pattern.exec(text);
  if (!match || /T$/i.test(text)) throw new InvalidTime(`Invalid format: "${text}"`);
  return match.slice(1).map((part: string | undefined) => Number(part?.replace(',', '.') ?? 0));
}

/**
 * The period in Joda's format, without zero parts; an empty period is `PT0S`. Hours, minutes and
 * seconds are normalized.
 */
export function formatPeriod({ years, months, weeks, days, ms }: Period): string {
  const part = (value: number, unit: string) => (value === 0 ? '' : `${value}${unit}`);
  const date = part(years, 'Y') + part(months, 'M') + part(weeks, 'W') + part(days, 'D');
  const remainder = ms % 60_000;
  const seconds = Number.isInteger(remainder / 1000)
    ? part(remainder / 1000, 'S')
    : `${(remainder / 1000).toFixed(3)}S`;
  const time =
    part(Math.trunc(ms / 3_600_000), 'H') + part(Math.trunc(ms / 60_000) % 60, 'M') + seconds;
  return date || time ? `P${date}${time && 'T'}${time}` : 'PT0S';
}

/**
 * The instant `times` periods after (negative: before) another, on the zone's wall clock. The day
 * is limited to the last of the month. A wall-clock time that a clock change skips moves after the
 * gap, and a repeated one stays on the side of its origin.
 */
export function addPeriod(
  instant: number,
  { years, months, weeks, days, ms }: Period,
  times = 1,
  zone: TimeZone = utc,
): number {
  let result = instant;
  if (years) result = onWallClock(result, zone, (local) => addMonths(local, years * 12 * times));
  if (months) result = onWallClock(result, zone, (local) => addMonths(local, months * times));
  if (weeks || days)
    result = onWallClock(result, zone, (local) => local + (weeks * 7 + days) * times * dayMs);
  return instantOf(result + ms * times);
}

/**
 * The instant of a wall-clock time (milliseconds as if it were UTC); of two such instants, the one
 * nearest to `near`.
 */
export function instantOfLocal(local: number, zone: TimeZone, near = local): number {
  const before = zone.offsetMs(local - dayMs);
  const after = zone.offsetMs(local + dayMs);
  if (before === after && zone.offsetMs(local - before) === before) return local - before;
  const fits = [local - before, local - after].filter(
    (instant) => instant + zone.offsetMs(instant) === local,
  );
  // skipped: continue the count from before the gap
  if (fits.length === 0) return local - Math.min(before, after);
  return fits.reduce((best, instant) =>
    Math.abs(instant - near) < Math.abs(best - near) ? instant : best,
  );
}

const pattern =
  /^P(?:([+-]?\d{1,10})Y)?(?:([+-]?\d{1,10})M)?(?:([+-]?\d{1,10})W)?(?:([+-]?\d{1,10})D)?(?:T(?:([+-]?\d{1,9})H)?(?:([+-]?\d{1,9})M)?(?:([+-]?\d{1,9}(?:[.,]\d{1,9})?)S)?)?$/i;

function onWallClock(instant: number, zone: TimeZone, move: (local: number) => number): number {
  const offset = zone.offsetMs(instant);
  const moved = move(instant + offset);
  return instantOfLocal(moved, zone, moved - offset);
}

function addMonths(local: number, months: number): number {
  const { year, month, day, msOfDay } = civilOf(local);
  const monthNumber = year * 12 + month - 1 + months;
  const [newYear, newMonth] = [Math.floor(monthNumber / 12), (((monthNumber % 12) + 12) % 12) + 1];
  return msOf({
    year: newYear,
    month: newMonth,
    day: Math.min(day, daysInMonth(newYear, newMonth)),
    msOfDay,
  });
}
