// The text of one SELECT: its clauses in DuckDB's syntax, and the labels and order of its columns.
import { distinctNames } from '../expressions/column-names.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import type { Typed } from '../expressions/typed.ts';
import { quote } from '../runtime/quoted.ts';
import { invalidSql } from '../sql-error.ts';
import { typeText } from '../types.ts';
import type { ResultColumn, ResultOrder } from './translation.ts';

/** The clauses of a SELECT as DuckDB text. */
export interface Clauses {
  readonly items: string;
  readonly distinct: boolean;
  readonly from: string | undefined;
  readonly where?: string | undefined;
  readonly groupBy?: string | undefined;
  readonly having?: string | undefined;
  readonly qualify?: string | undefined;
  readonly order: readonly OrderTerm[];
}

/** Joins the clauses in SQL's order. */
export function selectText({
  items,
  distinct,
  from,
  where,
  groupBy,
  having,
  qualify,
  order,
}: Clauses): string {
  return [
    `SELECT ${distinct ? 'DISTINCT ' : ''}${items}`,
    ...(from === undefined ? [] : [`FROM ${from}`]),
    ...(where === undefined ? [] : [`WHERE ${where}`]),
    ...(groupBy === undefined ? [] : [`GROUP BY ${groupBy}`]),
    ...(having === undefined ? [] : [`HAVING ${having}`]),
    ...(qualify === undefined ? [] : [`QUALIFY ${qualify}`]),
    ...(order.length > 0 ? [`ORDER BY ${order.map(termText).join(', ')}`] : []),
  ].join(' ');
}

/** `LIMIT n` and `OFFSET m`, each if present. */
export function limitClauses(
  limit: bigint | undefined,
  offset: bigint | undefined,
): readonly string[] {
  return [
    ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
    ...(offset === undefined || offset === 0n ? [] : [`OFFSET ${offset}`]),
  ];
}

/**
 * The columns of a result, each with a label that is unique in DuckDB. `isDecided` tells whether
 * WHERE allows only one value for the item at an index.
 */
export function resultColumns(
  items: readonly { readonly name: string }[],
  values: readonly Pick<Typed, 'type' | 'nullable' | 'constant' | 'timeRange'>[],
  isDecided: (index: number) => boolean = () => false,
): readonly ResultColumn[] {
  const labels = distinctNames(items.map(({ name }) => name));
  return items.map(({ name }, index) => {
    const value = values[index];
    if (!value) throw new TypeError('Each item has a value');
    const { type, nullable, constant, timeRange } = value;
    return {
      name,
      label: labels[index] ?? name,
      type,
      nullable: nullable !== false,
      ...(timeRange && { timeRange }),
      ...(constant === null && { isNull: true as const }),
      ...((constant !== undefined || isDecided(index)) && { isDecided: true as const }),
    };
  });
}

/**
 * The items of SELECT, each with the label of its column. Throws SqlError for `CAST('abc' AS
 * BIGINT)`: the planner counts on a number, and fails when it computes the null.
 */
export function selectList(values: readonly Typed[], columns: readonly ResultColumn[]): string {
  const unexpected = values.find(({ isUnexpected }) => isUnexpected);
  if (unexpected)
    throw invalidSql(
      `Calcite assertion violated: [a cast of a literal cannot be null, and this text is not a ${typeText(unexpected.type)}]. Write a text of that type, or NULL`,
      unexpected.at,
    );
  return values
    .map(({ sql }, index) => `${sql} AS ${identifier(columns[index]?.label ?? '')}`)
    .join(', ');
}

/**
 * The value as a column of the statement's result. Only there is a constant of CHAR(n) padded with
 * blanks: the engine computes a whole constant expression before it makes a literal of its type, so
 * functions never see the blanks.
 */
export const asResult = (value: Typed): Typed =>
  value.type.isEstimated
    ? { ...value, sql: `druid_tuple_estimate_text(${value.sql})` }
    : value.type.name === 'CHAR' && typeof value.constant === 'string'
      ? { ...value, sql: quote(value.constant.padEnd(value.type.precision ?? 0)) }
      : value;

/** An item of ORDER BY as DuckDB text. */
export interface OrderTerm {
  readonly sql: string;
  readonly descending: boolean;
  readonly nulls?: 'FIRST' | 'LAST'; // where they are not the lowest values
}

/** An item of ORDER BY as DuckDB text. Nulls are the lowest values by default. */
export const termText = ({
  sql,
  descending,
  nulls = descending ? 'LAST' : 'FIRST',
}: OrderTerm): string => `${sql} ${descending ? 'DESC' : 'ASC'} NULLS ${nulls}`;

/** The sort key of a value. Null is the lowest value in arrays too. */
export const orderedText = ({ sql, type }: Typed): string =>
  type.name === 'ARRAY' ? `druid_ordered(${sql})` : sql;

/** Items of ORDER BY that name columns by their index from 0. */
export const ordinals = (order: readonly ResultOrder[]): readonly OrderTerm[] =>
  order.map(({ index, descending }) => ({ sql: String(index + 1), descending }));
