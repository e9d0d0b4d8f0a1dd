// Equality of a column and the values of a native filter, as conditions.
import type { Expression, Is } from '../ast.ts';
import type { Scope } from '../expressions/typed.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { isFractional, isInteger, isNumeric, isText, isTime, type SqlType } from '../types.ts';
import {
  binary,
  callTo,
  castAs,
  constantExpression,
  joinExpressions,
  literalOf,
  truth,
} from './expressions.ts';
import { NOWHERE, unsupportedOperation } from './members.ts';

/** `operand IS NULL`, `IS TRUE` or `IS FALSE`. */
export const is = (operand: Expression, what: Is['what']): Expression => ({
  kind: 'is',
  operand,
  what,
  negated: false,
  at: NOWHERE,
});

/** A value as the text that filters compare. */
export function asText(operand: Expression, scope: Scope): Expression {
  const { type } = resolveExpression(operand, scope);
  if (isText(type)) return operand;
  if (type.name === 'ARRAY') throw noPredicate();
  return type.name === 'FLOAT' ? callTo('float_text', operand) : castAs(operand, 'VARCHAR');
}

/** The refusal of a filter that compares arrays. */
export const noPredicate = () => unsupportedOperation('Predicate does not support ARRAY types');

/** As `asText`; an array has a text for each item. */
export const asTexts = (operand: Expression, scope: Scope): Expression =>
  resolveExpression(operand, scope).type.name === 'ARRAY'
    ? callTo('ARRAY_TO_MV', operand)
    : asText(operand, scope);

/** The value of a filter whose values are texts: numbers and truths are read as their texts. */
export const asGivenText = (value: unknown): unknown =>
  ['number', 'bigint', 'boolean'].includes(typeof value) ? String(value) : (value ?? null);

/** Equality with a value, or IS NULL. */
export const equals = (value: Expression, wanted: unknown): Expression =>
  wanted === null ? is(value, 'NULL') : binary('=', value, constantExpression(wanted));

/** False for every value, unknown for null. */
export const matchesNone = (value: Expression): Expression => whereKnown(value, truth('FALSE'));

/** A condition that is unknown for null. */
export const whereKnown = (value: Expression, then: Expression): Expression => ({
  kind: 'case',
  whens: [{ when: { kind: 'is', operand: value, what: 'NULL', negated: true, at: NOWHERE }, then }],
  at: NOWHERE,
});

/**
 * Equality with the value of a selector. A text that is not a number finds the nulls among numbers,
 * but not by vectors (Druid: SelectorPredicateFactory).
 */
export function selected(value: Expression, wanted: unknown, scope: Scope): Expression {
  const { type } = resolveExpression(value, scope);
  if (wanted === null || canHold(type, wanted) || !(isNumeric(type) || isTime(type)))
    return matching(value, [wanted], scope);
  return scope.environment.isByVectors ? matchesNone(value) : is(value, 'NULL');
}

/**
 * Equality with one of some texts. A text that is not a number equals no number. Throws SqlError
 * for a text and an array.
 */
export function matching(value: Expression, given: readonly unknown[], scope: Scope): Expression {
  const { type } = resolveExpression(value, scope);
  if (type.name === 'ARRAY') {
    if (given.some((each) => each !== null)) throw noPredicate();
    return given.length === 0 ? matchesNone(value) : is(value, 'NULL');
  }
  const isNumber = isNumeric(type) || isTime(type);
  const wanted = given.filter((each) => !isNumber || each === null || canHold(type, each));
  if (wanted.length === 0 && given.length > 0) return matchesNone(value);
  if (wanted.length === 1 && given.length === 1) return equalsNumber(value, wanted[0], scope);
  // Zeros of both signs and NaN differ from each other, however often the list has them.
  const apart = isFractional(type)
    ? new Set(wanted.flatMap((each) => textApart(each) ?? []))
    : new Set<string>();
  const isApart = (each: unknown) => isFractional(type) && textApart(each) !== undefined;
  const others = wanted.filter((each) => !isApart(each));
  const [only] = others;
  return joinExpressions('OR', [
    ...[...apart].map((text) => hasText(value, text, scope)),
    ...(others.length === 1
      ? [equalsNumber(value, only, scope)]
      : others.length > 0 || apart.size === 0
        ? [among(value, type.name === 'FLOAT' ? others.map(nearestFloat) : others)]
        : []),
  ]);
}

// The text of a number that has no equal by bits, but by value or not at all.
function textApart(wanted: unknown): string | undefined {
  if (wanted === 'NaN') return 'NaN';
  if (wanted === null || numberOfText(wanted) !== 0) return undefined;
  return Object.is(numberOfText(wanted), -0) ? '-0.0' : '0.0';
}

/**
 * Equality with a value, or IS NULL. Doubles are equal by their bits; by vectors, as numbers: zeros
 * are equal, and NaN equals nothing.
 */
export function equalsNumber(value: Expression, wanted: unknown, scope: Scope): Expression {
  const { type } = resolveExpression(value, scope);
  if (isInteger(type) && !canHold(type, wanted)) return matchesNone(value);
  if (isFractional(type) && wanted !== null && !canHold(type, wanted)) return matchesNone(value);
  if (!isFractional(type)) return equals(value, wanted);
  const text = textApart(wanted);
  if (text !== undefined && !scope.environment.isByVectors) return hasText(value, text, scope);
  if (text !== undefined) return text === 'NaN' ? matchesNone(value) : equals(value, 0);
  return equals(value, type.name === 'FLOAT' ? nearestFloat(wanted) : wanted);
}

function hasText(value: Expression, text: string, scope: Scope): Expression {
  const isSame = binary('IS NOT DISTINCT FROM', asText(value, scope), literalOf(text));
  if (text === 'NaN') return whereKnown(value, isSame);
  return whereKnown(value, binary('AND', equals(value, 0), isSame)); // only texts of zeros are made
}

/**
 * Equality with a value of another kind: an array equals a single value if that is its only item.
 * Undefined for values of the same kind.
 */
export function ofOtherKind(
  value: Expression,
  wanted: unknown,
  scope: Scope,
): Expression | undefined {
  const { type } = resolveExpression(value, scope);
  if (type.name === 'OTHER') return matchesNone(value);
  if (type.name === 'ARRAY' && Array.isArray(wanted) && wanted.length === 0)
    return binary('=', callTo('ARRAY_LENGTH', value), constantExpression(0));
  if (Array.isArray(wanted) === (type.name === 'ARRAY')) return undefined;
  if (!Array.isArray(wanted) || wanted.length !== 1) return matchesNone(value);
  return matching(value, wanted, scope);
}

// Tests for a value that a column of numbers can have. Integers have no fraction.
function canHold(type: SqlType, wanted: unknown): boolean {
  const number = plainNumber(wanted);
  if (!isInteger(type)) return !Number.isNaN(number) || wanted === 'NaN';
  return Number.isInteger(number) && Math.abs(number) <= 2 ** 63;
}

// Not a number for `true` and `false` also.
const plainNumber = (value: unknown): number =>
  typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);

/** The number to which a float is compared. */
export function nearestFloat(wanted: unknown): unknown {
  const number = numberOfText(wanted);
  return wanted === null || Number.isNaN(number) ? wanted : Math.fround(number);
}

/** Membership in a list, whose null finds null. */
export function among(value: Expression, wanted: readonly unknown[]): Expression {
  const known = wanted.filter((each) => each !== null);
  const nulls = known.length < wanted.length ? [is(value, 'NULL')] : [];
  const list: Expression[] =
    known.length === 0
      ? []
      : [
          {
            kind: 'in',
            operand: value,
            among: known.map(constantExpression),
            negated: false,
            at: NOWHERE,
          },
        ];
  return joinExpressions('OR', [...nulls, ...list]);
}

/**
 * The number for the value of an equality, as in the engine: "true" and "false" are numbers, an
 * empty text is not.
 */
export const numberOfText = (value: unknown): number =>
  typeof value !== 'string'
    ? Number(value)
    : value.trim() === ''
      ? Number.NaN
      : /^(true|false)$/.test(value)
        ? Number(value === 'true')
        : Number(value);
