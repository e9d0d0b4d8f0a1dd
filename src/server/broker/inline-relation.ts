// Rows that the service generates, as DuckDB text: a list per column, unnested side by side.
import type { TableColumn } from '../../sql/catalog.ts';
import { identifier } from '../../sql/expressions/duckdb-text.ts';
import { quote } from '../../sql/runtime/quoted.ts';
import type { SystemCell, SystemRows } from './system-table.ts';

/** A relation in parentheses with the requested columns of the rows, in that order. */
export function inlineRelation(
  columns: readonly TableColumn[],
  rows: SystemRows,
  wanted: readonly string[],
): string {
  const lists: string[] = [];
  const shown = wanted.flatMap((name) => {
    const column = columns.find((candidate) => candidate.name === name);
    if (!column) return [];
    const cells = rows.column(name);
    const [first = null] = cells;
    const type = column.type === 'LONG' ? 'BIGINT' : 'VARCHAR';
    // A value that all rows share is written once: DuckDB parses a long list much more slowly than
    // it computes with it.
    if (cells.every((cell) => cell === first))
      return `CAST(${first === null ? 'null' : quote(String(first))} AS ${type}) AS ${identifier(name)}`;
    lists.push(
      `unnest(CAST(from_json(${quote(listOf(cells, type))}, '["${type}"]') AS ${type}[])) AS ${identifier(name)}`,
    );
    return identifier(name);
  });
  const from = lists.length > 0 ? `(SELECT ${lists.join(', ')})` : `range(${rows.count})`;
  return `(SELECT ${shown.join(', ') || '0 AS "no column"'} FROM ${from})`;
}

const listOf = (cells: readonly SystemCell[], type: 'BIGINT' | 'VARCHAR') =>
  type === 'VARCHAR' ? JSON.stringify(cells) : `[${cells.map((cell) => cell ?? 'null').join(',')}]`;
