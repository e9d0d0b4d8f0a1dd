// A data folder and an engine of a test's own, gone after it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SegmentColumn } from '../../src/model/segment.ts';
import { DatabaseSession } from '../../src/server/engine/database-session.ts';
import { type DatabaseSettings, openDatabase } from '../../src/server/engine/duckdb.ts';
import { Engine, type EngineSettings } from '../../src/server/engine/engine.ts';
import { writeSegmentFile } from '../../src/server/engine/segment-file.ts';
import type { StagedSegment } from '../../src/server/storage/segment-store.ts';
import { openStorage, type Storage } from '../../src/server/storage/storage.ts';

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svcctl-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function temporaryStorage(): Promise<Storage> {
  const storage = openStorage(await temporaryFolder());
  onTestFinished(() => storage.close());
  return storage;
}

export function engineFor(storage: Storage, settings: Partial<EngineSettings> = {}): Engine {
  const { forQueries, spill } = storage.folder;
  const engine = new Engine({
    allowedFolders: forQueries,
    spillFolder: spill,
    threads: 2,
    ...settings,
  });
  onTestFinished(() => engine.close());
  return engine;
}

/**
 * A session on a database of this process, with these macros and functions, until the test ends.
 * Errors are DuckDB's.
 */
export async function databaseSession(
  given: Pick<DatabaseSettings, 'macros' | 'scalarFunctions'>,
): Promise<DatabaseSession> {
  const spillFolder = await temporaryFolder();
  const database = await openDatabase({
    allowedFolders: [],
    spillFolder,
    maxSpillBytes: 0,
    memoryLimitBytes: 1e9,
    threads: 1,
    ...given,
  });
  onTestFinished(() => database.close());
  return new DatabaseSession({
    duckdb: database.duckdb,
    connection: await database.connect(),
    signal: new AbortController().signal,
    translate: (error) => error,
    aside: (wait) => wait(),
  });
}

const time: SegmentColumn = { name: '__time', type: 'LONG', multiValue: false };

export const column = (name: string, type: string, multiValue = false): SegmentColumn => ({
  name,
  type,
  multiValue,
});

/**
 * Writes what a query returns as a staged segment of the datasource `wiki`, one day of 2024 long
 * unless said otherwise.
 */
export async function staged(
  storage: Storage,
  engine: Engine,
  query: string,
  given: Partial<StagedSegment> = {},
): Promise<StagedSegment> {
  const folder = await storage.segments.makeStagingFolder(`task-${++count}`);
  const written = await engine.session((session) =>
    writeSegmentFile(session, query, join(folder, 'part.parquet')),
  );
  return {
    dataSource: 'wiki',
    interval: { start: Date.UTC(2024, 0, 1), end: Date.UTC(2024, 0, 2) },
    version: '2024-02-01T00:00:00.000Z',
    columns: [time, column('page', 'STRING')],
    dimensions: ['page'],
    metrics: [],
    shardSpec: { type: 'numbered', partitions: 0 },
    ...written,
    ...given,
  };
}

let count = 0;
