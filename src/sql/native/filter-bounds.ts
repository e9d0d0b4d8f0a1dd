// Limits of native filters (`bound` and `range`) as conditions.
import type { Binary, Expression, Literal } from '../ast.ts';
import type { Scope } from '../expressions/typed.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { isInteger, isNumeric, isText } from '../types.ts';
import {
  binary,
  callTo,
  castAs,
  constantExpression,
  joinExpressions,
  literalOf,
} from './expressions.ts';
import { column, type Filter, invalid, objectOf, textOf } from './filter-fields.ts';
import { asText, is, matchesNone, nearestFloat, noPredicate, whereKnown } from './filter-values.ts';
import { has, NOWHERE, truthOr } from './members.ts';
import { type Ordering, orderable, orderingNamed } from './ordering.ts';

/**
 * The condition of a `range` filter. The limits become values of the type to match. Numbers are
 * then compared with a column of texts as numbers, and texts with a column of numbers as texts
 * (Druid: RangeFilter). Throws SqlError for limits that are missing or of another type.
 */
export function range(filter: Filter, scope: Scope): Expression {
  const matchType = String(filter.matchValueType).toUpperCase();
  const limits = {
    lower: limitAs(filter.lower, matchType),
    upper: limitAs(filter.upper, matchType),
  };
  const keys = (['lower', 'upper'] as const).filter((key) => limits[key] !== null);
  if (keys.length === 0)
    throw invalid(
      `Invalid range filter on column [${textOf(filter, 'column')}], lower and upper cannot be null at the same time`,
    );
  for (const key of ['lower', 'upper'] as const)
    if (has(filter, key) && limits[key] === null)
      throw invalid(
        `Invalid range filter on column [${textOf(filter, 'column')}], ${key} bound [${String(filter[key])}] cannot be parsed as specified match value type [${matchType}]`,
      );
  const value = column(filter, 'column', scope);
  const { type } = resolveExpression(value, scope);
  const isNumber = /^(LONG|DOUBLE|FLOAT)$/.test(matchType);
  const [lowerOpen, upperOpen] = [
    truthOr(filter, 'lowerOpen', false),
    truthOr(filter, 'upperOpen', false),
  ];
  if (isText(type) && isNumber) {
    const inside = numericBound(
      {
        ...limits,
        lower: limits.lower ?? '', // all texts but null
        lowerStrict: lowerOpen && limits.lower !== null,
        upperStrict: upperOpen,
      },
      value,
    );
    return type.multiValue ? inside : whereKnown(value, inside);
  }
  const compared =
    isNumeric(type) && matchType === 'STRING'
      ? asText(value, scope)
      : type.name === 'FLOAT'
        ? castAs(value, 'DOUBLE')
        : value;
  const operators = {
    lower: lowerOpen ? '>' : '>=',
    upper: upperOpen ? '<' : '<=',
  } as const;
  const limit = (given: unknown) =>
    constantExpression(type.name === 'ARRAY' && !Array.isArray(given) ? [given] : given);
  return joinExpressions(
    'AND',
    keys.map((key) => binary(operators[key], compared, limit(limits[key]))),
  );
}

/** A limit as a value of the type to match; null if it has none. */
export function limitAs(given: unknown, matchType: string): unknown {
  if (given === undefined || given === null) return null;
  if (matchType === 'STRING') return Array.isArray(given) ? given : String(given);
  if (!/^(LONG|DOUBLE|FLOAT)$/.test(matchType) || Array.isArray(given)) return given;
  if (typeof given === 'boolean') return given ? 1 : 0;
  const text = String(given);
  if (matchType === 'LONG' && /^[+-]?\d+$/.test(text)) return BigInt(text);
  const number = /^\s|\s$|^$/.test(text) ? Number.NaN : Number(text);
  if (Number.isNaN(number)) return null;
  return matchType === 'LONG' ? Math.trunc(number) + 0 : number; // without the sign of zero
}

function between(lower: readonly Expression[], upper: readonly Expression[]): Expression {
  if (lower.length + upper.length === 0) {
    throw invalid('lower and upper can not be null at the same time');
  }
  return joinExpressions('AND', [...lower, ...upper]);
}

const betweenLimits = (
  operand: Expression,
  [low, high]: readonly [Expression, Expression],
  isLowOpen: boolean,
  isHighOpen: boolean,
): Expression => ({
  kind: 'between',
  operand,
  low,
  high,
  ...(isLowOpen && { isLowOpen }),
  ...(isHighOpen && { isHighOpen }),
  negated: false,
  symmetric: false,
  at: NOWHERE,
});

/**
 * The condition of a `bound` filter. An extraction function of numbers does not see their nulls.
 * `filled` is the condition that the segment of a row has a column, if that matters.
 * Throws SqlError for members of a wrong type.
 */
export function bound(
  filter: Filter,
  scope: Scope,
  filled: (column: string) => Expression | undefined,
): Expression {
  const inside = boundOf(filter, scope, filled);
  const { extractionFn, ...plain } = filter;
  if (extractionFn === undefined || extractionFn === null) return inside;
  const operand = column(plain, 'dimension', scope);
  return isNumeric(resolveExpression(operand, scope).type) ? whereKnown(operand, inside) : inside;
}

function boundOf(
  filter: Filter,
  scope: Scope,
  filled: (column: string) => Expression | undefined,
): Expression {
  for (const key of ['lower', 'upper']) if (has(filter, key)) textOf(filter, key);
  const ordering = orderingOf(filter);
  const operand = column(filter, 'dimension', scope);
  const { type, isRepeatable: isStored } = resolveExpression(operand, scope);
  if (type.name === 'ARRAY') throw noPredicate();
  if (ordering === 'numeric' && isText(type)) return numericBound(filter, operand);
  // Null is outside of a lower limit of texts. Only the index of a stored column, which has their
  // lexicographic order, leaves it unknown. A segment without values has no such index.
  const isIndexed = ordering === 'lexicographic' && isStored;
  const isNullOutside = isText(type) && ordering !== 'numeric' && !isIndexed;
  const known = (inside: Expression) => {
    if (isNullOutside) return is(inside, 'TRUE');
    const index = isText(type) && isIndexed ? filled(textOf(filter, 'dimension')) : undefined;
    return index === undefined ? inside : joinExpressions('AND', [is(index, 'TRUE'), inside]);
  };
  // Texts that are not numbers sort before all numbers.
  if (ordering === 'numeric' && isNoNumber(filter.upper)) return matchesNone(operand);
  if (ordering === 'numeric' && isNoNumber(filter.lower))
    return has(filter, 'upper')
      ? boundOf({ ...filter, lower: null }, scope, filled)
      : { kind: 'unary', operator: 'NOT', operand: matchesNone(operand), at: NOWHERE };
  // Limits of floats are floats.
  const limitIn =
    ordering === 'numeric' && type.name === 'FLOAT'
      ? { lower: nearestFloat(filter.lower), upper: nearestFloat(filter.upper) }
      : filter;
  const limits = ['lower', 'upper'].map((key) => limitOf(limitIn, key, ordering));
  const isExact =
    ordering === 'numeric' &&
    isInteger(type) &&
    limits.every((limit) => limit === undefined || limit.type === 'integer');
  const value =
    ordering !== 'numeric'
      ? orderable(asText(operand, scope), ordering)
      : isExact
        ? operand
        : castAs(operand, 'DOUBLE');
  const side = (
    index: number,
    strict: unknown,
    operators: readonly [Binary['operator'], Binary['operator']],
  ) => {
    const limit = limits[index];
    return limit === undefined
      ? []
      : [
          binary(
            operators[strict === true ? 0 : 1],
            value,
            ordering === 'numeric' ? limit : orderable(limit, ordering),
          ),
        ];
  };
  const [low, high] = limits;
  // One of several values must lie between both limits.
  if (low && high) {
    const limit = (given: Literal) => (ordering === 'numeric' ? given : orderable(given, ordering));
    const isOpen = (key: string) => truthOr(filter, key, false);
    const ends = [limit(low), limit(high)] as const;
    return known(betweenLimits(value, ends, isOpen('lowerStrict'), isOpen('upperStrict')));
  }
  const inside = between(
    side(0, truthOr(filter, 'lowerStrict', false), ['>', '>=']),
    side(1, truthOr(filter, 'upperStrict', false), ['<', '<=']),
  );
  // A null text sorts before all others.
  return limits[0] === undefined && isText(type)
    ? joinExpressions('OR', [is(operand, 'NULL'), inside])
    : known(inside);
}

/**
 * Limits of texts that are compared as numbers: null first, then other texts by their characters,
 * then numbers (Druid: StringComparators).
 */
export function numericBound(filter: Filter, text: Expression): Expression {
  const number = castAs(callTo('REGEXP_EXTRACT', text, literalOf(decimal)), 'DOUBLE');
  const isNumber: Expression = {
    kind: 'is',
    operand: number,
    what: 'NULL',
    negated: true,
    at: NOWHERE,
  };
  const above = (limit: string, operator: '>' | '>='): Expression => {
    const wanted = numberOf(limit);
    if (wanted !== undefined) return is(binary(operator, number, wanted), 'TRUE');
    return joinExpressions('OR', [isNumber, is(binary(operator, text, literalOf(limit)), 'TRUE')]);
  };
  const not = (operand: Expression): Expression => ({
    kind: 'unary',
    operator: 'NOT',
    operand,
    at: NOWHERE,
  });
  // Of several values, any may be below.
  const below = (limit: string, operator: '<' | '<='): Expression => {
    const wanted = numberOf(limit);
    if (wanted === undefined) return not(above(limit, operator === '<' ? '>=' : '>'));
    return joinExpressions('OR', [
      is(number, 'NULL'),
      is(binary(operator, number, wanted), 'TRUE'),
    ]);
  };
  const given = (key: string) =>
    filter[key] === undefined || filter[key] === null ? [] : [String(filter[key])];
  const [isLowOpen, isHighOpen] = [
    truthOr(filter, 'lowerStrict', false),
    truthOr(filter, 'upperStrict', false),
  ];
  const [low] = given('lower').flatMap((limit) => numberOf(limit) ?? []);
  const [high] = given('upper').flatMap((limit) => numberOf(limit) ?? []);
  // One of several values must lie between both limits.
  if (low && high) return is(betweenLimits(number, [low, high], isLowOpen, isHighOpen), 'TRUE');
  return between(
    given('lower').map((limit) => above(limit, isLowOpen ? '>' : '>=')),
    given('upper').map((limit) => below(limit, isHighOpen ? '<' : '<=')),
  );
}

// Java's BigDecimal reads these texts as numbers. It does not read `true`, `NaN`, `0x1` and `1f`.
const decimal = '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$';

function numberOf(text: string): Literal | undefined {
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number)
    ? undefined
    : { kind: 'literal', type: 'double', text: String(number), at: NOWHERE };
}

const isNoNumber = (limit: unknown): boolean =>
  limit !== undefined && limit !== null && numberOf(String(limit)) === undefined;

function limitOf(filter: Filter, key: string, ordering: Ordering): Literal | undefined {
  const given = filter[key];
  if (given === undefined || given === null) return undefined;
  const text = String(given);
  if (ordering !== 'numeric') return literalOf(text);
  if (/^-?\d{1,18}$/.test(text)) return literalOf(BigInt(text));
  const number = Number(text);
  return { kind: 'literal', type: 'double', text: String(number), at: NOWHERE };
}

function orderingOf(filter: Filter): Ordering {
  const { ordering: given } = filter;
  const name = typeof given === 'object' && given !== null ? objectOf(given).type : given;
  const isAlphanumeric = filter.alphaNumeric === true;
  const ordering = orderingNamed(name ?? (isAlphanumeric ? 'alphanumeric' : 'lexicographic'));
  if (isAlphanumeric && ordering !== 'alphanumeric')
    throw invalid('mismatch between alphanumeric and ordering property');
  return ordering;
}
