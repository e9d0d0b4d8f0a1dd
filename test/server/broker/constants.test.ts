// Expressions of constants, which the engine computes as a whole before it makes a literal of their
// type.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

async function asking() {
  const { post } = api(await startService());
  return async (query: string) =>
    (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body;
}

test('a constant of fixed length has blanks as a result, and nowhere else', async () => {
  const rows = await asking();
  const part = "SUBSTRING('abc', 2, 1)";
  expect(await rows(`SELECT ${part}, SUBSTRING('hello', 2, 0), SUBSTRING('hello', 2, -1)`)).toEqual(
    [['b  ', '     ', 'ello ']],
  );
  expect(
    await rows(`SELECT POSITION(${part} IN 'abc'), STRPOS('abc', ${part}), LENGTH(${part}), UPPER(${part}), ${part} || 'x', CONCAT(${part}, 'x'),
      LPAD(${part}, 3, '.'), REPLACE('abc', ${part}, 'x'), LEFT(${part}, 2), COALESCE(${part}, 'xy'), CASE WHEN 1 = 1 THEN ${part} ELSE 'xy' END,
      ${part} = 'b', ${part} IN ('b', 'c'), ${part} LIKE 'b', NULLIF(${part}, 'b'), ARRAY[${part}]`),
  ).toEqual([
    [2, 2, 1, 'B  ', 'bx', 'bx', '..b', 'axc', 'b', 'b', 'b', true, true, true, null, '["b"]'],
  ]);
  expect(
    await rows(
      `SELECT w, POSITION(${part} IN w) FROM (VALUES ('b'), ('xb')) AS v(w) WHERE w = ${part}`,
    ),
  ).toEqual([['b', 1]]);
  expect(await rows(`SELECT POSITION(p IN 'abc') FROM (SELECT ${part} AS p) AS q`)).toEqual([[2]]);
  expect(
    await rows(
      `SELECT v.w FROM (SELECT ${part} AS p) AS q JOIN (VALUES ('b'), ('b  ')) AS v(w) ON q.p = v.w`,
    ),
  ).toEqual([['b']]);
});

test('texts of several lengths stay as they are', async () => {
  const rows = await asking();
  expect(await rows("SELECT 'a' UNION ALL SELECT 'bbb'")).toEqual([['a'], ['bbb']]);
  expect(await rows("SELECT x, x = 'a' FROM (VALUES ('a'), ('bbb')) AS v(x)")).toEqual([
    ['a', true],
    ['bbb', false],
  ]);
  expect(
    await rows(
      "SELECT CASE WHEN 1 = 1 THEN 'a' ELSE 'bbb' END, COALESCE(NULL, 'a', 'bbb'), GREATEST('a', 'bbb'), CAST('a' AS CHAR(3))",
    ),
  ).toEqual([['a', 'a', 'bbb', 'a  ']]);
  expect(await rows("SELECT SUBSTRING(CAST('abc' AS CHAR(1000000000)), 2, 1)")).toEqual([
    ['b'.padEnd(65_536)],
  ]);
});

test('a constant is found in a list of a million constants', async () => {
  const rows = await asking();
  const numbers = Array.from({ length: 1_000_000 }, (_, index) => index);
  expect(
    await rows(
      `SELECT 5 IN (${numbers}), -5 IN (${numbers.slice(0, 600)}), 5 NOT IN (${numbers.slice(0, 600)})`,
    ),
  ).toEqual([[true, false, false]]);
  const words = numbers.slice(0, 600).map((index) => `'${index}'`);
  expect(await rows(`SELECT '5' IN (${words}), NULL IN (${words}), 'x' NOT IN (${words})`)).toEqual(
    [[true, null, true]],
  );
});
