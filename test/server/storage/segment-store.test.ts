import { existsSync } from 'node:fs';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Timeline } from '../../../src/model/timeline.ts';
import { segmentPath } from '../../../src/server/storage/segment-paths.ts';
import { SegmentStore, type StagedSegment } from '../../../src/server/storage/segment-store.ts';
import {
  findSegment,
  insertSegments,
  listDataSources,
  listSegments,
  markSegments,
  type SegmentRecord,
} from '../../../src/server/storage/segments.ts';
import { openStorage, type Storage } from '../../../src/server/storage/storage.ts';
import { insertTask, type TaskRecord, updateTask } from '../../../src/server/storage/tasks.ts';
import { randomFrom } from '../../support/random.ts';
import { column, temporaryStorage } from '../../support/storage.ts';

const day = { start: Date.UTC(2024, 0, 1), end: Date.UTC(2024, 0, 2) };

test('segments, task state and offsets change together or not at all', async () => {
  const storage = await temporaryStorage();
  const { metadata, segments } = storage;
  insertTask(metadata, task, {});
  const failing = segments.publish([await file(storage, 'a')], (tx) => {
    updateTask(tx, 'task', { status: 'SUCCESS' });
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(listSegments(metadata)).toEqual([]);
  expect(await filesIn(storage)).toEqual([]);
  const [record] = await segments.publish(
    [await file(storage, 'a')],
    (tx) => void updateTask(tx, 'task', { status: 'SUCCESS' }),
  );
  expect(updateTask(metadata, 'task', { status: 'FAILED' })).toBe(false); // it is not running any more
  expect(record?.id).toBe('wiki_2024-01-01T00:00:00.000Z_2024-01-02T00:00:00.000Z_v1');
  expect(findSegment(metadata, record?.id ?? '')).toEqual(record);
  expect(await readFile(segments.fileOf(record ?? { path: undefined }) ?? '', 'utf8')).toBe('a');
});

test('what is read ahead is what reading finds, also when it changes meanwhile', async () => {
  const storage = await temporaryStorage();
  const { metadata, segments } = storage;
  const hours = Array.from({ length: 12_000 }, (_, hour) => ({
    dataSource: 'wiki',
    interval: { start: (hour >> 1) * 3_600_000, end: ((hour >> 1) + 1) * 3_600_000 },
    version: 'v1',
    partitionNum: hour & 1,
    sizeBytes: hour,
    numRows: 1,
    path: `segments/${hour}`,
    columns: [column('page', 'STRING')],
    dimensions: ['page'],
    metrics: [],
    shardSpec: { type: 'numbered', partitionNum: hour & 1, partitions: 2 },
    lastCompactionState: undefined,
    ingestion: undefined,
  }));
  metadata.transaction((tx) => void insertSegments(tx, hours, 0));
  const expected = () => listSegments(metadata, { dataSource: 'wiki', used: true });
  const { signal } = new AbortController();
  const reading = segments.readAhead(signal);
  await new Promise(setImmediate);
  markSegments(metadata, { ids: [expected()[0]?.id ?? ''] }, false, 1);
  await reading;
  expect(segments.listUsed('wiki')).toEqual(expected());
  const again = new SegmentStore(storage.folder);
  await again.readAhead(signal);
  expect(again.listUsed('wiki')).toEqual(expected());
  expect(again.listUsed('wiki').length).toBe(11_999);
  await new SegmentStore(storage.folder).readAhead(AbortSignal.abort());
});

test('appends at the same time get partitions of their own', async () => {
  const storage = await temporaryStorage();
  const all = await Promise.all(
    [1, 2, 3, 4, 5].map(async (text) =>
      storage.segments.publish([await file(storage, String(text))]),
    ),
  );
  const numbers = all.flat().map(({ partitionNum }) => partitionNum);
  expect(numbers.toSorted()).toEqual([0, 1, 2, 3, 4]);
  expect(all.flat().map(({ shardSpec }) => shardSpec.partitionNum)).toEqual(numbers);
  expect(await filesIn(storage)).toEqual([0, 1, 2, 3, 4]);
});

test('what is known of used segments after publications, marks and deletions is what a new look shows', async () => {
  const storage = await temporaryStorage();
  const { metadata, segments } = storage;
  const seed = Date.now();
  const random = randomFrom(seed);
  const some = (list: readonly SegmentRecord[]) => list.filter(() => random() < 0.4);
  for (let step = 0; step < 60; step++) {
    const start = day.start + Math.floor(random() * 5) * 86_400_000;
    const interval = { start, end: start + 86_400_000 };
    const chance = random();
    if (chance < 0.4)
      await segments.publish([
        await file(storage, String(step), { interval, version: `v${Math.floor(random() * 3)}` }),
      ]);
    else if (chance < 0.6) segments.mark(some(segments.listUsed('wiki')), false, step);
    else if (chance < 0.7)
      segments.mark(some(listSegments(metadata, { dataSource: 'wiki' })), true, step);
    else if (chance < 0.8)
      segments.mark(
        listSegments(metadata, { dataSource: 'wiki', interval }),
        random() < 0.5,
        step,
        { interval },
      );
    else if (chance < 0.9)
      await segments.delete(some(listSegments(metadata, { dataSource: 'wiki' })));
    else
      markSegments(
        metadata,
        { ids: some(segments.listUsed('wiki')).map(({ id }) => id) },
        false,
        step,
      ); // behind its back
    const looked = listSegments(metadata, { dataSource: 'wiki', used: true });
    expect(segments.listUsed('wiki'), `seed ${seed}, step ${step}`).toEqual(looked);
    expect(segments.timeline('wiki').entries, `seed ${seed}, step ${step}`).toEqual(
      new Timeline(looked).entries,
    );
  }
});

test('a published file is never overwritten', async () => {
  const storage = await temporaryStorage();
  const [first] = await storage.segments.publish([
    { ...(await file(storage, 'first')), partitionNum: 0 },
  ]);
  await expect(
    storage.segments.publish([{ ...(await file(storage, 'second')), partitionNum: 0 }]),
  ).rejects.toThrow('exists already');
  expect(await readFile(storage.segments.fileOf(first ?? { path: undefined }) ?? '', 'utf8')).toBe(
    'first',
  );
});

test('what is appended joins the version that is visible when it is published, whatever it was written for', async () => {
  const storage = await temporaryStorage();
  await storage.segments.publish([
    { ...(await file(storage, 'v2', { version: 'v2' })), partitionNum: 0 },
  ]);
  const [older] = await storage.segments.publish([await file(storage, 'older', { version: 'v1' })]);
  const [newer] = await storage.segments.publish([await file(storage, 'newer', { version: 'v3' })]);
  expect([older, newer].map((record) => record?.path?.split('/').slice(-2).join('/'))).toEqual([
    'v2/1.parquet',
    'v2/2.parquet',
  ]);
  expect(visible(storage)).toEqual(['v2', 'v2', 'v2']);
  expect(await storage.segments.removeStrayFiles()).toBe(0);
});

test('a publication that fails while it moves what it appends leaves no file behind', async () => {
  const storage = await temporaryStorage();
  await storage.segments.publish([
    { ...(await file(storage, 'v2', { version: 'v2' })), partitionNum: 0 },
  ]);
  const failing = storage.segments.publish([await file(storage, 'late', { version: 'v1' })], () => {
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await storage.segments.removeStrayFiles()).toBe(0);
  const [next] = await storage.segments.publish([await file(storage, 'next', { version: 'v1' })]);
  expect(next?.path).toMatch(/v2\/1\.parquet$/);
});

test('a newer version hides the older one, and a tombstone empties a chunk', async () => {
  const storage = await temporaryStorage();
  await storage.segments.publish([await file(storage, 'old')]);
  const before = storage.segments.timeline('wiki');
  expect(storage.segments.timeline('wiki')).toBe(before);
  await storage.segments.publish([
    { ...(await file(storage, 'new', { version: 'v2' })), partitionNum: 0 },
  ]);
  expect(visible(storage)).toEqual(['v2']);
  expect(storage.segments.timeline('wiki').isOvershadowed({ interval: day, version: 'v1' })).toBe(
    true,
  );
  const tombstone = {
    ...(await file(storage, '', {
      version: 'v3',
      shardSpec: { type: 'tombstone', partitions: 1 },
    })),
    file: undefined,
    numRows: 0,
  };
  await storage.segments.publish([{ ...tombstone, partitionNum: 0 }]);
  expect(visible(storage)).toEqual(['v3']);
  const newest = listSegments(storage.metadata, { versions: ['v2', 'v3'] });
  expect(markSegments(storage.metadata, { ids: newest.map(({ id }) => id) }, false, 7)).toBe(2);
  expect(visible(storage)).toEqual(['v1']);
  expect(findSegment(storage.metadata, newest[0]?.id ?? '')).toMatchObject({
    used: false,
    usedStatusLastUpdatedMs: 7,
  });
});

test('deleting removes rows, files and empty folders', async () => {
  const storage = await temporaryStorage();
  const published = await storage.segments.publish([
    await file(storage, 'a'),
    await file(storage, 'b'),
  ]);
  expect(await storage.segments.delete(published)).toBe(2);
  expect(listDataSources(storage.metadata, { includeUnused: true })).toEqual([]);
  expect(await readdir(storage.folder.segments)).toEqual([]);
});

test('files without a row are gone after the next start, all others stay', async () => {
  const storage = await temporaryStorage();
  const [kept] = await storage.segments.publish([await file(storage, 'kept')]);
  const keptFile = storage.segments.fileOf(kept ?? { path: undefined }) ?? '';
  const stray = join(keptFile, '..', '7.parquet');
  await writeFile(stray, 'stray');
  await storage.segments.makeStagingFolder('task');
  await storage.close();
  const again = openStorage(storage.folder.path);
  await again.cleaned;
  expect([existsSync(keptFile), existsSync(stray)]).toEqual([true, false]);
  expect(await readdir(again.folder.staging)).toEqual([]);
  await again.close();
});

test.each([
  '..',
  '.',
  '../../etc',
  'a/b',
  'a\\b',
  '',
  'grün 🚀',
  'con',
  'x'.repeat(500),
  '%2E',
  'a%2Fb',
  '.hidden',
  'Ünicode*?[',
])('no name of a datasource leads out of the folder: %j', async (dataSource) => {
  const storage = await temporaryStorage();
  const [record] = await storage.segments.publish([await file(storage, 'x', { dataSource })]);
  expect(record?.path).toMatch(/^segments\/(?!\.)[\w.%~-]{1,200}\/[\w.%-]+\/v1\/0\.parquet$/);
  expect(await readdir(storage.folder.path)).toEqual(
    expect.arrayContaining(['segments', 'staging']),
  );
  expect(listDataSources(storage.metadata)).toEqual([dataSource]);
  expect(storage.segments.timeline(dataSource).visible()).toHaveLength(1);
});

test('different names have different paths', () => {
  const names = [
    'a',
    'a\0',
    'A',
    'a.',
    '.a',
    '..',
    '.',
    '',
    '%',
    '%2E',
    'a/b',
    'a%2Fb',
    'x'.repeat(300),
    'x'.repeat(301),
    `${'x'.repeat(130)}~`,
  ];
  const paths = names.map((dataSource) =>
    segmentPath({ dataSource, interval: day, version: 'v', partitionNum: 0 }),
  );
  expect(new Set(paths).size).toBe(names.length);
});

const task: TaskRecord = {
  id: 'task',
  groupId: 'task',
  type: 'index_parallel',
  dataSource: 'wiki',
  createdMs: 1,
  queuedMs: 1,
  priority: 50,
  status: 'RUNNING',
  runnerStatus: 'RUNNING',
  durationMs: -1,
  errorMsg: undefined,
  location: undefined,
};

async function file(
  storage: Storage,
  text: string,
  given: Partial<StagedSegment> = {},
): Promise<StagedSegment> {
  const folder = await storage.segments.makeStagingFolder(`task-${++count}`);
  await writeFile(join(folder, 'data'), text);
  return {
    dataSource: 'wiki',
    interval: day,
    version: 'v1',
    file: join(folder, 'data'),
    sizeBytes: text.length,
    numRows: 1,
    columns: [column('__time', 'LONG')],
    dimensions: ['page'],
    metrics: [],
    shardSpec: { type: 'numbered', partitions: 0 },
    ...given,
  };
}
let count = 0;

const visible = (storage: Storage) =>
  storage.segments
    .timeline('wiki')
    .visible()
    .map(({ segment }) => segment.version);

const filesIn = async (storage: Storage) =>
  (await readdir(storage.folder.segments, { recursive: true }))
    .flatMap((path) => /(\d+)\.parquet$/.exec(path)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
