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

test('a WHERE of constants that holds leaves the plain query', () => {
  const groups = 'SELECT page AS c FROM edits GROUP BY 1';
  for (const condition of [
    "'a' NOT IN ('b', 'c')",
    "'a' < 'b'",
    '1 IN (1, 2)',
    '2 BETWEEN 1 AND 3',
  ])
    expect(
      refusal(grouped(groups, `SELECT author AS c FROM edits WHERE ${condition}`)),
      condition,
    ).toContain('requires union between inputs');
});

test('queries run one after the other up to a limit below a SELECT that only passes their rows on', () => {
  const limited =
    'SELECT page AS c FROM edits GROUP BY 1 UNION ALL SELECT author FROM edits LIMIT 5';
  for (const text of [
    `SELECT c FROM (${limited})`,
    `SELECT c AS x FROM (${limited}) LIMIT 3`,
    `SELECT c FROM (SELECT c FROM (${limited}) LIMIT 3)`,
    `WITH u AS (${limited}) SELECT * FROM u`,
  ])
    expect(() => query(text), text).not.toThrow();
  for (const text of [
    `SELECT UPPER(c) FROM (${limited})`,
    `SELECT c FROM (${limited} OFFSET 1)`,
    `SELECT c FROM (${limited}) WHERE c = 'x'`,
    `SELECT c, COUNT(*) FROM (${limited}) GROUP BY c`,
  ])
    expect(refusal(text), text).toContain('requires union between inputs');
});
