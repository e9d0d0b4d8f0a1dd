// What the native engine cannot do and refuses in its own words; a multi-stage query can.
import type { Expression } from './ast.ts';
import { refuseUnion } from './native-union.ts';
import type { Source, SourceKind, Union } from './relation.ts';
import { resolveExpression } from './resolve-expression.ts';
import { conjuncts } from './rewrite.ts';
import { SqlError, unplannable, unsupportedSql } from './sql-error.ts';
import type { Engine } from './translation.ts';
import type { Scope } from './typed.ts';
import { nativeTypeOf } from './types.ts';

/** Rows of a table that are not grouped can be sorted by `__time` alone; `names` are the columns that are sorted by. */
export function refuseNativeOrder(engine: Engine, rows: SourceKind, names: readonly string[]): void {
  if (engine !== 'native' || names.length === 0 || (rows !== 'table' && rows !== 'unnest')) return;
  if (names.length === 1 && names[0] === '__time') return;
  throw unsupportedSql(`SQL query requires ordering a table by non-time column [[${names.join(', ')}]], which is not supported.`);
}

/** As `refuseUnion`, for all columns of a union that is sorted or cut off; `order` are the indexes of the columns that it is sorted by. */
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
  if (kinds.includes('metadata') && (kinds.includes('table') || kinds.includes('lookup'))) throw unplannable();
}

/** Rows are joined by plain values: not by JSON, arrays or multi-value strings. Looks at the equalities of a condition over several tables. */
export function refuseJoinKeys(clause: 'ON' | 'WHERE', condition: Expression, scope: Scope): void {
  for (const part of conjuncts(condition)) {
    if (part.kind !== 'binary' || part.operator !== '=' || isConstant(part.left) || isConstant(part.right)) continue;
    const left = resolveExpression(part.left, scope);
    const right = resolveExpression(part.right, scope);
    if (left.constant !== undefined || right.constant !== undefined) continue;
    const types = [left.type, right.type];
    const complex = types.find(({ name }) => name === 'OTHER');
    if (complex) throw failed(`Cannot join when the join condition has column of type [${nativeTypeOf(complex) ?? 'COMPLEX'}]`);
    if (types.some(({ name }) => name === 'ARRAY')) throw failed('Joining against ARRAY columns is not supported.', 'UNSUPPORTED');
    if (clause === 'ON' && types.some(({ multiValue }) => multiValue))
      throw failed('Joining against a multi-value string is not supported.');
  }
}

const isConstant = ({ kind }: Expression): boolean => kind === 'literal' || kind === 'parameter';

// These fail while the query runs.
const failed = (message: string, category: SqlError['category'] = 'UNCATEGORIZED') =>
  new SqlError(message, { category, code: 'legacyQueryException', persona: 'OPERATOR' });
