// Interface of a reader of DuckDB results.
import type { Batch } from '../statements/result-writer.ts';

/** Runs DuckDB SQL. */
export type Read = (sql: string) => Promise<AsyncIterable<Batch>>;
