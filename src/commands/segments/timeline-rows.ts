// Segments counted by datasource and interval.
import type { DataSegment } from '../../contract/segments.ts';

export interface TimelineRow {
  readonly datasource: string;
  readonly interval: string;
  readonly segments: number; // in use and not overshadowed, as are size and rows
  readonly size: number;
  readonly rows: number;
  readonly versions: number;
  readonly compacted: number;
  readonly notLoaded: number;
  readonly overshadowed: number;
  readonly unused: number;
  readonly realtime: number;
  readonly compactedSize: number;
  readonly overshadowedSize: number;
  readonly unusedSize: number;
}

/** The rows of a datasource with its unused segments, in order of time. */
export function addUnused(
  rows: readonly TimelineRow[],
  datasource: string,
  unused: readonly DataSegment[],
): TimelineRow[] {
  const byInterval = new Map(rows.map((row) => [row.interval, row]));
  for (const { interval, size } of unused) {
    const row = byInterval.get(interval) ?? { ...nothing, datasource, interval };
    byInterval.set(interval, {
      ...row,
      unused: row.unused + 1,
      unusedSize: row.unusedSize + Number(size),
    });
  }
  return [...byInterval.values()].sort((a, b) =>
    a.interval < b.interval ? -1 : Number(a.interval > b.interval),
  );
}

/** A row with the segments of another version in the same interval. */
export const withVersion = (row: TimelineRow, other: TimelineRow): TimelineRow => ({
  ...sumOf([row, other], row.datasource, row.interval),
  versions: row.versions + other.versions,
});

/** The sums of several rows; the number of versions is the greatest of them. */
export function sumOf(
  rows: readonly TimelineRow[],
  datasource: string,
  interval: string,
): TimelineRow {
  const sums = { ...nothing };
  for (const row of rows)
    for (const name of Object.keys(nothing) as (keyof typeof nothing)[])
      sums[name] = name === 'versions' ? Math.max(sums[name], row[name]) : sums[name] + row[name];
  return { ...sums, datasource, interval };
}

const nothing = {
  segments: 0,
  size: 0,
  rows: 0,
  versions: 0,
  compacted: 0,
  notLoaded: 0,
  overshadowed: 0,
  unused: 0,
  realtime: 0,
  compactedSize: 0,
  overshadowedSize: 0,
  unusedSize: 0,
};
