// Times and periods of a specification. Periods of a fixed length are stored as seconds by the real
// engine. A whole number is milliseconds, and an empty text is a missing field (as there).

import { InvalidTime, parseInstant } from '../../model/instant.ts';
import { parsePeriod, reprintPeriod } from '../../model/period.ts';
import type { SpecFields } from './spec-fields.ts';

/**
 * A time as milliseconds since 1970; undefined for a missing field. Throws a Refusal for an invalid
 * time.
 */
export function optionalInstant(fields: SpecFields, name: string): number | undefined {
  const given = givenIn(fields, name);
  if (given === undefined || typeof given === 'number') return given;
  return readIn(fields, name, () => parseInstant(given));
}

/**
 * The milliseconds of a period; undefined for a missing field. Throws a Refusal for an invalid
 * period, or one whose length depends on the calendar.
 */
export function optionalDuration(fields: SpecFields, name: string): number | undefined {
  const given = givenIn(fields, name);
  if (given === undefined || typeof given === 'number') return given;
  return readIn(fields, name, () => msOf(given));
}

/**
 * A period in Joda's format; undefined for a missing field. Throws a Refusal for an invalid period.
 */
export function printedPeriod(fields: SpecFields, name: string): string | undefined {
  const given = givenIn(fields, name);
  if (given === undefined) return undefined;
  return typeof given === 'number'
    ? formatDuration(given)
    : readIn(fields, name, () => reprintPeriod(given));
}

/** The milliseconds of a period, with a default for a missing field. */
export const duration = (
  fields: SpecFields | undefined,
  name: string,
  defaultValue: string,
): number => (fields && optionalDuration(fields, name)) ?? msOf(defaultValue);

/** A duration in Joda's format: `PT3600S`. */
export function formatDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  const rest = Math.abs(ms % 1000);
  return `PT${ms < 0 && seconds === 0 ? '-' : ''}${seconds}${rest === 0 ? '' : `.${String(rest).padStart(3, '0')}`}S`;
}

function givenIn(fields: SpecFields, name: string): string | number | undefined {
  const value = fields.values[name];
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  return fields.optionalText(name) || undefined;
}

function readIn<Read>(fields: SpecFields, name: string, read: () => Read): Read {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidTime)
      return fields.refuse(`${name} cannot be read: ${error.message}`);
    throw error;
  }
}

function msOf(text: string): number {
  const { years, months, weeks, days, ms } = parsePeriod(text);
  if (years !== 0 || months !== 0) {
    throw new InvalidTime(
      `Cannot convert to Duration as this period contains ${months === 0 ? 'years' : 'months'}: "${text}"`,
    );
  }
  return (weeks * 7 + days) * 86_400_000 + ms;
}
