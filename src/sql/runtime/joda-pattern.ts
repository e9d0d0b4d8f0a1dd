// Time patterns for parsing and printing, as in Joda (yyyy-MM-dd'T'HH:mm:ss.SSSZZ).

import { civilOf, dayMs, mod, msOf } from '../../model/calendar.ts';
import { instantOfLocal, type TimeZone } from '../../model/period.ts';
import { timeZoneOf } from '../../model/time-zone.ts';
import { zoneNameAt } from '../../model/zone-name.ts';
import { failedPlanning } from '../sql-error.ts';
import { type FieldRead, localTimeOf } from './joda-fields.ts';

/** Formats a time in a zone. Throws SqlError for an unknown pattern letter. */
export function formatTime(ms: number, pattern: string, zone: TimeZone, locale = 'en'): string {
  const offset = zone.offsetMs(ms);
  const fields = fieldsOf(ms + offset);
  return tokensOf(pattern)
    .map((token) =>
      'text' in token
        ? token.text
        : ((locale === 'en' ? undefined : formatField(locale, token, fields)) ??
          printField(token, fields, offset, zone, ms)),
    )
    .join('');
}

/** Throws SqlError for a pattern with an unknown letter. */
export function checkPattern(pattern: string): void {
  tokensOf(pattern);
}

/**
 * Parses a text by a pattern, in the zone's wall clock unless the text has an offset; null if it
 * does not match.
 */
export function parseTime(text: string, pattern: string, zone: TimeZone): number | null {
  const state: ReadState = { fields: [] };
  let rest = text;
  const tokens = tokensOf(pattern);
  for (const [index, token] of tokens.entries()) {
    if ('text' in token) {
      if (rest.slice(0, token.text.length).toLowerCase() !== token.text.toLowerCase()) return null;
      rest = rest.slice(token.text.length);
      continue;
    }
    const next = tokens[index + 1];
    const used = readField(token, rest, state, next !== undefined && !('text' in next));
    if (used === undefined) return null;
    rest = rest.slice(used);
  }
  return rest === '' ? instantOf(state, zone) : null;
}

interface Field {
  readonly letter: string;
  readonly count: number;
}
type Token = { readonly text: string } | Field;

/**
 * The parts of a pattern. A run of one letter is a field. Other characters and quoted parts are
 * literal text; two quotes stand for one, and the end of the pattern ends a quoted part.
 */
export function tokensOf(pattern: string): readonly Token[] {
  const known = cache.get(pattern);
  if (known) return known;
  const tokens = [...pattern.matchAll(/'((?:[^']|'')*)(?:'|$)|([a-zA-Z])\2*|[^a-zA-Z']+/g)].map(
    (match): Token => {
      const [whole, quotedText, letter] = match;
      if (quotedText !== undefined)
        return { text: whole === "''" ? "'" : quotedText.replaceAll("''", "'") };
      if (letter === undefined) return { text: whole };
      if (!letters.includes(letter)) throw failedPlanning(`Illegal pattern component: ${whole}`);
      return { letter, count: whole.length };
    },
  );
  if (cache.size < 1000 && pattern.length < 1000) cache.set(pattern, tokens);
  return tokens;
}

const cache = new Map<string, readonly Token[]>();
const letters = 'GCYxwEeyDMdaKhHkmsSzZ';

function fieldsOf(local: number) {
  const { year, month, day, msOfDay } = civilOf(local);
  const dayNumber = Math.floor(local / dayMs);
  const weekDay = mod(dayNumber + 3, 7) + 1; // Monday is 1
  const thursday = civilOf((dayNumber + 4 - weekDay) * dayMs);
  const week =
    Math.floor(
      (msOf({ ...thursday, msOfDay: 0 }) -
        msOf({ year: thursday.year, month: 1, day: 1, msOfDay: 0 })) /
        (7 * dayMs),
    ) + 1;
  const dayOfYear = dayNumber - msOf({ year, month: 1, day: 1, msOfDay: 0 }) / dayMs + 1;
  const seconds = Math.floor(msOfDay / 1000);
  return {
    year,
    month,
    day,
    weekDay,
    week,
    weekYear: thursday.year,
    dayOfYear,
    hour: Math.floor(seconds / 3600),
    minute: Math.floor(seconds / 60) % 60,
    second: seconds % 60,
    ms: msOfDay % 1000,
  };
}

type Fields = ReturnType<typeof fieldsOf>;

function printField(
  { letter, count }: Field,
  fields: Fields,
  offset: number,
  zone: TimeZone,
  ms: number,
): string {
  const number = (value: number) =>
    `${value < 0 ? '-' : ''}${String(Math.abs(value)).padStart(count, '0')}`;
  switch (letter) {
    case 'G':
      return fields.year > 0 ? 'AD' : 'BC';
    case 'C':
      return number(Math.floor(Math.abs(fields.year) / 100));
    case 'Y':
    case 'y':
      return count === 2
        ? String(mod(fields.year, 100)).padStart(2, '0')
        : number(letter === 'Y' ? Math.abs(fields.year) : fields.year);
    case 'x':
      return count === 2
        ? String(mod(fields.weekYear, 100)).padStart(2, '0')
        : number(fields.weekYear);
    case 'w':
      return number(fields.week);
    case 'e':
      return number(fields.weekDay);
    case 'E':
      return (count >= 4 ? longDays : shortDays)[fields.weekDay - 1] ?? '';
    case 'D':
      return number(fields.dayOfYear);
    case 'M':
      return count >= 3
        ? ((count >= 4 ? longMonths : shortMonths)[fields.month - 1] ?? '')
        : number(fields.month);
    case 'd':
      return number(fields.day);
    case 'a':
      return fields.hour < 12 ? 'AM' : 'PM';
    case 'K':
      return number(fields.hour % 12);
    case 'h':
      return number(fields.hour % 12 || 12);
    case 'H':
      return number(fields.hour);
    case 'k':
      return number(fields.hour || 24);
    case 'm':
      return number(fields.minute);
    case 's':
      return number(fields.second);
    case 'S':
      return String(fields.ms).padStart(3, '0').padEnd(count, '0').slice(0, count);
    case 'z':
      return zoneNameAt(zone, ms, count >= 4 ? 'long' : 'short');
    default:
      return count >= 3 ? zone.id : offsetText(offset, count === 2);
  }
}

// Names of days and months in languages other than English (CLDR, as in Java). Intl takes tens of
// microseconds for each, so that they are kept.
function formatField(
  locale: string,
  { letter, count }: Field,
  { year, month, day, hour }: Fields,
): string | undefined {
  const format = nameFormats[letter]?.(count);
  if (format === undefined) return undefined;
  const time = new Date(0);
  // The calendar repeats after 400 years, and a Date holds no year beyond 275760
  time.setUTCFullYear(2000 + mod(year, 400), month - 1, day);
  time.setUTCHours(hour);
  const [kind, options] = format;
  const named = { weekday: time.getUTCDay(), month, dayPeriod: hour }[kind];
  const key = `${locale} ${kind} ${Object.values(options)[0]} ${named}`;
  const known = names.get(key);
  if (known !== undefined) return known;
  const parts = new Intl.DateTimeFormat(localeOf(locale), {
    ...options,
    timeZone: 'UTC',
  }).formatToParts(time);
  const name = parts.find(({ type }) => type === kind)?.value;
  if (names.size >= mostNames) names.clear();
  if (name !== undefined) names.set(key, name);
  return name;
}

const names = new Map<string, string>();
const mostNames = 1000;

type NamedKind = 'weekday' | 'month' | 'dayPeriod';

const nameFormats: Readonly<
  Record<string, (count: number) => readonly [NamedKind, Intl.DateTimeFormatOptions] | undefined>
> = {
  // Beside a day, a name has the form that it has within a date.
  E: (count) => [
    'weekday',
    { weekday: count >= 4 ? 'long' : 'short', day: 'numeric', month: 'short' },
  ],
  M: (count) =>
    count < 3 ? undefined : ['month', { month: count >= 4 ? 'long' : 'short', day: 'numeric' }],
  a: () => ['dayPeriod', { hour: 'numeric', hourCycle: 'h12' }],
};

// The locale of a text such as `fr` or `de-DE`. Unknown locales fall back to English.
function localeOf(text: string): string {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(text.replaceAll('_', '-'))[0] ?? 'en';
  } catch {
    return 'en';
  }
}

function offsetText(offset: number, withColon: boolean): string {
  const minutes = Math.floor(Math.abs(offset) / 60_000);
  const [hours, rest] = [Math.floor(minutes / 60), minutes % 60].map((part) =>
    String(part).padStart(2, '0'),
  );
  return `${offset < 0 ? '-' : '+'}${hours}${withColon ? ':' : ''}${rest}`;
}

const longDays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const shortDays = longDays.map((day) => day.slice(0, 3));
const longMonths = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];
const shortMonths = longMonths.map((month) => month.slice(0, 3));

interface ReadState {
  readonly fields: FieldRead[];
  offsetMs?: number;
  zone?: TimeZone;
}

// The number of characters that a field consumed, or undefined if it does not match. A field
// directly before another consumes only as many digits as it has letters.
function readField(
  { letter, count }: Field,
  text: string,
  state: ReadState,
  adjacent: boolean,
): number | undefined {
  const take = (value: number) =>
    state.fields.push({ letter: letter === 'E' ? 'e' : letter, value });
  if (letter === 'E') return readName(text, [longDays, shortDays], (index) => take(index + 1));
  if (letter === 'M' && count >= 3)
    return readName(text, [longMonths, shortMonths], (index) => take(index + 1));
  if (letter === 'a') return readName(text, [['AM', 'PM']], take);
  if (letter === 'G') return readName(text, [['BC', 'AD']], (index) => takeEra(index === 0, state));
  if (letter === 'z' || letter === 'Z') return readZone(text, state);
  if (letter === 'C') return undefined; // a century is of an era, which the pattern has to name
  const most =
    letter === 'S'
      ? count
      : adjacent
        ? count
        : letter === 'y' || letter === 'Y' || letter === 'x'
          ? 9
          : Math.max(count, 'D'.includes(letter) ? 3 : 2);
  const digits = numberAtStart(text, most);
  if (
    digits === undefined ||
    (letter !== 'y' && letter !== 'Y' && letter !== 'x' && /^[+-]/.test(digits))
  )
    return undefined;
  const value = Number(digits);
  // A two-digit year is between 1970 and 2069.
  const isShortYear = (letter === 'y' || letter === 'Y') && count === 2 && digits.length === 2;
  if (letter === 'S') take(Number(digits.padEnd(3, '0').slice(0, 3)));
  else take(isShortYear ? (value < 70 ? 2000 + value : 1900 + value) : value);
  return digits.length;
}

// A year of era (`Y`) becomes negative before Christ. A year without an era (`yyyy`) stays
// unchanged, and a missing year is the first.
function takeEra(isBefore: boolean, { fields }: ReadState): void {
  const at = fields.findIndex(({ letter }) => letter === 'Y');
  const year = fields[at];
  if (year && isBefore) fields[at] = { letter: 'Y', value: 1 - year.value };
  if (fields.length === 0) fields.push({ letter: 'y', value: isBefore ? 0 : 1 });
}

// An optional sign and up to `most` digits.
function numberAtStart(text: string, most: number): string | undefined {
  const start = /^[+-]/.test(text) ? 1 : 0;
  let end = start;
  while (end - start < most && /^\d$/.test(text.charAt(end))) end++;
  return end === start ? undefined : text.slice(0, end);
}

const longestName = 10; // of a day or month

function readName(
  text: string,
  lists: readonly (readonly string[])[],
  take: (index: number) => void,
): number | undefined {
  const lower = text.slice(0, longestName).toLowerCase();
  for (const names of lists) {
    const index = names.findIndex((name) => lower.startsWith(name.toLowerCase()));
    if (index === -1) continue;
    take(index);
    return names[index]?.length;
  }
  return undefined;
}

const longestZone = 64;

function readZone(text: string, state: ReadState): number | undefined {
  const offset = /^(?:Z|([+-])(\d{2}):?(\d{2})?)/.exec(text);
  if (offset) {
    const size = (Number(offset[2] ?? 0) * 60 + Number(offset[3] ?? 0)) * 60_000;
    state.offsetMs = offset[1] === '-' ? -size : size;
    return offset[0].length;
  }
  const name = /^[A-Za-z]+(?:[/_][A-Za-z_]+)*/.exec(text.slice(0, longestZone))?.[0];
  if (name === undefined) return undefined;
  try {
    state.zone = timeZoneOf(name);
    return name.length;
  } catch {
    return undefined;
  }
}

// Null for a time that the zone's clock skips.
function instantOf(state: ReadState, zone: TimeZone): number | null {
  const local = localTimeOf(state.fields);
  if (local === null) return null;
  if (state.offsetMs !== undefined) return local - state.offsetMs;
  const named = state.zone ?? zone;
  const instant = instantOfLocal(local, named);
  return instant + named.offsetMs(instant) === local ? instant : null;
}
