// Checks of the rows of text files: the service would refuse a broken row, or store null instead of
// a value.
import type { Guess, GuessedColumn } from './guess-columns.ts';
import type { TimeColumn, ValueCheck } from './guess-time.ts';
import type { TextRecord } from './records.ts';

/** A row that cannot be ingested. */
export interface BrokenRow {
  readonly path: string;
  readonly line: number;
  readonly isItem: boolean; // the line is an item of a JSON list
  readonly column: string | undefined;
  readonly value: string | undefined;
  readonly reason: string;
}

type Problem = Pick<BrokenRow, 'column' | 'value' | 'reason'>;

interface Checked {
  readonly time: TimeColumn | undefined; // undefined: its times are not checked
  readonly columns: readonly string[] | undefined; // those to store; all by default
}

/** Returns a check that describes the first problem of a row. */
export function rowChecker(
  guess: Guess,
  { time, columns }: Checked,
): (record: TextRecord) => Problem | undefined {
  const isStored = ({ name }: GuessedColumn) => columns?.includes(name) ?? true;
  const checks = guess.columns.flatMap((column, at) => {
    const check =
      column.name === time?.column.name
        ? time.problemOf
        : isStored(column)
          ? checkOf(column)
          : undefined;
    return check ? [{ name: column.name, at, check }] : [];
  });
  const problemIn = (cellIn: (name: string, at: number) => unknown) => {
    for (const { name, at, check } of checks) {
      const value = cellIn(name, at);
      const reason = check(value);
      if (reason !== undefined) return { column: name, value: textOf(value), reason };
    }
    return undefined;
  };
  if (guess.format === 'json')
    return ({ text }) => {
      const row = objectIn(text);
      return 'reason' in row ? row.reason : problemIn((name) => row.value[name]);
    };
  const count = guess.columns.length;
  return ({ fields, text, isOpen }) => {
    if (isOpen) return { column: undefined, value: text, reason: 'has a quote that is not closed' };
    if (fields.length > count)
      return {
        column: undefined,
        value: text,
        reason: `has ${fields.length} fields, and there are ${count} columns`,
      };
    return problemIn((_, at) => fields[at]);
  };
}

type Row = { readonly value: Readonly<Record<string, unknown>> } | { readonly reason: Problem };

function objectIn(text: string): Row {
  const broken = (reason: string) => ({ reason: { column: undefined, value: text, reason } });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return broken('is not JSON');
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? { value: value as Readonly<Record<string, unknown>> }
    : broken('is not a JSON object');
}

const textOf = (value: unknown) =>
  value === undefined || value === null
    ? undefined
    : typeof value === 'object'
      ? JSON.stringify(value)
      : String(value);

function checkOf({ type }: GuessedColumn): ValueCheck | undefined {
  if (type === 'BIGINT') return unless(isInteger, 'is not an integer');
  return type === 'DOUBLE' || type === 'FLOAT' ? unless(isNumber, 'is not a number') : undefined;
}

const unless =
  (isGood: (value: unknown) => boolean, reason: string): ValueCheck =>
  (value) =>
    value === undefined || value === null || value === '' || isGood(value) ? undefined : reason;

// As the service reads them: a text must be a whole number, a number loses its fraction.
function isInteger(value: unknown): boolean {
  if (typeof value === 'number') return Math.abs(value) <= 2 ** 63;
  if (typeof value === 'boolean') return true;
  if (typeof value !== 'string') return false;
  if (/^[+-]?\d{1,18}$/.test(value)) return true;
  if (/^[+-]?\d+$/.test(value)) return BigInt.asIntN(64, BigInt(value)) === BigInt(value);
  return (
    decimal.test(value) && Number.isInteger(Number(value)) && Math.abs(Number(value)) < 2 ** 63
  );
}

const decimal = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

const isNumber = (value: unknown) =>
  typeof value === 'number' ||
  (typeof value === 'string' && (decimal.test(value) || /^[+-]?(NaN|Infinity)$/.test(value)));
