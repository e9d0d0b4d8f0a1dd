// Sources of a native query: named columns, and DuckDB relations with the wanted columns.
import { eternity, formatInterval, type Interval } from '../../model/interval.ts';
import type { SegmentIngestion } from '../../model/segment.ts';
import type { TimeRange } from '../catalog.ts';
import type { SqlType } from '../types.ts';

export interface SourceColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly timeRange?: TimeRange; // of a datasource's times at this moment
  readonly hasStarts?: true; // a scan also knows the columns of time-starts.ts
  readonly hasMarks?: true; // and the column of unique-marks.ts
  readonly tableRows?: number; // of its datasource at this moment, or a few more
  readonly isStored?: true; // a column of segments
  readonly isUntyped?: true; // the query does not declare its type: it was inferred from the data
  readonly isOfDictionary?: true; // its values are entries of a dictionary
  readonly isUnnested?: true; // its values are items of other values
  readonly isComputedPair?: true; // pairs that a groupBy below computed: they have a text
  readonly hasGiven?: true; // a scan also knows the JSON of its values, as the query gives them
}

export interface NativeSource {
  readonly columns: readonly SourceColumn[];
  /**
   * A relation in parentheses with exactly the wanted columns, named by `identifiersOf(columns)`.
   * It may leave out rows outside the intervals; no interval means all time.
   */
  scan(wanted: readonly string[], intervals: readonly Interval[]): string;
  /**
   * The source's segments in some intervals (all if empty), ascending by time, each a source of its
   * own. Absent for sources without segments.
   */
  readonly segments?: (intervals: readonly Interval[]) => readonly SourceSegment[];
  /** Whether the columns have dictionaries and indexes: they are those of segments. */
  readonly hasIndexes?: true;
  /** The source whose indexes a search reads instead of these rows. */
  readonly indexed?: NativeSource;
  /** Whether the broker merges the results of several datasources. */
  readonly isUnion?: true;
  /** Whether rows without a time belong to every interval: they come from the right of a join. */
  readonly isOuter?: true;
  /** The id under which a scan shows rows without segments. */
  readonly id?: string;
}

export interface SourceSegment {
  readonly id: string;
  readonly dataSource: string;
  readonly interval: Interval;
  readonly ingestion: SegmentIngestion | undefined; // unknown for unpublished rows
  readonly source: NativeSource;
  readonly stored: NativeSource; // all stored rows, even those that the source above leaves out
}

/** A source derived from another row by row, with the same segments. */
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

/**
 * As `derivedSource`, for rows that a search leaves for the indexes of the base (Druid:
 * WrappedSegment.as).
 */
export const wrappedSource = (
  base: NativeSource,
  make: (base: NativeSource) => NativeSource,
): NativeSource =>
  derivedSource(base, (own) => {
    const indexed = own.hasIndexes ? own : own.indexed;
    return { ...make(own), ...(indexed && { indexed }) };
  });

/** The id of rows that the broker itself holds (Druid: SegmentId.dummy). */
export const rowsId = (name: string): string =>
  `${name}_${formatInterval(eternity)}_dummy_version`.replace('/', '_');

/** The name of a column with the JSON of the values that the query gives for a column. */
export const givenColumn = (name: string): string => `${name}${givenSuffix}`;

/** The column whose given values a column that `givenColumn` names has. */
export const givenColumnOf = (name: string): string | undefined =>
  name.endsWith(givenSuffix) ? name.slice(0, -givenSuffix.length) : undefined;

const givenSuffix = ' as given';

/** The DuckDB text of a column that a source does not have. */
export const missingSql = 'NULL::VARCHAR';

/** A source without rows. */
export const emptySource: NativeSource = {
  columns: [],
  scan: () => '(SELECT 1 AS "no column" WHERE false)',
  segments: () => [],
};
