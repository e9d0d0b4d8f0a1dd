// The orders of text values that native queries know (docs/querying/sorting-orders.md), as something DuckDB can compare.
import type { Expression } from '../ast.ts';
import { callTo, literalOf } from './expressions.ts';
import { malformed } from './members.ts';

export type Ordering = (typeof orderings)[number];

const orderings = ['lexicographic', 'alphanumeric', 'numeric', 'strlen', 'version'] as const;

/** @throws SqlError for a name that is none */
export function orderingNamed(given: unknown): Ordering {
  const found = orderings.find((ordering) => ordering === String(given).toLowerCase());
  if (found === undefined) throw malformed(`Unknown ordering [${String(given)}]; known are [${orderings.join(', ')}]`);
  return found;
}

/** A text as what compares in that order; `numeric` is for whoever knows the type. */
export function orderable(text: Expression, ordering: Ordering): Expression {
  if (ordering === 'strlen') return callTo('CHAR_LENGTH', text);
  if (ordering !== 'alphanumeric' && ordering !== 'version') return text;
  const widened = callTo('REGEXP_REPLACE', text, literalOf(digits), literalOf(`${zeros}$1`));
  return callTo('REGEXP_REPLACE', widened, literalOf(lastDigits), literalOf('$1'));
}

/** The same of a DuckDB text: what `ORDER BY` sorts by, the strongest first. */
export function orderText(sql: string, ordering: Ordering): readonly string[] {
  switch (ordering) {
    case 'lexicographic':
      return [sql];
    case 'numeric':
      return [`druid_text_to_double(${sql})`, sql];
    case 'alphanumeric':
    case 'version':
      return [`regexp_replace(regexp_replace(${sql}, '${digits}', '${zeros}\\1', 'g'), '${lastDigits}', '\\1', 'g')`, sql];
    case 'strlen':
      return [`druid_length(${sql})`, sql];
  }
}

// Numbers inside of texts compare as numbers when all of them have the same length: zeros in front, and then the last so many digits.
const zeros = '0'.repeat(20);
const digits = '([0-9]+)';
const lastDigits = '[0-9]*([0-9]{20})';
