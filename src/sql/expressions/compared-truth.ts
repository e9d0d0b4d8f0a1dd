// Comparisons of a text with TRUE or FALSE.
import type { Binary, Expression, Literal } from '../ast.ts';
import { isText } from '../types.ts';
import { isList } from './multi-value.ts';
import type { Typed } from './typed.ts';

/** Whether an expression is TRUE or FALSE. */
export const isTruth = (expression: Expression): expression is Literal =>
  expression.kind === 'literal' && expression.type === 'boolean';

/**
 * The condition that `text = TRUE` stands for, which is a cast of the text (Calcite: RexSimplify).
 * Undefined for other comparisons.
 */
export function castOfText(
  { operator, left, right, at }: Binary,
  typedOf: (expression: Expression) => Typed,
): Expression | undefined {
  if (operator !== '=' && operator !== '<>') return undefined;
  const [text, truth] = isTruth(right) ? [left, right] : [right, left];
  if (!isTruth(truth) || isCondition(text)) return undefined;
  const value = typedOf(text);
  if (!isText(value.type) || isList(value) || value.constant !== undefined) return undefined;
  const operand: Expression = {
    kind: 'cast',
    operand: text,
    type: { name: 'BOOLEAN', native: false, array: false, at },
    safe: false,
    at,
  };
  return (operator === '=') === (truth.text === 'TRUE')
    ? operand
    : { kind: 'unary', operator: 'NOT', operand, at };
}

/** Arithmetic and concatenation. */
export const madeOf: ReadonlySet<string> = new Set(['||', '+', '-', '*', '/', '%']);

/** Tests for a condition by its form, without resolving its operands. */
export const isCondition = (expression: Expression): boolean =>
  ['between', 'exists', 'in', 'is', 'like', 'quantified'].includes(expression.kind) ||
  (expression.kind === 'binary' && !madeOf.has(expression.operator)) ||
  (expression.kind === 'unary' && expression.operator === 'NOT');
