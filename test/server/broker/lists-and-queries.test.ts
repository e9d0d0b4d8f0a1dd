// Multi-value strings beside subqueries, long lists of constants and other columns: no lambda of
// DuckDB takes a query.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { loadVisits } from '../../support/visits.ts';
import { api } from '../../support/wire.ts';

async function asking({ withVisits = false } = {}) {
  const service = await startService();
  if (withVisits) await loadVisits(service);
  const { post } = api(service);
  return async (query: string) =>
    (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body;
}

const source = "FROM (VALUES ('a,b', 'x'), ('c', 'y')) AS v(tags, word)";
const tags = 'tags'; // a column of several values
const stored =
  "FROM (SELECT tags, CASE city WHEN 'Paris' THEN 'x' ELSE 'y' END AS word FROM visits WHERE n IN (1, 5)) AS v";
const long = Array.from({ length: 600 }, (_, index) => `'${index === 7 ? 'x' : index}'`);

test.each([
  ['a subquery', `${tags} || (SELECT '!')`, ['["a!","b!"]', 'd!']],
  ['a subquery and another list', `${tags} || (SELECT '!') || ${tags}`, ['["a!a","b!b"]', 'd!d']],
  [
    'a long list of constants',
    `CONCAT(${tags}, CASE WHEN word IN (${long}) THEN '1' ELSE '2' END)`,
    ['["a1","b1"]', 'd2'],
  ],
  [
    'IN with a query',
    `CONCAT(${tags}, CASE WHEN word IN (SELECT 'y') THEN '1' ELSE '2' END)`,
    ['["a2","b2"]', 'd1'],
  ],
  ['NULLIF with a subquery', `UPPER(NULLIF(${tags}, (SELECT 'b')))`, ['["A",null]', 'D']],
  ['COALESCE with a subquery', `COALESCE(NULLIF(${tags}, 'a'), (SELECT '?'))`, ['["?","b"]', 'd']],
  [
    'CASE with a subquery',
    `CASE WHEN ${tags} = (SELECT 'd') THEN 'it' ELSE 'other' END`,
    ['["other","other"]', 'it'],
  ],
])('a multi-value string stands beside %s', async (_, expression, expected) => {
  const rows = await asking({ withVisits: true });
  expect(await rows(`SELECT ${expression} ${stored}`)).toEqual(expected.map((value) => [value]));
});

test('a CASE over a column of multi-value strings takes subqueries', async () => {
  const rows = await asking({ withVisits: true });
  const inner = `(SELECT ${tags} AS mv, word ${stored})`;
  expect(
    await rows(
      `SELECT CASE WHEN mv = 'a' THEN (SELECT 'first') WHEN word IN (SELECT 'y') THEN 'last' ELSE mv END FROM ${inner}`,
    ),
  ).toEqual([['["first","b"]'], ['last']]);
});

test('several constant values that a filter leaves are an array beside a column', async () => {
  const rows = await asking();
  for (const list of ["MV_FILTER_ONLY(STRING_TO_MV('1,2,3', ','), ARRAY['1', '2'])"]) {
    expect(await rows(`SELECT ${list} || word AS x, COUNT(*) ${source} GROUP BY 1`)).toEqual([
      ['[1, 2]x', 1],
      ['[1, 2]y', 1],
    ]);
  }
});

test('an array may be a key of groups, with windows and HAVING above', async () => {
  const rows = await asking();
  expect(
    await rows(
      `SELECT ARRAY_PREPEND(word || tags || 'x', ARRAY[word]), SUM(COUNT(*)) OVER () ${source} GROUP BY 1 HAVING STRING_AGG(word, '') <> '' ORDER BY 1`,
    ),
  ).toEqual([
    ['["xa,bx","x"]', 2],
    ['["ycx","y"]', 2],
  ]);
});
