// The order of groups without ORDER BY. The rules are those of a real 33.0.0.
import { expect, test } from 'vitest';
import { answering } from '../statements-over-tables.ts';

const byAuthor = [
  ['anna', 7],
  ['anna', 10],
  ['ben', null],
  ['ben', 5],
];
const byAdded = [
  ['ben', null],
  ['ben', 5],
  ['anna', 7],
  ['anna', 10],
];

test.each([
  ['SELECT COUNT(*), author, added FROM edits GROUP BY added, author', byAuthor],
  ['SELECT COUNT(1), author, added, 1 FROM edits GROUP BY added, author LIMIT 4', byAuthor],
  ["SELECT SUM(added), author, added FROM edits WHERE author > 'a' GROUP BY 3, 2", byAuthor],
  [
    'SELECT COUNT(*), a, n FROM (SELECT added AS n, author AS a FROM edits) GROUP BY n, a',
    byAuthor,
  ],
  ['SELECT SUM(added + 1), author, added FROM edits GROUP BY added, author', byAdded],
  [
    'SELECT COUNT(*), author, added FROM (SELECT added, author FROM edits LIMIT 9) GROUP BY author, added',
    byAdded,
  ],
])(
  'groups of plain columns come in the order of the table if items are computed above them: %s',
  async (statement, expected) => {
    const answer = await answering();
    const rows = await answer(statement);
    expect(rows.map(([, author, added]) => [author, added])).toEqual(expected);
  },
);

test('groups whose items are the keys and aggregates are sorted as GROUP BY lists them', async () => {
  const answer = await answering();
  expect(
    await answer('SELECT author, page, COUNT(*) FROM edits GROUP BY author, page LIMIT 2'),
  ).toEqual([
    ['anna', null, 1],
    ['anna', 'Berlin', 1],
  ]);
  expect(
    await answer('SELECT author, added, ROW_NUMBER() OVER () FROM edits GROUP BY author, added'),
  ).toEqual([
    ['anna', 7, 1],
    ['anna', 10, 2],
    ['ben', null, 3],
    ['ben', 5, 4],
  ]);
});

test('grouping sets follow the order of the table, too', async () => {
  const answer = await answering();
  const sets = 'GROUPING SETS ((), (author), (page))';
  expect(await answer(`SELECT COUNT(*), author, page FROM edits GROUP BY ${sets}`)).toEqual([
    [1, null, null],
    [2, null, 'Berlin'],
    [1, null, 'Bern'],
    [2, 'anna', null],
    [2, 'ben', null],
    [4, null, null],
  ]);
});
