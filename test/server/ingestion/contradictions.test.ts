// Specifications whose fields are right one by one, and contradict each other or cannot be: refused
// as the real Overlord refuses them.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openStorage } from '../../../src/server/storage/storage.ts';
import { insertTask } from '../../../src/server/storage/tasks.ts';
import { startService } from '../../support/service.ts';
import { streamSpec } from '../../support/supervisors.ts';
import { api } from '../../support/wire.ts';

const load = (tuningConfig: object) => ({
  type: 'index_parallel',
  spec: {
    dataSchema: {
      dataSource: 'd',
      timestampSpec: { column: 't' },
      dimensionsSpec: { dimensions: ['k'] },
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource: { type: 'inline', data: '{"t":"2024-05-01","k":"a"}' },
      inputFormat: { type: 'json' },
    },
    tuningConfig: { type: 'index_parallel', ...tuningConfig },
  },
});
const from = (inputSource: object) => {
  const { type, spec } = load({});
  return { type, spec: { ...spec, ioConfig: { ...spec.ioConfig, inputSource } } };
};
const divided = (partitionsSpec: object) => load({ forceGuaranteedRollup: true, partitionsSpec });

const ioConfig = { type: 'compact', inputSpec: { type: 'interval', interval: '2024/2025' } };
const compact = (fields: object) => ({ type: 'compact', dataSource: 'd', ioConfig, ...fields });

const { spec } = streamSpec({ dataSource: 'd' });
const read = (start: object, end: object, stream = 'd') => ({
  type: 'index_kafka',
  ...spec,
  ioConfig: {
    ...spec.ioConfig,
    startSequenceNumbers: { type: 'start', stream: 'd', partitionSequenceNumberMap: start },
    endSequenceNumbers: { type: 'end', stream, partitionSequenceNumberMap: end },
  },
});

test.each([
  [
    'two inputs of a compaction',
    compact({ interval: '2024/2025' }),
    'At most one of properties[ioConfig, interval] must be present',
  ],
  [
    'dimensions said twice',
    compact({ dimensionsSpec: { dimensions: ['k'] }, dimensions: { dimensions: ['k'] } }),
    'At most one of properties[dimensionsSpec, dimensions] must be present',
  ],
  [
    'two segment granularities',
    compact({ segmentGranularity: 'DAY', granularitySpec: { segmentGranularity: 'MONTH' } }),
    'Conflicting segment granularities found ',
  ],
  [
    'a compaction that computes a metric',
    compact({ metricsSpec: [{ type: 'longSum', name: 's', expression: 'k + 1' }] }),
    'Compaction computes no expression: give metric [s] a [fieldName]',
  ],
  [
    'a topic that begins as another than it ends',
    read({ 0: 1 }, { 0: 5 }, 'other'),
    'start topic/stream and end topic/stream must match',
  ],
  [
    'partitions without an end',
    read({ 0: 1, 1: 1 }, { 0: 5 }),
    'start partition set and end partition set must match',
  ],
  [
    'an end before the start',
    read({ 0: 7 }, { 0: 5 }),
    'end offset must be >= start offset for partition[0]',
  ],
  [
    'no subtasks at all',
    load({ maxNumConcurrentSubTasks: 0 }),
    'maxNumConcurrentSubTasks must be positive',
  ],
  [
    'a negative number of merges',
    compact({ tuningConfig: { type: 'index_parallel', totalNumMergeTasks: -3 } }),
    'totalNumMergeTasks must be positive',
  ],
  [
    'two sizes of range partitions',
    divided({
      type: 'range',
      partitionDimensions: ['k'],
      targetRowsPerSegment: 5,
      maxRowsPerSegment: 7,
    }),
    'Exactly one of targetRowsPerSegment or maxRowsPerSegment must be present',
  ],
  [
    'number and size of hashed partitions',
    divided({ type: 'hashed', numShards: 2, targetRowsPerSegment: 5 }),
    'At most one of [numShards] or [targetRowsPerSegment] must be present',
  ],
  [
    'hashed partitions without perfect rollup',
    load({ partitionsSpec: { type: 'hashed', numShards: 2 } }),
    'DynamicPartitionsSpec must be used for best-effort rollup',
  ],
  [
    'a number beyond 32 bits',
    load({ maxRowsInMemory: 2_147_483_648 }),
    '[spec.tuningConfig.maxRowsInMemory]: [2147483648] is out of range of an integer of 32 bits',
  ],
  [
    'a compression that nobody knows',
    load({ indexSpec: { dimensionCompression: 'snappy' } }),
    'dimensionCompression [snappy] is not known; known are [lz4, lzf, zstd, uncompressed, none]',
  ],
  [
    'a bucket that is not a power of two',
    load({ indexSpec: { stringDictionaryEncoding: { type: 'frontCoded', bucketSize: 3 } } }),
    'bucketSize[3] must be a power of 2 from 1 to 128',
  ],
  [
    'a unit that the engine does not write',
    load({ splitHintSpec: { type: 'maxSize', maxSplitSize: '1MB' } }),
    'maxSplitSize [1MB] is not a number of bytes, such as 1000, 64M or 1GiB',
  ],
  [
    'files of no number',
    load({ splitHintSpec: { type: 'maxSize', maxNumFiles: 0 } }),
    'maxNumFiles should be larger than 0',
  ],
  [
    'a timeout of a month',
    compact({ tuningConfig: { type: 'index_parallel', chatHandlerTimeout: 'P1M' } }),
    'chatHandlerTimeout cannot be read: Cannot convert to Duration',
  ],
  [
    'fields of files that are not there',
    from({ type: 'local', baseDir: '/', filter: '*', systemFields: ['__file_uri'] }),
    '[systemFields] are not available',
  ],
  ['no inputs at all', from({ type: 'combining', delegates: [] }), 'Must specify at least one'],
  [
    'text among the inputs',
    from({ type: 'combining', delegates: [{ type: 'inline', data: 'x' }] }),
    'delegates cannot be of type [inline]',
  ],
])('%s', async (_, task, message) => {
  const { post, get } = api(await startService());
  const { status, body } = await post('/svc/indexer/v1/task', task);
  expect({ status, ...body }).toEqual({ status: 400, error: expect.stringContaining(message) });
  expect((await get('/svc/indexer/v1/tasks')).body).toEqual([]);
});

test('what says the same twice is taken in', async () => {
  const { post, ended } = api(await startService());
  const same = compact({
    segmentGranularity: 'DAY',
    granularitySpec: { segmentGranularity: { type: 'period', period: 'P1D' } },
  });
  expect((await post('/svc/indexer/v1/task', same)).status).toBe(200);
  const { body } = await post(
    '/svc/indexer/v1/task',
    load({ maxNumConcurrentSubTasks: 1, partitionsSpec: { type: 'dynamic' } }),
  );
  expect(await ended(body.task)).toMatchObject({ statusCode: 'SUCCESS' });
});

test('sizes and times are read as the engine reads them', async () => {
  const { post } = api(await startService());
  for (const tuning of [
    { splitHintSpec: { type: 'maxSize', maxSplitSize: ' 1kIb' } },
    { splitHintSpec: { type: 'segments', maxInputSegmentBytesPerTask: 0 } },
    { chatHandlerTimeout: 5 },
    { chatHandlerTimeout: '' },
    { maxTotalRows: 9_007_199_254_740_992 },
    { segmentWriteOutMediumFactory: { type: 'nobody knows' } },
  ])
    expect(await post('/svc/indexer/v1/task', load(tuning))).toMatchObject({ status: 200 });
});

test('an empty time is a missing one', async () => {
  const { post } = api(await startService());
  const { type, spec } = load({});
  const queryGranularity = { type: 'period', period: 'PT1H', origin: '' };
  const dataSchema = {
    ...spec.dataSchema,
    timestampSpec: { column: 't', missingValue: '' },
    granularitySpec: { queryGranularity },
  };
  for (const task of [
    { type, spec: { ...spec, dataSchema } },
    { type: 'kill', dataSource: 'd', interval: '2024/2025', maxUsedStatusLastUpdatedTime: '' },
  ])
    expect(await post('/svc/indexer/v1/task', task)).toMatchObject({ status: 200 });
});

test('a time may be a whole number of milliseconds, and is shown as a time', async () => {
  const { post, get } = api(await startService());
  const kill = { type: 'kill', dataSource: 'd', interval: '2024/2025' };
  const task = { ...kill, maxUsedStatusLastUpdatedTime: 1_700_000_000_000 };
  const { body } = await post('/svc/indexer/v1/task', task);
  const shown = await get(`/svc/indexer/v1/task/${encodeURIComponent(body.task)}`);
  expect(shown.body.payload.maxUsedStatusLastUpdatedTime).toBe('2023-11-14T22:13:20.000Z');
});

test('a task that waits since an earlier version, and says what is refused by now, fails with the reason and keeps no other from running', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'contradictions-'));
  onTestFinished(() => rm(dataDir, { recursive: true, force: true }));
  const storage = openStorage(dataDir);
  const id = 'old';
  const given = {
    id,
    groupId: id,
    type: 'compact',
    dataSource: 'd',
    createdMs: Date.now(),
    queuedMs: Date.now(),
    priority: 25,
    durationMs: -1,
  };
  const waiting = {
    ...given,
    status: 'RUNNING',
    runnerStatus: 'WAITING',
    errorMsg: undefined,
    location: undefined,
  } as const;
  insertTask(storage.metadata, waiting, {
    ...compact({ segmentGranularity: 'DAY', granularitySpec: { segmentGranularity: 'MONTH' } }),
    id,
  });
  await storage.close();
  const { post, ended } = api(await startService({ dataDir }));
  expect(await ended(id)).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: expect.stringContaining('Conflicting segment granularities'),
  });
  await post('/svc/indexer/v1/task', { type: 'noop', id: 'next', runTime: 1 });
  expect(await ended('next')).toMatchObject({ statusCode: 'SUCCESS' });
});
