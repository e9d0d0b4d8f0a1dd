// The orders of text values that native queries know (docs/querying/sorting-orders.md), as
// something DuckDB can compare.
import type { Expression } from '../ast.ts';
import { callTo, literalOf } from './expressions.ts';
import { malformed } from './members.ts';

export type Ordering = (typeof orderings)[number];

const orderings = ['lexicographic', 'alphanumeric', 'numeric', 'strlen', 'version'] as const;

/** @throws SqlError for a name that is none */
export function orderingNamed(given: unknown): Ordering {
  const found = orderings.find((ordering) => ordering === String(given).toLowerCase());
  if (found === undefined)
    throw malformed(`Unknown ordering [${String(given)}]; known are [${orderings.join(', ')}]`);
  return found;
}

/** A text as what compares in that order; `numeric` is for whoever knows the type. */
export const orderable = (text: Expression, ordering: Ordering): Expression =>
  hasKey(ordering) ? callTo('ordering_key', text, literalOf(ordering)) : text;

/** The same of a DuckDB text: what `ORDER BY` sorts by, the strongest first. */
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
