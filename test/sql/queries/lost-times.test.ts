// Times before 1970 in buckets of several hours, as a real 33.0.0 answers.
import { expect, test } from 'vitest';
import { query } from '../statements-over-tables.ts';

const condition = (text: string) =>
  / WHERE (\("edits"\."__time" >= .*?\)) GROUP BY/s.exec(query(text).duckdb)?.[1];

test.each([
  "SELECT TIME_FLOOR(__time, 'PT6H'), COUNT(*) FROM edits GROUP BY 1",
  "SELECT TIME_FLOOR(__time, 'PT6H'), page, COUNT(*) FROM edits GROUP BY 1, 2",
  "SELECT DISTINCT TIME_FLOOR(__time, 'PT6H') FROM edits",
  "SELECT TIME_FLOOR(__time, 'PT6H'), COUNT(*) FROM edits CROSS JOIN UNNEST(links) AS u (x) GROUP BY 1",
  "SELECT TIME_FLOOR(__time, 'PT6H'), COUNT(*) FROM edits GROUP BY 1 ORDER BY 1 LIMIT 3",
])('a time that its bucket does not contain is lost: [%s]', (text) => {
  expect(condition(text)).toBeDefined();
});

test.each([
  "SELECT TIME_FLOOR(__time, 'PT1H'), COUNT(*) FROM edits GROUP BY 1",
  "SELECT TIME_FLOOR(__time, 'P1D'), COUNT(*) FROM edits GROUP BY 1",
  "SELECT TIME_FLOOR(__time, 'PT6H'), TIME_FLOOR(__time, 'P1D'), COUNT(*) FROM edits GROUP BY 1, 2",
  "SELECT TIME_FLOOR(__time, 'PT6H'), page, COUNT(*) FROM edits GROUP BY 1, 2 LIMIT 3",
  "SELECT TIME_FLOOR(__time, 'PT6H'), COUNT(*) FROM edits WHERE author IN (SELECT name FROM people) GROUP BY 1",
])('other buckets contain all times: [%s]', (text) => {
  expect(condition(text)).toBeUndefined();
});
