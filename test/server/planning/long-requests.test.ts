// Long requests to a service: answered or refused by the name of a limit, and ended while they are
// planned.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';

const million = Array.from({ length: 1_000_000 }, (_, index) => index);
// Within all limits, and nothing of it is a plain constant: planning takes seconds.
const long = `SELECT COUNT(*) FROM (SELECT 1 AS x) WHERE x + 0 IN (${Array.from({ length: 950_000 }, (_, index) => `${index}+1`)})`;

const post = (url: string, body: unknown, signal?: AbortSignal) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });

test('a million values in IN are counted, in SQL and in native queries', async () => {
  const { url } = await startService();
  const sql = await post(`${url}/svc/v2/sql`, {
    query: `SELECT COUNT(*) AS c FROM (VALUES (5), (1000001)) AS t(x) WHERE x IN (${million})`,
  });
  expect(await sql.json()).toEqual([{ c: 1 }]);
  const native = await post(`${url}/svc/v2`, {
    queryType: 'timeseries',
    dataSource: {
      type: 'inline',
      columnNames: ['x'],
      columnTypes: ['STRING'],
      rows: [['value 5'], ['other']],
    },
    intervals: ['1000-01-01/3000-01-01'],
    granularity: 'all',
    filter: { type: 'in', dimension: 'x', values: million.map((index) => `value ${index}`) },
    aggregations: [{ type: 'count', name: 'c' }],
  });
  expect(await native.json()).toMatchObject([{ result: { c: 1 } }]);
});

test.each([
  ['timeseries', '2015-01-01T00:00:00.000+01:00', {}],
  ['topN', '2014-12-31T23:00:00.000Z', { dimension: 'x', metric: 'c', threshold: 5 }], // written in UTC, as the engine does
  ['groupBy', '2015-01-01T00:00:00.000+01:00', { dimensions: ['x'] }],
])(
  'a %s over a thousand intervals has buckets of a period in a zone',
  async (queryType, timestamp, rest) => {
    const { url } = await startService();
    const reply = await post(`${url}/svc/v2`, {
      queryType,
      dataSource: {
        type: 'inline',
        columnNames: ['__time', 'x'],
        columnTypes: ['LONG', 'STRING'],
        rows: [[1_420_066_800_000, 'a']],
      },
      intervals: Array.from(
        { length: 1000 },
        (_, index) => `${1500 + index}-01-01/${1501 + index}-01-01`,
      ),
      granularity: { type: 'period', period: 'P1D', timeZone: 'Europe/Berlin' },
      aggregations: [{ type: 'count', name: 'c' }],
      ...rest,
    });
    // A timeseries and a topN fill the intervals with empty buckets, because written rows have no
    // segments.
    const buckets = (await reply.json()) as {
      timestamp: string;
      result?: { c: number } | unknown[];
    }[];
    const isEmpty = ({ result }: (typeof buckets)[number]) =>
      Array.isArray(result) ? result.length === 0 : result?.c === 0;
    expect(buckets.filter((bucket) => !isEmpty(bucket))).toMatchObject([{ timestamp }]);
  },
);

test('a timeout, a cancel and a client that goes end the planning of a statement', async () => {
  const { url } = await startService();
  const late = await post(`${url}/svc/v2/sql`, { query: long, context: { timeout: 200 } });
  expect(late.status).toBe(504);
  expect(await late.json()).toMatchObject({ error: 'Query timeout' });

  const canceled = post(`${url}/svc/v2/sql`, { query: long, context: { sqlQueryId: 'long' } });
  await expect
    .poll(async () => (await fetch(`${url}/svc/v2/sql/long`, { method: 'DELETE' })).status)
    .toBe(202);
  expect((await canceled).status).toBe(500);

  const gone = new AbortController();
  const left = post(`${url}/svc/v2/sql`, { query: long }, gone.signal);
  setTimeout(() => gone.abort(), 500);
  await expect(left).rejects.toThrow();
  expect(await (await post(`${url}/svc/v2/sql`, { query: 'SELECT 1 AS c' })).json()).toEqual([
    { c: 1 },
  ]);
});

const sampler = (dataSchema: object, data: string) => ({
  type: 'index_parallel',
  spec: {
    dataSchema: {
      dataSource: 'd',
      timestampSpec: { column: 't', format: 'auto' },
      dimensionsSpec: {},
      granularitySpec: {},
      ...dataSchema,
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource: { type: 'inline', data },
      inputFormat: { type: 'json' },
    },
  },
});
const columns = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`c${index}`, index]));

test.each([
  [
    'inputColumns',
    '/svc/indexer/v1/sampler',
    sampler({}, JSON.stringify({ t: 1, ...columns(20_000) })),
  ],
  [
    'specItems',
    '/svc/indexer/v1/sampler',
    sampler(
      {
        dimensionsSpec: {
          dimensions: Array.from({ length: 10_050 }, (_, index) => index.toString(36)),
        },
      },
      '{}',
    ),
  ],
  [
    'bodyItems',
    '/svc/coordinator/v1/rules/d',
    Array.from({ length: 10_050 }, () => ({ type: 'loadForever', tieredReplicants: {} })),
  ],
  [
    'bodyValues',
    '/svc/coordinator/v1/config',
    { killDataSourceWhitelist: Object.keys(columns(150_000)) },
  ],
  ['contextParameters', '/svc/v2/sql', { query: 'SELECT 1', context: columns(20_000) }],
  [
    'groupingSets',
    '/svc/v2/sql',
    {
      query: `SELECT 1 FROM (SELECT 1 AS x) GROUP BY CUBE (${Object.keys(columns(14)).map((_, index) => `x + ${index}`)})`,
    },
  ],
  [
    'tables',
    '/svc/v2/candidates',
    {
      queryType: 'scan',
      dataSource: { type: 'union', dataSources: Object.keys(columns(20_000)) },
      intervals: [],
    },
  ],
  [
    'intervals',
    '/svc/v2',
    {
      queryType: 'scan',
      dataSource: 'd',
      intervals: Array.from({ length: 30_000 }, () => '2020/2021'),
    },
  ],
])('limit [%s] is refused with 400 and its name', async (name, path, body) => {
  const { url } = await startService();
  const reply = await post(url + path, body);
  expect([reply.status, await reply.text()]).toEqual([
    400,
    expect.stringContaining(`Limit [${name}] exceeded`),
  ]);
});

test('a task whose intervals have more time chunks than it may have fails, and the service goes on', async () => {
  const { url } = await startService();
  const granularitySpec = { segmentGranularity: 'SECOND', intervals: ['1900-01-01/2100-01-01'] };
  const reply = await post(`${url}/svc/indexer/v1/task`, sampler({ granularitySpec }, '{"t":1}'));
  const { task } = (await reply.json()) as { task: string };
  const status = async () =>
    JSON.stringify(await (await fetch(`${url}/svc/indexer/v1/task/${task}/status`)).json());
  await expect.poll(status).toContain('Limit [timeChunks] exceeded');
});

test('a join of so many tables that DuckDB orders them for minutes ends in time', async () => {
  const { url } = await startService();
  const tables = Array.from(
    { length: 200 },
    (_, index) => `(VALUES (1), (2), (3)) AS t${index} (x)`,
  );
  const joins = Array.from({ length: 199 }, (_, index) => `t${index}.x = t${index + 1}.x`);
  const startedMs = performance.now();
  const reply = await post(`${url}/svc/v2/sql`, {
    query: `SELECT COUNT(*) FROM ${tables.join(', ')} WHERE ${joins.join(' AND ')}`,
    context: { timeout: 2000 },
  });
  expect(reply.status).toBe(504);
  expect(performance.now() - startedMs).toBeLessThan(4000);
});
