// Guesses about sampled rows: their time column, and the types of the others.
import type { Fields } from './sample-rows.ts';

export interface TimeGuess {
  readonly column: string;
  readonly format: string; // a format of timestampSpec
}

/** Columns that may hold the time of a row, the most likely first. */
export function timeColumnsIn(rows: readonly Fields[]): readonly TimeGuess[] {
  const guesses = namesIn(rows).flatMap((column) => {
    const values = rows.map((row) => row[column]).filter((value) => value !== undefined);
    const formats = values.map(timeFormatOf);
    const [format] = formats;
    return format !== undefined && formats.every((one) => one === format)
      ? [{ column, format }]
      : [];
  });
  return [...guesses].sort((one, other) => weightOf(other) - weightOf(one));
}

const weightOf = ({ column, format }: TimeGuess) =>
  Number(/time|date|^ts$|^day$|created/i.test(column)) + Number(format === 'iso') / 2;

function timeFormatOf(value: unknown): string | undefined {
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\d/.test(value))
    return Number.isNaN(Date.parse(value)) ? undefined : value.includes(' ') ? 'auto' : 'iso';
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number') return undefined;
  if (number >= 1e11 && number < 1e14) return 'millis';
  return number >= 1e8 && number < 1e11 ? 'posix' : undefined;
}

export interface Dimension {
  readonly type: 'string' | 'long' | 'double' | 'json' | 'auto';
  readonly name: string;
}

/** The columns of the rows without the time column, with their types. */
export function dimensionsIn(rows: readonly Fields[], timeColumn: string): readonly Dimension[] {
  return namesIn(rows)
    .filter((name) => name !== timeColumn)
    .map((name) => ({ type: typeIn(rows.map((row) => row[name])), name }));
}

function typeIn(values: readonly unknown[]): Dimension['type'] {
  const known = values.filter((value) => value !== null && value !== undefined && value !== '');
  if (known.some(Array.isArray)) return 'auto';
  if (known.some((value) => typeof value === 'object')) return 'json';
  if (known.length === 0 || !known.every(isNumeric)) return 'string';
  return known.every((value) => /^-?\d+$/.test(String(value))) ? 'long' : 'double';
}

// Delimited text has only texts. A code such as 007 stays a text.
const isNumeric = (value: unknown) =>
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  (typeof value === 'string' && /^-?(?:0|[1-9]\d{0,17})(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value));

const namesIn = (rows: readonly Fields[]) => [...new Set(rows.flatMap((row) => Object.keys(row)))];
