// Translation result of a statement: DuckDB text, and the data needed to run it, authorize it and
// write its result.
import type { Granularity } from '../model/granularity.ts';
import type { SegmentAggregator } from '../model/segment.ts';

import type { StatementSize } from './ast.ts';

import type { NativeType, SqlType } from './types.ts';

export type TranslatedStatement = SelectStatement | IngestStatement | ExplainStatement;

export interface OutputColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly nativeType: NativeType | null;
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
  // As many as the DuckDB result has, in its order; names need not be unique
  readonly columns: readonly OutputColumn[];
  readonly resources: readonly Resource[];
  readonly externs: readonly Extern[];
  // Inner ones first; none of those in queries that name columns of a query around them
  readonly joins: readonly StatementJoin[];
  readonly files: readonly string[]; // that it reads
  readonly inlined: readonly InlinedRows[]; // in the order in which they are read
  readonly queryType: QueryPlan['queryType']; // of the query on the outside
  readonly context: Readonly<Record<string, unknown>>; // the request's, with what SET added
  readonly size: StatementSize;
}

/**
 * The rows of a query below another that the native engine holds in memory before it runs the one
 * above.
 */
export interface InlinedRows {
  readonly common: string; // WITH and a space, or nothing
  readonly from: string; // DuckDB text to stand after FROM
  readonly columns: readonly { readonly sql: string; readonly type: SqlType }[]; // that are needed
  readonly isUntyped?: boolean; // the engine does not know the types, and counts no bytes
}

/**
 * An external input of a statement: whoever runs it makes a view or table called `relation` first.
 */
export interface Extern {
  readonly relation: string;
  readonly inputSource: Readonly<Record<string, unknown>>;
  readonly inputFormat: Readonly<Record<string, unknown>>;
  readonly signature: readonly { readonly name: string; readonly type: NativeType }[];
}

/**
 * A join of a statement for the multi-stage engine, with both of its sides as what can be read by
 * itself.
 */
export interface StatementJoin {
  readonly joinType: string;
  readonly left: JoinSide;
  readonly right: JoinSide;
  // The condition is made of equalities of the two sides, or there is none
  readonly isEquality: boolean;
}

export interface JoinSide {
  readonly common: string; // WITH and a space, or nothing
  readonly from: string; // DuckDB text to stand after FROM
  readonly files: readonly string[]; // that the text reads
  readonly join?: StatementJoin; // whose rows these are
  // That must equal those of the other side, in this order
  readonly keys: readonly { readonly sql: string; readonly name: string }[];
  readonly sources: readonly string[]; // the names of tables and the relations of external inputs
}

export interface IngestStatement {
  readonly kind: 'insert' | 'replace';
  // Its columns are the columns to store; `__time` is one of them unless partitionedBy is ALL
  readonly query: SelectStatement;
  readonly target:
    | { readonly kind: 'datasource'; readonly name: string }
    | {
        readonly kind: 'export';
        readonly destination: Readonly<Record<string, unknown>>;
        readonly format: string;
      };
  readonly resources: readonly Resource[]; // the query's and the target's
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
 * What EXPLAIN tells where there is no native query, and what the native engine's limits depend on.
 */
export interface QueryPlan {
  readonly queryType: 'scan' | 'timeseries' | 'topN' | 'groupBy' | 'windowOperator' | 'metadata';
  readonly dataSource: unknown;
  readonly [property: string]: unknown;
}

export interface Rollup {
  readonly queryGranularity: Granularity;
  // Of the columns that are metrics; all others are dimensions
  readonly aggregators: readonly SegmentAggregator[];
}
