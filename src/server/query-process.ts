// Program of a query process: a child process of the service. It runs statements that may need more
// memory than DuckDB accounts for, keeps no state, and can be killed at any time.
import { macros } from '../sql/runtime/macros.ts';
import { endWithService } from './engine/child-program.ts';
import { openDatabase } from './engine/duckdb.ts';
import { hostSessions } from './engine/query-process-host.ts';
import { sqlFunctions } from './engine/sql-functions.ts';
import { hashBucket } from './ingestion/hash-buckets.ts';

endWithService();
process.on('disconnect', () => process.exit());

hostSessions(
  {
    send: (answer) => void process.send?.(answer),
    onMessage: (receive) => process.on('message', receive),
  },
  (settings) =>
    openDatabase({ ...settings, macros, scalarFunctions: [...sqlFunctions, hashBucket] }),
);
