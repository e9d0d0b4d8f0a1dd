// Instants: milliseconds since 1970 in UTC, always a safe integer. The two ends of the real
// engine's eternity exceed exact doubles. They are represented by the outermost safe integers
// (about 285,000 years away) and printed as the real ones. Instants between the two, which never
// occur in data, become the nearest end.
import { civilOf, dayMs, daysInMonth, isLeapYear, mod, msOf } from './calendar.ts';

/** The beginning of time, printed as -146136543-09-08T08:23:32.096Z. */
export const minInstant: number = Number.MIN_SAFE_INTEGER;
/** The end of time, printed as 146140482-04-24T15:36:27.903Z. */
export const maxInstant: number = Number.MAX_SAFE_INTEGER;

const minText = '-146136543-09-08T08:23:32.096';
const maxText = '146140482-04-24T15:36:27.903';

/** The instant of any number of milliseconds. */
export const instantOf = (ms: number): number =>
  Math.max(minInstant, Math.min(maxInstant, Math.trunc(ms)));

/**
 * Like `formatInstant`, for instants beyond the safe integers, which only SQL expressions produce.
 * The calendar repeats after 400 years.
 */
export function formatFarInstant(ms: bigint, offsetMs = 0): string {
  const local = ms + BigInt(offsetMs);
  // Java's clock is limited to 64 bits
  const fits = BigInt.asIntN(64, local) === local ? local : ms;
  const inCycle = ((fits % cycleMs) + cycleMs) % cycleMs;
  const [, year = '', rest = ''] = /^(\d+)(.*)Z$/.exec(formatInstant(Number(inCycle))) ?? [];
  return `${formatYear(Number(year) + 400 * Number((fits - inCycle) / cycleMs))}${rest}${offsetMs === 0 ? 'Z' : formatOffset(offsetMs)}`;
}

const cycleMs = BigInt(146_097 * dayMs);

/**
 * The instant in Joda's format: `2024-05-01T12:00:00.000Z`, or with a zone's offset (milliseconds
 * east of UTC): `2024-05-01T05:00:00.000-07:00`.
 */
export function formatInstant(ms: number, offsetMs = 0): string {
  if (ms <= minInstant) return `${minText}Z`;
  if (ms >= maxInstant) return `${maxText}Z`;
  const local = ms + offsetMs;
  const day = Math.floor(local / dayMs);
  return `${dateText(day)}T${timeText(local - day * dayMs)}${offsetMs === 0 ? 'Z' : formatOffset(offsetMs)}`;
}

/**
 * Parses the ISO 8601 forms of Joda's dateTimeParser: calendar, ordinal and week dates, truncated
 * at any part, an optional time with a fraction, an optional offset. The default is UTC. Throws
 * InvalidTime with Joda's message.
 */
export function parseInstant(text: string): number {
  if (commonForm.test(text)) return Date.parse(text);
  const { day, msOfDay, offsetMs } = readMoment(text);
  return instantOf(day * dayMs + msOfDay - offsetMs);
}

/** Like `parseInstant`, exact beyond the safe integers, too: a year may have nine digits. */
export function parseFarInstant(text: string): bigint {
  const { day, msOfDay, offsetMs } = readMoment(text);
  return BigInt(day) * BigInt(dayMs) + BigInt(msOfDay - offsetMs);
}

function readMoment(text: string): {
  readonly day: number;
  readonly msOfDay: number;
  readonly offsetMs: number;
} {
  const match = pattern.exec(text);
  if (!text || !match?.groups) throw new InvalidTime(`Invalid format: "${text}"`);
  const {
    year: yearText = '1970',
    month,
    monthDay,
    dayOfYear,
    week,
    weekDay,
    hour,
    minute,
    second,
    fraction,
    offset,
  } = match.groups;
  const year = Number(yearText);
  const check = (
    name: string,
    value: string | undefined,
    min: number,
    max: number,
    otherwise = min,
  ) => (value === undefined ? otherwise : inRange(text, name, Number(value), min, max));

  let day: number;
  if (week !== undefined) {
    day =
      firstWeekStart(year) +
      (check('weekOfWeekyear', week, 1, weeksIn(year)) - 1) * 7 +
      check('dayOfWeek', weekDay, 1, 7) -
      1;
  } else if (dayOfYear !== undefined) {
    day = dayNumber(year, 1, check('dayOfYear', dayOfYear, 1, isLeapYear(year) ? 366 : 365));
  } else {
    const monthOfYear = check('monthOfYear', month, 1, 12);
    day = dayNumber(
      year,
      monthOfYear,
      check('dayOfMonth', monthDay, 1, daysInMonth(year, monthOfYear)),
    );
  }
  const hours = check('hourOfDay', hour, 0, 23);
  const minutes = check('minuteOfHour', minute, 0, 59);
  const seconds = check('secondOfMinute', second, 0, 59);
  const unit = second !== undefined ? 1000 : minute !== undefined ? 60_000 : 3_600_000;
  const msOfDay =
    hours * 3_600_000 +
    minutes * 60_000 +
    seconds * 1000 +
    Math.floor(Number(`0.${fraction ?? 0}`) * unit + 1e-9);
  return { day, msOfDay, offsetMs: offsetMsOf(offset) };
}

// The usual form in services, up to a hundred thousand times per list. JavaScript parses it
// natively, but accepts 30 February and 24 o'clock.
const commonForm =
  /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;

/** An invalid time, interval or period; the message contains it. */
export class InvalidTime extends Error {}

const pattern =
  /^(?:(?<year>[+-]?\d{1,9})(?:-W(?<week>\d{1,2})(?:-(?<weekDay>\d))?|-(?<dayOfYear>\d{3})|-(?<month>\d{1,2})(?:-(?<monthDay>\d{1,2}))?)?)?(?:(?<=.)T|^T(?=\d)|$)(?:(?<hour>\d{1,2})(?::(?<minute>\d{1,2})(?::(?<second>\d{1,2}))?)?(?:[.,](?<fraction>\d{1,9}))?)?(?<offset>Z|[+-]\d{2}(?::?\d{2}(?::?\d{2})?)?)?$/i;

function offsetMsOf(offset: string | undefined): number {
  if (offset === undefined || offset.toUpperCase() === 'Z') return 0;
  const [hours = 0, minutes = 0, seconds = 0] = (offset.slice(1).match(/\d{2}/g) ?? []).map(Number);
  return (offset.startsWith('-') ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

function inRange(text: string, name: string, value: number, min: number, max: number): number {
  if (value >= min && value <= max) return value;
  throw new InvalidTime(
    `Cannot parse "${text}": Value ${value} for ${name} must be in the range [${min},${max}]`,
  );
}

const dayNumber = (year: number, month: number, day: number) =>
  msOf({ year, month, day, msOfDay: 0 }) / dayMs;

// The ISO week 1 is the one with the year's first Thursday; day 0 (1970-01-01) was a Thursday.
function firstWeekStart(year: number): number {
  const fourth = dayNumber(year, 1, 4);
  return fourth - mod(fourth + 3, 7);
}

const weeksIn = (year: number) => (firstWeekStart(year + 1) - firstWeekStart(year)) / 7;

// A cache of the last day: long lists of times contain few days, mostly in order.
let last = { day: Number.NaN, text: '' };

function dateText(day: number): string {
  if (day !== last.day) {
    const date = civilOf(day * dayMs);
    last = {
      day,
      text: `${formatYear(date.year)}-${pad(date.month, 2)}-${pad(date.day, 2)}`,
    };
  }
  return last.text;
}

function timeText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hour, minute, second] = [
    Math.floor(seconds / 3600),
    Math.floor(seconds / 60) % 60,
    seconds % 60,
  ];
  return `${twoDigits[hour]}:${twoDigits[minute]}:${twoDigits[second]}.${pad(ms % 1000, 3)}`;
}

const pad = (value: number, length: number) => String(value).padStart(length, '0');
const twoDigits = Array.from({ length: 60 }, (_, number) => pad(number, 2));

const formatYear = (year: number) => (year < 0 ? `-${pad(-year, 4)}` : pad(year, 4));

function formatOffset(offsetMs: number): string {
  const seconds = Math.floor(Math.abs(offsetMs) / 1000); // historic local mean times have seconds
  const minutes = Math.floor(seconds / 60);
  const rest = seconds % 60 === 0 ? '' : `:${pad(seconds % 60, 2)}`;
  return `${offsetMs < 0 ? '-' : '+'}${pad(Math.floor(minutes / 60), 2)}:${pad(minutes % 60, 2)}${rest}`;
}
