// The first of several mistakes in a grouped SELECT, as a real 33.0.0 finds it.
import { expect, test } from 'vitest';
import { refusal } from '../statements-over-tables.ts';

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
