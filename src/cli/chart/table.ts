// Rows of a result as columns that can be drawn.
import { formatJson } from '../../model/json.ts';
import { visibleLine } from '../../model/visible-text.ts';

export interface ChartColumn {
  readonly name: string;
  readonly kind: 'time' | 'number' | 'text';
  // Numbers, and times in milliseconds since 1970; undefined for null, NaN and infinities
  readonly values: readonly (number | undefined)[];
  readonly texts: readonly string[]; // without control characters, like the name
}

/** Columns of a chart from the names, the SQL types and the rows of a result. */
export const chartColumns = (
  names: readonly string[],
  types: readonly string[],
  rows: readonly (readonly unknown[])[],
): readonly ChartColumn[] =>
  names.map((name, at) => {
    const kind = kindOf(types[at] ?? '');
    const cells = rows.map((row) => row[at]);
    return {
      name: visibleLine(name),
      kind,
      values: cells.map((cell) => valueIn(cell, kind)),
      texts: cells.map((cell) => visibleLine(textOf(cell))),
    };
  });

const numeric = /^(?:TINYINT|SMALLINT|INTEGER|BIGINT|FLOAT|REAL|DOUBLE|DECIMAL|NUMERIC)\b/i;

function kindOf(type: string): ChartColumn['kind'] {
  if (/^(?:TIMESTAMP|DATE)\b/i.test(type)) return 'time';
  return numeric.test(type) ? 'number' : 'text';
}

function valueIn(cell: unknown, kind: ChartColumn['kind']): number | undefined {
  if (cell === null || cell === undefined || kind === 'text') return undefined;
  const value = kind === 'time' && typeof cell === 'string' ? Date.parse(cell) : Number(cell);
  return Number.isFinite(value) ? value : undefined;
}

function textOf(cell: unknown): string {
  if (cell === null || cell === undefined) return 'NULL';
  return typeof cell === 'object' ? formatJson(cell) : String(cell);
}
