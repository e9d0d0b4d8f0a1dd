// Names and texts in DuckDB's SQL, written as the translation writes them.
export { identifier, quoted } from '../../sql/expressions/duckdb-text.ts';
