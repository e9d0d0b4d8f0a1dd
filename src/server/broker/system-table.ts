// Tables whose rows the service makes up when a query asks: INFORMATION_SCHEMA and sys.
import type { TableColumn } from '../../sql/catalog.ts';

export type Cell = string | bigint | null;

export interface SystemTable {
  readonly schema: 'INFORMATION_SCHEMA' | 'sys';
  readonly name: string;
  readonly columns: readonly TableColumn[];
  /** A value for each column, in their order; only those of the wanted columns need be right, when they are named. */
  rows(wanted?: readonly string[]): readonly (readonly Cell[])[];
}

/** Columns of text. */
export const varchar = (...names: string[]): TableColumn[] => names.map((name) => ({ name, type: 'STRING', multiValue: false }));

/** Columns of 64-bit integers. */
export const bigint = (...names: string[]): TableColumn[] => names.map((name) => ({ name, type: 'LONG', multiValue: false }));

/** A table whose columns are declared next to how a row's value is found. */
export function systemTable<T>(
  name: string,
  columns: { readonly [column: string]: readonly ['STRING' | 'LONG', (row: T) => Cell] },
  list: () => readonly T[],
): SystemTable {
  const fields = Object.entries(columns);
  return {
    schema: 'sys',
    name,
    columns: fields.map(([column, [type]]) => ({ name: column, type, multiValue: false })),
    rows(wanted) {
      const values = fields.map(([column, [, value]]) => (!wanted || wanted.includes(column) ? value : nothing));
      return list().map((row) => values.map((value) => value(row)));
    },
  };
}

const nothing = () => null;
