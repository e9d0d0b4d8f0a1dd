// Patterns of times that are usual in files although they are not ISO 8601.
import { patternTest } from './pattern-time.ts';

const dates = [
  'dd.MM.yyyy',
  'MM/dd/yyyy',
  'dd/MM/yyyy',
  'yyyy/MM/dd',
  'MM-dd-yyyy',
  'dd-MM-yyyy',
  'dd MMM yyyy',
  'dd-MMM-yyyy',
  'MMM dd, yyyy',
];
const clocks = ['', ' HH:mm', ' HH:mm:ss', ' HH:mm:ss.SSS', ' hh:mm a', ' hh:mm:ss a'];
const logTime = 'dd/MMM/yyyy:HH:mm:ss Z'; // of web servers

const patterns = [...dates.flatMap((date) => clocks.map((clock) => date + clock)), logTime];

/**
 * The patterns that fit all values. A year has four digits: two digits would be a year of
 * antiquity.
 */
export function patternsFitting(values: readonly unknown[]): readonly string[] {
  if (values.length === 0 || !values.every(hasYear)) return [];
  return patterns.filter((pattern) => {
    const fits = patternTest(pattern);
    return values.every((value) => fits(String(value)));
  });
}

const hasYear = (value: unknown) => typeof value === 'string' && /(?<!\d)\d{4}(?!\d)/.test(value);
