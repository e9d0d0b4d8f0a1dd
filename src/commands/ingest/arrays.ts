// Arrays in input files, which versions of the real engine read in different ways.
import { ServiceError } from '../../client/errors.ts';
import type { Guess, GuessedColumn } from './guess-columns.ts';

/**
 * Older versions have no arrays and newer ones always keep them; versions in between keep arrays of
 * numbers only with this context.
 */
export const arrayContextOf = ({ columns }: Guess): Readonly<Record<string, unknown>> =>
  columns.some(({ type }) => type === 'BIGINT ARRAY' || type === 'DOUBLE ARRAY')
    ? { arrayIngestMode: 'array' }
    : {};

/** Whether the error refuses an array column in the input, as before version 28. */
export const knowsNoArrays = (error: unknown): boolean =>
  error instanceof ServiceError && /has an unsupported type: \[\w+ ARRAY\]/.test(error.message);

/** The same columns for a service without arrays. */
export const withoutArrays = (guess: Guess): Guess => ({
  ...guess,
  columns: guess.columns.map(withoutArray),
});

function withoutArray(column: GuessedColumn): GuessedColumn {
  if (!column.type.endsWith(' ARRAY')) return column;
  return { ...column, type: column.type === 'VARCHAR ARRAY' ? 'VARCHAR' : "TYPE('COMPLEX<json>')" };
}
