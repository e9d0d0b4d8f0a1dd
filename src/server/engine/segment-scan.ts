// Segments as a relation: the DuckDB text that reads their files as if all had the same columns.
import { type Interval, sameInterval } from '../../model/interval.ts';
import type { SegmentColumn } from '../../model/segment.ts';
import type { VisibleSegment } from '../../model/timeline.ts';
import { identifiersOf } from '../../sql/expressions/column-names.ts';
import type { SegmentRecord } from '../storage/segments.ts';
import { duckdbTypeOf, storedText } from './native-types.ts';
import { identifier, quote } from './sql-text.ts';

/** Placeholder column of a relation without columns, because DuckDB's need one. */
export const noColumn = '__rows';

/**
 * A relation in parentheses with exactly the wanted columns and types (from `unifiedColumns`). A
 * column that a segment lacks is NULL there, and a column of another type is cast. Rows in hidden
 * parts of a segment are left out. `fileOf` returns the file of a segment; tombstones have none.
 * `all` are the columns that other readers of the same rows may want: they are named as in
 * `identifiersOf(all)`.
 */
export function segmentScan(
  segments: readonly VisibleSegment<SegmentRecord>[],
  wanted: readonly SegmentColumn[],
  fileOf: (segment: SegmentRecord) => string | undefined,
  all: readonly SegmentColumn[] = wanted,
): string {
  const groups = groupsOf(segments, fileOf);
  if (groups.length === 0) return `(SELECT ${select(wanted, all, missing)} WHERE false)`;
  return `(${groups.map((group) => groupScan(group, wanted, all)).join(' UNION ALL ')})`;
}

// Segments that one text can read: they have the same columns and the same visible part.
interface Group {
  readonly columns: readonly SegmentColumn[];
  readonly visible: readonly Interval[] | undefined; // all of it when undefined
  readonly files: string[];
}

function groupsOf(
  segments: readonly VisibleSegment<SegmentRecord>[],
  fileOf: (segment: SegmentRecord) => string | undefined,
): Group[] {
  const groups = new Map<string, Group>();
  const schemas = new Map<readonly SegmentColumn[], number>();
  for (const { segment, intervals } of segments) {
    const file = fileOf(segment);
    if (file === undefined) continue;
    const [first] = intervals;
    const visible =
      intervals.length === 1 && first && sameInterval(first, segment.interval)
        ? undefined
        : intervals;
    // Segments with the same columns share one list of them.
    const schema = schemas.get(segment.columns) ?? schemas.size;
    schemas.set(segment.columns, schema);
    const key = `${schema} ${visible?.map(({ start, end }) => `${start}/${end}`).join(',') ?? ''}`;
    const group = groups.get(key);
    if (group) group.files.push(file);
    else groups.set(key, { columns: segment.columns, visible, files: [file] });
  }
  return [...groups.values()];
}

function groupScan(
  { columns, visible, files }: Group,
  wanted: readonly SegmentColumn[],
  all: readonly SegmentColumn[],
): string {
  const stored = new Map(columns.map((column) => [column.name, column]));
  const own = identifiersOf(columns);
  const list = select(wanted, all, (column) => {
    const found = stored.get(column.name);
    return found ? cast(own(column.name), found, column) : missing(column);
  });
  const where = visible
    ? ` WHERE ${visible.map(({ start, end }) => `("__time" >= ${start} AND "__time" < ${end})`).join(' OR ')}`
    : '';
  return `SELECT ${list} FROM read_parquet([${files.map(quote).join(', ')}], hive_partitioning = false)${where}`;
}

const select = (
  wanted: readonly SegmentColumn[],
  all: readonly SegmentColumn[],
  expression: (column: SegmentColumn) => string,
) =>
  wanted
    .map((column) => `${expression(column)} AS ${identifiersOf(all)(column.name)}`)
    .join(', ') || `1 AS ${identifier(noColumn)}`;

const missing = (column: SegmentColumn) => `NULL::${duckdbTypeOf(column)}`;

function cast(name: string, from: SegmentColumn, to: SegmentColumn): string {
  const [fromType, toType] = [duckdbTypeOf(from), duckdbTypeOf(to)];
  if (fromType === toType) return storedText(name, from);
  if (toType === 'JSON') return `to_json(${name})`;
  if (toType === 'BLOB' || fromType === 'BLOB') return `NULL::${toType}`; // no other type can be cast to a sketch
  if (toType.endsWith('[]') && !fromType.endsWith('[]')) {
    return `CASE WHEN ${name} IS NULL THEN NULL ELSE [TRY_CAST(${name} AS ${toType.slice(0, -2)})] END`;
  }
  return `TRY_CAST(${name} AS ${toType})`; // a text that is not a number is null
}
