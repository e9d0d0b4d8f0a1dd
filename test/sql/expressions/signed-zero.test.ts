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
