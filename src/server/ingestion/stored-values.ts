// Columns of a table of rows as SQL expressions of the engine.
import { itemType } from '../../model/column-types.ts';
import type { SegmentColumn } from '../../model/segment.ts';

/**
 * The column of a name in a table of rows: `t` is the time, followed by `c0`, `c1`, ...; undefined
 * for an unknown name.
 */
export function columnSql(columns: readonly SegmentColumn[], name: string): string | undefined {
  const index = columns.findIndex((column) => column.name === name);
  return index === -1 ? undefined : index === 0 ? 't' : `c${index - 1}`;
}

/** The value of a column as one text; null for a missing value or column. */
export function textSql(columns: readonly SegmentColumn[], name: string): string {
  const [column, sql] = [columns.find((known) => known.name === name), columnSql(columns, name)];
  if (!column || sql === undefined) return 'NULL::VARCHAR';
  return column.multiValue || itemType(column.type) !== undefined
    ? `array_to_string(${textsSql(columns, name)}, ',')`
    : one(column.type, sql);
}

/**
 * The values of a column as a list of texts, empty without a value (Druid: Rows.objectToStrings).
 */
export function textsSql(columns: readonly SegmentColumn[], name: string): string {
  const [column, sql] = [columns.find((known) => known.name === name), columnSql(columns, name)];
  if (!column || sql === undefined) return '[]::VARCHAR[]';
  const item = itemType(column.type);
  if (column.multiValue) return `coalesce(${sql}, []::VARCHAR[])`;
  if (item !== undefined)
    return `coalesce(list_transform(${sql}, lambda item: ${one(item, 'item')}), []::VARCHAR[])`;
  return `CASE WHEN ${sql} IS NULL THEN []::VARCHAR[] ELSE [${one(column.type, sql)}] END`;
}

/** The number of rows in which a column has a value. */
export const valueCount = (
  { multiValue }: Pick<SegmentColumn, 'multiValue'>,
  sql: string,
): string => (multiValue ? `count(CASE WHEN len(${sql}) > 0 THEN 1 END)` : `count(${sql})`);

const one = (type: string, sql: string) =>
  type === 'DOUBLE' || type === 'FLOAT'
    ? `druid_double_to_text(${sql}::DOUBLE)`
    : type === 'STRING'
      ? sql
      : `${sql}::VARCHAR`;
