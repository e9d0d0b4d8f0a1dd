// Aggregates and windows where none may stand, as a real 33.0.0 refuses them: the message and the
// columns that it marks.
import { expect, test } from 'vitest';
import { refusal } from '../statements-over-tables.ts';

test.each([
  [
    'SELECT RANK(page) AS r FROM edits',
    "Invalid number of arguments to function 'RANK'. Was expecting 0 arguments",
    8,
  ],
  ['SELECT LEAD(nosuch) AS l FROM edits', "Column 'nosuch' not found in any table", 13],
  [
    'SELECT page, CUME_DIST(added) AS c FROM edits GROUP BY page',
    "Invalid number of arguments to function 'CUME_DIST'. Was expecting 0 arguments",
    14,
  ],
  ['SELECT SUM(1 + SUM(added)) FROM edits', 'Aggregate expressions cannot be nested', 8],
  ['SELECT SUM(SUM(added) OVER ()) FROM edits', 'Aggregate expressions cannot be nested', 8],
  [
    'SELECT SUM(SUM(added) OVER ()) OVER () FROM edits',
    'Aggregate expressions cannot be nested',
    8,
  ],
  [
    'SELECT SUM(added) FILTER (WHERE SUM(added) > 1) FROM edits',
    'FILTER must not contain aggregate expression',
    33,
  ],
  [
    'SELECT SUM(added) OVER (PARTITION BY SUM(added) OVER ()) FROM edits',
    'PARTITION BY expression should not contain OVER clause',
    24,
  ],
  [
    'SELECT SUM(added) OVER (ORDER BY SUM(added) OVER ()) FROM edits',
    'ORDER BY expression should not contain OVER clause',
    24,
  ],
  [
    'SELECT 1 FROM edits WHERE SUM(added) OVER () > 1',
    'Windowed aggregate expression is illegal in WHERE clause',
    27,
  ],
  [
    'SELECT 1 FROM edits a JOIN edits b ON SUM(a.added) OVER () = 1',
    'Windowed aggregate expression is illegal in ON clause',
    39,
  ],
  [
    'SELECT page FROM edits GROUP BY page HAVING SUM(COUNT(*)) OVER () > 1',
    'Window functions are not allowed in HAVING',
    45,
  ],
  ['SELECT UPPER(page) OVER () FROM edits', 'OVER must be applied to aggregate function', 8],
  ['SELECT FOO(page, 1) OVER () FROM edits', 'function signature FOO(<CHARACTER>, <NUMERIC>)', 8],
  ['SELECT NTILE(added) OVER (ORDER BY page) FROM edits', "'NTILE' must be a literal", 8],
  ['SELECT NTILE(NULL) OVER (ORDER BY page) FROM edits', "'NTILE' must not be NULL", 8],
  ['SELECT NTILE(-1) OVER (ORDER BY page) FROM edits', 'must be a positive integer literal', 8],
])('%s: %s', (statement, words, column) => {
  expect(refusal(statement)).toContain(words);
  expect(refusal(statement)).toContain(`(line [1], column [${column}])`);
});

test('no rows are divided into no parts', () => {
  expect(refusal('SELECT NTILE(0) OVER (ORDER BY page) FROM edits')).toBe(
    'numBuckets[0] must be greater than zero',
  );
});
