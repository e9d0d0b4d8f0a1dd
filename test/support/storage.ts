// A data folder and an engine of a test's own, gone after it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { SegmentColumn } from '../../src/model/segment.ts';
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
  const engine = new Engine({ allowedFolders: forQueries, spillFolder: spill, threads: 2, ...settings });
  onTestFinished(() => engine.close());
  return engine;
}

const time: SegmentColumn = { name: '__time', type: 'LONG', multiValue: false };

export const column = (name: string, type: string, multiValue = false): SegmentColumn => ({ name, type, multiValue });

/** Writes what a query returns as a staged segment of the datasource `wiki`, one day of 2024 long unless said otherwise. */
export async function staged(storage: Storage, engine: Engine, query: string, given: Partial<StagedSegment> = {}): Promise<StagedSegment> {
  const folder = await storage.segments.makeStagingFolder(`task-${++count}`);
  const written = await engine.session((session) => writeSegmentFile(session, query, join(folder, 'part.parquet')));
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
