// The native query that the engine's planner builds for a query, for EXPLAIN.

export type NativeJson = Readonly<Record<string, unknown>>;

/** A native query, its columns, and the column that each item of the SELECT is. */
export interface NativePlan {
  readonly query: NativeJson;
  readonly signature: readonly { readonly name: string; readonly type: string }[];
  readonly outputs: readonly string[];
  readonly depth: number; // nesting of queries in data sources
  readonly inline?: NativeJson; // the rows, where the statement contains them
}

/** The data source of a native query. */
export interface PlannedSource {
  readonly dataSource: NativeJson;
  readonly depth: number; // nesting of queries in it
  readonly joins?: number; // joins on its left side
}
