// DuckDB's threads for one statement.
import type { Grouping } from './uncounted-memory.ts';

/**
 * Whether a statement reads so few rows that one thread is fastest: several threads divide groups
 * into partitions first, and wait for each other.
 */
export const readsFewRows = (grouping: Grouping | undefined): boolean =>
  (grouping?.numRows ?? 0) <= fewRows;

const fewRows = 2 ** 17; // measured: with twice as many, two threads are faster
