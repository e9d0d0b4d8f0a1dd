// Native filters (docs/querying/filters.md) as conditions, for `transformSpec`, filtered
// aggregators and reindexing.
import { InvalidTime } from '../../model/instant.ts';
import { parseInterval } from '../../model/interval.ts';
import type { Expression } from '../ast.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { filterForm, isRead } from '../expressions/filter-form.ts';
import { anyValue } from '../expressions/multi-value.ts';
import { type Scope, scopeWith, type Typed } from '../expressions/typed.ts';
import { checkLimit } from '../limits.ts';
import { resolveCondition, resolveExpression } from '../resolution/resolve-expression.ts';
import { boolean, isFractional, isNumeric, isText, sqlTypeOfNative } from '../types.ts';
import { dimensionOf } from './dimensions.ts';
import {
  binary,
  callTo,
  columnNamed,
  constantExpression,
  joinExpressions,
  literalOf,
  truth,
} from './expressions.ts';
import { bound, limitAs, numericBound, range } from './filter-bounds.ts';
import { column, type Filter, invalid, listOf, objectOf, textOf } from './filter-fields.ts';
import {
  among,
  asGivenText,
  asText,
  asTexts,
  equals,
  equalsNumber,
  is,
  matchesNone,
  matching,
  numberOfText,
  ofOtherKind,
  selected,
} from './filter-values.ts';
import { cannotRun, failingLate, has, javaClasses, malformed, NOWHERE } from './members.ts';
import { nativeCondition } from './resolve.ts';
import { searchCondition } from './search-query.ts';
import { withinBound } from './spatial.ts';

/**
 * The condition of a filter (parsed JSON) on the rows of a scope: a BOOLEAN, unknown if a null is
 * compared. A multi-value string matches if any of its values does.
 * `isFilled` is DuckDB text that tells whether the segment of a row has a text column.
 * Throws SqlError for a filter that is malformed, unknown or not available here, and the scope's
 * errors for unknown columns.
 */
export function resolveFilter(
  filter: unknown,
  scope: Scope,
  isFilled: (column: string) => string | undefined = () => undefined,
): Typed {
  const bound: Typed[] = [];
  const own = scopeWith(scope, { environment: { ...scope.environment, parameters: bound } });
  const bind = (value: Typed): Expression => ({
    kind: 'parameter',
    index: bound.push(value) - 1,
    at: NOWHERE,
  });
  const filled = (column: string) => {
    const sql = isFilled(column);
    return sql === undefined ? undefined : bind({ type: boolean, sql, at: NOWHERE });
  };
  return resolveCondition(conditionOf(filter, { scope: own, bind, filled }), own);
}

// A condition of one type. `inner` resolves nested filters; `bind` turns a value into an
// expression.
type Condition = (
  filter: Filter,
  scope: Scope,
  inner: (filter: unknown) => Expression,
  bind: Bind,
  filled: Filled,
) => Expression;
type Bind = (value: Typed) => Expression;
/** The condition that the segment of a row has a column; undefined if all segments have it. */
type Filled = (column: string) => Expression | undefined;

interface Place {
  readonly scope: Scope;
  readonly bind: Bind;
  readonly filled: Filled;
  readonly isNegated?: boolean;
}

function conditionOf(given: unknown, place: Place, depth = 0): Expression {
  const { scope, bind, filled, isNegated = false } = place;
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
    (field) =>
      conditionOf(field, type === 'not' ? { ...place, isNegated: true } : place, depth + 1),
    bind,
    isNegated ? filled : () => undefined, // unknown is false unless it is negated
  );
  if (!typedFilters.has(String(type))) return found;
  return filterForm(found, {
    typedOf: (expression) => resolveExpression(expression, scope),
    isColumn: isRead,
  });
}

const valueToMatch = ({ matchValueType }: Filter, wanted: unknown): unknown =>
  /^string$/i.test(String(matchValueType)) ? asGivenText(wanted) : wanted;

// An unknown type is null.
const hasType = (filter: Filter, key = 'matchValueType'): boolean => {
  const given = filter[key];
  return typeof given === 'string' && sqlTypeOfNative(given.toUpperCase()) !== undefined;
};

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
  return joinExpressions(operator, fields.map(inner), (...sides) => ({
    ...binary(...sides),
    isOfFilter: true,
  }));
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
    return selected(column(filter, 'dimension', scope), asGivenText(filter.value), scope);
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
        : valueToMatch(filter, filter.matchValue);
    return ofOtherKind(value, wanted, scope) ?? equalsNumber(value, wanted, scope);
  },
  in(filter, scope) {
    const value = column(filter, 'dimension', scope);
    const values = listOf(filter, 'values', asGivenText);
    return values.length === 1 ? selected(value, values[0], scope) : matching(value, values, scope);
  },
  inType(filter, scope) {
    if (!has(filter, 'matchValueType'))
      throw invalid('Invalid IN filter on column, matchValueType cannot be null');
    const key = has(filter, 'sortedValues') ? 'sortedValues' : 'values';
    const value = column(filter, 'column', scope);
    const values = listOf(filter, key, (wanted) => valueToMatch(filter, wanted));
    return isFractional(resolveExpression(value, scope).type)
      ? matching(value, values, scope)
      : among(value, values);
  },
  bound: (filter, scope, _, __, filled) => bound(filter, scope, filled),
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
    if (!hasType(filter, 'elementMatchValueType'))
      throw invalid(
        'Invalid array_contains filter on column, elementMatchValueType cannot be null',
      );
    const value = column(filter, 'column', scope);
    const { type } = resolveExpression(value, scope);
    const wanted = limitAs(
      filter.elementMatchValue,
      String(filter.elementMatchValueType).toUpperCase(),
    );
    // A single value does not contain null, and numbers do not contain other texts.
    const [only, ...others] = Array.isArray(wanted) ? wanted : [wanted];
    if (type.name !== 'ARRAY')
      return (only ?? null) === null || others.length > 0
        ? matchesNone(value)
        : matching(value, [only], scope);
    const isNoNumber = wanted !== null && limitAs(wanted, 'DOUBLE') === null;
    if (Array.isArray(wanted) || (isNoNumber && isNumeric(type.element ?? type)))
      return matchesNone(value);
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
    return equals(column(filter, 'dimension', scope), asGivenText(filter.value));
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

const matchesAnyText = (operand: Expression): Expression => ({
  kind: 'like',
  operator: 'LIKE',
  operand,
  pattern: literalOf('%'),
  negated: false,
  at: NOWHERE,
});

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
