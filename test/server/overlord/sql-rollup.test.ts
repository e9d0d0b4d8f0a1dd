// Statements that store groups which can be combined further.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const visits = `(VALUES
  (TIMESTAMP '2024-01-01 01:10:00', 'x', 'Ann', 1, 1.5), (TIMESTAMP '2024-01-01 01:50:00', 'x', 'Ben', 2, 2.5),
  (TIMESTAMP '2024-01-01 02:10:00', 'x', 'Ann', 4, 3.5), (TIMESTAMP '2024-01-01 02:20:00', 'y', 'Cid', 8, 4.5)
) AS v("__time", "page", "who", "added", "score")`;
const metrics = `COUNT(*) AS "n", SUM("added") AS "sum", MAX("score") AS "most", ANY_VALUE("who") AS "any", DS_HLL("who") AS "people", AVG("score") AS "mean"`;
const rolledUp = { finalizeAggregations: false, groupByEnableMultiValueUnnesting: false };

async function started() {
  const { get, post, ended } = api(await startService());
  const task = async (query: string, context: object = rolledUp) => {
    const { body, text } = await post('/svc/v2/sql/task', { query, context });
    if (!body?.taskId) throw new Error(text);
    const status = await ended(body.taskId);
    if (status.statusCode !== 'SUCCESS') throw new Error(status.errorMsg);
  };
  const metadata = async () => {
    const analysisTypes = ['aggregators', 'rollup', 'queryGranularity', 'timestampSpec'];
    const query = {
      queryType: 'segmentMetadata',
      dataSource: 'd',
      intervals: ['2024/2025'],
      merge: true,
      analysisTypes,
    };
    const [{ rollup, aggregators, queryGranularity, timestampSpec }] = (
      await post('/svc/v2/', query)
    ).body;
    return { rollup, aggregators, queryGranularity, timestampSpec };
  };
  return {
    metadata,
    async stored() {
      await task(`INSERT INTO "raw" SELECT * FROM ${visits} PARTITIONED BY DAY`);
    },
    group: (keys: string, context: object = rolledUp, from = '"raw"') =>
      task(
        `REPLACE INTO "d" OVERWRITE ALL SELECT ${keys}, ${metrics} FROM ${from} GROUP BY 1, 2 PARTITIONED BY DAY`,
        context,
      ),
    task,
    rows: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
    async compact(rest: object = {}) {
      const ioConfig = {
        type: 'compact',
        inputSpec: { type: 'interval', interval: '2024-01-01/2024-01-02' },
      };
      const { body } = await post('/svc/indexer/v1/task', {
        type: 'compact',
        dataSource: 'd',
        ioConfig,
        ...rest,
      });
      return ended(body.task);
    },
    segment: async () =>
      (await get('/svc/coordinator/v1/metadata/datasources/d/segments?full')).body[0],
  };
}

const keys = `TIME_FLOOR("__time", 'PT1H') AS "__time", "page"`;
const hour = 'HOUR';
const none = { type: 'none' };
const aggregators = Object.fromEntries(
  [
    ['n', 'longSum'],
    ['sum', 'longSum'],
    ['most', 'doubleMax'],
    ['any', 'stringAny'],
    ['people', 'HLLSketchMerge'],
  ].map(([name, type]) => [name, { type, name, fieldName: name }]),
);

test('groups without finished aggregates are rolled up: segments say so, and how their metrics are combined', async () => {
  const { stored, group, metadata, rows, segment } = await started();
  await stored();
  await group(keys, { ...rolledUp, storeCompactionState: true });
  const timestampSpec = { column: '__time', format: 'millis', missingValue: null };
  expect(await metadata()).toEqual({
    rollup: true,
    aggregators,
    queryGranularity: hour,
    timestampSpec,
  });
  expect(
    await rows(`SELECT "dimensions", "metrics" FROM sys.segments WHERE "datasource" = 'd'`),
  ).toEqual([['["page","mean"]', '["n","sum","most","any","people"]']]);
  expect(await rows('SELECT * FROM "d"')).toEqual([
    [
      '2024-01-01T01:00:00.000Z',
      'x',
      2,
      2,
      3,
      2.5,
      expect.stringMatching(/Ann|Ben/),
      expect.any(String),
    ],
    ['2024-01-01T02:00:00.000Z', 'x', 3.5, 1, 4, 3.5, 'Ann', expect.any(String)],
    ['2024-01-01T02:00:00.000Z', 'y', 4.5, 1, 8, 4.5, 'Cid', expect.any(String)],
  ]);
  expect((await segment()).lastCompactionState).toMatchObject({
    dimensionsSpec: { dimensions: [{ name: 'page' }, { name: 'mean' }] },
    metricsSpec: Object.values(aggregators),
    granularitySpec: { queryGranularity: 'HOUR', rollup: true },
  });
});

test('what is rolled up is combined further by compaction, sketches too', async () => {
  const { stored, group, metadata, rows, compact } = await started();
  await stored();
  await group(keys);
  const granularitySpec = { segmentGranularity: 'DAY', queryGranularity: 'DAY' };
  expect(
    await compact({ granularitySpec, dimensionsSpec: { dimensions: ['page'] } }),
  ).toMatchObject({ statusCode: 'SUCCESS' });
  const query = 'SELECT "page", "n", "sum", "most", ROUND(HLL_SKETCH_ESTIMATE("people")) FROM "d"';
  expect(await rows(query)).toEqual([
    ['x', 3, 7, 3.5, 2],
    ['y', 1, 8, 4.5, 1],
  ]);
  expect(await metadata()).toMatchObject({ rollup: true, aggregators, queryGranularity: 'DAY' });
});

test('the queryGranularity is that of the one key that cuts __time, and there is none otherwise', async () => {
  const { stored, group, metadata } = await started();
  await stored();
  await group(`FLOOR("__time" TO DAY) AS "__time", "page"`);
  expect((await metadata()).queryGranularity).toBe('DAY');
  await group(`DATE_TRUNC('month', "__time") AS "__time", "page"`);
  expect((await metadata()).queryGranularity).toBe('MONTH');
  await group('"__time", "page"');
  expect(await metadata()).toMatchObject({ rollup: true, queryGranularity: none });
  await group(`TIME_FLOOR("__time", 'PT1H') AS "__time", TIME_FLOOR("__time", 'P1D') AS "day"`);
  expect(await metadata()).toMatchObject({ rollup: true, queryGranularity: none });
});

test.each([
  ['whose aggregates are finished', { groupByEnableMultiValueUnnesting: false }],
  ['that take values out of their lists', { finalizeAggregations: false }],
])('groups %s are not rolled up', async (_, context) => {
  const { stored, group, metadata, rows } = await started();
  await stored();
  await group(keys, context);
  expect(await metadata()).toMatchObject({
    rollup: false,
    aggregators: {},
    queryGranularity: none,
  });
  expect(await rows(`SELECT "metrics" FROM sys.segments WHERE "datasource" = 'd'`)).toEqual([
    ['[]'],
  ]);
});

test('rows that are not grouped are not rolled up; different rows are, without metrics', async () => {
  const { stored, task, metadata } = await started();
  await stored();
  await task('REPLACE INTO "d" OVERWRITE ALL SELECT * FROM "raw" PARTITIONED BY DAY');
  expect(await metadata()).toMatchObject({ rollup: false, aggregators: {} });
  await task(
    'REPLACE INTO "d" OVERWRITE ALL SELECT DISTINCT "__time", "page" FROM "raw" PARTITIONED BY DAY',
  );
  expect(await metadata()).toMatchObject({ rollup: true, aggregators: {} });
});
