// SQL queries from the view of their readers, HTTP and JDBC.

import type { SqlRequest } from '../../contract/sql.ts';
import type { OutputColumn } from '../../sql/statement.ts';
import type { RequestContext } from '../handlers/routes.ts';
import type { Batch } from './result-writer.ts';

/** A running query, whose rows can be read once. */
export interface OpenQuery {
  readonly columns: readonly OutputColumn[];
  readonly context: Readonly<Record<string, unknown>>; // of the request, with the values of SET
  readonly signal: AbortSignal; // aborted when it is stopped before its end
  readonly batches: AsyncIterable<Batch>;
  /** Ends the query, whether or not its rows have been read. */
  end(outcome: QueryOutcome): Promise<void>;
}

/** Outcome of a query. */
export type QueryOutcome = 'SUCCESS' | 'FAILED' | 'CANCELED';

/** Runs queries for callers that read the rows themselves. */
export interface OpensQueries {
  open(request: SqlRequest, context: RequestContext): Promise<OpenQuery>;
  /** The columns of a query's result, without running it. */
  columns(request: SqlRequest, context: RequestContext): Promise<readonly OutputColumn[]>;
}
