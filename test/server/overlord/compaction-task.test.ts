import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const spec = (data: string, appendToExisting = false) => ({
  dataSchema: {
    dataSource: 'small',
    timestampSpec: { column: 't', format: 'iso' },
    dimensionsSpec: { dimensions: ['k', { type: 'long', name: 'v' }] },
    granularitySpec: { segmentGranularity: 'DAY', rollup: false },
  },
  ioConfig: {
    type: 'index_parallel',
    inputSource: { type: 'inline', data },
    inputFormat: { type: 'json' },
    appendToExisting,
  },
});

async function started() {
  const { get, post, ended } = api(await startService());
  const run = async (task: object) => {
    const { body } = await post('/svc/indexer/v1/task', task);
    return ended(body.task);
  };
  return {
    get,
    post,
    run,
    rows: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
  };
}

test('compaction writes the same rows into fewer segments, and into longer time chunks when asked', async () => {
  const { run, rows } = await started();
  for (const [day, k] of [
    ['01', 'b'],
    ['01', 'a'],
    ['02', 'c'],
  ]) {
    await run({
      type: 'index_parallel',
      spec: spec(JSON.stringify({ t: `2022-03-${day}`, k, v: 1 }), true),
    });
  }
  const active = `SELECT "start", "num_rows" FROM sys.segments WHERE "is_active" = 1 ORDER BY 1, 2`;
  expect(await rows(active)).toEqual([
    ['2022-03-01T00:00:00.000Z', 1],
    ['2022-03-01T00:00:00.000Z', 1],
    ['2022-03-02T00:00:00.000Z', 1],
  ]);
  const compact = (interval: string, rest: object = {}) =>
    run({
      type: 'compact',
      dataSource: 'small',
      ioConfig: { type: 'compact', inputSpec: { type: 'interval', interval } },
      ...rest,
    });
  expect(await compact('2022-03-01/2022-03-02')).toMatchObject({
    statusCode: 'SUCCESS',
    type: 'compact',
  });
  expect(await rows(active)).toEqual([
    ['2022-03-01T00:00:00.000Z', 2],
    ['2022-03-02T00:00:00.000Z', 1],
  ]);
  await compact('2022-03-01/2022-04-01', { granularitySpec: { segmentGranularity: 'MONTH' } });
  expect(await rows(active)).toEqual([['2022-03-01T00:00:00.000Z', 3]]);
  expect(await rows('SELECT "k" FROM "small"')).toEqual([['a'], ['b'], ['c']]);
});

test('an interval that would cut a time chunk is not compacted', async () => {
  const { run } = await started();
  await run({ type: 'index_parallel', spec: spec('{"t":"2022-03-01","k":"a","v":1}') });
  const ioConfig = {
    type: 'compact',
    inputSpec: { type: 'interval', interval: '2022-03-01/2022-03-02' },
  };
  expect(
    await run({
      type: 'compact',
      dataSource: 'small',
      ioConfig,
      granularitySpec: { segmentGranularity: 'MONTH' },
    }),
  ).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: expect.stringContaining('is not aligned with the segmentGranularity'),
  });
});

const stored = `{"t":"2022-03-01T01:00:00Z","k":"a","v":1}
{"t":"2022-03-01T05:00:00Z","k":"a","v":2}
{"t":"2022-03-01T06:00:00Z","k":"b","v":4}
{"t":"2022-03-02T06:00:00Z","k":"b","v":8}`;

const compaction = (
  rest: object = {},
  input: object = { type: 'interval', interval: '2022-03-01/2022-03-03' },
) => ({
  type: 'compact',
  dataSource: 'small',
  ioConfig: { type: 'compact', inputSpec: input },
  ...rest,
});

test('compaction rolls up: metrics of raw values, times cut to the queryGranularity', async () => {
  const { run, rows } = await started();
  await run({ type: 'index_parallel', spec: spec(stored) });
  const rollUp = {
    granularitySpec: { segmentGranularity: 'DAY', queryGranularity: 'DAY', rollup: true },
    dimensionsSpec: { dimensions: ['k'] },
    metricsSpec: [
      { type: 'count', name: 'rows' },
      { type: 'longSum', name: 'sum_v', fieldName: 'v' },
    ],
  };
  expect(await run(compaction(rollUp))).toMatchObject({ statusCode: 'SUCCESS' });
  const all = 'SELECT "__time", "k", "rows", "sum_v" FROM "small" ORDER BY 1';
  const rolledUp = [
    ['2022-03-01T00:00:00.000Z', 'a', 2, 3],
    ['2022-03-01T00:00:00.000Z', 'b', 1, 4],
    ['2022-03-02T00:00:00.000Z', 'b', 1, 8],
  ];
  expect(await rows(all)).toEqual(rolledUp);
  // Again, with the same specification: what was counted and added up already is added up further,
  // and no row is lost or doubled.
  expect(await run(compaction(rollUp))).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows(all)).toEqual(rolledUp);
  const coarser = {
    ...rollUp,
    granularitySpec: { segmentGranularity: 'MONTH', queryGranularity: 'MONTH', rollup: true },
  };
  expect(
    await run(compaction(coarser, { type: 'interval', interval: '2022-03-01/2022-04-01' })),
  ).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows(all)).toEqual([
    ['2022-03-01T00:00:00.000Z', 'a', 2, 3],
    ['2022-03-01T00:00:00.000Z', 'b', 2, 12],
  ]);
});

test('segments remember how they were ingested: compaction combines their metrics without being told, and segmentMetadata tells', async () => {
  const { run, rows, post } = await started();
  const rolledUp = (appendToExisting: boolean) => {
    const { dataSchema, ioConfig } = spec(stored, appendToExisting);
    const granularitySpec = { segmentGranularity: 'DAY', queryGranularity: 'DAY', rollup: true };
    const metricsSpec = [
      { type: 'count', name: 'rows' },
      { type: 'longMax', name: 'top', fieldName: 'v' },
    ];
    return {
      dataSchema: {
        ...dataSchema,
        dimensionsSpec: { dimensions: ['k'] },
        granularitySpec,
        metricsSpec,
      },
      ioConfig,
    };
  };
  await run({ type: 'index_parallel', spec: rolledUp(false) });
  await run({ type: 'index_parallel', spec: rolledUp(true) });
  const analysisTypes = ['aggregators', 'rollup', 'queryGranularity', 'timestampSpec'];
  const told = async () =>
    (
      await post('/svc/v2', {
        queryType: 'segmentMetadata',
        dataSource: 'small',
        merge: true,
        analysisTypes,
        toInclude: { type: 'none' },
      })
    ).body[0];
  const remembered = {
    aggregators: {
      rows: { type: 'longSum', name: 'rows', fieldName: 'rows' },
      top: { type: 'longMax', name: 'top', fieldName: 'top' },
    },
    queryGranularity: 'DAY',
    rollup: true,
  };
  expect(await told()).toMatchObject({
    ...remembered,
    numRows: 6,
    timestampSpec: { column: 't', format: 'iso', missingValue: null },
  });
  expect(await run(compaction())).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows('SELECT "__time", "k", "rows", "top" FROM "small" ORDER BY 1')).toEqual([
    ['2022-03-01T00:00:00.000Z', 'a', 4, 2],
    ['2022-03-01T00:00:00.000Z', 'b', 2, 4],
    ['2022-03-02T00:00:00.000Z', 'b', 2, 8],
  ]);
  expect(await told()).toMatchObject({ ...remembered, numRows: 3 });
});

test('compaction changes types and leaves out columns and rows', async () => {
  const { run, rows } = await started();
  await run({ type: 'index_parallel', spec: spec(stored) });
  const changes = {
    dimensionsSpec: {
      dimensions: [{ type: 'double', name: 'v' }, 'absent'],
      dimensionExclusions: ['k'],
    },
    transformSpec: { filter: { type: 'selector', dimension: 'k', value: 'a' } },
  };
  expect(await run(compaction(changes))).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows('SELECT * FROM "small"')).toEqual([
    ['2022-03-01T01:00:00.000Z', 1, null],
    ['2022-03-01T05:00:00.000Z', 2, null],
  ]); // and nothing of 2 March, where the filter left no row
});

test('compaction cuts partitions as its tuningConfig says, and notes how when its context asks for it', async () => {
  const { run, get } = await started();
  await run({ type: 'index_parallel', spec: spec(stored) });
  const partitionsSpec = { type: 'range', partitionDimensions: ['k'], targetRowsPerSegment: 2 };
  const tuningConfig = { type: 'index_parallel', forceGuaranteedRollup: true, partitionsSpec };
  const context = { storeCompactionState: true };
  const input = { type: 'interval', interval: '2022-03-01/2022-04-01' };
  await run(
    compaction({ tuningConfig, context, granularitySpec: { segmentGranularity: 'MONTH' } }, input),
  );
  const { body } = await get('/svc/coordinator/v1/metadata/datasources/small/segments?full');
  const range = { type: 'range', dimensions: ['k'], numCorePartitions: 2 };
  expect(
    body.filter(({ shardSpec }: { shardSpec: { type: string } }) => shardSpec.type === 'range'),
  ).toMatchObject([
    {
      shardSpec: { ...range, partitionNum: 0, start: null, end: ['b'] },
      lastCompactionState: { partitionsSpec },
    },
    { shardSpec: { ...range, partitionNum: 1, start: ['b'], end: null } },
  ]);
});

test('a day of a month is compacted alone: the rest of the month stays as it is, and what is filtered out of the day is gone', async () => {
  const { run, rows } = await started();
  const given = spec(stored);
  await run({
    type: 'index_parallel',
    spec: {
      ...given,
      dataSchema: {
        ...given.dataSchema,
        granularitySpec: { segmentGranularity: 'MONTH', rollup: false },
      },
    },
  });
  const day = { type: 'interval', interval: '2022-03-01/2022-03-02' };
  const granularitySpec = { segmentGranularity: 'DAY' };
  const only = (k: string) => ({
    granularitySpec,
    transformSpec: { filter: { type: 'selector', dimension: 'k', value: k } },
  });
  expect(await run(compaction(only('a'), day))).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows('SELECT "k", "v" FROM "small"')).toEqual([
    ['a', 1],
    ['a', 2],
    ['b', 8],
  ]);
  expect(await run(compaction(only('nobody'), day))).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows('SELECT "k", "v" FROM "small"')).toEqual([['b', 8]]);
});

test('segments that were named must be all that is there; an interval without segments is nothing to compact', async () => {
  const { run, get } = await started();
  await run({ type: 'index_parallel', spec: spec(stored) });
  const { body: ids } = await get('/svc/coordinator/v1/metadata/datasources/small/segments');
  expect(await run(compaction({}, { type: 'segments', segments: ids }))).toMatchObject({
    statusCode: 'SUCCESS',
  });
  expect(await run(compaction({}, { type: 'segments', segments: ids }))).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: expect.stringContaining('different from the current used segments'),
  });
  expect(await run(compaction({}, { type: 'interval', interval: '2000/2001' }))).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: expect.stringContaining('No segments found for compaction'),
  });
});

test('metrics of one name that were made in different ways are not rolled up by guess', async () => {
  const { run } = await started();
  for (const type of ['longMax', 'longSum']) {
    const { dataSchema, ioConfig } = spec(stored, true);
    const metricsSpec = [{ type, name: 'most', fieldName: 'v' }];
    await run({
      type: 'index_parallel',
      spec: {
        ioConfig,
        dataSchema: { ...dataSchema, dimensionsSpec: { dimensions: ['k'] }, metricsSpec },
      },
    });
  }
  expect(await run(compaction({ granularitySpec: { rollup: true } }))).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: expect.stringContaining('providing explicit metricsSpec'),
  });
});

test('a sampler whose time is over shows what it has read by then', async () => {
  const { post } = await started();
  const given = {
    type: 'index',
    spec: spec('{"t":"2022-03-01","k":"a","v":"1"}\n'.repeat(20_000)),
    samplerConfig: { timeoutMs: 1 },
  };
  expect(await post('/svc/indexer/v1/sampler', given)).toMatchObject({
    status: 200,
    body: { numRowsRead: 0, data: [] },
  });
});

test('the sampler shows what becomes of each row, also of those that cannot be read', async () => {
  const { post } = await started();
  const given = {
    type: 'index',
    spec: spec('{"t":"2022-03-01","k":"a","v":"1"}\nnonsense\n{"t":"soon","k":"b"}'),
    samplerConfig: { numRows: 10 },
  };
  const { status, body } = await post('/svc/indexer/v1/sampler', given);
  expect({ status, body }).toMatchObject({
    status: 200,
    body: {
      numRowsRead: 3,
      numRowsIndexed: 1,
      logicalSegmentSchema: [
        { name: '__time', type: 'LONG' },
        { name: 'k', type: 'STRING' },
        { name: 'v', type: 'LONG' },
      ],
      data: [
        {
          input: { t: '2022-03-01', k: 'a', v: '1' },
          parsed: { __time: 1646092800000, k: 'a', v: 1 },
        },
        { unparseable: true, error: 'Unable to parse row [nonsense]' },
        { input: { t: 'soon', k: 'b' }, unparseable: true },
      ],
    },
  });
});

test('a kill task deletes unused segments of its interval, and only those', async () => {
  const { post, run, rows } = await started();
  await run({
    type: 'index_parallel',
    spec: spec('{"t":"2022-03-01","k":"a","v":1}\n{"t":"2022-03-02","k":"b","v":1}'),
  });
  await post('/svc/coordinator/v1/datasources/small/markUnused', {
    interval: '2022-03-01/2022-03-02',
  });
  expect(
    await run({ type: 'kill', dataSource: 'small', interval: '2022-01-01/2023-01-01' }),
  ).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows('SELECT "k" FROM "small"')).toEqual([['b']]);
  expect(await post('/svc/indexer/v1/task', { type: 'kill', dataSource: 'small' })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('[interval]') },
  });
});
