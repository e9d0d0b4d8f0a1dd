// Expressions over multi-value columns, computed from each value of a column.
import type { Expression } from '../ast.ts';
import { bindFound } from '../expressions/bind-once.ts';
import { mapList } from '../expressions/casts.ts';
import { isList, orOneNull, singleValued } from '../expressions/multi-value.ts';
import { contains, mapOperands } from '../expressions/rewrite.ts';
import type { Scope, Typed } from '../expressions/typed.ts';
import { findAggregate } from '../functions/aggregates.ts';
import { unsupportedSql } from '../sql-error.ts';
import { varchar } from '../types.ts';

/** Resolves an expression in a scope. */
type Resolve = (expression: Expression, scope: Scope) => Typed;

/**
 * An expression resolved by `resolvePlain`. If it uses a multi-value column several times, it is
 * computed from each of the column's values. A comparison holds if it holds for any of them.
 */
export function resolveForValues(
  expression: Expression,
  scope: Scope,
  resolvePlain: (scope: Scope) => Typed,
  resolve: Resolve,
): Typed {
  const whole = resolvePlain(scope);
  const isCondition = whole.type.name === 'BOOLEAN' && whole.type.multiValue === true;
  if (!(isList(whole) || isCondition) || whole.type.isComputed) return whole;
  if (contains(expression, isOfWholeList) || isLookup(expression)) return whole;
  const lists = multiValueColumns(expression, scope);
  const list = lists.find((column, index) =>
    lists.slice(0, index).some((before) => valuesOf(before) === valuesOf(column)),
  );
  if (!list) return whole;
  const values = throughValues(
    expression,
    scope,
    list,
    (inner) => resolveForValues(expression, inner, resolvePlain, resolve),
    resolve,
  );
  return isCondition ? { ...values, sql: `druid_any(${values.sql})` } : values;
}

// The column of which an expression uses only values; undefined if it uses several columns.
function commonColumn(expression: Expression, scope: Scope): Typed | undefined {
  const [list, ...others] = multiValueColumns(expression, scope);
  return list && others.every((other) => valuesOf(other) === valuesOf(list)) ? list : undefined;
}

const valuesOf = (column: Typed): string => column.valuesOf ?? column.sql;

/**
 * The multi-value column from whose values a list is computed one by one, as the text of that
 * column; undefined for other expressions.
 */
export function originOfValues(expression: Expression, value: Typed, scope: Scope) {
  if (!isList(value) || value.type.isComputed || contains(expression, isOfWholeList))
    return undefined;
  const column = commonColumn(expression, scope);
  return column && valuesOf(column);
}

/**
 * The values of an expression for each value of a multi-value column. A row without values counts
 * as one null, which may match a branch of CASE. `resolveOne` resolves it for one of the values.
 */
export function throughValues(
  expression: Expression,
  scope: Scope,
  list: Typed,
  resolveOne: (scope: Scope) => Typed,
  resolve: Resolve,
): Typed {
  let one: Typed | undefined;
  const textOfOne = (inner: Scope) => {
    one = resolveOne(inner);
    return one.sql;
  };
  const lists = multiValueColumns(expression, scope).filter(
    (column) => valuesOf(column) === valuesOf(list),
  );
  const isOneList = lists.every(({ sql }) => sql === list.sql);
  const hasLookup = contains(expression, isLookup);
  const sql = bindFound((named) => {
    if (isOneList && !hasLookup)
      return mapList(orOneNull(list.sql), (item) =>
        textOfOne(withValue(scope, list, () => item, named, resolve)),
      );
    const names = new Map(lists.map((column) => [column.sql, '']));
    for (const text of names.keys()) names.set(text, named(orOneNull(text)));
    return mapList(`range(1, len(${names.get(list.sql)}) + 1)`, (place) => {
      const itemOf = ({ sql }: Typed) => `${names.get(sql)}[${place}]`;
      return textOfOne(withValue(scope, list, itemOf, named, resolve, place));
    });
  });
  if (!one) throw new TypeError('An expression has a value for each value of a column');
  return {
    type: { ...singleValued(one.type), multiValue: true },
    at: expression.at,
    sql: isList(one) ? `druid_flattened(${sql})` : sql,
  };
}

const isOfWholeList = (part: Expression): boolean =>
  part.kind === 'call' &&
  (/^(MV|ARRAY)_/.test(part.name) || findAggregate(part.name) !== undefined);

// A lookup takes the list of its keys as a whole.
const isLookup = (part: Expression): boolean => part.kind === 'call' && part.name === 'LOOKUP';

/** The multi-value columns that an expression uses outside of functions that take whole lists. */
export function multiValueColumns(expression: Expression, scope: Scope): readonly Typed[] {
  if (expression.kind === 'identifier')
    return [scope.column(expression.names, expression.at)].filter(isList);
  if (isOfWholeList(expression)) return [];
  const found: Typed[] = [];
  mapOperands(expression, (operand) => {
    found.push(...multiValueColumns(operand, scope));
    return operand;
  });
  return found;
}

/**
 * The same scope, but a multi-value column is one of its values, at a place in the list, and
 * subqueries are bound to names: a lambda cannot contain a query.
 */
export const withValue = (
  scope: Scope,
  list: Typed,
  itemOf: (column: Typed) => string,
  named: (query: string) => string,
  resolve: Resolve,
  place?: string,
): Scope => ({
  environment: { ...scope.environment, isWithoutQueries: true },
  column(names, at) {
    const column = scope.column(names, at);
    return isList(column) && valuesOf(column) === valuesOf(list)
      ? { type: singleValued(column.type), at, sql: itemOf(column) }
      : column;
  },
  subquery: (query) => withName(scope.subquery(query), named),
  exists: (query, at) => withName(scope.exists(query, at), named),
  inQuery: (...given) => withName(scope.inQuery(...given), named),
  quantified: (...given) => withName(scope.quantified(...given), named),
  calledQuery(value, call) {
    if (!multiValueColumns(call, scope).some((column) => valuesOf(column) === valuesOf(list)))
      return withName(value, named);
    // The lookup of all values, computed outside of the lambda.
    const all = resolve(call, scope);
    if (isList(all) && place !== undefined)
      return { type: varchar, at: value.at, sql: `${named(all.sql)}[${place}]` };
    throw unsupportedSql(
      `${call.name} of a multi-value string is not supported inside of a CASE that goes through its values`,
    );
  },
  aggregate: (call) => scope.aggregate(call),
});

const withName = (query: Typed, named: (query: string) => string): Typed =>
  query.constant === undefined ? { ...query, sql: named(query.sql) } : query;
