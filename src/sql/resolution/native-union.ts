// UNION ALL in the native engine: either queries run one after the other as the final result, or
// one data source of tables with the same columns.
import type { Expression } from '../ast.ts';
import { type SqlError, unsupportedSql } from '../sql-error.ts';
import { typeText } from '../types.ts';
import { findColumn, type Source, type Union, type UnionArm } from './relation.ts';

/**
 * Refuses to read the `used` columns of a union as one data source unless each of its queries
 * yields just the same columns of a table.
 */
export function refuseUnion(union: Union, used: readonly number[]): void {
  const refusal = refusalOf(union, used);
  if (refusal) throw refusal;
}

/** Whether all columns of a union can be read as one data source. */
export const isOneSource = (union: Union): boolean =>
  refusalOf(union, union.arms[0]?.columns.map((_, index) => index) ?? []) === undefined;

function refusalOf(union: Union, used: readonly number[]): SqlError | undefined {
  const arms = union.arms.filter(({ isConditional }) => !isConditional);
  const [first] = arms;
  if (!first || arms.length < 2) return undefined;
  // The planner keeps the last column where none is needed.
  const wanted = used.length > 0 ? used : [first.columns.length - 1];
  const isPlain = ({ stored, columns }: UnionArm) =>
    new Set(wanted.map((index) => stored?.[index])).size === wanted.length &&
    wanted.every(
      (index) =>
        stored?.[index] !== undefined && typeAt(columns, index) === typeAt(first.columns, index),
    );
  if (!arms.every(isPlain)) {
    return unsupportedSql(
      'SQL requires union between inputs that are not simple table scans and involve a filter or aliasing. Or column types of tables being unioned are not of same type.',
    );
  }
  const namesOf = ({ stored }: UnionArm) => wanted.map((index) => stored?.[index]).join(', ');
  const other = arms.find((arm) => namesOf(arm) !== namesOf(first));
  if (!other) return undefined;
  return unsupportedSql(
    `SQL requires union between two tables and column names queried for each table are different Left: [${namesOf(first)}], Right: [${namesOf(other)}].`,
  );
}

/** As `refuseUnion`, for each union of a FROM and its needed columns. */
export function refuseUnionsIn(source: Source | undefined): void {
  for (const { union, used } of source?.unions ?? [])
    refuseUnion(
      union,
      [...used].sort((a, b) => a - b),
    );
}

/** The same union with some of its columns only. */
export const unionOf = ({ arms }: Union, wanted: readonly number[]): Union => ({
  arms: arms.map((arm) => ({
    ...arm,
    columns: wanted.flatMap((index) => arm.columns[index] ?? []),
    ...(arm.stored && { stored: wanted.map((index) => arm.stored?.[index]) }),
  })),
});

/**
 * The columns of a union that the items of a SELECT name, in order; undefined if an item is
 * anything else.
 */
export function columnsOfUnion(
  items: readonly { readonly expression: Expression }[],
  source: Source,
): readonly number[] | undefined {
  const [relation, second] = source.relations;
  if (!relation || second) return undefined;
  const indexes = items.map(({ expression }) => {
    const column =
      expression.kind === 'identifier'
        ? findColumn(source, expression.names, expression.at)
        : undefined;
    return column ? relation.columns.indexOf(column) : -1;
  });
  return indexes.every((index, position) => index > (indexes[position - 1] ?? -1))
    ? indexes
    : undefined;
}

const typeAt = (columns: UnionArm['columns'], index: number) => {
  const type = columns[index]?.type;
  return type && typeText(type);
};
