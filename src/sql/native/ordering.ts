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

/** As `orderable`, for a DuckDB text: the keys of `ORDER BY`, the most significant first. */
export function orderText(sql: string, ordering: Ordering): readonly string[] {
  if (ordering === 'lexicographic') return [sql];
  return [
    ordering === 'numeric'
      ? `druid_text_to_double(${sql})`
      : `druid_ordering_key(${sql}, '${ordering}')`,
    sql,
  ];
}

const hasKey = (ordering: Ordering) => ordering !== 'lexicographic' && ordering !== 'numeric';
