// The newest rows of a table, whose times are read before the rest of their columns.
import { expect, test } from 'vitest';
import { answering, query, smallTables, translated } from '../statements-over-tables.ts';

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
  expect(query(text).duckdb.includes('min(t)')).toBe(isSo);
});

test.each([
  ['SELECT page FROM edits WHERE added > 1 ORDER BY __time DESC LIMIT 5', true],
  ['SELECT page FROM edits AS e ORDER BY e.__time DESC', true],
  ['SELECT page FROM edits ORDER BY __time LIMIT 5', undefined],
])('%s reads the newest segments first: %s', (text, isSo) => {
  expect(translated(text).scans[0]?.isNewestFirst).toBe(isSo);
});

// The small tables, which say that they have many rows.
const large = () => {
  const tables = smallTables([]);
  return {
    ...tables,
    findTable(schema: string | undefined, name: string) {
      const table = tables.findTable(schema, name);
      const columns = table?.columns.map((column) => ({ ...column, tableRows: 1_000_000 }));
      return table && columns && { ...table, columns };
    },
  };
};

test.each([
  ['added > 1', true],
  ["author IN ('ben', 'eve') AND NOT added = 3", true],
  ["page LIKE '%rl%'", false],
  ['added > (SELECT MIN(added) FROM edits)', false],
  ['author IN (SELECT author FROM edits)', false],
])('simple conditions are computed for the times and for the newest rows: %s', (where, isSo) => {
  const text = `SELECT page, added FROM edits WHERE ${where} ORDER BY __time DESC LIMIT 5`;
  expect(query(text, { catalog: large() }).duckdb.includes('min(t)')).toBe(isSo);
});

test('the newest rows of a filter are those of a sort', async () => {
  const answer = await answering();
  const conditions = ['added > 1', "author = 'ben'", 'added > 1000', 'page IS NULL OR added < 9'];
  for (const where of conditions)
    for (const rest of ['LIMIT 1', 'LIMIT 2 OFFSET 1', 'LIMIT 60']) {
      const text = `SELECT page, added FROM edits WHERE ${where} ORDER BY __time DESC ${rest}`;
      expect(await answer(text, { catalog: large() })).toEqual(await answer(text));
    }
});
