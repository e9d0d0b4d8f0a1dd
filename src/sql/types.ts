// The types of SQL and of the engine below it. A value in DuckDB is always the engine's native value: times are milliseconds since 1970 (BIGINT),
// a multi-value string is a VARCHAR[], nested data is JSON. Only the SQL type knows that a BIGINT is a time.

export type SqlTypeName =
  | 'VARCHAR'
  | 'CHAR'
  | 'BIGINT'
  | 'INTEGER'
  | 'SMALLINT'
  | 'TINYINT'
  | 'DOUBLE'
  | 'FLOAT'
  | 'REAL'
  | 'DECIMAL'
  | 'BOOLEAN'
  | 'TIMESTAMP'
  | 'DATE'
  | 'ARRAY'
  | 'OTHER'
  | 'NULL'
  | 'INTERVAL_DAY'
  | 'INTERVAL_YEAR_MONTH'
  | 'ROW';

/** The type of an expression. `multiValue` marks a VARCHAR that may hold several values in one row (Druid: multi-value dimensions). */
export interface SqlType {
  readonly name: SqlTypeName;
  readonly element?: SqlType; // of ARRAY
  readonly complex?: string; // of OTHER: json, hyperUnique, HLLSketch, ...
  readonly multiValue?: boolean;
  readonly precision?: number;
  readonly scale?: number;
}

/** As the wire spells them: STRING, LONG, FLOAT, DOUBLE, ARRAY<STRING>, COMPLEX<json>. */
export type NativeType = string;
