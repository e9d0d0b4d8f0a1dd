// Sort orders of texts in native queries (docs/querying/sorting-orders.md), as keys that DuckDB can
// compare.
import type { Expression } from '../ast.ts';
import { callTo, literalOf } from './expressions.ts';
import { malformed } from './members.ts';

export type Ordering = (typeof orderings)[number];

const orderings = ['lexicographic', 'alphanumeric', 'numeric', 'strlen', 'version'] as const;

/** Whether a value is the name of a sort order. */
export const isOrdering = (given: unknown): boolean =>
  typeof given === 'string' && orderings.some((ordering) => ordering === given.toLowerCase());

/** Throws SqlError for an unknown name. */
export function orderingNamed(given: unknown): Ordering {
  const found = orderings.find((ordering) => ordering === String(given).toLowerCase());
  if (found === undefined)
    throw malformed(
      `Unknown ordering [${String(given)}]; known are [${orderings.join(', ')}]`,
      typeof given === 'string' ? 'construction' : 'mismatch',
    );
  return found;
}

/** The sort key of a text in that order. Callers with a known type handle `numeric` themselves. */
export const orderable = (text: Expression, ordering: Ordering): Expression =>
  hasKey(ordering) ? callTo('ordering_key', text, literalOf(ordering)) : text;

/**
 * As `orderable`, for a DuckDB text: the keys of `ORDER BY`, the most significant first. Texts that
 * are equal in the order, such as `a` and `A` or `1` and `01`, are then ordered by themselves.
 */
export const orderText = (sql: string, ordering: Ordering): readonly string[] =>
  ordering === 'lexicographic' || ordering === 'strlen'
    ? orderKeys(sql, ordering)
    : [...orderKeys(sql, ordering), sql];

/** As `orderText`, without an order of texts that are equal. */
export function orderKeys(sql: string, ordering: Ordering): readonly string[] {
  if (ordering === 'lexicographic') return [sql];
  if (ordering === 'numeric') {
    const number = `druid_text_to_double(${sql})`;
    return [number, `CASE WHEN ${number} IS NULL THEN ${sql} END`]; // other texts precede numbers
  }
  const key = `druid_ordering_key(${sql}, '${ordering}')`;
  return ordering === 'strlen' ? [key, sql] : [key];
}

const hasKey = (ordering: Ordering) => ordering !== 'lexicographic' && ordering !== 'numeric';
