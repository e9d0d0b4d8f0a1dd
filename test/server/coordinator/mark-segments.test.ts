import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { dialectOf } from '../../../src/model/dialect.ts';
import { segmentRoutes } from '../../../src/server/coordinator/segment-routes.ts';
import {
  insertSegments,
  listSegments,
  markSegments,
} from '../../../src/server/storage/segments.ts';
import { column, temporaryStorage } from '../../support/storage.ts';

/**
 * So many segments of an hour each, from an hour on. `partitions` is how many each chunk needs to
 * be complete: only the first is there.
 */
const version = (name: string, from: number, count: number, partitions = 1) =>
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
    shardSpec: { type: 'numbered' as const, partitionNum: 0, partitions },
    lastCompactionState: undefined,
    ingestion: undefined,
  }));

test('while many segments are marked used others have their turn, and what they change counts', async () => {
  const storage = await temporaryStorage();
  const { metadata, segments } = storage;
  metadata.transaction((tx) => {
    insertSegments(tx, version('v1', 0, 12_000), 0);
    markSegments(tx, { dataSource: 'wiki' }, false, 0);
  });
  const routes = segmentRoutes({
    storage,
    queue: undefined as never,
    dialect: dialectOf('svc'),
    now: () => 1,
  });
  const usedOnes = () => listSegments(metadata, { dataSource: 'wiki', used: true });

  const marking = routes.markAllUsed({ params: { dataSource: 'wiki' } } as never);
  await nextTurn();
  expect(usedOnes()).toEqual([]); // none is used before all are
  metadata.transaction((tx) => void insertSegments(tx, version('v2', 100, 10), 0)); // they hide ten
  expect(await marking).toEqual({ numChangedSegments: 11_990, segmentStateChanged: true });
  expect(usedOnes().length).toBe(12_000);
  expect(
    usedOnes().filter(
      (segment) => segment.version === 'v1' && segments.timeline('wiki').isOvershadowed(segment),
    ),
  ).toEqual([]);
  expect(segments.listUsed('wiki')).toEqual(usedOnes());
});

test('of several unused versions only the newest complete one is used again, however it is asked for', async () => {
  const storage = await temporaryStorage();
  const { metadata } = storage;
  metadata.transaction((tx) => {
    insertSegments(tx, version('v1', 0, 3), 0);
    insertSegments(tx, version('v2', 0, 2), 0);
    insertSegments(tx, version('v3', 1, 1, 2), 0); // of its two partitions, one is not there
  });
  const all = listSegments(metadata, { dataSource: 'wiki' });
  const routes = segmentRoutes({
    storage,
    queue: undefined as never,
    dialect: dialectOf('svc'),
    now: () => 1,
  });
  const params = { dataSource: 'wiki' };
  const some = (body: object) => routes.markSomeUsed({ params, body } as never);
  const used = () =>
    storage.segments
      .listUsed('wiki')
      .map(({ version, interval }) => `${version} ${interval.start / 3_600_000}`);
  const asked = async (ask: () => unknown) => {
    storage.segments.mark(
      all.map((segment) => ({ ...segment, used: true })),
      false,
      1,
    );
    return { answer: await ask(), used: used() };
  };
  const newest = {
    answer: { numChangedSegments: 4, segmentStateChanged: true },
    used: ['v2 0', 'v2 1', 'v3 1', 'v1 2'],
  };
  expect(await asked(() => routes.markAllUsed({ params } as never))).toEqual(newest);
  expect(await asked(() => some({ interval: '1970-01-01/1970-01-02' }))).toEqual(newest);
  expect(await asked(() => some({ segmentIds: all.map(({ id }) => id) }))).toEqual(newest);
  expect(
    (await asked(() => some({ interval: '1970-01-01/1970-01-02', versions: ['v1'] }))).used,
  ).toEqual(['v1 0', 'v1 1', 'v1 2']);
  expect((await asked(() => some({ interval: '1970-01-01T00:00/1970-01-01T01:00' }))).used).toEqual(
    ['v2 0'],
  );
  await some({ interval: '1970-01-01/1970-01-02' });
  expect(await some({ interval: '1970-01-01/1970-01-02' })).toEqual({
    numChangedSegments: 0,
    segmentStateChanged: false,
  });
  const [old] = all;
  expect(routes.markUsed({ params: { ...params, segmentId: old?.id } } as never)).toMatchObject({
    numChangedSegments: 1,
  }); // named alone
});
