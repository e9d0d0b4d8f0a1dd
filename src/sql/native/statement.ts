// Translation result of a native query: DuckDB text, and the data that its result writer needs.
import type { GranularityJson } from '../../model/granularity.ts';
import type { Interval } from '../../model/interval.ts';
import type { SegmentIngestion } from '../../model/segment.ts';
import type { StatementSize } from '../ast.ts';
import type { InlinedRows, Resource } from '../statement.ts';
import type { SqlType } from '../types.ts';

export interface ResultField {
  readonly name: string;
  readonly type: SqlType;
}

/** Rows of `time` (milliseconds), whether it is the grand total, and then the fields. */
export interface TimeseriesStatement {
  readonly kind: 'timeseries';
  readonly sql: string;
  readonly fields: readonly ResultField[];
  readonly granularity: GranularityJson;
  readonly descending: boolean;
  readonly limit: number | undefined;
  readonly timeField: string | undefined; // the name under which a result also shows its time
  /** Buckets without rows; absent where they are skipped, and where there is one bucket only. */
  readonly empty: EmptyBuckets | undefined;
}

export interface EmptyBuckets extends BucketRanges {
  readonly row: string; // one row of fields: what a bucket without rows says
}

export interface BucketRanges {
  // Queries for the first and last time of each stretch of data; absent for all time
  readonly ranges: readonly string[] | undefined;
  readonly intervals: readonly Interval[];
}

/** Rows of `time` and the fields, those of one time together and in the order of their rank. */
export interface TopNStatement {
  readonly kind: 'topN';
  readonly sql: string;
  readonly fields: readonly ResultField[];
  readonly granularity: GranularityJson;
  /**
   * Buckets that are shown also without a row; of the one bucket of `all` the query for its time;
   * absent without data.
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

/** Rows of the fields; one query after the other, until there are enough rows. */
export interface ScanStatement {
  readonly kind: 'scan';
  readonly steps: readonly ScanStep[];
  readonly fields: readonly ResultField[];
  // Of each field; undefined where the name is not a column
  readonly nativeTypes: readonly (string | undefined)[];
  readonly rowsId: string | undefined; // what stands for the segment of rows that have none
  readonly asList: boolean;
  readonly batchSize: number;
  readonly offset: number;
  readonly limit: number | undefined;
}

/** Rows of the index of their segment and the fields; `-1` where there is none to speak of. */
export interface ScanStep {
  readonly sql: string;
  readonly segments: readonly string[];
}

/** Results of their time, each with rows of dimension, value and count. */
export interface SearchStatement {
  readonly kind: 'search';
  readonly results: readonly { readonly time: number; readonly sql: string }[];
}

/** One row of the first and the last time, null for none. */
export interface TimeBoundaryStatement {
  readonly kind: 'timeBoundary';
  readonly sql: string;
  readonly bound: 'maxTime' | 'minTime' | undefined;
}

/** One row of the last time. */
export interface DataSourceMetadataStatement {
  readonly kind: 'dataSourceMetadata';
  readonly sql: string;
}

export interface SegmentMetadataStatement {
  readonly kind: 'segmentMetadata';
  readonly segments: readonly AnalyzedSegment[];
  readonly columns: readonly AnalyzedColumn[];
  readonly analysisTypes: readonly string[];
  readonly hasProjections: boolean; // the results have a field for them
  readonly merge: boolean;
  readonly aggregatorMerge: AggregatorMerge;
  readonly dataSource: string;
}

export type AggregatorMerge = 'strict' | 'lenient' | 'earliest' | 'latest';

export interface AnalyzedSegment {
  readonly id: string;
  readonly interval: Interval;
  readonly sizeBytes: number;
  readonly ingestion: SegmentIngestion | undefined;
  // The number of rows, then of each column: how many rows are null, have several values; how many
  // values, the least, the greatest
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
  | TopNStatement;

export interface NativeStatement {
  readonly body: NativeQueryStatement;
  // Instead of the body, when the context asks for it
  readonly bySegment: readonly SegmentStatement[] | undefined;
  readonly resources: readonly Resource[];
  readonly inlined: readonly InlinedRows[]; // in the order in which they are read
  readonly context: Readonly<Record<string, unknown>>;
  readonly size: StatementSize;
}

export interface SegmentStatement {
  readonly id: string;
  readonly interval: Interval;
  readonly queried: Interval;
  readonly body: NativeQueryStatement;
}
