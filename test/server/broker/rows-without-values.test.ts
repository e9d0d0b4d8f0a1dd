// Rows of a multi-value string that are an empty list, beside null and lists of one null; the
// answers are those of a real cluster of version 33.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Service, startServer } from '../../../src/server/server.ts';
import { api } from '../../support/wire.ts';

let service: Service;
beforeAll(async () => {
  service = await startServer({ port: 0 });
  const { post, ended } = api(service);
  const tags = [['a', 'b'], [null], null, [], ['a'], [], [null, 'c'], ['']];
  const rows = tags.map((tags, hour) => ({ t: `2020-01-01T0${hour}:00:00Z`, k: hour + 1, tags }));
  const { body } = await post('/svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'posts',
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: { dimensions: [{ type: 'long', name: 'k' }, 'tags'] },
        granularitySpec: { segmentGranularity: 'YEAR', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: rows.map((row) => JSON.stringify(row)).join('\n') },
        inputFormat: { type: 'json' },
      },
    },
  });
  expect(await ended(body.task)).toMatchObject({ statusCode: 'SUCCESS' });
});
afterAll(() => service.close());

const rows = async (query: string, context = {}) => {
  const { body } = await api(service).post('/svc/v2/sql', {
    query,
    context,
    resultFormat: 'array',
  });
  return body;
};

const everything = 'SELECT tags, COUNT(*) FROM posts GROUP BY tags';
const byTag = [
  ['a', 2],
  ['', 1],
  ['b', 1],
  ['c', 1],
];

test('a group of nulls has the rows without values, which top values leave out', async () => {
  const [nulls, ...others] = await rows(`${everything} ORDER BY 2 DESC`);
  expect([nulls, others]).toEqual([[null, 5], byTag]);
  expect(await rows(`${everything} ORDER BY 2 DESC LIMIT 5`)).toEqual([[null, 3], ...byTag]);
  expect((await rows(`${everything} LIMIT 1`))[0]).toEqual([null, 3]);
  expect((await rows(`${everything} HAVING COUNT(*) > 1 ORDER BY 2 DESC LIMIT 1`))[0]).toEqual([
    null,
    5,
  ]);
  const exact = { useApproximateTopN: false };
  expect((await rows(`${everything} ORDER BY 2 DESC LIMIT 1`, exact))[0]).toEqual([null, 5]);
  expect((await rows(`${everything} ORDER BY 1 LIMIT 1`, exact))[0]).toEqual([null, 3]);
});

test('filtered values are grouped only where there are any', async () => {
  const filtered = (values: string, tail = '') =>
    rows(
      `SELECT MV_FILTER_ONLY(tags, ARRAY[${values}]) AS tag, COUNT(*) FROM posts GROUP BY 1${tail}`,
    );
  expect(await filtered("'a'")).toEqual([
    [null, 6],
    ['a', 2],
  ]);
  expect(await filtered("'a'", ' ORDER BY 2 DESC LIMIT 5')).toEqual([['a', 2]]);
  expect(await filtered('NULL', ' ORDER BY 2 DESC LIMIT 5')).toEqual([[null, 3]]);
});

test('a function of the values has no value for a row without values', async () => {
  const grouped = (value: string) => rows(`SELECT ${value}, COUNT(*) FROM posts GROUP BY 1`);
  expect(await grouped("COALESCE(tags, 'none')")).toEqual([
    [null, 2],
    ['', 1],
    ['a', 2],
    ['b', 1],
    ['c', 1],
    ['none', 3],
  ]);
  expect(await grouped("CASE tags WHEN 'a' THEN 'A' ELSE 'no' END")).toEqual([
    [null, 2],
    ['A', 2],
    ['no', 6],
  ]);
  expect(await grouped("COALESCE(MV_FILTER_ONLY(tags, ARRAY['a']), 'none')")).toEqual([
    [null, 6],
    ['a', 2],
  ]);
  // Beside another column, and outside of groups, the lack of values is a null.
  expect(await grouped("CONCAT(COALESCE(tags, 'none'), k)")).toContainEqual(['none4', 1]);
  expect(await rows("SELECT COALESCE(tags, 'none') FROM posts WHERE k = 4")).toEqual([['none']]);
});

test('elsewhere a row without values is a null', async () => {
  expect(await rows('SELECT k FROM posts WHERE tags IS NULL')).toEqual(
    [2, 3, 4, 6, 7].map((k) => [k]),
  );
  expect(await rows('SELECT COUNT(tags), COUNT(*) FROM posts')).toEqual([[3, 8]]);
  expect(
    await rows('SELECT tags, MV_LENGTH(tags), MV_TO_ARRAY(tags) FROM posts WHERE k = 4'),
  ).toEqual([[null, null, null]]);
});

test('native queries tell them apart in the same way', async () => {
  const query = async (given: object) => {
    const { body } = await api(service).post('/svc/v2/', {
      dataSource: 'posts',
      intervals: ['2020/2021'],
      granularity: 'all',
      aggregations: [{ type: 'count', name: 'n' }],
      ...given,
    });
    return body;
  };
  const lookup = {
    type: 'lookup',
    dimension: 'tags',
    outputName: 'tag',
    lookup: { type: 'map', map: { a: 'A' } },
    replaceMissingValueWith: 'other',
  };
  const groups = await query({ queryType: 'groupBy', dimensions: [lookup] });
  expect(groups.map(({ event }: { event: object }) => event)).toEqual([
    { tag: null, n: 2 },
    { tag: 'A', n: 2 },
    { tag: 'other', n: 6 },
  ]);
  const [{ result }] = await query({
    queryType: 'topN',
    dimension: lookup,
    metric: 'n',
    threshold: 5,
  });
  expect(result).toEqual([
    { tag: 'other', n: 6 },
    { tag: 'A', n: 2 },
  ]);
  const asLong = { type: 'default', dimension: 'tags', outputName: 'tag', outputType: 'LONG' };
  const [{ event }, ...more] = await query({ queryType: 'groupBy', dimensions: [asLong] });
  expect([event, more]).toEqual([{ tag: null, n: 10 }, []]);
});
