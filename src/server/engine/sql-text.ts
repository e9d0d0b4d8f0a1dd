// Names and texts in DuckDB's SQL, written as the translation writes them.
export { identifier } from '../../sql/expressions/duckdb-text.ts';
export { quote } from '../../sql/runtime/quoted.ts';
