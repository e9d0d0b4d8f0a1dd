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
  const { before, folded } = numbersOf[ordering];
  const widened = callTo('REGEXP_REPLACE', folded ? callTo('LOWER', text) : text, literalOf(digits), literalOf(`${before}${zeros}$1`));
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
    case 'version': {
      const { before, folded } = numbersOf[ordering];
      const subject = folded ? `lower(${sql})` : sql;
      const widened = `regexp_replace(${subject}, '${digits}', '${before}${zeros}\\1', 'g')`;
      return [`regexp_replace(${widened}, '${lastDigits}', '\\1', 'g')`, folded ? `lower(${sql})` : sql, sql];
    }
    case 'strlen':
      return [`druid_length(${sql})`, sql];
  }
}

// Numbers stand before all other characters, or behind them where versions are compared; versions ignore case.
const numbersOf = { alphanumeric: { before: '!', folded: false }, version: { before: '~', folded: true } } as const;

// Numbers inside of texts compare as numbers when all of them have the same length: zeros in front, and then the last so many digits.
const zeros = '0'.repeat(20);
const digits = '([0-9]+)';
const lastDigits = '[0-9]*([0-9]{20})';
