// Messages between the service and its query processes. Each request gets one answer, in order.
import type { Attachments } from './attached-tables.ts';
import type { DatabaseSettings } from './duckdb.ts';
import type { Chunk, DuckColumn } from './session.ts';

/** The database settings of a query process. Macros and functions are part of its program. */
export type ProcessSettings = Omit<DatabaseSettings, 'macros' | 'scalarFunctions' | 'isLocked'>;

/** A request to a query process: first `open`, then sessions and their statements in sequence. */
export type ProcessRequest =
  | { readonly kind: 'open'; readonly settings: ProcessSettings }
  | {
      readonly kind: 'begin';
      readonly memoryBytes: number;
      readonly threads: number;
      readonly tables: Attachments | undefined; // if they changed
      readonly bits: number | undefined; // the range of group tables
      readonly mayKeep: boolean; // its only query may stay prepared for the next session
    }
  | { readonly kind: 'run' | 'query'; readonly sql: string }
  | { readonly kind: 'next' } // the next part of the result that is being read
  | { readonly kind: 'end' };

/** A message without a reply; it overtakes requests. */
export type ProcessSignal =
  | { readonly kind: 'interrupt' }
  | { readonly kind: 'limit'; readonly memoryBytes: number };

export type ProcessAnswer =
  | { readonly kind: 'done'; readonly answer: unknown }
  | { readonly kind: 'failed'; readonly message: string; readonly isLimit: boolean } // DuckDB's words; those of a function's limit?
  | { readonly kind: 'memory'; readonly bytes: number }; // resident memory, on systems where the service cannot read it

/** The reply to each kind of request. */
export interface AnswerTo {
  readonly open: null;
  readonly begin: readonly string[]; // names of tables whose files are missing or damaged
  readonly run: number; // number of changed rows
  readonly query: { readonly columns: readonly DuckColumn[]; readonly part: Chunk | undefined };
  readonly next: Chunk | undefined;
  readonly end: null;
}
