// The first of several mistakes in a grouped SELECT, as a real 33.0.0 finds it.
import { expect, test } from 'vitest';
import { refusal, translated } from '../statements-over-tables.ts';

const notGrouped = (name: string) => `Expression '${name}' is not being grouped`;

test.each([
  ['SELECT page, added FROM edits GROUP BY page', notGrouped('added')],
  ['SELECT page, added, NOSUCH(author) FROM edits GROUP BY page', 'NOSUCH(<CHARACTER>)'],
  ['SELECT page FROM edits GROUP BY page ORDER BY TRUNCATE(author)', "Cannot apply 'TRUNCATE'"],
  ['SELECT page FROM edits GROUP BY page ORDER BY author', notGrouped('author')],
  ['SELECT page FROM edits GROUP BY page HAVING NOSUCH(author)', notGrouped('author')],
  ['SELECT NOSUCH(page) FROM edits GROUP BY page HAVING added > 1', notGrouped('added')],
  ['SELECT NOSUCH(page) FROM edits GROUP BY page HAVING nosuch > 1', "Column 'nosuch' not found"],
  ['SELECT page, NOSUCH(added) FROM edits GROUP BY page HAVING COUNT(*) > 1', 'NOSUCH(<NUMERIC>)'],
  ["SELECT REGEXP_LIKE(page, '['), nosuch FROM edits", "Column 'nosuch' not found"],
  ['SELECT SUBSTRING(page, 1, 0), nosuch FROM edits', "Column 'nosuch' not found"],
  ["SELECT COUNT(*) FROM edits WHERE LOOKUP(page, 'x')", 'WHERE clause must be a condition'],
  ['SELECT SUM(LATEST_BY(page)) FROM edits', "function 'LATEST_BY'. Was expecting 2 arguments"],
  ['SELECT SUM(MAX(added)) FROM edits', 'Aggregate expressions cannot be nested'],
  ['SELECT CBRT(nosuch) FROM edits', "Column 'nosuch' not found"],
])('%s is refused for its first mistake', (text, message) => {
  expect(refusal(text, { version: 33 })).toContain(message);
});

test('a query that is known to be empty is refused only for names and types', () => {
  const cut = 'SELECT SUBSTRING(page, 1, 0) AS cut FROM edits';
  expect(refusal(cut)).toContain('length must be strictly positive');
  for (const empty of [
    `${cut} WHERE 1 = 0`,
    `${cut} WHERE page = 'a' AND page = 'b'`,
    `${cut} LIMIT 0`,
    `SELECT cut, COUNT(*) FROM (${cut}) WHERE 1 = 0 GROUP BY 1`,
    "SELECT LOOKUP(page, 'missing') FROM edits WHERE 1 = 0",
  ])
    expect(() => translated(empty), empty).not.toThrow();
  expect(refusal(`${cut} WHERE nosuch = 1 LIMIT 0`)).toContain("Column 'nosuch' not found");
  expect(refusal(`SELECT cut FROM (${cut} LIMIT 0) UNION ALL ${cut}`)).toContain('length must be');
});
