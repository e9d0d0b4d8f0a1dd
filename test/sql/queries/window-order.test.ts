// The order of rows below windows. Expected answers are those of a real 33.0.0.
import { expect, test } from 'vitest';
import { answering } from '../statements-over-tables.ts';

const numbered = (...windows: string[]) =>
  `SELECT page, author, ${windows.map((window) => `ROW_NUMBER() OVER (${window})`).join(', ')} FROM edits GROUP BY page, author`;

test('the last window that sorts decides the order of the rows', async () => {
  const answer = await answering();
  const pages = async (...windows: string[]) =>
    (await answer(numbered(...windows))).map(([page, author]) => `${page} ${author}`);
  const upward = ['null anna', 'Berlin anna', 'Berlin ben', 'Bern ben'];
  expect(await pages('ORDER BY page DESC', 'ORDER BY page, author')).toEqual(upward);
  expect(await pages('ORDER BY page, author', 'ORDER BY author DESC')).toEqual([
    'Berlin ben',
    'Bern ben',
    'null anna',
    'Berlin anna',
  ]);
});

test('a window keeps an order that suits it', async () => {
  const answer = await answering();
  const sorted = await answer(numbered('PARTITION BY author ORDER BY page DESC', ''));
  expect(sorted.map(([page]) => page)).toEqual(['Berlin', null, 'Bern', 'Berlin']);
  const again = await answer(
    numbered('PARTITION BY page, author', 'PARTITION BY author, page ORDER BY page'),
  );
  expect(again.map(([page]) => page)).toEqual([null, 'Berlin', 'Berlin', 'Bern']);
});

test('rows that a window leaves equal keep the order of the window before', async () => {
  const answer = await answering();
  const rows = await answer(numbered('ORDER BY page DESC', 'ORDER BY author'));
  expect(rows).toEqual([
    ['Berlin', 'anna', 2, 1],
    [null, 'anna', 4, 2],
    ['Bern', 'ben', 1, 3],
    ['Berlin', 'ben', 3, 4],
  ]);
});
