// Sorted rows of joins, as a real 33.0.0 plans them.
import { expect, test } from 'vitest';
import { answering, query, refusal } from '../statements-over-tables.ts';

const join = 'FROM edits e LEFT JOIN people p ON e.author = p.name';
const words = 'ordering a table by non-time column';

test('rows of a join are not sorted below literals and below columns that WHERE decides', () => {
  for (const statement of [
    `SELECT e.page, 5 ${join} ORDER BY e.page`,
    `SELECT e.page, p.label ${join} WHERE p.label IS NULL ORDER BY e.page DESC LIMIT 5`,
    `SELECT e.page, p.label ${join} WHERE p.label = 'x' ORDER BY e.page`,
    `SELECT e.page, e.added ${join} WHERE e.added = 7 ORDER BY e.page`,
    `SELECT e.added, e.__time ${join} WHERE e.__time = TIMESTAMP '2024-01-01 00:00:00' ORDER BY 1`,
    'SELECT page, added FROM edits WHERE added = 7 AND author IN (SELECT name FROM people) ORDER BY page',
  ])
    expect(refusal(statement), statement).toContain(words);
});

test('rows of a join are sorted where no constant is computed above the sort', () => {
  for (const statement of [
    `SELECT e.page ${join} WHERE p.label IS NULL ORDER BY e.page`,
    `SELECT e.page, p.label ${join} WHERE p.label IS NULL ORDER BY e.page, p.label`,
    `SELECT e.page, p.label ${join} WHERE p.label IN ('x', 'y') ORDER BY e.page`,
    `SELECT e.page, e.added ${join} WHERE e.added = 7.0 ORDER BY e.page`,
    `SELECT e.added, e.page ${join} WHERE e.page = 7 ORDER BY e.added`,
    `SELECT e.page, 5 AS five ${join} ORDER BY e.page, five`,
  ])
    expect(() => query(statement), statement).not.toThrow();
});

test('a join that yields the selected columns in their order needs no projection', () => {
  for (const items of ['e.page, e.author, p.name, p.label', 'e.author, p.name, p.label'])
    expect(() =>
      query(`SELECT ${items} ${join} WHERE p.label IS NULL ORDER BY e.author`),
    ).not.toThrow();
  for (const items of ['e.author, e.page, p.name, p.label', 'e.author, p.label'])
    expect(refusal(`SELECT ${items} ${join} WHERE p.label IS NULL ORDER BY e.author`)).toContain(
      words,
    );
  const listed =
    "FROM edits e JOIN (VALUES ('anna', 1), ('ben', 2)) v (name, size) ON e.author = v.name";
  expect(() =>
    query(`SELECT e.page, v.size ${listed} WHERE v.size = 1 ORDER BY e.page`),
  ).not.toThrow();
});

test('several values on the right side of a join are one text, unless a result shows them', async () => {
  const answer = await answering();
  const joined = 'edits AS a INNER JOIN edits AS b ON a.page = b.page AND a.author = b.author';
  expect(await answer(`SELECT b.tags FROM ${joined} WHERE b.added = 10`)).toEqual([
    [['city', 'capital']],
  ]);
  expect(await answer(`SELECT UPPER(b.tags) FROM ${joined} WHERE b.added = 10`)).toEqual([
    ['[CITY, CAPITAL]'],
  ]);
  expect(await answer(`SELECT b.tags, COUNT(*) FROM ${joined} GROUP BY 1`)).toEqual([
    [null, 1],
    ['[city, capital]', 1],
    ['city', 1],
  ]);
  expect(await answer(`SELECT a.page FROM ${joined} WHERE b.tags = 'city'`)).toEqual([['Bern']]);
  expect(
    await answer(
      'SELECT b.tags FROM people AS a, edits AS b GROUP BY b.tags HAVING COUNT(*) > 1 LIMIT 2',
    ),
  ).toEqual([[null], ['[city, capital]']]);
});
