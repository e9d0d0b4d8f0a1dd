// The negative zero in groups, as a real 33.0.0 answers.
import { expect, test } from 'vitest';
import { resolved } from '../expressions.ts';
import { answering } from '../statements-over-tables.ts';

const rounded = 'SELECT CEIL(x) AS c FROM (VALUES (-0.5), (0.0), (-0.25), (1.0)) AS t (x)';

test('-0.0 is a group of its own, below 0.0', async () => {
  const answer = await answering();
  const groups = await answer(`SELECT c, COUNT(*) FROM (${rounded}) GROUP BY c`);
  expect(groups).toEqual([
    [-0, 2],
    [0, 1],
    [1, 1],
  ]);
  expect(await answer(`SELECT c + 1, COUNT(*) FROM (${rounded}) GROUP BY c HAVING c >= 0`)).toEqual(
    [
      [1, 1],
      [2, 1],
    ],
  );
});

test('-0.0 is a group of its own in grouping sets', async () => {
  const answer = await answering();
  const sets = await answer(`SELECT c, COUNT(*) FROM (${rounded}) GROUP BY ROLLUP (c)`);
  expect(sets).toEqual([
    [-0, 2],
    [0, 1],
    [1, 1],
    [null, 4],
  ]);
});

test('-0.0 and 0.0 are two different values', async () => {
  const answer = await answering();
  expect(await answer(`SELECT DISTINCT c FROM (${rounded})`)).toEqual([[-0], [0], [1]]);
});

test('what is computed while planning has no negative zero', () => {
  for (const text of [
    '-0.0',
    'CEIL(-0.5)',
    '-CAST(0 AS DOUBLE)',
    "CAST('-0.0' AS DOUBLE)",
    '-0.0 * 1',
  ]) {
    expect(Object.is(resolved(text).constant, 0)).toBe(true);
  }
});

const zeros = `SELECT CEIL(x) AS c, CAST(CASE WHEN x < 0 THEN 0 ELSE 1 END AS BIGINT) AS m FROM (VALUES (-0.5), (0.5), (0.0)) AS t (x)`;

test('-0.0 is below 0.0 in MAX, MIN, GREATEST, LEAST and between columns, and equals it', async () => {
  const answer = await answering();
  const negative = `SELECT * FROM (${zeros}) WHERE c < 1`;
  expect(await answer(`SELECT MAX(c), MIN(c) FROM (${negative})`)).toEqual([[0, -0]]);
  expect(
    await answer(`SELECT GREATEST(c, m * 0e0), LEAST(c, m * 0e0) FROM (${zeros}) WHERE m = 0`),
  ).toEqual([[0, -0]]);
  expect(await answer(`SELECT c < m, c = m, c >= m FROM (${zeros}) WHERE m = 0`)).toEqual([
    [true, true, false],
  ]);
});

test('a join and a list of constants tell -0.0 from 0.0', async () => {
  const answer = await answering();
  expect(await answer(`SELECT COUNT(*) FROM (${zeros}) WHERE c IN (0, 7)`)).toEqual([[1]]);
  expect(await answer(`SELECT COUNT(*) FROM (${zeros}) WHERE c = 0 OR c = 7`)).toEqual([[1]]);
  expect(await answer(`SELECT COUNT(*) FROM (${zeros}) WHERE c = 0`)).toEqual([[2]]);
  expect(
    await answer(`SELECT COUNT(*) FROM (${zeros}) WHERE c IN (SELECT m FROM (${zeros}))`),
  ).toEqual([[2]]);
  expect(
    await answer(
      `SELECT COUNT(*) FROM (${zeros}) AS a JOIN (${zeros}) AS b ON a.c = b.c WHERE a.c < 1`,
    ),
  ).toEqual([[2]]);
});

test('a window ranks -0.0 before 0.0', async () => {
  const answer = await answering();
  const ranks = await answer(`SELECT m, RANK() OVER (ORDER BY c) AS r FROM (${zeros}) ORDER BY r`);
  expect(ranks.map(([, rank]) => rank)).toEqual([1, 2, 3]);
});
