// The newest rows of a table, whose times are read before the rest of their columns.
import { expect, test } from 'vitest';
import { answering, query, translated } from '../statements-over-tables.ts';

test('the newest rows are those of a sort, with filter and offset', async () => {
  const answer = await answering();
  const pages = async (rest: string) =>
    (await answer(`SELECT page, added FROM edits ${rest}`)).map(([page]) => page);
  expect(await pages('ORDER BY __time DESC LIMIT 2')).toEqual([null, 'Berlin']);
  expect(await pages('ORDER BY __time DESC LIMIT 1 OFFSET 1')).toEqual(['Berlin']);
  expect(await pages("WHERE author = 'ben' ORDER BY __time DESC LIMIT 1")).toEqual(['Berlin']);
  expect(await pages('WHERE added > 1000 ORDER BY __time DESC LIMIT 1')).toEqual([]);
  expect(await pages('ORDER BY __time DESC LIMIT 9')).toHaveLength(4);
});

test.each([
  ['SELECT page, added FROM edits ORDER BY __time DESC LIMIT 5', true],
  ['SELECT page, added FROM edits WHERE added > 1 ORDER BY __time DESC LIMIT 5', false],
  ['SELECT page, added FROM edits ORDER BY __time LIMIT 5', false],
  ['SELECT page, added FROM edits ORDER BY __time DESC', false],
  ['SELECT __time FROM edits ORDER BY __time DESC LIMIT 5', false],
  ['SELECT DISTINCT __time, page FROM edits ORDER BY __time DESC LIMIT 5', false],
])('%s reads the times first: %s', (text, isSo) => {
  expect(query(text).duckdb.includes('SELECT min(t)')).toBe(isSo);
});

test.each([
  ['SELECT page FROM edits WHERE added > 1 ORDER BY __time DESC LIMIT 5', true],
  ['SELECT page FROM edits AS e ORDER BY e.__time DESC', true],
  ['SELECT page FROM edits ORDER BY __time LIMIT 5', undefined],
])('%s reads the newest segments first: %s', (text, isSo) => {
  expect(translated(text).scans[0]?.isNewestFirst).toBe(isSo);
});
