// Periods of a specification that must have a fixed length: the real engine stores them as seconds.

import { InvalidTime } from '../../../model/instant.ts';
import { parsePeriod } from '../../../model/period.ts';
import type { SpecFields } from '../../checks/spec-fields.ts';

/**
 * The milliseconds of a period; undefined for a missing field. Throws a Refusal for an invalid
 * period, or one whose length depends on the calendar.
 */
export function optionalDuration(fields: SpecFields, name: string): number | undefined {
  const text = fields.optionalText(name);
  return text === undefined ? undefined : durationIn(fields, name, text);
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

function durationIn(fields: SpecFields, name: string, text: string): number {
  try {
    return msOf(text);
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
