// Aggregates that the engine parses but does not plan. Expected refusals are those of a real
// 33.0.0.
import { expect, test } from 'vitest';
import { refusal } from '../statements-over-tables.ts';

test.each([
  ['SELECT JSON_ARRAYAGG(page) FROM edits', 'JSON_ARRAYAGG_ABSENT_ON_NULL'],
  ['SELECT JSON_ARRAYAGG(page NULL ON NULL) FROM edits', 'JSON_ARRAYAGG_NULL_ON_NULL'],
  ['SELECT author, JSON_ARRAYAGG(added) FROM edits GROUP BY 1', 'JSON_ARRAYAGG_ABSENT_ON_NULL'],
  ['SELECT JSON_OBJECTAGG(KEY page VALUE added) FROM edits', 'JSON_OBJECTAGG_NULL_ON_NULL'],
])('%s cannot be planned', (text, name) => {
  expect(refusal(text)).toBe(
    `Query could not be planned. A possible reason is [Aggregation [${name}] is not supported]`,
  );
});

test('an unknown column is refused first', () => {
  expect(refusal('SELECT JSON_ARRAYAGG(nope) FROM edits')).toContain("Column 'nope' not found");
});

test('DISTINCT is refused before ORDER BY', () => {
  expect(refusal('SELECT ARRAY_AGG(DISTINCT page ORDER BY page) FROM edits')).toContain(
    'Aggregation [ARRAY_AGG] with DISTINCT is not supported when useApproximateCountDistinct is enabled',
  );
  expect(refusal('SELECT ARRAY_AGG(page ORDER BY page) FROM edits')).toContain('WITHIN GROUP');
});
