// Tables whose rows the service generates on demand: INFORMATION_SCHEMA and sys.
import type { TableColumn } from '../../sql/catalog.ts';

export type SystemCell = string | number | bigint | null; // numbers are integers

export interface SystemTable {
  readonly schema: 'INFORMATION_SCHEMA' | 'sys';
  readonly name: string;
  readonly columns: readonly TableColumn[];
  rows(): SystemRows;
}

/**
 * Rows whose cells are computed per requested column: there may be 100,000 rows, and most queries
 * read only a few columns.
 */
export interface SystemRows {
  readonly count: number;
  /** One cell per row. */
  column(name: string): readonly SystemCell[];
  /** The rows whose cells in these columns satisfy `keeps`. */
  where(
    columns: readonly string[],
    keeps: (...cells: readonly SystemCell[]) => boolean,
  ): SystemRows;
}

/** Columns of text. */
export const varchar = (...names: string[]): TableColumn[] =>
  names.map((name) => ({ name, type: 'STRING', multiValue: false }));

/** Columns of 64-bit integers. */
export const bigint = (...names: string[]): TableColumn[] =>
  names.map((name) => ({ name, type: 'LONG', multiValue: false }));

/** A table whose columns are declared together with functions for their values. */
export function systemTable<T>(
  name: string,
  columns: { readonly [column: string]: readonly ['STRING' | 'LONG', (row: T) => SystemCell] },
  list: () => readonly T[],
): SystemTable {
  return {
    schema: 'sys',
    name,
    columns: Object.entries(columns).map(([column, [type]]) => ({
      name: column,
      type,
      multiValue: false,
    })),
    rows: () => systemRows(list(), (column) => columns[column]?.[1] ?? nothing),
  };
}

/** The table without some of its columns. */
export const withoutColumns = (
  table: SystemTable,
  isLeftOut: (column: string) => boolean,
): SystemTable => ({
  ...table,
  columns: table.columns.filter(({ name }) => !isLeftOut(name)),
});

/** Rows given as lists of cells, in column order. */
export const rowsOfCells = (
  columns: readonly TableColumn[],
  rows: readonly (readonly SystemCell[])[],
): SystemRows =>
  systemRows(rows, (name) => {
    const at = columns.findIndex((column) => column.name === name);
    return (row) => row[at] ?? null;
  });

function systemRows<T>(
  rows: readonly T[],
  cellOf: (column: string) => (row: T) => SystemCell,
): SystemRows {
  return {
    count: rows.length,
    column: (name) => rows.map(cellOf(name)),
    where(columns, keeps) {
      const values = columns.map(cellOf);
      return systemRows(
        rows.filter((row) => keeps(...values.map((value) => value(row)))),
        cellOf,
      );
    },
  };
}

const nothing = () => null;
