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
  ioConfig: { type: 'index_parallel', inputSource: { type: 'inline', data }, inputFormat: { type: 'json' }, appendToExisting },
});

async function started() {
  const { post, ended } = api(await startService());
  const run = async (task: object) => {
    const { body } = await post('/svc/indexer/v1/task', task);
    return ended(body.task);
  };
  return { post, run, rows: async (query: string) => (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body };
}

test('compaction writes the same rows into fewer segments, and into longer time chunks when asked', async () => {
  const { run, rows } = await started();
  for (const [day, k] of [
    ['01', 'b'],
    ['01', 'a'],
    ['02', 'c'],
  ]) {
    await run({ type: 'index_parallel', spec: spec(JSON.stringify({ t: `2022-03-${day}`, k, v: 1 }), true) });
  }
  const active = `SELECT "start", "num_rows" FROM sys.segments WHERE "is_active" = 1 ORDER BY 1, 2`;
  expect(await rows(active)).toEqual([
    ['2022-03-01T00:00:00.000Z', 1],
    ['2022-03-01T00:00:00.000Z', 1],
    ['2022-03-02T00:00:00.000Z', 1],
  ]);
  const compact = (interval: string, rest: object = {}) =>
    run({ type: 'compact', dataSource: 'small', ioConfig: { type: 'compact', inputSpec: { type: 'interval', interval } }, ...rest });
  expect(await compact('2022-03-01/2022-03-02')).toMatchObject({ statusCode: 'SUCCESS', type: 'compact' });
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
  const ioConfig = { type: 'compact', inputSpec: { type: 'interval', interval: '2022-03-01/2022-03-02' } };
  expect(await run({ type: 'compact', dataSource: 'small', ioConfig, granularitySpec: { segmentGranularity: 'MONTH' } })).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: expect.stringContaining('is not aligned with the segmentGranularity'),
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
        { input: { t: '2022-03-01', k: 'a', v: '1' }, parsed: { __time: 1646092800000, k: 'a', v: 1 } },
        { unparseable: true, error: 'Unable to parse row [nonsense]' },
        { input: { t: 'soon', k: 'b' }, unparseable: true },
      ],
    },
  });
});

test('a kill task deletes unused segments of its interval, and only those', async () => {
  const { post, run, rows } = await started();
  await run({ type: 'index_parallel', spec: spec('{"t":"2022-03-01","k":"a","v":1}\n{"t":"2022-03-02","k":"b","v":1}') });
  await post('/svc/coordinator/v1/datasources/small/markUnused', { interval: '2022-03-01/2022-03-02' });
  expect(await run({ type: 'kill', dataSource: 'small', interval: '2022-01-01/2023-01-01' })).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows('SELECT "k" FROM "small"')).toEqual([['b']]);
  expect(await post('/svc/indexer/v1/task', { type: 'kill', dataSource: 'small' })).toMatchObject({
    status: 400,
    body: { error: expect.stringContaining('[interval]') },
  });
});
