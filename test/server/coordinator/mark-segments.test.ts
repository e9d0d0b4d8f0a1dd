import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { dialectOf } from '../../../src/model/dialect.ts';
import { segmentRoutes } from '../../../src/server/coordinator/segment-routes.ts';
import {
  insertSegments,
  listSegments,
  markSegments,
} from '../../../src/server/storage/segments.ts';
import type { Storage } from '../../../src/server/storage/storage.ts';
import { column, temporaryStorage } from '../../support/storage.ts';

const dataSource = 'wiki';
const hourMs = 3_600_000;
const newRoutes = (storage: Storage) =>
  segmentRoutes({
    storage,
    queue: undefined as never, // marking asks no task
    dialect: dialectOf('svc'),
    now: () => 1,
  });

test('marking many segments used leaves turns to others, and respects their changes', async () => {
  const storage = await temporaryStorage();
  const { metadata, segments } = storage;
  metadata.transaction((tx) => {
    insertSegments(tx, hourlySegments('v1', { from: 0, count: 12_000 }), 0);
    markSegments(tx, { dataSource }, false, 0);
  });
  const listUsed = () => listSegments(metadata, { dataSource, used: true });

  const marking = newRoutes(storage).markAllUsed({ params: { dataSource } } as never);
  await nextTurn();
  expect(listUsed()).toEqual([]); // all segments become used at once
  const newer = hourlySegments('v2', { from: 100, count: 10 }); // overshadow ten segments
  metadata.transaction((tx) => void insertSegments(tx, newer, 0));

  expect(await marking).toEqual({ numChangedSegments: 11_990, segmentStateChanged: true });
  const used = listUsed();
  const timeline = segments.timeline(dataSource);
  expect(used.length).toBe(12_000);
  expect(used.filter((segment) => timeline.isOvershadowed(segment))).toEqual([]);
  expect(segments.listUsed(dataSource)).toEqual(used);
});

describe('of several unused versions', () => {
  const wholeDay = '1970-01-01/1970-01-02';
  const params = { dataSource };

  test.each([
    ['the datasource', ({ markAll }: Versions) => markAll()],
    ['an interval', ({ markSome }: Versions) => markSome({ interval: wholeDay })],
    ['segment ids', ({ markSome, ids }: Versions) => markSome({ segmentIds: ids })],
  ])('the newest complete one of each hour becomes used by %s', async (_by, mark) => {
    const versions = await unusedVersions();
    expect(await mark(versions)).toEqual({ numChangedSegments: 4, segmentStateChanged: true });
    expect(versions.listUsed()).toEqual(['v2 0', 'v2 1', 'v3 1', 'v1 2']);
  });

  test('a named version becomes used although newer ones exist', async () => {
    const { markSome, listUsed } = await unusedVersions();
    await markSome({ interval: wholeDay, versions: ['v1'] });
    expect(listUsed()).toEqual(['v1 0', 'v1 1', 'v1 2']);
  });

  test('the segments of one hour become used by its interval', async () => {
    const { markSome, listUsed } = await unusedVersions();
    await markSome({ interval: '1970-01-01T00:00/1970-01-01T01:00' });
    expect(listUsed()).toEqual(['v2 0']);
  });

  test('a repeated request changes nothing', async () => {
    const { markSome } = await unusedVersions();
    await markSome({ interval: wholeDay });
    expect(await markSome({ interval: wholeDay })).toEqual({
      numChangedSegments: 0,
      segmentStateChanged: false,
    });
  });

  test('a single segment becomes used by its id, even if it is overshadowed', async () => {
    const { markSome, markOne, ids } = await unusedVersions();
    await markSome({ interval: wholeDay });
    expect(markOne(ids[0])).toMatchObject({ numChangedSegments: 1 });
  });

  type Versions = Awaited<ReturnType<typeof unusedVersions>>;

  async function unusedVersions() {
    const storage = await temporaryStorage();
    const { metadata, segments } = storage;
    metadata.transaction((tx) => {
      insertSegments(tx, hourlySegments('v1', { from: 0, count: 3 }), 0);
      insertSegments(tx, hourlySegments('v2', { from: 0, count: 2 }), 0);
      insertSegments(tx, hourlySegments('v3', { from: 1, count: 1, partitions: 2 }), 0); // one of two
      markSegments(tx, { dataSource }, false, 0);
    });
    const routes = newRoutes(storage);
    return {
      ids: listSegments(metadata, { dataSource }).map(({ id }) => id),
      markAll: () => routes.markAllUsed({ params } as never),
      markSome: (body: object) => routes.markSomeUsed({ params, body } as never),
      markOne: (segmentId: string | undefined) =>
        routes.markUsed({ params: { ...params, segmentId } } as never),
      listUsed: () =>
        segments
          .listUsed(dataSource)
          .map(({ version, interval }) => `${version} ${interval.start / hourMs}`),
    };
  }
});

/**
 * Segments of one hour each. A chunk is complete with `partitions` segments, of which only the
 * first exists.
 */
function hourlySegments(
  version: string,
  { from, count, partitions = 1 }: { from: number; count: number; partitions?: number },
) {
  return Array.from({ length: count }, (_, at) => ({
    dataSource,
    interval: { start: (from + at) * hourMs, end: (from + at + 1) * hourMs },
    version,
    partitionNum: 0,
    sizeBytes: 1,
    numRows: 1,
    path: `segments/${version}/${from + at}`,
    columns: [column('page', 'STRING')],
    dimensions: ['page'],
    metrics: [],
    shardSpec: { type: 'numbered' as const, partitionNum: 0, partitions },
    lastCompactionState: undefined,
    ingestion: undefined,
  }));
}
