// Groups by several constant values. The rules are those of a real 33.0.0.
import { expect, test } from 'vitest';
import { answering } from '../statements-over-tables.ts';

const both = "MV_APPEND('x', 'y')";

test('several constant values are groups where the items are the keys and aggregates', async () => {
  const answer = await answering();
  expect(await answer(`SELECT ${both}, COUNT(*) FROM edits GROUP BY 1`)).toEqual([
    ['x', 4],
    ['y', 4],
  ]);
  expect(
    await answer(`SELECT ${both}, COUNT(*) FROM edits GROUP BY 1 HAVING MV_LENGTH(${both}) = 1`),
  ).toEqual([]);
});

test.each([
  [`SELECT ${both} || 'z', COUNT(*) FROM edits GROUP BY ${both}`, [['[x, y]z', 4]]],
  [`SELECT UPPER(${both}) FROM edits GROUP BY ${both} HAVING COUNT(*) > 1`, [['[X, Y]']]],
  [`SELECT COUNT(*) FROM edits GROUP BY ${both}`, [[4]]],
  [`SELECT COUNT(*) FROM edits GROUP BY ${both} ORDER BY ${both}`, [[4]]],
  [
    `SELECT author, COUNT(*) FROM edits GROUP BY author, ${both}`,
    [
      ['anna', 2],
      ['ben', 2],
    ],
  ],
])(
  'an item above the groups reads the constants, and no item their values: %s',
  async (statement, expected) => {
    const answer = await answering();
    expect(await answer(statement)).toEqual(expected);
  },
);

test('groups that are cut or sorted are made before the items', async () => {
  const answer = await answering();
  expect(await answer(`SELECT COUNT(*) FROM edits GROUP BY ${both} LIMIT 9`)).toEqual([[4], [4]]);
  expect(
    await answer(`SELECT ${both} || 'z' FROM edits GROUP BY ${both} ORDER BY COUNT(*)`),
  ).toEqual([['[x, y]z'], ['[x, y]z']]);
});

test('a key of several computed values is one of them above the groups', async () => {
  const answer = await answering();
  const key = "MV_APPEND('x', author)";
  expect(await answer(`SELECT ${key} || 'z', COUNT(*) FROM edits GROUP BY ${key}`)).toEqual([
    ['annaz', 2],
    ['benz', 2],
    ['xz', 4],
  ]);
});
