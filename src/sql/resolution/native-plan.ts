// The native query that the engine's planner makes of a query, for EXPLAIN.

export type NativeJson = Readonly<Record<string, unknown>>;

/** A native query, its columns, and which of them each column of the SELECT is. */
export interface NativePlan {
  readonly query: NativeJson;
  readonly signature: readonly { readonly name: string; readonly type: string }[];
  readonly outputs: readonly string[];
  readonly depth: number; // of queries in data sources
  readonly inline?: NativeJson; // the rows, where the statement holds them
}

/** The data source of a native query. */
export interface NativeSource {
  readonly dataSource: NativeJson;
  readonly depth: number; // of queries in it
  readonly joins?: number; // in it, on the left side
}
