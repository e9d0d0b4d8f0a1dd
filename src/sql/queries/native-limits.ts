// Limits of the native engine with its messages. They do not apply to multi-stage queries.
import type { Expression } from '../ast.ts';
import { conjuncts, contains, printOf } from '../expressions/rewrite.ts';
import type { Scope } from '../expressions/typed.ts';
import { refuseUnion } from '../resolution/native-union.ts';
import { findColumn, type Source, type SourceKind, type Union } from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { EngineName } from '../resolution/translation.ts';
import { SqlError, unplannable, unsupportedSql } from '../sql-error.ts';
import { nativeTypeOf, type SqlType } from '../types.ts';

/** Ungrouped rows of a table can be sorted by `__time` alone. `names` are the sort columns. */
export function refuseNativeOrder(
  engine: EngineName,
  rows: SourceKind,
  names: readonly string[],
): void {
  if (engine !== 'native' || names.length === 0 || !['table', 'unnest', 'lookup'].includes(rows))
    return;
  if (names.length === 1 && names[0] === '__time') return;
  throw unsupportedSql(
    `SQL query requires ordering a table by non-time column [[${names.join(', ')}]], which is not supported.`,
  );
}

/**
 * Refuses to sort rows of joins and queries by their columns if SELECT computes values from them.
 * The planner sorts first and has no query that computes afterwards (Druid:
 * DruidQuery.toScanAndSortQuery). `isColumn` tells which expressions are columns of the rows.
 */
export function refuseSortBelowItems(
  items: readonly Expression[],
  sorted: readonly { readonly expression: Expression; readonly name: string }[],
  isColumn: (expression: Expression) => boolean,
): void {
  if (items.every(isColumn) || !sorted.every(({ expression }) => isColumn(expression))) return;
  refuseNativeOrder(
    'native',
    'table',
    sorted.map(({ name }) => name),
  );
}

/**
 * As `refuseUnion`, for all columns of a union that is sorted or cut off. `order` holds the indexes
 * of its sort columns.
 */
export function refuseSortedUnion(union: Union, order: readonly number[]): void {
  const [first] = union.arms;
  refuseUnion(union, first?.columns.map((_, index) => index) ?? []);
  refuseNativeOrder(
    'native',
    first?.rows ?? 'query',
    order.map((index) => first?.stored?.[index] ?? ''),
  );
}

/** Tables that the Broker generates cannot be combined with tables of segments. */
export function refuseMixedSources(left: Source, right: Source): void {
  const kinds = [left.kind, right.kind];
  if (kinds.includes('metadata') && (kinds.includes('table') || kinds.includes('lookup')))
    throw unplannable();
}

/**
 * Joins compare plain values: not JSON or arrays. Checks the equalities of a
 * condition over several tables.
 */
export function refuseJoinKeys(condition: Expression, scope: Scope): void {
  for (const part of conjuncts(condition)) {
    if (
      part.kind !== 'binary' ||
      part.operator !== '=' ||
      isConstant(part.left) ||
      isConstant(part.right)
    )
      continue;
    const left = resolveExpression(part.left, scope);
    const right = resolveExpression(part.right, scope);
    if (left.constant !== undefined || right.constant !== undefined) continue;
    refuseKeyTypes([left.type, right.type]);
  }
}

/** As `refuseJoinKeys`, for the types of the compared values. */
export function refuseKeyTypes(types: readonly SqlType[]): void {
  const complex = types.find(({ name }) => name === 'OTHER');
  if (complex)
    throw planningFailure(
      `Cannot join when the join condition has column of type [${nativeTypeOf(complex) ?? 'COMPLEX'}]`,
    );
  if (types.some(({ name }) => name === 'ARRAY'))
    throw planningFailure('Joining against ARRAY columns is not supported.', 'UNSUPPORTED');
}

/**
 * An outer join must match rows by equalities of one side with the other, or of the right side with
 * constants. `sides` are the
 * scopes of one side each, `both` is the scope of all columns.
 */
export function refuseOuterJoin(
  conditions: readonly Expression[],
  sides: readonly [Scope, Scope],
  both: Scope,
): void {
  const isOver = (expression: Expression, scope: Scope): boolean => {
    try {
      return resolveExpression(expression, scope).constant === undefined;
    } catch (error) {
      if (error instanceof SqlError) return false;
      throw error;
    }
  };
  const [left, right] = sides;
  const equated = new Set(
    conditions.flatMap((part) =>
      part.kind === 'binary' && part.operator === '=' ? [part.left, part.right].map(printOf) : [],
    ),
  );
  const reasons = conditions.flatMap((part): readonly string[] => {
    if (resolveExpression(part, both).constant !== undefined) return [];
    // Equal values are not null, so that the planner decides such a condition.
    if (part.kind === 'is' && part.what === 'NULL' && equated.has(printOf(part.operand))) return [];
    if (part.kind !== 'binary' || !matching.includes(part.operator))
      return [`SQL requires a join with '${kindOf(part)}' condition that is not supported.`];
    // A constant counts as a value of the left side.
    const isMatch = (one: Expression, other: Expression) =>
      (isConstant(one) || isOver(one, left)) && isOver(other, right);
    return isMatch(part.left, part.right) || isMatch(part.right, part.left)
      ? []
      : ['SQL is resulting in a join that has unsupported operand types.'];
  });
  if (reasons.length > 0) throw unsupportedSql(reasons.join('\n'));
}

/**
 * A lookup is joined by its keys, also below a query that chooses columns. Checks the equalities of
 * a condition. Throws SqlError.
 */
export function refuseLookupValues(condition: Expression, lookup: Source): void {
  const columnOf = (part: Expression) =>
    part.kind === 'identifier' ? findColumn(lookup, part.names, part.at) : undefined;
  const isOfLookup = (part: Expression) => columnOf(part) !== undefined;
  const pairs = conjuncts(condition).flatMap((part) =>
    part.kind === 'binary' && part.operator === '='
      ? [
          [part.left, part.right],
          [part.right, part.left],
        ]
      : [],
  ) as (readonly [Expression, Expression])[];
  const byColumn = pairs.filter(([value, key]) => isOfLookup(value) && !contains(key, isOfLookup));
  // The name in the lookup, also where a query above it renames the column
  const isValue = (part: Expression) => columnOf(part)?.native?.() === 'v';
  const isByKey = byColumn.some(([value]) => columnOf(value)?.native?.() === 'k');
  for (const [value, key] of byColumn) {
    const isNamed = isValue(value) || columnOf(value)?.name === 'v';
    if (isConstant(key) ? isNamed : isByKey && isValue(value))
      throw unsupportedSql(
        'SQL is resulting in a join involving lookup where value column is used in the condition.',
      );
  }
  const [found] = byColumn.filter(([value, key]) => isValue(value) && !isConstant(key));
  if (!found) return;
  const [, key] = found;
  const words = key.kind === 'identifier' ? `"${key.names.at(-1)}"` : printOf(key);
  throw planningFailure(
    `Cannot join lookup with condition referring to non-key column: (${words} == "j0.v")`,
  );
}

const matching = ['=', 'IS NOT DISTINCT FROM'];

const kinds: Record<string, string> = {
  '<>': 'NOT_EQUALS',
  '<': 'LESS_THAN',
  '<=': 'LESS_THAN_OR_EQUAL',
  '>': 'GREATER_THAN',
  '>=': 'GREATER_THAN_OR_EQUAL',
  between: 'SEARCH',
  in: 'SEARCH',
  like: 'LIKE',
  case: 'CASE',
  identifier: 'INPUT_REF',
};

// Calcite's name for this kind of condition (SqlKind).
function kindOf(condition: Expression): string {
  if (condition.kind === 'is') return `IS_${condition.negated ? 'NOT_' : ''}${condition.what}`;
  if (condition.kind === 'binary' || condition.kind === 'unary')
    return kinds[condition.operator] ?? condition.operator;
  return kinds[condition.kind] ?? 'OTHER_FUNCTION';
}

const isConstant = ({ kind }: Expression): boolean => kind === 'literal' || kind === 'parameter';

// Errors that occur while the query runs.
const planningFailure = (message: string, category: SqlError['category'] = 'UNCATEGORIZED') =>
  new SqlError(message, { category, code: 'legacyQueryException', persona: 'OPERATOR' });
