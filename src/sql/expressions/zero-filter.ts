// Filters that tell negative zero from zero.
import type { Binary, Expression } from '../ast.ts';
import { numberIn } from './compared-column.ts';
import { isListed, mapOperands, negatedIf } from './rewrite.ts';

/**
 * A filter of ungrouped rows in which negative zero differs from zero. `isFractional` recognizes
 * doubles and floats.
 */
export function withSignedZeros(
  condition: Expression,
  isFractional: (expression: Expression) => boolean,
): Expression {
  const { at } = condition;
  const isLogical = (part: Expression) =>
    (part.kind === 'unary' && part.operator === 'NOT') ||
    (part.kind === 'is' && part.what !== 'NULL') ||
    (part.kind === 'binary' && (part.operator === 'AND' || part.operator === 'OR'));
  if (isLogical(condition))
    return mapOperands(condition, (part) => withSignedZeros(part, isFractional));
  const binary = (
    operator: Binary['operator'],
    left: Expression,
    right: Expression,
  ): Expression => ({
    kind: 'binary',
    operator,
    left,
    right,
    at,
  });
  if (condition.kind === 'in') {
    const { operand, among, negated } = condition;
    const zero = isListed(among) ? among.find(isZero) : undefined;
    if (!zero || !isFractional(operand)) return condition;
    const isUnsigned = binary('OR', binary('<>', operand, zero), binary('>=', operand, zero));
    return negatedIf(negated, binary('AND', { ...condition, negated: false }, isUnsigned), at);
  }
  if (condition.kind !== 'binary' || !['=', '<>'].includes(condition.operator)) return condition;
  const [operand, zero] = isZero(condition.right)
    ? [condition.left, condition.right]
    : [condition.right, condition.left];
  if (!isZero(zero) || !isFractional(operand)) return condition;
  const equal = binary('AND', binary('=', operand, zero), binary('>=', operand, zero));
  return negatedIf(condition.operator === '<>', equal, at);
}

const isZero = (expression: Expression): boolean => Number(numberIn(expression)?.text) === 0;
