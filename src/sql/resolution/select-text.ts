// The text of one SELECT: its clauses in DuckDB's words, and the labels and order of its columns.
import { distinctNames } from '../expressions/column-names.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import type { Typed } from '../expressions/typed.ts';
import { quote } from '../runtime/quoted.ts';
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

/** The clauses in the order in which they are written. */
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

/** `LIMIT n`, `OFFSET m`, as far as they are there. */
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
 * The columns of a result: each with a label that DuckDB takes for no other's. `isDecided` tells
 * whether WHERE lets the item at an index have one value only.
 */
export function resultColumns(
  items: readonly { readonly name: string }[],
  values: readonly Pick<Typed, 'type' | 'nullable' | 'constant'>[],
  isDecided: (index: number) => boolean = () => false,
): readonly ResultColumn[] {
  const labels = distinctNames(items.map(({ name }) => name));
  return items.map(({ name }, index) => {
    const value = values[index];
    if (!value) throw new TypeError('Each item has a value');
    const { type, nullable, constant } = value;
    return {
      name,
      label: labels[index] ?? name,
      type,
      nullable: nullable !== false,
      ...(constant === null && { isNull: true as const }),
      ...((constant !== undefined || isDecided(index)) && { isDecided: true as const }),
    };
  });
}

/** The items of SELECT, each with the label of its column. */
export const selectList = (values: readonly Typed[], columns: readonly ResultColumn[]): string =>
  values.map(({ sql }, index) => `${sql} AS ${identifier(columns[index]?.label ?? '')}`).join(', ');

/**
 * The value as a column of the statement's result: there, and only there, a constant of CHAR(n) is
 * filled up with blanks. The engine computes a constant expression as a whole before it makes a
 * literal of its type, so that no other function sees the blanks.
 */
export const asResult = (value: Typed): Typed =>
  value.type.isEstimated
    ? { ...value, sql: `druid_tuple_estimate_text(${value.sql})` }
    : value.type.name === 'CHAR' && typeof value.constant === 'string'
      ? { ...value, sql: quote(value.constant.padEnd(value.type.precision ?? 0)) }
      : value;

/** An item of ORDER BY: what rows are sorted by, as DuckDB text. */
export interface OrderTerm {
  readonly sql: string;
  readonly descending: boolean;
  readonly nulls?: 'FIRST' | 'LAST'; // where they are not the lowest values
}

/** An item of ORDER BY as DuckDB text: nulls are the lowest values unless it says otherwise. */
export const termText = ({
  sql,
  descending,
  nulls = descending ? 'LAST' : 'FIRST',
}: OrderTerm): string => `${sql} ${descending ? 'DESC' : 'ASC'} NULLS ${nulls}`;

/** What a value is sorted by: in an array, too, null is the lowest value. */
export const orderedText = ({ sql, type }: Typed): string =>
  type.name === 'ARRAY' ? `druid_ordered(${sql})` : sql;

/** Items of ORDER BY for columns by their index from 0. */
export const ordinals = (order: readonly ResultOrder[]): readonly OrderTerm[] =>
  order.map(({ index, descending }) => ({ sql: String(index + 1), descending }));
