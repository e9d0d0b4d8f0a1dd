// Conditions that constants alone decide (Calcite: RexSimplify).
import type { Expression } from '../ast.ts';
import { isText } from '../types.ts';
import { contains, isAnyText, printOf } from './rewrite.ts';
import type { Constant, Typed } from './typed.ts';

/**
 * Whether a condition is known to hold for no row. `resolve` returns the values of its operands.
 */
export function isNeverMet(
  condition: Expression,
  resolve: (expression: Expression) => Typed,
): boolean {
  const truth = truthOf(condition, resolve);
  return truth === false || truth === null || truth === 'never';
}

/** Whether a condition is known to hold for each row. `resolve` returns the values of operands. */
export const isAlwaysMet = (
  condition: Expression,
  resolve: (expression: Expression) => Typed,
): boolean => truthOf(condition, resolve) === true;

// `never` is false for a value and unknown for null. Undefined depends on the row.
type Truth = boolean | null | 'never' | undefined;

function truthOf(condition: Expression, resolve: (expression: Expression) => Typed): Truth {
  const inner = (part: Expression) => truthOf(part, resolve);
  switch (condition.kind) {
    case 'literal':
      return condition.type === 'boolean'
        ? condition.text === 'TRUE'
        : condition.type === 'null'
          ? null
          : undefined;
    case 'unary': {
      const { operator, operand } = condition;
      if (operator !== 'NOT') return undefined;
      if (operand.kind === 'between' && operand.negated)
        return inner({ ...operand, negated: false });
      return operand.kind === 'like'
        ? inner({ ...operand, negated: !operand.negated })
        : not(inner(operand));
    }
    case 'binary': {
      const { operator, left, right } = condition;
      if (operator === 'AND') return and(inner(left), inner(right));
      if (operator === 'OR') return or(inner(left), inner(right));
      if (mayBeRepeated(left) && left.kind === right.kind && printOf(left) === printOf(right)) {
        if (operator === 'IS DISTINCT FROM') return false;
        return ['<', '>', '<>'].includes(operator) ? 'never' : undefined;
      }
      return compareConstants(operator, constantIn(left, resolve), constantIn(right, resolve));
    }
    case 'between': {
      const [value, low, high] = [condition.operand, condition.low, condition.high].map((part) =>
        constantIn(part, resolve),
      );
      const isEmpty = !condition.symmetric && compareConstants('>', low, high) === true;
      if (isEmpty && !condition.negated) return 'never';
      const within = and(compareConstants('>=', value, low), compareConstants('<=', value, high));
      return condition.symmetric ? undefined : condition.negated ? not(within) : within;
    }
    case 'in': {
      if (!Array.isArray(condition.among)) return undefined;
      const value = constantIn(condition.operand, resolve);
      const found = condition.among.map((item: Expression) =>
        compareConstants('=', value, constantIn(item, resolve)),
      );
      const any = not(found.map(not).reduce(and, true));
      return condition.negated ? not(any) : any;
    }
    case 'like':
      if (constantIn(condition.operand, resolve)?.constant === null) return null;
      return condition.negated && isAnyText(condition) ? 'never' : undefined;
    case 'is': {
      if (condition.what === 'NULL') {
        if (condition.operand.kind === 'array') return condition.negated; // an array that is written is there
        const isNamed = condition.operand.kind === 'identifier';
        if (isNamed && resolve(condition.operand).nullable === false) return condition.negated;
        const constant = constantIn(condition.operand, resolve)?.constant;
        return constant === undefined ? undefined : (constant === null) !== condition.negated;
      }
      const truth = inner(condition.operand);
      if (truth === 'never') return condition.what === 'TRUE' ? condition.negated : undefined;
      return truth === undefined
        ? undefined
        : (truth === (condition.what === 'TRUE')) !== condition.negated;
    }
    default:
      return undefined;
  }
}

// A column, or a call without queries and windows.
const mayBeRepeated = (expression: Expression): boolean =>
  (expression.kind === 'identifier' || expression.kind === 'call') &&
  !contains(
    expression,
    (part) =>
      ['exists', 'parameter', 'quantified', 'subquery'].includes(part.kind) ||
      (part.kind === 'call' && part.over !== undefined),
  );

function not(truth: Truth): Truth {
  if (truth === 'never') return undefined;
  return typeof truth === 'boolean' ? !truth : truth;
}

function and(left: Truth, right: Truth): Truth {
  if (left === false || right === false) return false;
  if (left === 'never' || right === 'never') return 'never';
  if (left === undefined || right === undefined) return undefined;
  return left === null || right === null ? null : true;
}

function or(left: Truth, right: Truth): Truth {
  if (left === true || right === true) return true;
  if (left === undefined || right === undefined) return undefined;
  if (left === 'never' || right === 'never') return 'never';
  return left === null || right === null ? null : false;
}

// The value of a literal, also of a NULL of a type; undefined for any other expression.
function constantIn(
  expression: Expression,
  resolve: (expression: Expression) => Typed,
): Typed | undefined {
  const signed =
    expression.kind === 'unary' && expression.operator === '-' ? expression.operand : expression;
  const isTypedNull =
    signed.kind === 'cast' && signed.operand.kind === 'literal' && signed.operand.type === 'null';
  if (signed.kind !== 'literal' && signed.kind !== 'array' && !isTypedNull) return undefined;
  const value = resolve(expression);
  return value.constant === undefined ? undefined : value;
}

function compareConstants(
  operator: string,
  left: Typed | undefined,
  right: Typed | undefined,
): Truth {
  if (left?.constant === null || right?.constant === null)
    return /^(=|<>|<|<=|>|>=)$/.test(operator) ? null : undefined;
  if (!left || !right) return undefined;
  const order = orderOf(left, right);
  switch (order === undefined ? '' : operator) {
    case '=':
      return order === 0;
    case '<>':
      return order !== 0;
    case '<':
      return Number(order) < 0;
    case '<=':
      return Number(order) <= 0;
    case '>':
      return Number(order) > 0;
    case '>=':
      return Number(order) >= 0;
    default:
      return undefined;
  }
}

// Negative, zero or positive; undefined for values of different kinds.
function orderOf(left: Typed, right: Typed): number | undefined {
  const [a, b] = [left.constant, right.constant];
  if (Array.isArray(a) && Array.isArray(b)) return orderOfLists(a, b);
  if (isText(left.type) && isText(right.type)) return textOrder(String(a), String(b));
  const isNumber = (value: unknown) => typeof value === 'bigint' || typeof value === 'number';
  return isNumber(a) && isNumber(b) ? Number(a) - Number(b) : undefined;
}

function orderOfLists(left: readonly Constant[], right: readonly Constant[]): number | undefined {
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [a, b] = [left[index], right[index]];
    if (a === b) continue;
    if (a === null || b === null) return a === null ? -1 : 1;
    if (typeof a === 'string' && typeof b === 'string') return textOrder(a, b);
    return typeof a === 'object' || typeof b === 'object' ? undefined : Number(a) - Number(b);
  }
  return left.length - right.length;
}

// Compares by code points.
const textOrder = (left: string, right: string): number =>
  Buffer.compare(Buffer.from(left), Buffer.from(right));
