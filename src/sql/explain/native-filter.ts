// Conditions as native filters (docs/querying/filters.md), as EXPLAIN shows them.
import { parseInterval } from '../../model/interval.ts';
import type { Call, Expression } from '../ast.ts';
import { castTo } from '../expressions/casts.ts';
import { oppositeOf } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import type { NativeJson } from '../resolution/native-plan.ts';
import { isNumeric, isText, isTime, nativeTypeOf, type SqlType, timestamp } from '../types.ts';
import { functionFilter } from './function-filters.ts';
import { connectedFilter, negation, sortedValues } from './merged-filters.ts';
import {
  comparisonsOfRows,
  type FilterNames,
  type NativeNames,
  NotNative,
  nativeText,
} from './native-expression.ts';

/**
 * The native filter of a condition.
 * Throws NotNative when there is none.
 */
export function nativeFilter(condition: Expression, names: FilterNames): NativeJson {
  const inner = (part: Expression) => nativeFilter(part, names);
  switch (condition.kind) {
    case 'binary': {
      const { operator, left, right } = condition;
      if (left.kind === 'row' || right.kind === 'row') throw new NotNative();
      if (operator === 'AND' || operator === 'OR') {
        const parts = [left, right].flatMap((part) => flatten(part, operator)).map(inner);
        return connectedFilter(operator, parts);
      }
      return comparisonFilter(operator, left, right, names) ?? expressionFilter(condition, names);
    }
    case 'unary':
      return condition.operator === 'NOT'
        ? negated(condition.operand, inner)
        : expressionFilter(condition, names);
    case 'between': {
      const { operand, low, high, negated, symmetric } = condition;
      const [from, to] = [low, high].map((bound) =>
        matchValue(bound, names.resolve(operand), names),
      );
      if (symmetric || !from || !to) return expressionFilter(condition, names);
      const range = {
        type: 'range',
        column: comparedColumn(operand, names),
        matchValueType: from.type,
        lower: from.value,
        upper: to.value,
      };
      return negated ? negation(range) : range;
    }
    case 'in': {
      const { operand, among, negated } = condition;
      if ('kind' in among) throw new NotNative();
      if (operand.kind === 'row') return inner(comparisonsOfRows(condition, operand, among));
      const found =
        memberFilter(operand, among, names) ??
        expressionFilter({ ...condition, negated: false }, names);
      return negated ? negation(found) : found;
    }
    case 'like': {
      const { operand, pattern, escape: mark, negated, operator } = condition;
      const [text, escaping] = [
        names.resolve(pattern).constant,
        mark ? names.resolve(mark).constant : null,
      ];
      if (operator !== 'LIKE' || typeof text !== 'string' || !isText(names.resolve(operand).type))
        return expressionFilter(condition, names);
      const like = {
        type: 'like',
        dimension: comparedColumn(operand, names),
        pattern: text,
        escape: escaping,
        extractionFn: null,
      };
      return negated ? negation(like) : like;
    }
    case 'is': {
      const { operand, what, negated } = condition;
      if (what === 'UNKNOWN' || what === 'JSON') throw new NotNative();
      // A filter is unknown where it is not true.
      if (what === 'TRUE' && !condition.negated) return inner(operand);
      const found =
        what === 'NULL'
          ? { type: 'null', column: names.columnFor(operand) }
          : { type: `is${what.toLowerCase()}`, field: inner(operand) };
      return negated ? negation(found) : found;
    }
    case 'call':
      return (
        intervalFilter(condition, names) ??
        functionFilter(condition, names) ??
        expressionFilter(condition, names)
      );
    default:
      return expressionFilter(condition, names);
  }
}

function intervalFilter({ name, args }: Call, names: FilterNames): NativeJson | undefined {
  const [time, text] = args;
  const written = text && names.resolve(text).constant;
  if (name !== 'TIME_IN_INTERVAL' || !time || typeof written !== 'string') return undefined;
  const { start, end } = parseInterval(written);
  return {
    type: 'range',
    column: names.columnFor(time),
    matchValueType: 'LONG',
    lower: start,
    upper: end,
    upperOpen: true,
  };
}

// A filter compares a column instead of its cast.
function comparedColumn(operand: Expression, names: FilterNames): string {
  const isPlain = (part: Expression) => {
    const { type } = names.resolve(part);
    return isText(type) || isNumeric(type);
  };
  const column =
    operand.kind === 'cast' && !operand.safe ? names.column(operand.operand) : undefined;
  return column !== undefined &&
    operand.kind === 'cast' &&
    isPlain(operand) &&
    isPlain(operand.operand)
    ? column
    : names.columnFor(operand);
}

// A negation stands at the comparisons of what AND and OR connect.
function negated(condition: Expression, inner: (part: Expression) => NativeJson): NativeJson {
  const opposite = oppositeOf(condition);
  if (opposite) return inner(opposite);
  if (condition.kind !== 'binary' || (condition.operator !== 'AND' && condition.operator !== 'OR'))
    return negation(inner(condition));
  const { operator } = condition;
  return connectedFilter(
    operator === 'AND' ? 'OR' : 'AND',
    flatten(condition, operator).map((part) => negated(part, inner)),
  );
}

function flatten(condition: Expression, operator: 'AND' | 'OR'): readonly Expression[] {
  return condition.kind === 'binary' && condition.operator === operator
    ? [condition.left, condition.right].flatMap((part) => flatten(part, operator))
    : [condition];
}

const expressionFilter = (condition: Expression, names: NativeNames): NativeJson => ({
  type: 'expression',
  expression: nativeText(condition, names),
});

const mirrored: Readonly<Record<string, string>> = {
  '=': '=',
  '<>': '<>',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

function comparisonFilter(
  operator: string,
  left: Expression,
  right: Expression,
  names: FilterNames,
): NativeJson | undefined {
  const isConstant = (part: Expression) => names.resolve(part).constant !== undefined;
  if (operator.endsWith('DISTINCT FROM')) {
    const equals = comparisonFilter('=', left, right, names);
    return (
      equals &&
      (operator.startsWith('IS NOT') ? equals : negation({ type: 'istrue', field: equals }))
    );
  }
  const arrays = arrayFilter(operator, left, right, names);
  if (arrays) return arrays;
  if (!mirrored[operator] || isConstant(left) === isConstant(right)) return undefined;
  if (isConstant(left)) return comparisonFilter(mirrored[operator] ?? operator, right, left, names);
  const match = matchValue(right, names.resolve(left), names);
  if (!match) return undefined;
  const column = comparedColumn(left, names);
  const shared = { column, matchValueType: match.type };
  const { value } = match;
  switch (operator) {
    case '=':
      return { type: 'equals', ...shared, matchValue: value };
    case '<>':
      return negation({ type: 'equals', ...shared, matchValue: value });
    case '>':
      return { type: 'range', ...shared, lower: value, lowerOpen: true };
    case '>=':
      return { type: 'range', ...shared, lower: value };
    case '<':
      return { type: 'range', ...shared, upper: value, upperOpen: true };
    default:
      return { type: 'range', ...shared, upper: value };
  }
}

// An array column compared with a constant array.
function arrayFilter(
  operator: string,
  left: Expression,
  right: Expression,
  names: FilterNames,
): NativeJson | undefined {
  if (operator !== '=' && operator !== '<>') return undefined;
  const { type } = names.resolve(left);
  const { constant } = names.resolve(right);
  if (type.name !== 'ARRAY' || left.kind !== 'identifier' || !Array.isArray(constant))
    return undefined;
  const equals = {
    type: 'equals',
    column: names.columnFor(left),
    matchValueType: nativeTypeOf(type) ?? 'ARRAY<STRING>',
    matchValue: constant.map((item) => (typeof item === 'bigint' ? Number(item) : item)),
  };
  return operator === '=' ? equals : negation(equals);
}

function memberFilter(
  operand: Expression,
  among: readonly Expression[],
  names: FilterNames,
): NativeJson | undefined {
  const matches = among.map((item) => matchValue(item, names.resolve(operand), names));
  const [first] = matches;
  if (!first || !matches.every((match) => match !== undefined && match.type === first.type))
    return undefined;
  const column = comparedColumn(operand, names);
  const values = matches.flatMap((match) => (match ? [match.value] : []));
  if (values.length === 1)
    return { type: 'equals', column, matchValueType: first.type, matchValue: first.value };
  return { type: 'inType', column, matchValueType: first.type, sortedValues: sortedValues(values) };
}

interface Match {
  readonly type: string;
  readonly value: string | number;
}

// A constant as filters compare it; undefined if JSON cannot represent it or if the comparison uses
// another type.
function matchValue(part: Expression, operand: Typed, names: NativeNames): Match | undefined {
  const value = names.resolve(part);
  if (!isComparable(operand.type)) return undefined;
  const wanted = isTime(operand.type) ? timestamp : operand.type;
  const isParsed = isText(value.type) && (isTime(wanted) || isNumeric(wanted));
  const known = isParsed ? castTo(value, wanted, names.timeZone) : value;
  const { constant, type } = known;
  if (constant === undefined || constant === null || !isComparable(type)) return undefined;
  if (isText(operand.type) !== isText(type) && !(isText(operand.type) && isNumeric(type)))
    return undefined;
  if (typeof constant === 'bigint') {
    const number = Number(constant);
    return Number.isSafeInteger(number)
      ? { type: nativeTypeOf(type) ?? 'LONG', value: number }
      : undefined;
  }
  return typeof constant === 'string' || typeof constant === 'number'
    ? { type: nativeTypeOf(type) ?? 'STRING', value: constant }
    : undefined;
}

const isComparable = (type: SqlType): boolean => isText(type) || isNumeric(type) || isTime(type);
