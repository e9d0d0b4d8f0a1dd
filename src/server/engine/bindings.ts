// The names of DuckDB's handles. Types only: nothing is loaded here.
import type * as bindings from '@duckdb/node-bindings';

export type Bindings = typeof bindings;
export type DuckDbConnection = bindings.Connection;
export type LogicalType = bindings.LogicalType;
export type Result = bindings.Result;
export type Vector = bindings.Vector;
