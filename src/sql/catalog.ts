// Interface of the catalog. The service implements it.
import type { Interval } from '../model/interval.ts';
import type { SegmentIngestion } from '../model/segment.ts';
import type { NativeType } from './types.ts';

export interface Catalog {
  /**
   * The table of a name. `schema` is as written (`druid`, `sys`, `INFORMATION_SCHEMA`, `lookup`),
   * or undefined if the query names none.
   */
  findTable(schema: string | undefined, name: string): Table | undefined;
  /**
   * The key-value pairs of a lookup, as a DuckDB relation with the columns k and v; undefined if
   * there is no such lookup.
   */
  findLookup(name: string): string | undefined;
  /**
   * A value whose elements stay the same as long as a datasource does: its columns, its segments
   * and their scans. Undefined if it may change at any moment.
   */
  stampOf?(dataSource: string): readonly unknown[] | undefined;
}

export interface Table {
  readonly schema: string;
  readonly name: string;
  readonly kind: 'datasource' | 'lookup' | 'system' | 'information' | 'inline';
  readonly columns: readonly TableColumn[]; // in the order of SELECT *
  /**
   * A DuckDB relation with exactly the wanted columns, named by `identifiersOf(columns)`. It may
   * leave out rows outside `intervals`, which are a hint from the WHERE clause on __time.
   */
  scan(wanted: Wanted): Scan;
  /**
   * The segments of a datasource in some intervals (all by default), ascending by time. Other
   * tables have none.
   */
  readonly segments?: (intervals?: readonly TimeRange[]) => readonly TableSegment[];
}

/** A relation in parentheses, and the files that it reads. */
export interface Scan {
  readonly sql: string;
  readonly files: readonly string[];
  readonly numRows?: number; // of the segments that it reads
}

export interface Wanted {
  readonly columns: readonly string[];
  readonly intervals?: readonly TimeRange[];
  readonly isNewestFirst?: boolean; // the order in which to read segments; ascending by default
}

export interface TableSegment {
  readonly id: string;
  readonly interval: Interval;
  readonly ingestion: SegmentIngestion | undefined; // unknown for unpublished rows
  scan(wanted: Wanted): Scan;
}

/** Milliseconds since 1970, without the end. An open side is absent. */
export interface TimeRange {
  readonly startMs?: bigint;
  readonly endMs?: bigint;
}

export interface TableColumn {
  readonly name: string;
  readonly type: NativeType;
  readonly multiValue: boolean;
  readonly sqlType?: 'TIMESTAMP' | 'BOOLEAN'; // where the native type says too little: __time
  readonly nullable?: boolean;
  readonly timeRange?: TimeRange; // of the times of a datasource's segments at this moment
  readonly newest?: readonly NewestRows[]; // of a datasource's time, from the newest on
  readonly hasStarts?: true; // the scan also knows the columns of time-starts.ts
  readonly tableRows?: number; // rows of its datasource at this moment, or a few more
  readonly statistics?: ColumnStatistics; // of its datasource at this moment
}

/** What is known of the values of a column. */
export interface ColumnStatistics {
  // Of whole numbers: the least and the greatest, or a wider range
  readonly range?: readonly [least: number, most: number];
  readonly distinct?: number; // texts, estimated
  readonly hasMarks?: true | undefined; // a table stores the marks of the texts (unique-marks.ts)
}

/** That at least so many rows of a datasource have this time or a later one. */
export interface NewestRows {
  readonly sinceMs: bigint;
  readonly numRows: bigint;
}
