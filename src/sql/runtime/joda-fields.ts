// Time from the fields of a parsed text, combined as in Joda (DateTimeParserBucket.computeMillis).
import { civilOf, dayMs, daysInMonth, mod, msOf } from '../../model/calendar.ts';

/** A field, by the letter of its pattern, and its parsed number. */
export interface FieldRead {
  readonly letter: string;
  readonly value: number;
}

/**
 * The wall-clock time of the fields, in milliseconds counted as if in UTC; null if a field is out
 * of range.
 */
export function localTimeOf(read: readonly FieldRead[]): number | null {
  const sorted = [...read].sort((one, other) => rankOf(one) - rankOf(other));
  const [largest] = sorted;
  const fields =
    largest && 'MwDde'.includes(largest.letter)
      ? [{ letter: 'y', value: yearOfDays }, ...sorted]
      : sorted;
  let local = 0;
  // Each field resets smaller fields to their start. All fields are applied again, because a larger
  // field may have moved the smaller ones.
  for (const field of fields) local = startOf(field.letter, withField(local, field));
  for (const [index, field] of fields.entries()) {
    const set = withField(local, field);
    local = index === fields.length - 1 ? startOf(field.letter, set) : set;
  }
  return Number.isNaN(local) ? null : local;
}

// Default year of days and months without a year.
const yearOfDays = 2000;

// From the largest to the smallest field.
const ranks = ['yYx', 'M', 'w', 'D', 'd', 'e', 'a', 'Hk', 'hK', 'm', 's', 'S'];
const rankOf = ({ letter }: FieldRead): number =>
  ranks.findIndex((letters) => letters.includes(letter));

const latestYear = 292_278_993;
const hourMs = 3_600_000;

// The time with one field changed; NaN if the value is invalid for the field.
function withField(local: number, { letter, value }: FieldRead): number {
  const { year, month, day, msOfDay } = civilOf(local);
  const within = (low: number, high: number, set: () => number) =>
    value >= low && value <= high ? set() : Number.NaN;
  // Replaces a unit within a larger one, keeping the smaller units.
  const partOf = (size: number, unit: number, wanted = value) =>
    local - mod(local, size) + wanted * unit + mod(local, unit);
  switch (letter) {
    case 'y':
    case 'Y':
      return within(-latestYear, latestYear, () =>
        msOf({ year: value, month, day: Math.min(day, daysInMonth(value, month)), msOfDay }),
      );
    case 'x':
      return within(
        -latestYear,
        latestYear,
        () =>
          weekStart(value, Math.min(weekOf(local), weeksIn(value))) +
          mod(local - firstMonday, weekMs),
      );
    case 'M':
      return within(1, 12, () =>
        msOf({ year, month: value, day: Math.min(day, daysInMonth(year, value)), msOfDay }),
      );
    case 'w':
      return within(1, weeksIn(weekYearOf(local)), () => local + (value - weekOf(local)) * weekMs);
    case 'D':
      return within(
        1,
        (yearStart(year + 1) - yearStart(year)) / dayMs,
        () => yearStart(year) + (value - 1) * dayMs + msOfDay,
      );
    case 'd':
      return within(1, daysInMonth(year, month), () => local + (value - day) * dayMs);
    case 'e':
      return within(1, 7, () => mondayOf(local) + (value - 1) * dayMs + msOfDay);
    case 'a':
      return partOf(dayMs, dayMs / 2);
    case 'H':
      return within(0, 23, () => partOf(dayMs, hourMs));
    case 'k':
      return within(1, 24, () => partOf(dayMs, hourMs, value % 24));
    case 'K':
      return within(0, 11, () => partOf(dayMs / 2, hourMs));
    case 'h':
      return within(1, 12, () => partOf(dayMs / 2, hourMs, value % 12));
    case 'm':
      return within(0, 59, () => partOf(hourMs, 60_000));
    case 's':
      return within(0, 59, () => partOf(60_000, 1000));
    default:
      return partOf(1000, 1);
  }
}

// The start of the field's unit that contains a time.
function startOf(letter: string, local: number): number {
  const { year, month } = civilOf(local);
  switch (letter) {
    case 'y':
    case 'Y':
      return yearStart(year);
    case 'x':
      return weekStart(weekYearOf(local), 1);
    case 'M':
      return msOf({ year, month, day: 1, msOfDay: 0 });
    case 'w':
      return mondayOf(local);
    default:
      return local - mod(local, sizes[letter] ?? 1);
  }
}

const sizes: Readonly<Record<string, number>> = {
  D: dayMs,
  d: dayMs,
  e: dayMs,
  a: dayMs / 2,
  H: hourMs,
  k: hourMs,
  K: hourMs,
  h: hourMs,
  m: 60_000,
  s: 1000,
};

// Weeks start on Monday. The first week of a year contains 4 January.
const weekMs = 7 * dayMs;
const firstMonday = -3 * dayMs;
const yearStart = (year: number): number => msOf({ year, month: 1, day: 1, msOfDay: 0 });
const mondayOf = (local: number): number => local - mod(local - firstMonday, weekMs);
const weekYearOf = (local: number): number => civilOf(mondayOf(local) + 3 * dayMs).year;
const weekStart = (weekYear: number, week: number): number =>
  mondayOf(yearStart(weekYear) + 3 * dayMs) + (week - 1) * weekMs;
const weekOf = (local: number): number =>
  Math.round((mondayOf(local) - weekStart(weekYearOf(local), 1)) / weekMs) + 1;
const weeksIn = (weekYear: number): number =>
  (weekStart(weekYear + 1, 1) - weekStart(weekYear, 1)) / weekMs;
