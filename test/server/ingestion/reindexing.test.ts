import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { addUser, allow, ask, startGuarded } from '../../support/users.ts';
import { api } from '../../support/wire.ts';

const days = { segmentGranularity: 'DAY', queryGranularity: 'NONE', rollup: false };
const specOf = (dataSource: string, ioConfig: object, schema: object = {}) => ({
  dataSchema: {
    dataSource,
    timestampSpec: { column: '__time', format: 'millis' },
    dimensionsSpec: {},
    granularitySpec: days,
    ...schema,
  },
  ioConfig: { type: 'index_parallel', ...ioConfig },
});
const task = (...args: Parameters<typeof specOf>) => ({
  type: 'index_parallel',
  spec: specOf(...args),
});

const rows = [
  { t: '2020-01-01T01:00:00Z', city: 'Rome', tags: ['a', 'b'], nested: { x: 1 }, n: 5 },
  { t: '2020-01-01T02:00:00Z', city: 'Rome', tags: ['c'], nested: { x: 2 }, n: 7 },
  { t: '2020-01-02T01:00:00Z', city: 'Oslo', tags: null, nested: null, n: 1 },
];
const first = task(
  'edits',
  {
    inputSource: { type: 'inline', data: rows.map((row) => JSON.stringify(row)).join('\n') },
    inputFormat: { type: 'json' },
  },
  {
    timestampSpec: { column: 't', format: 'iso' },
    dimensionsSpec: {
      dimensions: ['city', 'tags', { type: 'json', name: 'nested' }, { type: 'long', name: 'n' }],
    },
  },
);
const edits = { type: 'druid', dataSource: 'edits', interval: '2020-01-01/2020-01-03' };

async function started() {
  const { get, post, ended } = api(await startService());
  const run = async (given: object) => ended((await post('/svc/indexer/v1/task', given)).body.task);
  await run(first);
  const sql = async (query: string) =>
    (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body;
  return { get, post, run, sql };
}

test('A task reads another datasource: all of it, with transforms, a filter and rollup, and within its interval.', async () => {
  const { run, sql, get } = await started();
  const dimensionsSpec = {
    dimensions: ['city', 'tags', { type: 'json', name: 'nested' }, { type: 'long', name: 'n' }],
  };
  expect(await run(task('copy', { inputSource: edits }, { dimensionsSpec }))).toMatchObject({
    status: 'SUCCESS',
  });
  const query = (name: string) =>
    `SELECT __time, city, tags, JSON_VALUE(nested, '$.x' RETURNING BIGINT), n FROM ${name} ORDER BY __time`;
  expect(await sql(query('copy'))).toEqual(await sql(query('edits')));

  const rolled = task(
    'rolled',
    { inputSource: { ...edits, filter: { type: 'selector', dimension: 'city', value: 'Rome' } } },
    {
      dimensionsSpec: { dimensions: ['town'] },
      transformSpec: {
        transforms: [{ type: 'expression', name: 'town', expression: 'upper(city)' }],
      },
      metricsSpec: [
        { type: 'count', name: 'count' },
        { type: 'longSum', name: 'sum', fieldName: 'n' },
      ],
      granularitySpec: { ...days, queryGranularity: 'DAY', rollup: true },
    },
  );
  expect(await run(rolled)).toMatchObject({ status: 'SUCCESS' });
  expect(await sql('SELECT __time, town, "count", "sum" FROM rolled')).toEqual([
    ['2020-01-01T00:00:00.000Z', 'ROME', 2, 12],
  ]);

  // A datasource may be replaced by what is made of it. The source's lists select nothing.
  const part = { ...edits, interval: '2020-01-02/2020-01-03', dimensions: [], metrics: [] };
  expect(
    await run(
      task(
        'copy',
        { inputSource: part, dropExisting: true },
        {
          dimensionsSpec: { dimensions: ['city', 'n'] },
          granularitySpec: { ...days, intervals: ['2020-01-01/2020-01-03'] },
        },
      ),
    ),
  ).toMatchObject({ status: 'SUCCESS' });
  expect(await sql('SELECT * FROM copy')).toEqual([['2020-01-02T01:00:00.000Z', 'Oslo', '1']]);
  const reread = task(
    'edits',
    { inputSource: edits },
    { dimensionsSpec: { dimensions: ['city'] } },
  );
  const { id, status } = await run(reread);
  expect(status).toBe('SUCCESS');
  expect(await sql('SELECT city FROM edits ORDER BY __time')).toEqual([
    ['Rome'],
    ['Rome'],
    ['Oslo'],
  ]);
  const { body } = await get(`/svc/indexer/v1/task/${id}/reports`);
  expect(body.ingestionStatsAndErrors.payload.rowStats.buildSegments).toMatchObject({
    processed: 3,
    unparseable: 0,
  });
});

test('The sampler shows rows of a datasource as a specification makes them.', async () => {
  const { post } = await started();
  const { body } = await post('/svc/indexer/v1/sampler', {
    type: 'index_parallel',
    spec: specOf('x', { inputSource: edits }),
    samplerConfig: { numRows: 2 },
  });
  expect(body).toMatchObject({ numRowsRead: 2, numRowsIndexed: 2 });
  expect(body.data[0]).toMatchObject({
    input: { __time: 1577840400000, city: 'Rome', tags: ['a', 'b'] },
    parsed: { __time: 1577840400000, city: 'Rome' },
  });
});

test('What cannot be reindexed is refused by name.', async () => {
  const { post } = await started();
  const refused = async (inputSource: object) => {
    const { status, body } = await post('/svc/indexer/v1/task', task('x', { inputSource }));
    return [status, JSON.stringify(body)];
  };
  expect(await refused({ ...edits, dataSource: 'none' })).toEqual([
    400,
    expect.stringContaining('Datasource [none] of the input source does not exist'),
  ]);
  expect(await refused({ type: 'druid', dataSource: 'edits' })).toEqual([
    400,
    expect.stringContaining('inputSource.interval'),
  ]);
  expect(await refused({ ...edits, segments: [] })).toEqual([
    400,
    expect.stringContaining('single segments cannot be selected'),
  ]);
  expect(await refused({ type: 'combining', delegates: [edits] })).toEqual([
    400,
    expect.stringContaining('delegates cannot be of type [druid]'),
  ]);
  const query = `REPLACE INTO x OVERWRITE ALL SELECT * FROM TABLE(EXTERN('${JSON.stringify(edits)}', '{"type":"json"}', '[{"name":"a","type":"string"}]')) PARTITIONED BY ALL`;
  const { status, body } = await post('/svc/v2/sql/task', { query });
  expect([status, JSON.stringify(body)]).toEqual([
    400,
    expect.stringContaining('Use datasource [edits] in FROM instead'),
  ]);
});

test('Reading a datasource into another one takes permission to read it.', async () => {
  const service = await startGuarded();
  const ann = await addUser(service, 'ann', [allow('WRITE', 'DATASOURCE', 'copy')]);
  const copy = task('copy', { inputSource: edits });
  expect((await ask(service, ann, 'POST /svc/indexer/v1/task', copy)).status).toBe(403);
  expect(
    (
      await ask(service, ann, 'POST /svc/indexer/v1/sampler', {
        type: 'index_parallel',
        spec: copy.spec,
      })
    ).status,
  ).toBe(403);
});
