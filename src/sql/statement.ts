// Translation result of a statement: DuckDB text, and the data needed to run it, authorize it and
// write its result.
import type { Granularity } from '../model/granularity.ts';
import type { SegmentAggregator } from '../model/segment.ts';

import type { Position, StatementSize } from './ast.ts';

import type { NativeType, SqlType } from './types.ts';

export type TranslatedStatement = SelectStatement | IngestStatement | ExplainStatement;

export interface OutputColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly nativeType: NativeType | null;
  readonly hasLongFloats?: true; // large FLOATs are printed with more digits than needed
}

export interface Resource {
  readonly type:
    | 'DATASOURCE'
    | 'VIEW'
    | 'SYSTEM_TABLE'
    | 'EXTERNAL'
    | 'CONFIG'
    | 'STATE'
    | 'QUERY_CONTEXT';
  readonly name: string;
  readonly action: 'READ' | 'WRITE';
}

export interface SelectStatement {
  readonly kind: 'select';
  readonly duckdb: string;
  // As many as the DuckDB result has, in the same order; names may repeat
  readonly columns: readonly OutputColumn[];
  readonly resources: readonly Resource[];
  readonly externs: readonly Extern[];
  // Innermost first, without the joins of correlated queries
  readonly joins: readonly StatementJoin[];
  readonly files: readonly string[]; // files that it reads
  readonly inlined: readonly InlinedRows[]; // in reading order
  readonly queryType: QueryPlan['queryType']; // of the query on the outside
  readonly context: Readonly<Record<string, unknown>>; // the request's context with SET's values
  readonly size: StatementSize;
  readonly numRows: number; // of the segments that it reads
  readonly keptValues: number; // values that its aggregates keep until the last row
  readonly readsClock: boolean; // it contains the time of its translation
  // It has one row for each row of its only table or external input, and no others
  readonly keepsRows?: true;
  // Variables of a session can choose a part of its groups
  readonly isDivisible?: true;
}

/**
 * The rows of an inner query that the native engine reads into memory before it runs the query
 * above.
 */
export interface InlinedRows {
  readonly common: string; // WITH and a space, or empty
  readonly from: string; // DuckDB text after FROM
  readonly columns: readonly { readonly sql: string; readonly type: SqlType }[]; // columns in use
  readonly isUntyped?: boolean; // the engine does not know the types and does not count bytes
  // Where the query behind IN stands whose distinct texts these are; not of NOT IN
  readonly among?: Position;
}

/** The texts of a query behind IN, read before the statement is translated again. */
export interface KnownValues {
  readonly among: Position; // where the query stands
  readonly values: readonly string[];
}

/**
 * An external input of a statement. The caller creates a view or table named `relation` before it
 * runs the statement.
 */
export interface Extern {
  readonly relation: string;
  readonly inputSource: Readonly<Record<string, unknown>>;
  readonly inputFormat: Readonly<Record<string, unknown>>;
  readonly signature: readonly { readonly name: string; readonly type: NativeType }[];
}

/**
 * A join of a statement for the multi-stage engine, with both sides as separately readable inputs.
 */
export interface StatementJoin {
  readonly joinType: string;
  readonly left: JoinSide;
  readonly right: JoinSide;
  // The condition consists of equalities between the sides, or there is none
  readonly isEquality: boolean;
}

export interface JoinSide {
  readonly common: string; // WITH and a space, or empty
  readonly from: string; // DuckDB text after FROM
  readonly files: readonly string[]; // files that the text reads
  readonly join?: StatementJoin; // the join that yields these rows
  // Must equal the keys of the other side, in this order
  readonly keys: readonly { readonly sql: string; readonly name: string }[];
  readonly sources: readonly string[]; // the names of tables and the relations of external inputs
}

export interface IngestStatement {
  readonly kind: 'insert' | 'replace';
  // Its columns are stored. `__time` is one of them unless partitionedBy is ALL
  readonly query: SelectStatement;
  readonly target:
    | { readonly kind: 'datasource'; readonly name: string }
    | {
        readonly kind: 'export';
        readonly destination: Readonly<Record<string, unknown>>;
        readonly format: string;
      };
  readonly resources: readonly Resource[]; // resources of the query and of the target
  readonly partitionedBy: string; // the period as ISO text (`P1D`), or `ALL`
  readonly clusteredBy: readonly { readonly column: string; readonly descending: boolean }[];
  readonly rollup?: Rollup; // its rows are groups that can be combined further
  readonly overwrite?: 'ALL' | readonly { readonly startMs: bigint; readonly endMs: bigint }[]; // of REPLACE
  readonly context: Readonly<Record<string, unknown>>;
}

export interface ExplainStatement {
  readonly kind: 'explain';
  readonly statement: SelectStatement | IngestStatement;
  readonly plan: string; // JSON text
  readonly resources: readonly Resource[];
  readonly resourcesText: string; // JSON text for the RESOURCES column
  readonly attributes: string; // JSON text
  readonly context: Readonly<Record<string, unknown>>;
}

/**
 * The EXPLAIN description of a query without a native query. The native engine's limits also depend
 * on it.
 */
export interface QueryPlan {
  readonly queryType: 'scan' | 'timeseries' | 'topN' | 'groupBy' | 'windowOperator' | 'metadata';
  readonly dataSource: unknown;
  readonly [property: string]: unknown;
}

export interface Rollup {
  readonly queryGranularity: Granularity;
  // For metric columns; all others are dimensions
  readonly aggregators: readonly SegmentAggregator[];
}
