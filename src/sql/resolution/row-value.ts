// Numbers and conditions computed from multi-value strings, where a row has one value: keys of
// groups and arguments of aggregates.
import type { Expression } from '../ast.ts';
import { firstValue, isList, onlyValue } from '../expressions/multi-value.ts';
import type { Scope, Typed } from '../expressions/typed.ts';
import { boolean, isText } from '../types.ts';
import { multiValueColumns } from './each-value.ts';
import { resolveExpression } from './resolve-expression.ts';

/**
 * The value of an expression for a row as a whole. A number or a condition uses the only value of
 * each multi-value string in it. If a row has several values, the result is null (Druid:
 * ExpressionColumnValueSelector) or the DuckDB text `ofSeveral`. Texts keep all their values.
 */
export function resolveForRow(expression: Expression, scope: Scope, ofSeveral?: string): Typed {
  const value = resolveExpression(expression, scope);
  const { name } = value.type;
  if (
    isText(value.type) ||
    name === 'ARRAY' ||
    name === 'OTHER' ||
    name === 'NULL' ||
    expression.kind === 'identifier'
  )
    return single(value);
  if (
    ofSeveral === undefined &&
    expression.kind === 'is' &&
    expression.what === 'NULL' &&
    expression.operand.kind === 'identifier'
  ) {
    const column = resolveExpression(expression.operand, scope);
    if (isList(column))
      return {
        type: boolean,
        at: value.at,
        sql: `(coalesce(len(${column.sql}), 0) ${expression.negated ? '>' : '='} 0)`,
      };
  }
  const lists = [...new Set(multiValueColumns(expression, scope).map(({ sql }) => sql))];
  if (lists.length === 0) return single(value);
  const ofOne = resolveExpression(expression, withOnlyValues(scope));
  const several = lists.map((list) => `len(${list}) > 1`).join(' OR ');
  return {
    ...single(ofOne),
    sql: `(CASE WHEN ${several} THEN ${ofSeveral ?? 'NULL'} ELSE ${ofOne.sql} END)`,
    nullable: true,
  };
}

const single = (value: Typed): Typed => (isText(value.type) ? value : onlyValue(value));

const withOnlyValues = (scope: Scope): Scope => ({
  environment: scope.environment,
  column: (names, at) => firstValue(scope.column(names, at)),
  subquery: (query) => scope.subquery(query),
  exists: (query, at) => scope.exists(query, at),
  inQuery: (...given) => scope.inQuery(...given),
  quantified: (...given) => scope.quantified(...given),
  aggregate: (call) => scope.aggregate(call),
});

/** Whether an expression that is not a text may have several values in one row. */
export function isOfSeveral(
  expression: Expression,
  { type, constant }: Typed,
  scope: Scope,
): boolean {
  if (
    constant !== undefined ||
    isText(type) ||
    type.name === 'ARRAY' ||
    type.name === 'OTHER' ||
    type.name === 'NULL' ||
    expression.kind === 'identifier'
  )
    return false;
  return multiValueColumns(expression, scope).length > 0;
}
