// Conditions that no row can meet read no table, as EXPLAIN of a real 33.0.0 shows.
import { expect, test } from 'vitest';
import { translated } from '../statements-over-tables.ts';

const dataSourceOf = (condition: string): string => {
  const { statement } = translated(`EXPLAIN PLAN FOR SELECT page FROM edits WHERE ${condition}`);
  if (statement.kind !== 'explain') throw new TypeError(statement.kind);
  return JSON.parse(statement.plan)[0].query.dataSource.type;
};

test.each([
  'added > 10 AND added < 5',
  'added >= 5 AND 5 > added',
  'added BETWEEN 1 AND 3 AND added = 4',
  "page = 'a' AND page = 'b'",
  "page > 'b' AND page < 'a'",
  "__time < TIMESTAMP '2024-01-01' AND __time >= TIMESTAMP '2024-01-01'",
  "author = 'x' AND added > 1.5 AND added < 1",
  "added > '100' AND added BETWEEN 1 AND 100",
  'CHAR_LENGTH(page) > CHAR_LENGTH(page)',
  'CHAR_LENGTH(page) < 20 AND CHAR_LENGTH(page) = 20',
  "UPPER(page) = 'A' AND UPPER(page) = 'B'",
  'added + 1 BETWEEN 10 AND 20 AND added + 1 > 30',
  "page LIKE 'a%' AND NOT (page LIKE 'a%')",
  "page LIKE 'a%' AND page IS NULL",
  "page NOT LIKE '%'",
  "NOT (page LIKE '%') AND added > 1",
  "page LIKE 'a%' AND author = 'b' AND page NOT LIKE 'a%'",
  'CHAR_LENGTH(page) > added AND CHAR_LENGTH(page) <= added',
  '(added = 1 AND added = 2) OR (added > 3 AND added < 2)',
  'added BETWEEN 10 AND 5 OR page <> page',
  '(added BETWEEN 10 AND 5) IS TRUE',
  "(page LIKE 'a%' OR added > 1) AND NOT (page LIKE 'a%' OR added > 1)",
])('%s has no rows', (condition) => {
  expect(dataSourceOf(condition)).toBe('inline');
});

test.each([
  'added > 5 AND added < 10',
  'added >= 5 AND added <= 5',
  'CHAR_LENGTH(page) > CHAR_LENGTH(author)',
  'CHAR_LENGTH(page) = CHAR_LENGTH(page)',
  '(added BETWEEN 10 AND 5) IS NOT FALSE',
  'NOT (added BETWEEN 10 AND 5)',
  'CHAR_LENGTH(page) < 20 AND CHAR_LENGTH(author) = 20',
  "page LIKE 'a%' AND NOT (page LIKE 'b%')",
  '(added = 1 AND added = 2) OR added > 3',
  'added > 10 AND (added < 5 OR page IS NULL)',
  "page > 'a' AND author < 'a'",
  "NOT (page = 'a') AND page = 'b'",
  'NOT (page IS DISTINCT FROM author) AND page IS DISTINCT FROM author',
])('%s reads the table', (condition) => {
  expect(dataSourceOf(condition)).toBe('table');
});

test('a list of rows is explained by comparisons of their items', () => {
  const { statement } = translated(
    "EXPLAIN PLAN FOR SELECT COUNT(*) FROM edits WHERE (page, author) NOT IN (('a', 'b'), ('c', 'd'))",
  );
  if (statement.kind !== 'explain') throw new TypeError(statement.kind);
  const { filter } = JSON.parse(statement.plan)[0].query;
  expect(filter).toMatchObject({
    type: 'and',
    fields: [
      { type: 'or', fields: [{ type: 'not' }, { type: 'not' }] },
      { type: 'or', fields: [{ type: 'not' }, { type: 'not' }] },
    ],
  });
});
