// Types of DuckDB's handles. Types only: this file loads nothing.
import type * as bindings from '@duckdb/node-bindings';

export type Bindings = typeof bindings;
export type DuckDbConnection = bindings.Connection;
export type PreparedStatement = bindings.PreparedStatement;
export type LogicalType = bindings.LogicalType;
export type DuckResult = bindings.Result;
export type Vector = bindings.Vector;
