// What is known of the kept results of asynchronous statements; the pages are files of their own.
import { jsonText, jsonValue, type Transaction } from './metadata.ts';

export interface StatementResult {
  readonly queryId: string;
  readonly createdMs: number;
  readonly identity: string | undefined; // who may see it
  readonly columns: readonly Readonly<Record<string, unknown>>[];
  readonly pages: readonly ResultPage[];
  readonly numRows: number;
  readonly sizeBytes: number;
}

export interface ResultPage {
  readonly id: number;
  readonly numRows: number;
  readonly sizeInBytes: number;
  readonly path: string; // below the data folder
}

export const setStatementResult = (tx: Transaction, result: StatementResult): void =>
  void tx.run(
    'INSERT OR REPLACE INTO statement_results VALUES (?, ?, ?, ?, ?, ?, ?)',
    result.queryId,
    result.createdMs,
    result.identity ?? null,
    jsonText(result.columns),
    jsonText(result.pages),
    result.numRows,
    result.sizeBytes,
  );

export function findStatementResult(tx: Transaction, queryId: string): StatementResult | undefined {
  const row = tx.get<ResultRow>('SELECT * FROM statement_results WHERE query_id = ?', queryId);
  return row && resultOf(row);
}

/** Forgets results from before a time; returns them, so that their pages can go too. */
export const deleteStatementResultsBefore = (tx: Transaction, createdMs: number): StatementResult[] =>
  tx.all<ResultRow>('DELETE FROM statement_results WHERE created_ms < ? RETURNING *', createdMs).map(resultOf);

interface ResultRow {
  readonly query_id: string;
  readonly created_ms: number;
  readonly identity: string | null;
  readonly columns: string;
  readonly pages: string;
  readonly num_rows: number;
  readonly size_bytes: number;
}

const resultOf = (row: ResultRow): StatementResult => ({
  queryId: row.query_id,
  createdMs: row.created_ms,
  identity: row.identity ?? undefined,
  columns: jsonValue(row.columns),
  pages: jsonValue(row.pages),
  numRows: row.num_rows,
  sizeBytes: row.size_bytes,
});
