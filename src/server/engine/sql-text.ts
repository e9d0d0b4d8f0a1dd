// How DuckDB's SQL writes names and texts: as the translation of statements does.
export { identifier, quoted } from '../../sql/duckdb-text.ts';
