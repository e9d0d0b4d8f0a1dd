import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { dialectOf } from '../../../src/model/dialect.ts';
import { segmentRoutes } from '../../../src/server/coordinator/segment-routes.ts';
import { insertSegments, listSegments, markSegments } from '../../../src/server/storage/segments.ts';
import { column, temporaryStorage } from '../../support/storage.ts';

test('while many segments are marked used others have their turn, and what they change counts', async () => {
  const storage = await temporaryStorage();
  const { metadata, segments } = storage;
  const version = (name: string, from: number, count: number) =>
    Array.from({ length: count }, (_, at) => ({
      dataSource: 'wiki',
      interval: { start: (from + at) * 3_600_000, end: (from + at + 1) * 3_600_000 },
      version: name,
      partitionNum: 0,
      sizeBytes: 1,
      numRows: 1,
      path: `segments/${name}/${from + at}`,
      columns: [column('page', 'STRING')],
      dimensions: ['page'],
      metrics: [],
      shardSpec: { type: 'numbered' as const, partitionNum: 0, partitions: 1 },
      lastCompactionState: undefined,
      ingestion: undefined,
    }));
  metadata.transaction((tx) => {
    insertSegments(tx, version('v1', 0, 12_000), 0);
    markSegments(tx, { dataSource: 'wiki' }, false, 0);
  });
  const routes = segmentRoutes({ storage, queue: undefined as never, dialect: dialectOf('svc'), now: () => 1 });
  const usedOnes = () => listSegments(metadata, { dataSource: 'wiki', used: true });

  const marking = routes.markAllUsed({ params: { dataSource: 'wiki' } } as never);
  await nextTurn();
  expect(usedOnes()).toEqual([]); // none is used before all are
  metadata.transaction((tx) => void insertSegments(tx, version('v2', 100, 10), 0)); // they hide ten
  expect(await marking).toEqual({ numChangedSegments: 11_990, segmentStateChanged: true });
  expect(usedOnes().length).toBe(12_000);
  expect(usedOnes().filter((segment) => segment.version === 'v1' && segments.timeline('wiki').isOvershadowed(segment))).toEqual([]);
  expect(segments.used('wiki')).toEqual(usedOnes());
});
