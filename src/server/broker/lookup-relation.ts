// The pairs of a large lookup as DuckDB text: a relation that reads their file.
import { identifier } from '../../sql/expressions/duckdb-text.ts';
import { quote } from '../../sql/runtime/quoted.ts';
import type { LookupFile } from '../storage/lookup-files.ts';

/** A relation in parentheses with the requested columns out of k and v. */
export function lookupRelation({ path, sizeBytes }: LookupFile, wanted: readonly string[]): string {
  const read =
    sizeBytes > mostBytesHere
      ? 'druid_many_pairs(content)'
      : `from_json(content, '"MAP(VARCHAR,VARCHAR)"')`;
  const lists =
    'unnest(map_keys(pairs)) AS k, unnest(map_values(pairs)) AS v, generate_subscripts(map_keys(pairs), 1) AS place';
  const rows = `(SELECT ${lists} FROM (SELECT ${read} AS pairs FROM read_text(${quote(path)})))`;
  // For a duplicate key, the last value counts.
  const pairs = `(SELECT k, arg_max_null(v, place) AS v FROM ${rows} GROUP BY k)`;
  return `(SELECT ${wanted.map(identifier).join(', ') || '0 AS "no column"'} FROM ${pairs})`;
}

// DuckDB builds the map of a lookup at once, in ten times the memory of its text: a large one is
// built in a query process.
const mostBytesHere = 1024 * 1024;
