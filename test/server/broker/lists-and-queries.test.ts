// Multi-value strings beside subqueries, long lists of constants and other columns: no lambda of
// DuckDB takes a query.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

async function asking() {
  const { post } = api(await startService());
  return async (query: string) =>
    (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body;
}

const source = "FROM (VALUES ('a,b', 'x'), ('c', 'y')) AS v(tags, word)";
const tags = "MV_FILTER_NONE(STRING_TO_MV(tags, ','), ARRAY['none'])"; // other functions see each value, not the text of an array
const long = Array.from({ length: 600 }, (_, index) => `'${index === 7 ? 'x' : index}'`);

test.each([
  ['a subquery', `${tags} || (SELECT '!')`, ['["a!","b!"]', 'c!']],
  [
    'a subquery and another list',
    `${tags} || (SELECT '!') || ${tags}`,
    ['["a!a","a!b","b!a","b!b"]', 'c!c'],
  ],
  [
    'a long list of constants',
    `CONCAT(${tags}, CASE WHEN word IN (${long}) THEN '1' ELSE '2' END)`,
    ['["a1","b1"]', 'c2'],
  ],
  [
    'IN with a query',
    `CONCAT(${tags}, CASE WHEN word IN (SELECT 'y') THEN '1' ELSE '2' END)`,
    ['["a2","b2"]', 'c1'],
  ],
  ['NULLIF with a subquery', `UPPER(NULLIF(${tags}, (SELECT 'b')))`, ['["A",null]', 'C']],
  ['COALESCE with a subquery', `COALESCE(NULLIF(${tags}, 'a'), (SELECT '?'))`, ['["?","b"]', 'c']],
  [
    'CASE with a subquery',
    `CASE WHEN ${tags} = (SELECT 'c') THEN 'it' ELSE 'other' END`,
    ['other', 'it'],
  ],
])('a multi-value string stands beside %s', async (_, expression, expected) => {
  const rows = await asking();
  expect(await rows(`SELECT ${expression} ${source}`)).toEqual(expected.map((value) => [value]));
});

test('a CASE over a column of multi-value strings takes subqueries', async () => {
  const rows = await asking();
  const inner = `(SELECT ${tags} AS mv, word ${source})`;
  expect(
    await rows(
      `SELECT CASE WHEN mv = 'a' THEN (SELECT 'first') WHEN word IN (SELECT 'y') THEN 'last' ELSE mv END FROM ${inner}`,
    ),
  ).toEqual([['["first","b"]'], ['last']]);
});

test('groups are made of a constant list mapped with a column', async () => {
  const rows = await asking();
  for (const list of ["MV_FILTER_ONLY(STRING_TO_MV('1,2,3', ','), ARRAY['1', '2'])"]) {
    expect(await rows(`SELECT ${list} || word AS x, COUNT(*) ${source} GROUP BY 1`)).toEqual([
      ['1x', 1],
      ['1y', 1],
      ['2x', 1],
      ['2y', 1],
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
