// `maxSubqueryRows` and `maxSubqueryBytes`: which queries are read apart, how many rows they hold
// and what is refused, as a real cluster of version 33 answered for such statements.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

let service: Service;
let wire: ReturnType<typeof api>;

// Eight rows, four of them with n above 0, in three hours.
const rows = [
  { t: '2024-01-01T00:00:00Z', s: 'a', n: -1 },
  { t: '2024-01-01T00:01:00Z', s: 'b', n: 1 },
  { t: '2024-01-01T01:00:00Z', s: 'c', n: 2 },
  { t: '2024-01-01T01:01:00Z', s: '', n: -2 },
  { t: '2024-01-01T02:00:00Z', s: 'e', n: 3 },
  { t: '2024-01-01T02:01:00Z', s: 'f', n: -3 },
  { t: '2024-01-01T02:02:00Z', s: 'é', n: 4 },
  { t: '2024-01-01T02:03:00Z', s: 'g', n: -4 },
];

beforeAll(async () => {
  service = await startServer({ port: 0 });
  wire = api(service);
  const { body } = await wire.post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'eight',
        timestampSpec: { column: 't' },
        dimensionsSpec: { dimensions: ['s', { type: 'long', name: 'n' }] },
        granularitySpec: { segmentGranularity: 'DAY', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: rows.map((row) => JSON.stringify(row)).join('\n') },
        inputFormat: { type: 'json' },
      },
    },
  });
  await wire.ended(body.task);
});

afterAll(() => service.close());

const sql = (query: string, context: object) => wire.post('/svc/v2/sql', { query, context });

const refused = (unit: 'bytes' | 'rows', most: number) => ({
  status: 400,
  body: {
    error: 'Resource limit exceeded',
    errorClass: 'org.apache.druid.query.ResourceLimitExceededException',
    errorCode: 'legacyQueryException',
    persona: 'OPERATOR',
    category: 'INVALID_INPUT',
    errorMessage: expect.stringContaining(
      `Cannot issue the query, subqueries generated results beyond maximum[${most}] ${unit}.`,
    ),
  },
});

test.each([
  ['a scan with a limit below groups', 5, 'SELECT COUNT(*) FROM (SELECT s FROM eight LIMIT 5)'],
  [
    'a topN below groups',
    2,
    'SELECT COUNT(*) FROM (SELECT s, COUNT(*) FROM eight GROUP BY 1 ORDER BY 2 LIMIT 2)',
  ],
  [
    'a timeseries below groups',
    3,
    "SELECT MAX(c) FROM (SELECT TIME_FLOOR(__time, 'PT1H'), COUNT(*) c FROM eight GROUP BY 1)",
  ],
  [
    'a cut below a filter',
    6,
    'SELECT * FROM (SELECT s, n FROM eight ORDER BY __time LIMIT 6) WHERE n > 1',
  ],
  [
    'cut groups below another order',
    7,
    'SELECT s FROM (SELECT s, n, COUNT(*) c FROM eight GROUP BY 1, 2 ORDER BY 3 DESC LIMIT 7) ORDER BY 1 LIMIT 2',
  ],
  [
    'the table on the right of a join',
    8,
    'SELECT a.n FROM eight a JOIN eight b ON a.s = b.s WHERE b.n > 0',
  ],
  [
    'two tables on the right',
    16,
    'SELECT a.n FROM eight a JOIN eight b ON a.s = b.s JOIN eight c ON a.s = c.s',
  ],
  [
    'a filter on the left of a join',
    12,
    'SELECT a.n FROM (SELECT s, n FROM eight WHERE n > 0) a JOIN eight b ON a.s = b.s',
  ],
  [
    'groups on both sides',
    12,
    'SELECT a.c FROM (SELECT s, COUNT(*) c FROM eight GROUP BY 1) a JOIN (SELECT s, COUNT(*) c FROM eight WHERE n > 0 GROUP BY 1) b ON a.s = b.s',
  ],
  [
    'the values of IN',
    4,
    'SELECT COUNT(*) FROM eight WHERE s IN (SELECT s FROM eight WHERE n > 0)',
  ],
  [
    'the values of NOT IN and how many they are',
    5,
    'SELECT COUNT(*) FROM eight WHERE s NOT IN (SELECT s FROM eight WHERE n > 0)',
  ],
  ['one value', 1, 'SELECT COUNT(*) FROM eight WHERE n = (SELECT MAX(n) FROM eight)'],
  ['the rows of a window', 4, 'SELECT s, SUM(n) OVER (PARTITION BY s) FROM eight WHERE n > 0'],
  [
    'the rows of a window and what it makes of them',
    8,
    'SELECT COUNT(*) FROM (SELECT s, SUM(n) OVER (PARTITION BY s) z FROM eight WHERE n > 0) WHERE z > 0',
  ],
  ['groups below a window', 8, 'SELECT s, SUM(COUNT(*)) OVER (ORDER BY s) FROM eight GROUP BY 1'],
])('%s take %d rows', async (_, most, query) => {
  expect((await sql(query, { maxSubqueryRows: most })).status).toBe(200);
  expect(await sql(query, { maxSubqueryRows: most - 1 })).toMatchObject(refused('rows', most - 1));
});

test.each([
  ['a filter below groups', 'SELECT COUNT(*) FROM (SELECT s FROM eight WHERE n > 0)'],
  ['groups below groups', 'SELECT COUNT(*) FROM (SELECT DISTINCT s FROM eight)'],
  [
    'cut groups below groups',
    'SELECT COUNT(*) FROM (SELECT s, n FROM eight GROUP BY 1, 2 ORDER BY 1 LIMIT 7)',
  ],
  [
    'groups below a filter',
    'SELECT * FROM (SELECT s, COUNT(*) c FROM eight GROUP BY 1) WHERE c > 1',
  ],
  ['a cut below chosen columns', 'SELECT UPPER(s) FROM (SELECT s, n FROM eight LIMIT 5) LIMIT 3'],
  [
    'computed columns on the left of a join',
    "SELECT a.n FROM (SELECT UPPER(s) s, n FROM eight) a JOIN (VALUES ('A')) b(s) ON a.s = b.s",
  ],
  ['a union', 'SELECT COUNT(*) FROM (SELECT s, n FROM eight UNION ALL SELECT s, n FROM eight)'],
])('%s are not read apart', async (_, query) => {
  expect((await sql(query, { maxSubqueryRows: 0 })).status).toBe(200);
});

test.each([
  // 28 bytes and 9 for each number
  [46, 'SELECT SUM(n) FROM (SELECT n FROM eight LIMIT 2)'],
  // 38 bytes for two columns; 4 for each text and its UTF-8: seven letters of 8 bytes
  [38 + 8 * 9 + 8 * 4 + 8, 'SELECT a.s, b.s, b.n FROM eight a JOIN eight b ON a.s = b.s'],
])('rows take %d bytes', async (bytes, query) => {
  expect((await sql(query, { maxSubqueryBytes: bytes + 1 })).status).toBe(200);
  expect(await sql(query, { maxSubqueryBytes: String(bytes) })).toMatchObject(
    refused('bytes', bytes),
  );
});

test('bytes limit instead of rows, unless they are disabled', async () => {
  const query = 'SELECT COUNT(*) FROM (SELECT s FROM eight LIMIT 5)';
  for (const maxSubqueryBytes of ['auto', 'AUTO', 1000])
    expect((await sql(query, { maxSubqueryBytes, maxSubqueryRows: 1 })).status).toBe(200);
  for (const maxSubqueryBytes of ['disabled', 0])
    expect(await sql(query, { maxSubqueryBytes, maxSubqueryRows: 1 })).toMatchObject(
      refused('rows', 1),
    );
  expect((await sql(query, { maxSubqueryRows: -1 })).status).toBe(200);
  expect(await sql(query, { maxSubqueryRows: 0 })).toMatchObject(refused('rows', 0));
});

const parse = 'Query context parse failed';

test.each([
  [
    { maxSubqueryBytes: 'abc' },
    'invalidInput',
    'Unable to parse the provided maxSubqueryLimit [abc]',
  ],
  [{ maxSubqueryBytes: -5 }, 'invalidInput', 'Limit too large'],
  [
    { maxSubqueryRows: 'abc' },
    parse,
    'Expected key [maxSubqueryRows] to be in integer format, but got [abc]',
  ],
  [
    { maxSubqueryRows: true },
    parse,
    'Expected key [maxSubqueryRows] to be an Integer, but got [java.lang.Boolean]',
  ],
])('%j is refused by SQL and native queries', async (context, code, message) => {
  const expected = {
    status: 400,
    body: {
      errorCode: code === parse ? 'legacyQueryException' : code,
      errorMessage: expect.stringContaining(message),
    },
  };
  expect(await sql('SELECT COUNT(*) FROM eight', context)).toMatchObject(expected);
  expect(await native({ queryType: 'timeseries', aggregations: [count] }, context)).toMatchObject(
    expected,
  );
});

type Query = Readonly<Record<string, unknown>>;
const count = { type: 'count', name: 'c' };
const whole = { intervals: ['1000/3000'], granularity: 'all', dataSource: 'eight' };
const below = (query: Query) => ({ type: 'query', query: { ...whole, ...query } });
const scan = below({ queryType: 'scan', columns: ['s'] });
const groups = below({ queryType: 'groupBy', dimensions: ['s'] });
const native = (query: Query, context: object) =>
  wire.post('/svc/v2/', { ...whole, ...query, context });
const timeseries = { queryType: 'timeseries', aggregations: [count] };
const groupBy = { queryType: 'groupBy', dimensions: [], aggregations: [count] };

test.each([
  ['a scan below a timeseries', 8, { ...timeseries, dataSource: scan }],
  ['a groupBy below a timeseries', 8, { ...timeseries, dataSource: groups }],
  [
    'groups of groups below a timeseries',
    8,
    {
      ...timeseries,
      dataSource: below({ queryType: 'groupBy', dimensions: ['s'], dataSource: groups }),
    },
  ],
  [
    'groups of a scan below a timeseries',
    16,
    {
      ...timeseries,
      dataSource: below({ queryType: 'groupBy', dimensions: ['s'], dataSource: scan }),
    },
  ],
  [
    'a groupBy on the right of a join',
    8,
    {
      ...timeseries,
      dataSource: {
        type: 'join',
        left: 'eight',
        right: groups,
        rightPrefix: 'r.',
        condition: 's == "r.s"',
        joinType: 'INNER',
      },
    },
  ],
  [
    'a topN below a groupBy',
    3,
    {
      ...groupBy,
      dataSource: below({
        queryType: 'topN',
        dimension: 's',
        metric: 'c',
        threshold: 3,
        aggregations: [count],
      }),
    },
  ],
])('natively, %s takes %d rows', async (_, most, query) => {
  expect((await native(query, { maxSubqueryRows: most })).status).toBe(200);
  expect(await native(query, { maxSubqueryRows: most - 1 })).toMatchObject(
    refused('rows', most - 1),
  );
});

test('natively, a groupBy reads a groupBy at once', async () => {
  const query = { ...groupBy, dataSource: groups };
  expect(await native(query, { maxSubqueryRows: 0 })).toMatchObject({
    status: 200,
    body: [{ event: { c: 8 } }],
  });
});
