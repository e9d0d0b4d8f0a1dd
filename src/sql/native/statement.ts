// Translation result of a native query: DuckDB text, and the data that its result writer needs.
import type { GranularityJson } from '../../model/granularity.ts';
import type { Interval } from '../../model/interval.ts';
import type { SegmentIngestion } from '../../model/segment.ts';
import type { StatementSize } from '../ast.ts';
import type { InlinedRows, OutputColumn, Resource } from '../statement.ts';

export type ResultField = Pick<OutputColumn, 'hasLongFloats' | 'name' | 'type'> & {
  readonly isUntyped?: true; // a query above does not know its type
};

/** Rows of `time` (milliseconds), a flag for the grand total, and the fields. */
export interface TimeseriesStatement {
  readonly kind: 'timeseries';
  readonly sql: string;
  // The row of the grand total of a limited number of results. It reads the time of the last one
  // from the table "last".
  readonly shownTotal?: string;
  readonly fields: readonly ResultField[];
  readonly granularity: GranularityJson;
  readonly descending: boolean;
  readonly limit: number | undefined;
  readonly timeField: string | undefined; // name under which a result also shows its time
  /** Buckets without rows. Absent if they are skipped or if there is only one bucket. */
  readonly empty: EmptyBuckets | undefined;
}

export interface EmptyBuckets extends BucketRanges {
  readonly row: string; // one row with the fields of an empty bucket
}

export interface BucketRanges {
  // Queries for the first and last time of each stretch of data; absent for all time
  readonly ranges: readonly string[] | undefined;
  readonly intervals: readonly Interval[];
}

/** Rows of `time` and the fields, grouped by time and ordered by rank. */
export interface TopNStatement {
  readonly kind: 'topN';
  readonly sql: string;
  readonly fields: readonly ResultField[];
  readonly granularity: GranularityJson;
  /**
   * Buckets that are shown even without a row. For the single bucket of `all`, the query for its
   * time. Absent without data.
   */
  readonly buckets: BucketRanges | string | undefined;
}

/** Rows of `time` and the fields. */
export interface GroupByStatement {
  readonly kind: 'groupBy';
  readonly sql: string;
  readonly fields: readonly ResultField[];
  readonly granularity: GranularityJson;
  readonly asArray: boolean;
}

/** Rows of the fields. */
export interface WindowOperatorStatement {
  readonly kind: 'windowOperator';
  readonly sql: string;
  readonly fields: readonly ResultField[];
}

/** Rows of the fields, from one query after the other until there are enough rows. */
export interface ScanStatement {
  readonly kind: 'scan';
  readonly steps: readonly ScanStep[];
  readonly fields: readonly ResultField[];
  // For each field; undefined if the name is not a column
  readonly nativeTypes: readonly (string | undefined)[];
  readonly nested: readonly NestedField[];
  readonly rowsId: string | undefined; // segment id shown for rows without a segment
  readonly asList: boolean;
  readonly showsAll: boolean; // a segment of a union also shows the fields that it lacks
  readonly batchSize: number;
  readonly offset: number;
  readonly limit: number | undefined;
}

/** A field of nested data, which has another type in segments without a value. */
export interface NestedField {
  readonly index: number;
  readonly typeWithout: string | undefined;
}

/** Rows of the index of their segment and the fields. The index is `-1` without a segment. */
export interface ScanStep {
  readonly sql: string;
  readonly segments: readonly ScanSegment[];
}

export interface ScanSegment {
  readonly id: string;
  // The fields that a segment of a union has, by index, in the order of its columns
  readonly fields?: readonly number[];
  // A query for the number of values of each nested field
  readonly nestedValues?: string;
}

/** Rows of dimension, value and count. The time of merged segments is shown in the query's zone. */
export interface SearchResult {
  readonly time: number;
  readonly isMerged: boolean;
  readonly sql: string;
}

/** Results by time. */
export interface SearchStatement {
  readonly kind: 'search';
  readonly granularity: GranularityJson;
  readonly results: readonly SearchResult[];
}

/** One row of the first and the last time, null for none. */
export interface TimeBoundaryStatement {
  readonly kind: 'timeBoundary';
  readonly sql: string;
  readonly bound: 'maxTime' | 'minTime' | undefined;
  readonly time?: number; // under which the result stands: the start of the only segment
}

/** One row of the last time. */
export interface DataSourceMetadataStatement {
  readonly kind: 'dataSourceMetadata';
  readonly sql: string;
  readonly time?: number; // as in TimeBoundaryStatement
}

export interface SegmentMetadataStatement {
  readonly kind: 'segmentMetadata';
  readonly segments: readonly AnalyzedSegment[];
  readonly analysisTypes: readonly string[];
  readonly hasProjections: boolean; // the results have a field for projections
  readonly merge: boolean;
  readonly aggregatorMerge: AggregatorMerge;
  readonly dataSources: readonly string[];
}

export type AggregatorMerge = 'strict' | 'lenient' | 'earliest' | 'latest';

export interface AnalyzedSegment {
  readonly id: string;
  readonly interval: Interval;
  readonly ingestion: SegmentIngestion | undefined;
  readonly columns: readonly AnalyzedColumn[];
  // The number of rows and the size, then for each column: rows that are null, rows with several
  // values, distinct values, minimum, maximum, size
  readonly sql: string;
}

export interface AnalyzedColumn extends ResultField {
  readonly isText: boolean;
}

export type NativeQueryStatement =
  | DataSourceMetadataStatement
  | GroupByStatement
  | ScanStatement
  | SearchStatement
  | SegmentMetadataStatement
  | TimeBoundaryStatement
  | TimeseriesStatement
  | TopNStatement
  | WindowOperatorStatement;

export interface NativeStatement {
  readonly body: NativeQueryStatement;
  // Replaces the body if the context requests it
  readonly bySegment: readonly SegmentStatement[] | undefined;
  readonly resources: readonly Resource[];
  readonly inlined: readonly InlinedRows[]; // in reading order
  readonly context: Readonly<Record<string, unknown>>;
  readonly size: StatementSize;
  readonly numRows: number; // of the segments that it reads
}

export interface SegmentStatement {
  readonly id: string;
  readonly interval: Interval;
  readonly queried: Interval;
  readonly body: NativeQueryStatement;
}
