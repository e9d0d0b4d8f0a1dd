// Queries behind IN over a datasource of many rows: their few values are read before the statement,
// which answers as if they were not. With `maxSubqueryRows: -1` nothing is counted or read.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

let service: Service;
let wire: ReturnType<typeof api>;

// 210,000 rows: a letter in turn, every 30th is null, and a list of two letters.
const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const row = (index: number) =>
  `2024-01-0${1 + (index % 3)},${index % 30 === 0 ? '' : letters[index % 26]},${index % 40},x|${letters[index % 7]}`;

beforeAll(async () => {
  service = await startServer({ port: 0 });
  wire = api(service);
  const { body } = await wire.post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'many',
        timestampSpec: { column: 't' },
        dimensionsSpec: {
          dimensions: ['s', { type: 'long', name: 'n' }, { type: 'string', name: 'mv' }],
        },
        granularitySpec: { segmentGranularity: 'MONTH', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: {
          type: 'inline',
          data: Array.from({ length: 210_000 }, (_, index) => row(index)).join('\n'),
        },
        inputFormat: { type: 'csv', columns: ['t', 's', 'n', 'mv'], listDelimiter: '|' },
      },
    },
  });
  await wire.ended(body.task);
});

afterAll(() => service.close());

test.each([
  ['few values', 's IN (SELECT s FROM many WHERE n < 3 AND s IS NOT NULL GROUP BY 1)'],
  ['one value', "s IN (SELECT s FROM many WHERE s = 'c' GROUP BY 1)"],
  ['no value', "s IN (SELECT s FROM many WHERE s = 'none')"],
  ['the null among them', 's IN (SELECT s FROM many WHERE n < 3)'],
  ['more than are read', 's IN (SELECT s FROM many)'],
  [
    'a long text',
    `s IN (SELECT CASE WHEN n = 0 THEN s ELSE REPEAT('x', 2000) END FROM many WHERE s IN ('b', 'c') GROUP BY 1)`,
  ],
  ['NOT IN', 's NOT IN (SELECT s FROM many WHERE n = 1 AND s IS NOT NULL)'],
  ['NOT of IN', 'NOT (s IN (SELECT s FROM many WHERE n = 1 AND s IS NOT NULL))'],
  ['the best by a limit', 's IN (SELECT s FROM many GROUP BY 1 ORDER BY SUM(n) DESC, 1 LIMIT 4)'],
  [
    'a query within a query',
    's IN (SELECT s FROM many WHERE s IN (SELECT s FROM many WHERE n = 1 GROUP BY 1) AND n < 9)',
  ],
  ['several values in a row', "mv IN (SELECT s FROM many WHERE s < 'd' GROUP BY 1)"],
  ['values of several in a row', 's IN (SELECT mv FROM many GROUP BY 1)'],
  ['numbers', 'n IN (SELECT n FROM many WHERE n < 3 GROUP BY 1)'],
  ['a text that is computed', "CONCAT(s, '') IN (SELECT s FROM many WHERE n = 2 GROUP BY 1)"],
])('a query behind IN with %s', async (_, condition) => {
  const query = `SELECT COUNT(*), SUM(n), COUNT(DISTINCT s) FROM many WHERE ${condition}`;
  const ask = (context: object) => wire.post('/svc/v2/sql', { query, context });
  const joined = await ask({ maxSubqueryRows: -1 });
  expect(joined).toMatchObject({ status: 200 });
  expect((await ask({})).body).toEqual(joined.body);
});

test('a condition as a value', async () => {
  const query =
    "SELECT s IN (SELECT s FROM many WHERE s < 'd' GROUP BY 1) AS is_first, COUNT(*) FROM many GROUP BY 1 ORDER BY 1";
  const { body } = await wire.post('/svc/v2/sql', { query });
  const joined = await wire.post('/svc/v2/sql', { query, context: { maxSubqueryRows: -1 } });
  expect(body).toEqual(joined.body);
  expect(body).toHaveLength(3);
});

test('a limit of rows refuses the same queries', async () => {
  const query = 'SELECT COUNT(*) FROM many WHERE s IN (SELECT s FROM many WHERE n < 3)';
  const { status } = await wire.post('/svc/v2/sql', { query, context: { maxSubqueryRows: 2 } });
  expect(status).toBe(400);
});
