// Parquet files from a query, written by the engine of the service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSession } from '../../src/server/engine/database-session.ts';
import { openDatabase } from '../../src/server/engine/duckdb.ts';
import { quote } from '../../src/server/engine/sql-text.ts';

export async function writeParquet(path: string, select: string): Promise<void> {
  const spillFolder = mkdtempSync(join(tmpdir(), 'svcctl-spill-'));
  const database = await openDatabase({
    allowedFolders: [dirname(path)],
    spillFolder,
    maxSpillBytes: 0,
    memoryLimitBytes: 1e9,
    threads: 1,
    macros: [],
    scalarFunctions: [],
  });
  const session = new DatabaseSession({
    duckdb: database.duckdb,
    connection: await database.connect(),
    signal: new AbortController().signal,
    translate: (error) => error,
    aside: (wait) => wait(),
  });
  await session.run(`COPY (${select}) TO ${quote(path)} (FORMAT parquet)`);
  await database.close();
  rmSync(spillFolder, { recursive: true, force: true });
}
