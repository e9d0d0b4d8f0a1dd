// What a native expression means. Where the native language looks at types (texts are joined by +, numbers are conditions), the tree is adapted first.
import type { Expression } from '../ast.ts';
import { resolveExpression } from '../resolve-expression.ts';
import { mapOperands } from '../rewrite.ts';
import type { Scope, Typed } from '../typed.ts';
import { isNumeric, isText } from '../types.ts';
import { parseNativeExpression } from './parse-expression.ts';

/**
 * The value of a native expression (a transform's or a virtual column's `expression`). Conditions are the numbers 1 and 0, as the native language has them.
 * @throws SqlError for an expression that cannot be
 */
export function resolveNativeExpression(text: string, scope: Scope): Typed {
  return resolveExpression(asNumber(adapted(parseNativeExpression(text), scope), scope), scope);
}

/** A native expression as a condition: a number holds when it is not zero, a text when it says `true` or such a number. @throws SqlError */
export function nativeCondition(text: string, scope: Scope): Expression {
  return asCondition(adapted(parseNativeExpression(text), scope), scope);
}

function adapted(expression: Expression, scope: Scope): Expression {
  const inner = mapOperands(expression, (operand) => adapted(operand, scope));
  switch (inner.kind) {
    case 'binary':
      return adaptedBinary(inner, scope);
    case 'unary':
      return inner.operator === 'NOT' ? { ...inner, operand: asCondition(inner.operand, scope) } : inner;
    case 'is':
      return inner.what === 'NULL' ? inner : { ...inner, operand: asCondition(inner.operand, scope) };
    case 'case':
      return inner.operand === undefined
        ? { ...inner, whens: inner.whens.map(({ when, then }) => ({ when: asCondition(when, scope), then })) }
        : inner;
    default:
      return inner;
  }
}

function adaptedBinary(binary: Extract<Expression, { kind: 'binary' }>, scope: Scope): Expression {
  const { operator, left, right } = binary;
  if (operator === 'AND' || operator === 'OR') {
    return { ...binary, left: asCondition(left, scope), right: asCondition(right, scope) };
  }
  const joins = operator === '+' && [left, right].every((operand) => isText(typeOf(operand, scope)));
  return joins ? { ...binary, operator: '||' } : { ...binary, left: asNumber(left, scope), right: asNumber(right, scope) };
}

const typeOf = (expression: Expression, scope: Scope) => resolveExpression(expression, scope).type;

function asCondition(expression: Expression, scope: Scope): Expression {
  const type = typeOf(expression, scope);
  const { at } = expression;
  if (isNumeric(type)) {
    return { kind: 'binary', operator: '<>', left: expression, right: { kind: 'literal', type: 'integer', text: '0', at }, at };
  }
  return isText(type)
    ? { kind: 'cast', operand: expression, safe: false, type: { name: 'BOOLEAN', array: false, native: false, at }, at }
    : expression;
}

function asNumber(expression: Expression, scope: Scope): Expression {
  if (typeOf(expression, scope).name !== 'BOOLEAN') {
    return expression;
  }
  const { at } = expression;
  return { kind: 'cast', operand: expression, safe: false, type: { name: 'BIGINT', array: false, native: false, at }, at };
}
