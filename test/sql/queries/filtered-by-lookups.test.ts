// LIMIT over a table whose filter asks a lookup: the rows are the first of the table.
import { expect, test } from 'vitest';
import { answering, query } from '../statements-over-tables.ts';

test('the first rows that a lookup chooses are the first of the table', async () => {
  const answer = await answering();
  const where = "WHERE LOOKUP(author, 'names') = 'Anna' OR added = 5";
  expect(await answer(`SELECT page, added FROM edits ${where} LIMIT 2`)).toEqual([
    ['Berlin', 10],
    ['Bern', 5],
  ]);
  expect(await answer(`SELECT page, added FROM edits ${where} LIMIT 1 OFFSET 2`)).toEqual([
    [null, 7],
  ]);
});

test.each([
  ["SELECT page FROM edits WHERE LOOKUP(author, 'names') = 'Anna' LIMIT 5", true],
  ["SELECT page FROM edits WHERE LOOKUP(author, 'names') = 'Anna'", false],
  ["SELECT page FROM edits WHERE LOOKUP(author, 'names') = 'Anna' ORDER BY __time LIMIT 5", false],
  ["SELECT LOOKUP(author, 'names') FROM edits WHERE added > 5 LIMIT 5", false],
])('%s numbers the rows: %s', (text, isSo) => {
  expect(query(text).duckdb.includes('row_number()')).toBe(isSo);
});
