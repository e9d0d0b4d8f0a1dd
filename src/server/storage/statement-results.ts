// Table of stored statement results; their rows are files (result-store.ts).
import type { OutputColumn } from '../../sql/statement.ts';
import { jsonText, jsonValue, type Transaction } from './metadata.ts';

export interface StoredResult {
  readonly queryId: string;
  readonly createdMs: number;
  readonly identity: string | undefined; // the user who may read it
  readonly columns: readonly OutputColumn[];
  readonly pages: readonly ResultPage[]; // in the order of the rows
  readonly numRows: number;
  readonly sizeBytes: number;
  readonly sample: string; // the first rows, as a JSON list of lists
}

export interface ResultPage {
  readonly id: number;
  readonly numRows: number;
  readonly sizeInBytes: number;
}

export const setStatementResult = (tx: Transaction, result: StoredResult): void =>
  void tx.run(
    'INSERT OR REPLACE INTO statement_results VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    result.queryId,
    result.createdMs,
    result.identity ?? null,
    jsonText(result.columns),
    jsonText(result.pages),
    result.numRows,
    result.sizeBytes,
    result.sample,
  );

export function findStatementResult(tx: Transaction, queryId: string): StoredResult | undefined {
  const row = tx.get<ResultRow>('SELECT * FROM statement_results WHERE query_id = ?', queryId);
  return row && resultOf(row);
}

/** Deletes the results of deleted tasks; their files can be removed afterwards. */
export const deleteResultsWithoutTask = (tx: Transaction): number =>
  tx.run('DELETE FROM statement_results WHERE query_id NOT IN (SELECT id FROM tasks)');

interface ResultRow {
  readonly query_id: string;
  readonly created_ms: number;
  readonly identity: string | null;
  readonly columns: string;
  readonly pages: string;
  readonly num_rows: number;
  readonly size_bytes: number;
  readonly sample: string;
}

const resultOf = (row: ResultRow): StoredResult => ({
  queryId: row.query_id,
  createdMs: row.created_ms,
  identity: row.identity ?? undefined,
  columns: jsonValue(row.columns),
  pages: jsonValue(row.pages),
  numRows: row.num_rows,
  sizeBytes: row.size_bytes,
  sample: row.sample,
});
