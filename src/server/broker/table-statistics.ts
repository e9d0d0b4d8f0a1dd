// Statistics of a datasource's columns, from the tables of the segment cache that have its rows.
import type { SegmentColumn } from '../../model/segment.ts';
import type { ColumnStatistics } from '../../sql/catalog.ts';
import { identifiersOf } from '../../sql/expressions/column-names.ts';
import { markColumn } from '../../sql/expressions/unique-marks.ts';
import { identifier } from '../engine/sql-text.ts';
import type { SegmentCache } from '../segment-cache/segment-cache.ts';
import type { SegmentRecord } from '../storage/segments.ts';

type OfTable = Readonly<Record<string, ColumnStatistics>>;

/**
 * The statistics of a column by its name. None are known if rows of one of the segments are in no
 * table, or if the table has another name for the column.
 */
export function statisticsIn(
  segments: readonly SegmentRecord[],
  columns: readonly SegmentColumn[],
  statisticsOf: SegmentCache['statisticsOf'],
): (name: string) => ColumnStatistics | undefined {
  const tables = new Set<OfTable>();
  for (const segment of segments) {
    const ofTable = statisticsOf(segment);
    if (!ofTable) return () => undefined;
    tables.add(ofTable);
  }
  const names = identifiersOf(columns);
  const folded = new Set(columns.map((column) => column.name.toLowerCase()));
  return (name) => {
    if (names(name) !== identifier(name)) return undefined;
    const found = [...tables].map((ofTable) => own(ofTable, name)).reduce(ofBoth);
    const isTaken = found?.hasMarks && folded.has(markColumn(name).toLowerCase());
    return isTaken ? { ...found, hasMarks: undefined } : found;
  };
}

const own = (ofTable: OfTable, name: string): ColumnStatistics | undefined =>
  Object.hasOwn(ofTable, name) ? ofTable[name] : undefined;

// The same text may be in both tables, and is counted twice.
function ofBoth(
  one: ColumnStatistics | undefined,
  other: ColumnStatistics | undefined,
): ColumnStatistics | undefined {
  if (one?.range && other?.range)
    return {
      range: [Math.min(one.range[0], other.range[0]), Math.max(one.range[1], other.range[1])],
    };
  if (one?.distinct !== undefined && other?.distinct !== undefined)
    return {
      distinct: one.distinct + other.distinct,
      ...((one.hasMarks || other.hasMarks) && { hasMarks: true }),
    };
  return undefined;
}
