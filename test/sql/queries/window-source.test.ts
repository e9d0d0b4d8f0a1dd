// Sources of window functions, as a real 33.0.0 refuses them.
import { expect, test } from 'vitest';
import { query, refusal } from '../statements-over-tables.ts';

const unplanned = 'Unhandled Query Planning Failure, see broker logs for details';
const unscanned =
  'Query could not be planned. A possible reason is [Cannot convert to Scan query without any columns.]';

test.each([
  ['SELECT x, SUM(x) OVER () FROM (VALUES (1), (2)) AS t (x)', unplanned],
  ['SELECT x, SUM(x) OVER () FROM UNNEST(ARRAY[1, 2]) AS t (x)', unplanned],
  [
    'SELECT page, ROW_NUMBER() OVER (ORDER BY page) FROM (SELECT page FROM edits UNION ALL SELECT page FROM edits)',
    unplanned,
  ],
  ['SELECT ROW_NUMBER() OVER ()', unscanned],
  ['SELECT x, SUM(x) OVER () FROM (SELECT 1 AS x)', unscanned],
])('no window reads the rows of [%s]', (text, message) => {
  expect(refusal(text)).toBe(message);
});

test('windows read the groups of listed rows', () => {
  expect(() =>
    query('SELECT x, SUM(SUM(x)) OVER () FROM (VALUES (1), (2)) AS t (x) GROUP BY x'),
  ).not.toThrow();
});

test('a window over all rows of a table reads a column of it', () => {
  expect(refusal('SELECT COUNT(*) OVER () FROM edits LIMIT 2')).toBe(unscanned);
  expect(refusal('SELECT SUM(1) OVER () FROM (SELECT page FROM edits)')).toBe(unscanned);
  expect(() => query("SELECT COUNT(*) OVER () FROM edits WHERE page = 'Bern'")).not.toThrow();
  expect(() => query('SELECT page, COUNT(*) OVER () FROM edits')).not.toThrow();
});
