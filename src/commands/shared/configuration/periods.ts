// Normalization of periods: equal lengths get one spelling, so PT3600S becomes PT1H.
import { isObject } from '../../../model/difference.ts';
import { formatPeriod, parsePeriod } from '../../../model/period.ts';

/** The same document with every ISO period in its usual spelling. */
export function withPeriods(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPeriods);
  if (isObject(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [name, withPeriods(field)]),
    );
  return typeof value === 'string' && /^P(?=[\dT])[\dYMWDTHS.]+$/.test(value)
    ? normalSpelling(value)
    : value;
}

function normalSpelling(text: string): string {
  try {
    return formatPeriod(parsePeriod(text));
  } catch {
    return text;
  }
}
