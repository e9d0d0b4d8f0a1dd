// What a filter means to the engine where it differs from the same expression elsewhere.
import type { Expression, Literal } from './ast.ts';
import { mapOperands } from './rewrite.ts';

/**
 * In a filter, a text is equal to a whole number when it is that number's text: it is never read as a number, so that a text that is none is
 * simply different, and not unknown (Druid: EqualityFilter on a string column). `isText` tells which expressions are texts, and no constants.
 */
export function filterForm(condition: Expression, isText: (expression: Expression) => boolean): Expression {
  if (condition.kind === 'unary' && condition.operator === 'NOT') return mapOperands(condition, (part) => filterForm(part, isText));
  if (condition.kind !== 'binary') return condition;
  const { operator, left, right } = condition;
  if (operator === 'AND' || operator === 'OR') return mapOperands(condition, (part) => filterForm(part, isText));
  if (operator !== '=' && operator !== '<>') return condition;
  if (isWholeNumber(right) && isText(left)) return { ...condition, right: asText(right) };
  return isWholeNumber(left) && isText(right) ? { ...condition, left: asText(left) } : condition;
}

const isWholeNumber = (expression: Expression): expression is Literal => expression.kind === 'literal' && expression.type === 'integer';

const asText = (number: Literal): Literal => ({ ...number, type: 'string', text: BigInt(number.text).toString() });
