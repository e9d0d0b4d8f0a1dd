// Proleptic ISO calendar in UTC, for any year: Date is limited to the year 275760, intervals are
// not.

export const dayMs = 86_400_000;

/** The UTC fields of an instant; `month` and `day` count from 1. */
export interface CivilTime {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly msOfDay: number;
}

/**
 * Converts milliseconds since 1970 to calendar fields. The days-to-civil algorithm counts eras of
 * 400 years from 1 March of year 0.
 */
export function civilOf(ms: number): CivilTime {
  const days = Math.floor(ms / dayMs);
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1,
    msOfDay: ms - days * dayMs,
  };
}

/**
 * Converts calendar fields to milliseconds since 1970. A `month` outside of 1 to 12 counts on into
 * other years.
 */
export function msOf({ year, month, day, msOfDay }: CivilTime): number {
  const wholeYear = year + Math.floor((month - 1) / 12);
  const wholeMonth = mod(month - 1, 12) + 1;
  const shiftedYear = wholeMonth <= 2 ? wholeYear - 1 : wholeYear;
  const era = Math.floor(shiftedYear / 400);
  const yearOfEra = shiftedYear - era * 400;
  const dayOfYear =
    Math.floor((153 * (wholeMonth > 2 ? wholeMonth - 3 : wholeMonth + 9) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return (era * 146_097 + dayOfEra - 719_468) * dayMs + msOfDay;
}

/** The number of days of a month (1 to 12). */
export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Whether a year of the proleptic Gregorian calendar is a leap year; year 0 is 1 BC (ISO 8601). */
export const isLeapYear = (year: number): boolean =>
  (mod(year, 4) === 0 && mod(year, 100) !== 0) || mod(year, 400) === 0;

/** The remainder with the divisor's sign. */
export const mod = (value: number, divisor: number): number =>
  ((value % divisor) + divisor) % divisor;
