// Arrays in files, which versions of the real engine read in different ways.
import { ServiceError } from '../../client/errors.ts';
import type { Guess, GuessedColumn } from './guess-columns.ts';

/**
 * Between the versions that know no arrays and those that always keep them there are some that keep
 * arrays of numbers only when they are asked to.
 */
export const arrayContextOf = ({ columns }: Guess): Readonly<Record<string, unknown>> =>
  columns.some(({ type }) => type === 'BIGINT ARRAY' || type === 'DOUBLE ARRAY')
    ? { arrayIngestMode: 'array' }
    : {};

/**
 * Whether this refuses a statement because a column of its input is an array: before version 28.
 */
export const knowsNoArrays = (error: unknown): boolean =>
  error instanceof ServiceError && /has an unsupported type: \[\w+ ARRAY\]/.test(error.message);

/** The same columns for a service that knows no arrays. */
export const withoutArrays = (guess: Guess): Guess => ({
  ...guess,
  columns: guess.columns.map(withoutArray),
});

function withoutArray(column: GuessedColumn): GuessedColumn {
  if (!column.type.endsWith(' ARRAY')) return column;
  return { ...column, type: column.type === 'VARCHAR ARRAY' ? 'VARCHAR' : "TYPE('COMPLEX<json>')" };
}
