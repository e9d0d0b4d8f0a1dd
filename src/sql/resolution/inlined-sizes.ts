// The queries that count or read the rows held in memory by the native engine.
import type { InlinedRows } from '../statement.ts';
import { isText, type SqlType } from '../types.ts';

/**
 * DuckDB text of one row with a column for each of the inlined rows: their number or their size in
 * bytes. It stops reading just beyond `most`.
 */
export function inlinedSizes(
  inlined: readonly InlinedRows[],
  unit: 'rows' | 'bytes',
  most: number,
): string {
  const sizes = inlined.map(({ common, from, columns }) =>
    unit === 'rows'
      ? `(${common}SELECT count(*) FROM (SELECT 1 FROM ${from} LIMIT ${most + 1}))`
      : `(${common}SELECT CASE WHEN count(*) > 0 THEN sum("bytes") + ${frameHeader(columns.length)} ELSE 0 END::BIGINT FROM (SELECT ${columns.map(bytesOf).join(' + ') || numberBytes} AS "bytes" FROM ${from} LIMIT ${Math.ceil(most / smallestBytes) + 1}))`,
  );
  return `SELECT ${sizes.join(', ')}`;
}

/**
 * DuckDB text of one row with a list for each of the inlined rows: the values of its first column.
 */
export function inlinedTexts(inlined: readonly InlinedRows[]): string {
  const lists = inlined.map(
    ({ common, from, columns }) => `(${common}SELECT list(${columns[0]?.sql}) FROM ${from})`,
  );
  return `SELECT ${lists.join(', ')}`;
}

// Druid: FrameWriterUtils, FrameColumnWriters. A frame has 18 bytes of header plus 10 for each
// column. A number takes one byte for null plus its value; a text takes its end offset of 4 bytes
// plus its UTF-8.
const frameHeader = (columns: number) => 18 + 10 * Math.max(1, columns);
const numberBytes = 9;
const smallestBytes = 4;

function bytesOf({ sql, type }: { readonly sql: string; readonly type: SqlType }): string {
  const text = (value: string) => `(4 + coalesce(strlen(${value}), 1))`;
  if (isText(type) && !type.multiValue) return text(sql);
  if (isText(type))
    return `(4 + list_sum(list_transform(druid_values(${sql}), lambda item: ${text('item')})))`;
  if (type.name === 'ARRAY' || type.name === 'OTHER') return text(`CAST(${sql} AS VARCHAR)`);
  return type.name === 'FLOAT' ? '5' : `${numberBytes}`;
}
