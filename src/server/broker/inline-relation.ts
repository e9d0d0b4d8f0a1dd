// Rows that the service makes up, as DuckDB text: a list per column, unnested side by side.
import type { TableColumn } from '../../sql/catalog.ts';
import { identifier, quoted } from '../../sql/duckdb-text.ts';
import type { Cell } from './system-table.ts';

/** A relation in parentheses with the wanted columns of the rows, in the order they are wanted. */
export function inlineRelation(columns: readonly TableColumn[], rows: readonly (readonly Cell[])[], wanted: readonly string[]): string {
  const shown = wanted.map((name) => columns.findIndex((column) => column.name === name));
  if (shown.length === 0) return `(SELECT 0 AS "no column" FROM range(${rows.length}))`;
  const lists = shown.map((at) => {
    const column = columns[at];
    const type = column?.type === 'LONG' ? 'BIGINT' : 'VARCHAR';
    const list =
      type === 'BIGINT' ? `[${rows.map((row) => row[at] ?? 'null').join(',')}]` : JSON.stringify(rows.map((row) => row[at] ?? null));
    return `unnest(CAST(from_json(${quoted(list)}, '["${type}"]') AS ${type}[])) AS ${identifier(column?.name ?? '')}`;
  });
  return `(SELECT ${lists.join(', ')})`;
}
