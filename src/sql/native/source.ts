// Sources of a native query: columns by name, and DuckDB relations with the wanted columns.
import { eternity, formatInterval, type Interval } from '../../model/interval.ts';
import type { SegmentIngestion } from '../../model/segment.ts';
import type { SqlType } from '../types.ts';

export interface SourceColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly isUntyped?: true; // the query does not say its type: it was found by looking
}

export interface NativeSource {
  readonly columns: readonly SourceColumn[];
  /**
   * A relation in parentheses with exactly the wanted columns, called as `identifiersOf(columns)`
   * says. Rows outside of the intervals may be left out; no interval means all.
   */
  scan(wanted: readonly string[], intervals: readonly Interval[]): string;
  /**
   * The segments it is made of in some intervals (all for none), ascending by time, each a source
   * of its own; absent where there are no such.
   */
  readonly segments?: (intervals: readonly Interval[]) => readonly SourceSegment[];
  /** The id under which a scan shows its rows where there are no segments. */
  readonly id?: string;
}

export interface SourceSegment {
  readonly id: string;
  readonly interval: Interval;
  readonly sizeBytes: number;
  readonly ingestion: SegmentIngestion | undefined; // of rows that are not published, unknown
  readonly source: NativeSource;
  readonly stored: NativeSource; // all of its rows, whatever the source above leaves out
}

/** A source made of another row by row; it has the other's segments. */
export function derivedSource(
  base: NativeSource,
  make: (base: NativeSource) => NativeSource,
): NativeSource {
  const { segments, id } = base;
  const made = make(base);
  return segments
    ? {
        ...made,
        segments: (intervals) =>
          segments(intervals).map((segment) => ({ ...segment, source: make(segment.source) })),
      }
    : { ...made, ...(id !== undefined && { id }) };
}

/** The id of rows that a Broker holds itself (Druid: SegmentId.dummy). */
export const rowsId = (name: string): string =>
  `${name}_${formatInterval(eternity)}_dummy_version`.replace('/', '_');

/** A source without rows. */
export const emptySource: NativeSource = {
  columns: [],
  scan: () => '(SELECT 1 AS "no column" WHERE false)',
  segments: () => [],
};
