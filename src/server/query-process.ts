// The program of a query process: a child process of the service. It runs statements that may grow
// beyond what DuckDB accounts for, keeps no state, and can be killed at any time.
import { Worker } from 'node:worker_threads';
import { macros } from '../sql/macros.ts';
import { openDatabase } from './engine/duckdb.ts';
import { hostSessions } from './engine/query-process-host.ts';
import { sqlFunctions } from './engine/sql-functions.ts';
import { hashBucket } from './ingestion/hash-buckets.ts';

// A process without its service has no purpose. A thread of its own notices that the service is gone,
// because a function may be busy on this one. SIGKILL, because DuckDB's threads may be busy, too.
const watch = `
  const service = process.ppid;
  setInterval(() => process.ppid === service || process.kill(process.pid, 'SIGKILL'), 500);
`;
new Worker(watch, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 2 } }).unref();
process.on('disconnect', () => process.exit());
// The service decides when its processes end; a terminal sends its signals to all of them.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

hostSessions(
  {
    send: (answer) => void process.send?.(answer),
    onMessage: (receive) => process.on('message', receive),
  },
  (settings) => openDatabase({ ...settings, macros, scalarFunctions: [...sqlFunctions, hashBucket] }),
);
