// UNION ALL as a data source, as a real 33.0.0 plans it.
import { expect, test } from 'vitest';
import { query, refusal } from '../statements-over-tables.ts';

const grouped = (...arms: readonly string[]) =>
  `SELECT c, COUNT(*) FROM (${arms.join(' UNION ALL ')}) GROUP BY c`;

test('a query of a union whose WHERE reads no column is filtered in planning', () => {
  const whole = 'SELECT added AS c FROM edits';
  const never = "WHERE ARRAY_LENGTH(ARRAY['a']) = 2";
  expect(() => query(grouped(`${whole} WHERE ARRAY_LENGTH(ARRAY['a']) = 1`, whole))).not.toThrow();
  expect(() => query(grouped(`SELECT added + 1 AS c FROM edits ${never}`, whole))).not.toThrow();
  for (const arm of [
    'SELECT added + 1 AS c FROM edits',
    'SELECT added AS c FROM edits WHERE ARRAY_LENGTH(links) = 2',
    'SELECT added AS c FROM edits WHERE (SELECT COUNT(*) FROM people) = 2',
  ])
    expect(refusal(grouped(whole, arm, whole)), arm).toContain('requires union between inputs');
});
