// SQL queries as their readers see them: HTTP, JDBC.

import type { SqlRequest } from '../../contract/sql.ts';
import type { OutputColumn } from '../../sql/statement.ts';
import type { RequestContext } from '../handlers/routes.ts';
import type { Batch } from './result-writer.ts';

/** A query that runs, whose rows can be read once. */
export interface OpenQuery {
  readonly columns: readonly OutputColumn[];
  readonly context: Readonly<Record<string, unknown>>; // of the request, with what SET added
  readonly batches: AsyncIterable<Batch>;
  /** Ends it, whether or not its rows have been read. */
  end(outcome: Outcome): Promise<void>;
}

/** How a query has ended. */
export type Outcome = 'SUCCESS' | 'FAILED' | 'CANCELED';

/** Runs queries whose rows somebody else reads. */
export interface OpensQueries {
  open(request: SqlRequest, context: RequestContext): Promise<OpenQuery>;
  /** The columns that a query would have. */
  columns(request: SqlRequest, context: RequestContext): Promise<readonly OutputColumn[]>;
}
