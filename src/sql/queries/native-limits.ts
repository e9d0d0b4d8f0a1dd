// Limits of the native engine with its messages; a multi-stage query has none of them.
import type { Expression } from '../ast.ts';
import { conjuncts } from '../expressions/rewrite.ts';
import type { Scope } from '../expressions/typed.ts';
import { refuseUnion } from '../resolution/native-union.ts';
import { findColumn, type Source, type SourceKind, type Union } from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { Engine } from '../resolution/translation.ts';
import { SqlError, unplannable, unsupportedSql } from '../sql-error.ts';
import { nativeTypeOf, type SqlType } from '../types.ts';

/**
 * Rows of a table that are not grouped can be sorted by `__time` alone; `names` are the columns
 * that are sorted by.
 */
export function refuseNativeOrder(
  engine: Engine,
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
 * Refuses to sort rows of joins and of queries by their columns where SELECT computes something of
 * them: the planner sorts first, and has no query that computes afterwards (Druid:
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
 * As `refuseUnion`, for all columns of a union that is sorted or cut off; `order` are the indexes
 * of the columns that it is sorted by.
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

/** Tables that the Broker makes up and tables of segments are read in ways that do not meet. */
export function refuseMixedSources(left: Source, right: Source): void {
  const kinds = [left.kind, right.kind];
  if (kinds.includes('metadata') && (kinds.includes('table') || kinds.includes('lookup')))
    throw unplannable();
}

/**
 * Rows are joined by plain values: not by JSON, arrays or multi-value strings. Looks at the
 * equalities of a condition over several tables.
 */
export function refuseJoinKeys(clause: 'ON' | 'WHERE', condition: Expression, scope: Scope): void {
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
    refuseKeyTypes(clause, [left.type, right.type]);
  }
}

/** As `refuseJoinKeys`, for the types of the values that are compared. */
export function refuseKeyTypes(clause: 'ON' | 'WHERE', types: readonly SqlType[]): void {
  const complex = types.find(({ name }) => name === 'OTHER');
  if (complex)
    throw failed(
      `Cannot join when the join condition has column of type [${nativeTypeOf(complex) ?? 'COMPLEX'}]`,
    );
  if (types.some(({ name }) => name === 'ARRAY'))
    throw failed('Joining against ARRAY columns is not supported.', 'UNSUPPORTED');
  if (clause === 'ON' && types.some(({ multiValue }) => multiValue))
    throw failed('Joining against a multi-value string is not supported.');
}

/**
 * An outer join matches rows by equalities of one side with the other and by nothing else. `sides`
 * see the columns of one side, `both` all.
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
  const reasons = conditions.flatMap((part): readonly string[] => {
    if (resolveExpression(part, both).constant !== undefined) return [];
    if (part.kind !== 'binary' || !matching.includes(part.operator))
      return [`SQL requires a join with '${kindOf(part)}' condition that is not supported.`];
    const isMatch = (one: Expression, other: Expression) =>
      isOver(one, left) && isOver(other, right);
    return isMatch(part.left, part.right) || isMatch(part.right, part.left)
      ? []
      : ['SQL is resulting in a join that has unsupported operand types.'];
  });
  if (reasons.length > 0) throw unsupportedSql(reasons.join('\n'));
}

/** A lookup is joined by its keys. Looks at the equalities of a condition. */
export function refuseLookupValues(condition: Expression, lookup: Source): void {
  for (const part of conjuncts(condition)) {
    if (part.kind !== 'binary' || part.operator !== '=') continue;
    for (const [value, key] of [
      [part.left, part.right],
      [part.right, part.left],
    ] as const) {
      if (value.kind !== 'identifier' || key.kind !== 'identifier') continue;
      const column = findColumn(lookup, value.names, value.at);
      if (!column || column.name === 'k' || findColumn(lookup, key.names, key.at)) continue;
      const words = `"${key.names.at(-1)}" == "j0.${column.name}"`;
      throw failed(`Cannot join lookup with condition referring to non-key column: (${words})`);
    }
  }
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

// What Calcite calls this kind of condition (SqlKind).
function kindOf(condition: Expression): string {
  if (condition.kind === 'is') return `IS_${condition.negated ? 'NOT_' : ''}${condition.what}`;
  if (condition.kind === 'binary' || condition.kind === 'unary')
    return kinds[condition.operator] ?? condition.operator;
  return kinds[condition.kind] ?? 'OTHER_FUNCTION';
}

const isConstant = ({ kind }: Expression): boolean => kind === 'literal' || kind === 'parameter';

// These fail while the query runs.
const failed = (message: string, category: SqlError['category'] = 'UNCATEGORIZED') =>
  new SqlError(message, { category, code: 'legacyQueryException', persona: 'OPERATOR' });
