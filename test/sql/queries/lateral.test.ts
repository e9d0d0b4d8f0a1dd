import { expect, test } from 'vitest';
import { answering, query } from '../statements-over-tables.ts';

test('rows of a lateral query are not counted without the row that it names', async () => {
  const text =
    'SELECT p.name, x.c FROM people p LEFT JOIN LATERAL (SELECT COUNT(*) AS c FROM edits e WHERE e.author = p.name) x ON TRUE';
  expect(query(text).inlined.filter(({ from }) => from.includes('"p"'))).toEqual([]);
  const answer = await answering();
  expect(await answer(text)).toEqual([
    ['anna', 2],
    ['carl', 0],
  ]);
});

test('an inner join with the groups of a lateral query leaves out rows without a group', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT p.name, x.c FROM people p CROSS JOIN LATERAL (SELECT COUNT(*) AS c FROM edits e WHERE e.author = p.name) x',
    ),
  ).toEqual([['anna', 2]]);
});
