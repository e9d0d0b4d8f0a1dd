// Native filters (docs/querying/filters.md) as conditions, for `transformSpec`, filtered
// aggregators and reindexing.
import { InvalidTime } from '../../model/instant.ts';
import { parseInterval } from '../../model/interval.ts';
import type { Binary, Expression, Is, Literal } from '../ast.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { filterForm, isRead } from '../expressions/filter-form.ts';
import { anyValue } from '../expressions/multi-value.ts';
import { type Scope, scopeWith, type Typed } from '../expressions/typed.ts';
import { checkLimit } from '../limits.ts';
import { resolveCondition, resolveExpression } from '../resolution/resolve-expression.ts';
import type { SqlError } from '../sql-error.ts';
import {
  boolean,
  isFractional,
  isInteger,
  isNumeric,
  isText,
  isTime,
  type SqlType,
  sqlTypeOfNative,
} from '../types.ts';
import { dimensionOf } from './dimensions.ts';
import {
  binary,
  callTo,
  castAs,
  columnNamed,
  constantExpression,
  joinExpressions,
  literalOf,
  truth,
} from './expressions.ts';
import { extract } from './extraction.ts';
import {
  cannotRun,
  failingLate,
  faultOfNode,
  has,
  javaClasses,
  malformed,
  NOWHERE,
  truthOr,
  unsupportedOperation,
} from './members.ts';
import { type Ordering, orderable, orderingNamed } from './ordering.ts';
import { nativeCondition } from './resolve.ts';
import { searchCondition } from './search-query.ts';
import { withinBound } from './spatial.ts';

/**
 * The condition of a filter (parsed JSON) on the rows of a scope: a BOOLEAN, unknown if a null is
 * compared. A multi-value string matches if any of its values does.
 * Throws SqlError for a filter that is malformed, unknown or not available here, and the scope's
 * errors for unknown columns.
 */
export function resolveFilter(filter: unknown, scope: Scope): Typed {
  const bound: Typed[] = [];
  const own = scopeWith(scope, { environment: { ...scope.environment, parameters: bound } });
  const bind = (value: Typed): Expression => ({
    kind: 'parameter',
    index: bound.push(value) - 1,
    at: NOWHERE,
  });
  return resolveCondition(conditionOf(filter, own, bind), own);
}

type Filter = Readonly<Record<string, unknown>>;

// A condition of one type. `inner` resolves nested filters; `bind` turns a value into an
// expression.
type Condition = (
  filter: Filter,
  scope: Scope,
  inner: (filter: unknown) => Expression,
  bind: Bind,
) => Expression;
type Bind = (value: Typed) => Expression;

function conditionOf(given: unknown, scope: Scope, bind: Bind, depth = 0): Expression {
  checkLimit('filterNesting', depth);
  const filter = objectOf(given);
  const isName = typeof filter.type === 'boolean' || filter.type === null;
  const type = isName ? String(filter.type) : filter.type;
  const condition =
    typeof type === 'string' && Object.hasOwn(CONDITIONS, type) ? CONDITIONS[type] : undefined;
  if (condition === undefined) {
    if (type === undefined)
      throw malformed("missing type id property 'type' of a filter", 'typeId');
    throw malformed(
      `Could not resolve type id [${typeof type === 'object' ? 'an object' : String(type)}] as a filter; known are [${Object.keys(CONDITIONS).join(', ')}]`,
      'typeId',
    );
  }
  const found = condition(
    filter,
    scope,
    (field) => conditionOf(field, scope, bind, depth + 1),
    bind,
  );
  if (!typedFilters.has(String(type))) return found;
  return filterForm(found, {
    typedOf: (expression) => resolveExpression(expression, scope),
    isColumn: isRead,
  });
}

// An unknown type is null.
const hasType = ({ matchValueType: given }: Filter): boolean =>
  typeof given === 'string' && sqlTypeOfNative(given.toUpperCase()) !== undefined;

// Filters that declare the type of their match value, like those of SQL.
const typedFilters: ReadonlySet<string> = new Set(['equals', 'inType', 'range']);

// Nulls among the fields are passed over.
function joined(
  operator: 'AND' | 'OR',
  filter: Filter,
  inner: (filter: unknown) => Expression,
): Expression {
  const fields = listOf(filter, 'fields', (field) => field).filter((field) => field !== null);
  if (fields.length === 0) throw invalid(`${operator} operator requires at least one field`);
  return joinExpressions(operator, fields.map(inner));
}

const CONDITIONS: Readonly<Record<string, Condition>> = {
  true: () => truth('TRUE'),
  false: () => truth('FALSE'),
  and: (filter, _, inner) => joined('AND', filter, inner),
  or: (filter, _, inner) => joined('OR', filter, inner),
  not: (filter, _, inner) => ({
    kind: 'unary',
    operator: 'NOT',
    operand: inner(filter.field),
    isOfFilter: true,
    at: NOWHERE,
  }),
  istrue: (filter, _, inner) => is(inner(filter.field), 'TRUE'),
  isfalse: (filter, _, inner) => is(inner(filter.field), 'FALSE'),
  null: (filter, scope) => is(column(filter, 'column', scope), 'NULL'),
  selector(filter, scope) {
    return selected(column(filter, 'dimension', scope), filter.value ?? null, scope);
  },
  equals(filter, scope) {
    if (filter.matchValue === undefined || filter.matchValue === null) {
      throw invalid('Invalid equality filter on column, matchValue cannot be null');
    }
    if (!hasType(filter))
      throw invalid('Invalid equality filter on column, matchValueType cannot be null');
    const isNumber = /^(LONG|DOUBLE|FLOAT)$/i.test(String(filter.matchValueType));
    if (isNumber && Array.isArray(filter.matchValue))
      throw invalid('Invalid equality filter on column, matchValue cannot be null');
    // A truth is the number 1 or 0.
    if (isNumber && /^(true|false)$/i.test(String(filter.matchValue)))
      return equals(
        column(filter, 'column', scope),
        /^true$/i.test(String(filter.matchValue)) ? 1 : 0,
      );
    // A text that is not a number equals none of the numbers to match.
    if (isNumber && Number.isNaN(numberOfText(filter.matchValue)))
      throw invalid(
        `Invalid equality filter: matchValue [${String(filter.matchValue)}] is not a [${String(filter.matchValueType)}]`,
      );
    const value = column(filter, 'column', scope);
    const { type } = resolveExpression(value, scope);
    const wanted =
      isNumber && isNumeric(type)
        ? limitAs(filter.matchValue, String(filter.matchValueType).toUpperCase())
        : filter.matchValue;
    return ofOtherKind(value, wanted, scope) ?? equalsNumber(value, wanted, scope);
  },
  in(filter, scope) {
    const value = column(filter, 'dimension', scope);
    const values = listOf(filter, 'values', (wanted) => wanted);
    return values.length === 1 ? selected(value, values[0], scope) : matching(value, values, scope);
  },
  inType(filter, scope) {
    if (!has(filter, 'matchValueType'))
      throw invalid('Invalid IN filter on column, matchValueType cannot be null');
    const key = has(filter, 'sortedValues') ? 'sortedValues' : 'values';
    const value = column(filter, 'column', scope);
    const values = listOf(filter, key, (wanted) => wanted);
    return isFractional(resolveExpression(value, scope).type)
      ? matching(value, values, scope)
      : among(value, values);
  },
  bound: (filter, scope) => bound(filter, scope),
  range(filter, scope) {
    if (!hasType(filter))
      throw invalid('Invalid range filter on column, matchValueType cannot be null');
    return range(filter, scope);
  },
  like(filter, scope) {
    const escaped =
      filter.escape === undefined || filter.escape === null
        ? undefined
        : constantExpression(textOf(filter, 'escape'));
    return {
      kind: 'like',
      operator: 'LIKE',
      operand: asText(column(filter, 'dimension', scope), scope),
      pattern: constantExpression(textOf(filter, 'pattern')),
      ...(escaped === undefined ? {} : { escape: escaped }),
      negated: false,
      at: NOWHERE,
    };
  },
  regex: (filter, scope) =>
    callTo(
      'REGEXP_LIKE',
      asText(column(filter, 'dimension', scope), scope),
      constantExpression(textOf(filter, 'pattern')),
    ),
  search(filter, scope) {
    const value = asText(column(filter, 'dimension', scope), scope);
    const wanted = objectOf(filter.query);
    // A search finds null, a filter does not.
    return wanted.type === 'all' ? matchesAnyText(value) : searchCondition(value, wanted);
  },
  interval(filter, scope) {
    const value = column(filter, 'dimension', scope);
    const intervals = listOf(filter, 'intervals', (interval) => intervalOf(interval));
    if (intervals.length === 0) throw invalid('OR operator requires at least one field');
    const isOfTexts = isText(resolveExpression(value, scope).type);
    return joinExpressions(
      'OR',
      intervals.map(({ start, end }) =>
        isOfTexts
          ? numericBound({ lower: String(start), upper: String(end), upperStrict: true }, value)
          : joinExpressions('AND', [
              binary('>=', value, constantExpression(start)),
              binary('<', value, constantExpression(end)),
            ]),
      ),
    );
  },
  // Values of different types are compared as texts.
  columnComparison(filter, scope) {
    const [first, ...others] = listOf(filter, 'dimensions', (given) =>
      asTexts(
        typeof given === 'string' ? columnNamed(given) : dimensionOf(given, scope).expression,
        scope,
      ),
    );
    if (first === undefined || others.length === 0)
      throw invalid('dimensions must have a least 2 dimensions');
    // The values of several are compared one by one, and no value equals no value.
    const alike = (other: Expression) =>
      joinExpressions('OR', [
        binary('IS NOT DISTINCT FROM', first, other),
        joinExpressions('AND', [is(first, 'NULL'), is(other, 'NULL')]),
      ]);
    return is(joinExpressions('AND', others.map(alike)), 'TRUE');
  },
  arrayContainsElement(filter, scope) {
    if (!has(filter, 'elementMatchValueType'))
      throw invalid(
        'Invalid array_contains filter on column, elementMatchValueType cannot be null',
      );
    const value = column(filter, 'column', scope);
    const wanted = filter.elementMatchValue ?? null;
    if (resolveExpression(value, scope).type.name !== 'ARRAY')
      return matching(value, [wanted], scope);
    return callTo('ARRAY_CONTAINS', value, {
      kind: 'array',
      items: [constantExpression(wanted)],
      at: NOWHERE,
    });
  },
  expression(filter, scope, _, bind) {
    const expression = textOf(filter, 'expression');
    return bind(failingLate(() => nativeCondition(expression, scope)));
  },
  // The deprecated form of a selector with an extraction function.
  extraction(filter, scope) {
    if (!has(filter, 'extractionFn')) throw invalid('extraction function must not be null');
    return equals(column(filter, 'dimension', scope), filter.value ?? null);
  },
  spatial: (filter, scope, _, bind) => bind(spatial(filter, scope)),
  javascript() {
    throw cannotRun('JavaScript is disabled', javaClasses.javaState);
  },
};

// A spatial column without a value is outside every bound, since its index has no point. A nullable
// column is unknown there.
function spatial(filter: Filter, scope: Scope): Typed {
  const value = resolveExpression(columnNamed(textOf(filter, 'dimension')), scope);
  const within = anyValue([value], ([text = value]) =>
    bindOnce(
      [text.sql],
      ([given = text.sql]) =>
        `CASE WHEN ${given} IS NOT NULL THEN coalesce(${withinBound(filter.bound, given)}, false) END`,
    ),
  );
  const found = isText(value.type) ? within.sql : 'false';
  return { type: boolean, sql: value.nullable ? found : `coalesce(${found}, false)`, at: NOWHERE };
}

const is = (operand: Expression, what: Is['what']): Expression => ({
  kind: 'is',
  operand,
  what,
  negated: false,
  at: NOWHERE,
});

// In filters, times are numbers of milliseconds.
function column(filter: Filter, key: string, scope: Scope): Expression {
  const operand = columnNamed(textOf(filter, key));
  const { type } = resolveExpression(operand, scope);
  const value = isTime(type)
    ? castAs(operand, 'BIGINT')
    : type.name === 'OTHER' && key === 'dimension'
      ? castAs(literalOf(null), 'VARCHAR') // a complex value has no text
      : operand;
  return filter.extractionFn === undefined || filter.extractionFn === null
    ? value
    : extract(filter.extractionFn, value, scope);
}

function asText(operand: Expression, scope: Scope): Expression {
  const { type } = resolveExpression(operand, scope);
  if (isText(type)) return operand;
  return type.name === 'FLOAT' ? callTo('float_text', operand) : castAs(operand, 'VARCHAR');
}

// As `asText`; an array has a text for each item.
const asTexts = (operand: Expression, scope: Scope): Expression =>
  resolveExpression(operand, scope).type.name === 'ARRAY'
    ? callTo('ARRAY_TO_MV', operand)
    : asText(operand, scope);

const matchesAnyText = (operand: Expression): Expression => ({
  kind: 'like',
  operator: 'LIKE',
  operand,
  pattern: literalOf('%'),
  negated: false,
  at: NOWHERE,
});

const equals = (value: Expression, wanted: unknown): Expression =>
  wanted === null ? is(value, 'NULL') : binary('=', value, constantExpression(wanted));

// False for every value, unknown for null.
const matchesNone = (value: Expression): Expression => whereKnown(value, truth('FALSE'));

// A condition that is unknown for null.
const whereKnown = (value: Expression, then: Expression): Expression => ({
  kind: 'case',
  whens: [{ when: { kind: 'is', operand: value, what: 'NULL', negated: true, at: NOWHERE }, then }],
  at: NOWHERE,
});

// A text that is not a number finds the nulls among numbers, but not by vectors (Druid:
// SelectorPredicateFactory).
function selected(value: Expression, wanted: unknown, scope: Scope): Expression {
  const { type } = resolveExpression(value, scope);
  if (wanted === null || canHold(type, wanted) || !(isNumeric(type) || isTime(type)))
    return matching(value, [wanted], scope);
  return scope.environment.isByVectors ? matchesNone(value) : is(value, 'NULL');
}

// Equal to one of some texts. A text that is not a number equals no number.
function matching(value: Expression, given: readonly unknown[], scope: Scope): Expression {
  const { type } = resolveExpression(value, scope);
  if (type.name === 'ARRAY') throw unsupportedOperation('Predicate does not support ARRAY types');
  const isNumber = isNumeric(type) || isTime(type);
  const wanted = given.filter((each) => !isNumber || each === null || canHold(type, each));
  if (wanted.length === 0 && given.length > 0) return matchesNone(value);
  const isApart = (each: unknown) => isFractional(type) && isZero(each);
  // There are two zeros, however often the list has them.
  const signed = [0, -0].filter((zero) =>
    wanted.some((each) => isApart(each) && Object.is(numberOfText(each), zero)),
  );
  const others = wanted.filter((each) => !isApart(each));
  const [only] = others;
  return joinExpressions('OR', [
    ...signed.map((zero) => equalsNumber(value, zero, scope)),
    ...(others.length === 1
      ? [only === null ? is(value, 'NULL') : equalsNumber(value, only, scope)]
      : others.length > 0 || signed.length === 0
        ? [among(value, type.name === 'FLOAT' ? others.map(nearestFloat) : others)]
        : []),
  ]);
}

const isZero = (wanted: unknown) => wanted !== null && numberOfText(wanted) === 0;

// Zeros of different signs differ, as in the bits of a number. Other values are compared as usual.
function equalsNumber(value: Expression, wanted: unknown, scope: Scope): Expression {
  const { type } = resolveExpression(value, scope);
  if (isInteger(type) && !canHold(type, wanted)) return matchesNone(value);
  if (!isFractional(type)) return equals(value, wanted);
  if (isZero(wanted)) {
    // Only the texts of zeros are made.
    const zero = literalOf(Object.is(numberOfText(wanted), -0) ? '-0.0' : '0.0');
    const isSame = binary('IS NOT DISTINCT FROM', asText(value, scope), zero);
    return whereKnown(value, binary('AND', equals(value, 0), isSame));
  }
  return equals(value, type.name === 'FLOAT' ? nearestFloat(wanted) : wanted);
}

// An array equals a single value if that is its only item. Other values of different kinds differ.
function ofOtherKind(value: Expression, wanted: unknown, scope: Scope): Expression | undefined {
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
  if (!isInteger(type)) return !Number.isNaN(number);
  return Number.isInteger(number) && Math.abs(number) <= 2 ** 63;
}

// Not a number for `true` and `false` also.
const plainNumber = (value: unknown): number =>
  typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value);

// The number to which a float is compared.
function nearestFloat(wanted: unknown): unknown {
  const number = numberOfText(wanted);
  return wanted === null || Number.isNaN(number) ? wanted : Math.fround(number);
}

function among(value: Expression, wanted: readonly unknown[]): Expression {
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

// The limits become values of the type to match. Numbers are then compared with a column of texts
// as numbers, and texts with a column of numbers as texts (Druid: RangeFilter).
function range(filter: Filter, scope: Scope): Expression {
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

// Null if the limit has no value of the type to match.
function limitAs(given: unknown, matchType: string): unknown {
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

function bound(filter: Filter, scope: Scope): Expression {
  for (const key of ['lower', 'upper']) if (has(filter, key)) textOf(filter, key);
  const ordering = orderingOf(filter);
  const operand = column(filter, 'dimension', scope);
  const { type } = resolveExpression(operand, scope);
  if (ordering === 'numeric' && isText(type)) return numericBound(filter, operand);
  // Texts that are not numbers sort before all numbers.
  if (ordering === 'numeric' && isNoNumber(filter.upper)) return matchesNone(operand);
  if (ordering === 'numeric' && isNoNumber(filter.lower))
    return has(filter, 'upper')
      ? bound({ ...filter, lower: null }, scope)
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
    return {
      kind: 'between',
      operand: value,
      low: limit(low),
      high: limit(high),
      ...(truthOr(filter, 'lowerStrict', false) && { isLowOpen: true }),
      ...(truthOr(filter, 'upperStrict', false) && { isHighOpen: true }),
      negated: false,
      symmetric: false,
      at: NOWHERE,
    };
  }
  const inside = between(
    side(0, truthOr(filter, 'lowerStrict', false), ['>', '>=']),
    side(1, truthOr(filter, 'upperStrict', false), ['<', '<=']),
  );
  // A null text sorts before all others.
  return limits[0] === undefined && isText(type)
    ? joinExpressions('OR', [is(operand, 'NULL'), inside])
    : inside;
}

// Texts compared as numbers: null first, then other texts by their characters, then numbers (Druid:
// StringComparators).
function numericBound(filter: Filter, text: Expression): Expression {
  const number = castAs(text, 'DOUBLE');
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
  const given = (key: string) =>
    filter[key] === undefined || filter[key] === null ? [] : [String(filter[key])];
  return between(
    given('lower').map((limit) => above(limit, truthOr(filter, 'lowerStrict', false) ? '>' : '>=')),
    given('upper').map((limit) =>
      not(above(limit, truthOr(filter, 'upperStrict', false) ? '>=' : '>')),
    ),
  );
}

function numberOf(text: string): Literal | undefined {
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number)
    ? undefined
    : { kind: 'literal', type: 'double', text: String(number), at: NOWHERE };
}

// The number for the value of an equality, as in the engine: "true" and "false" are numbers, an
// empty text is not.
const numberOfText = (value: unknown): number =>
  typeof value !== 'string'
    ? Number(value)
    : value.trim() === ''
      ? Number.NaN
      : /^(true|false)$/.test(value)
        ? Number(value === 'true')
        : Number(value);

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

function intervalOf(given: unknown): { start: number; end: number } {
  if (given === null) throw invalid('[intervals] of an [interval] filter must not be null');
  try {
    return parseInterval(typeof given === 'object' ? '' : String(given));
  } catch (error) {
    if (error instanceof InvalidTime) {
      throw malformed(`Property [intervals] of an [interval] filter: ${error.message}`, 'mapping');
    }
    throw error;
  }
}

function objectOf(given: unknown): Filter {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw malformed(
      `A filter must be an object with a [type], not [${Array.isArray(given) ? 'a list' : String(given)}]`,
      faultOfNode(given, 'filter'),
    );
  }
  return Object.fromEntries(Object.entries(given));
}

function textOf(filter: Filter, key: string): string {
  const value = filter[key];
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  if (typeof value !== 'string') {
    throw malformed(
      `Property [${key}] of a [${String(filter.type)}] filter must be a text`,
      has(filter, key) ? 'mismatch' : 'construction',
    );
  }
  return value;
}

function listOf<Item>(filter: Filter, key: string, item: (value: unknown) => Item): Item[] {
  const value = filter[key];
  if (!Array.isArray(value)) {
    throw malformed(
      `Property [${key}] of a [${String(filter.type)}] filter must be a list`,
      has(filter, key) ? 'mismatch' : 'construction',
    );
  }
  return value.map(item);
}

const invalid = (message: string): SqlError => malformed(message);
