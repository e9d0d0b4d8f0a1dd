// Fields of nested columns in filters and scans; the answers are those of a real cluster of version
// 33.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0, engineVersion: 33 });
  const { post, ended } = api(service);
  const documents = [
    { d: 1.5, l: 1, list: [1, 2] },
    { d: 2.0, l: 2, list: [3] },
    { d: 0.5, l: -3, list: [] },
    { d: -0.5, l: 10, list: [null, 'x'] },
    {},
    { d: 10.25, l: 0, list: [{ a: 1 }] },
  ];
  const rows = documents.map((j, id) => JSON.stringify({ t: `2024-01-01T0${id}:00`, id, j }));
  const { body } = await post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'documents',
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: {
          dimensions: [
            { type: 'long', name: 'id' },
            { type: 'json', name: 'j' },
          ],
        },
        granularitySpec: { segmentGranularity: 'DAY', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: rows.join('\n') },
        inputFormat: { type: 'json' },
      },
    },
  });
  expect(await ended(body.task)).toMatchObject({ statusCode: 'SUCCESS' });
});
afterAll(() => service.close());

async function answer(query: string): Promise<unknown> {
  const { body } = await api(service).post('/svc/v2/sql', { query, resultFormat: 'array' });
  return body;
}

const whole = "JSON_VALUE(j, '$.d' RETURNING BIGINT)";
const list = "JSON_VALUE(j, '$.list')";

test.each([
  ['> 0', [0, 1, 2, 5]],
  ['= 0', []],
  ['<> 1', [0, 1, 2, 3, 5]],
  ['IN (1, 2, 10)', [1]],
  ['NOT IN (1, 2, 10)', [0, 2, 3, 5]],
  ['BETWEEN 0 AND 1', [2]],
  ['> 1.2', [0, 1, 5]],
  ['IS DISTINCT FROM 0', [0, 1, 2, 3, 4, 5]],
])('WHERE compares the stored number of a field read as BIGINT: %s', async (condition, ids) => {
  const found = ids.map((id) => [id]);
  expect(await answer(`SELECT id FROM documents WHERE ${whole} ${condition}`)).toEqual(found);
  const below = `(SELECT id, ${whole} AS x FROM documents)`;
  expect(await answer(`SELECT id FROM ${below} WHERE x ${condition}`)).toEqual(found);
});

test('values, FILTER and CASE have the long of a field', async () => {
  const counts = `COUNT(*) FILTER (WHERE ${whole} > 0), SUM(CASE WHEN ${whole} = 0 THEN 1 ELSE 0 END)`;
  expect(await answer(`SELECT ${counts} FROM documents`)).toEqual([[3, 2]]);
  const untyped = "JSON_VALUE(j, '$.d')";
  const filtered = `COUNT(*) FILTER (WHERE ${untyped} > 0), COUNT(*) FILTER (WHERE ${untyped} IN (1, 2, 10))`;
  expect(await answer(`SELECT ${filtered} FROM documents`)).toEqual([[3, 3]]);
});

test('HAVING on a key finds the stored numbers, which the groups cut off', async () => {
  const groups = `SELECT ${whole}, COUNT(*) FROM documents GROUP BY 1 HAVING ${whole}`;
  expect(await answer(`${groups} > 0`)).toEqual([
    [0, 1],
    [1, 1],
    [2, 1],
    [10, 1],
  ]);
  expect(await answer(`${groups} = 0`)).toEqual([]);
});

test('a list of scalars is a field that is not null in version 33, and a scan shows it', async () => {
  expect(await answer(`SELECT id, ${list} FROM documents WHERE ${list} IS NOT NULL`)).toEqual([
    [0, '["1","2"]'],
    [1, '["3"]'],
    [2, '[]'],
    [3, '[null,"x"]'],
  ]);
  expect(await answer(`SELECT COUNT(*) FROM documents WHERE ${list} IS NULL`)).toEqual([[2]]);
  const below = `(SELECT id, ${list} AS x FROM documents)`;
  expect(await answer(`SELECT COUNT(*) FROM ${below} WHERE x IS NOT NULL`)).toEqual([[4]]);
});
