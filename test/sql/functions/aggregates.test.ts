// Aggregates that collect values. Expected answers are those of a real 33.0.0.
import { expect, test } from 'vitest';
import { answering, query } from '../statements-over-tables.ts';

test('the size of a list is limited in the finest groups of grouping sets only', async () => {
  const answer = await answering();
  const lists = (most: number, sets: string) =>
    answer(
      `SELECT page, author, ARRAY_LENGTH(ARRAY_AGG(author, ${most})), LENGTH(STRING_AGG(author, ',', ${most})) FROM edits GROUP BY ${sets}`,
    );
  expect(await lists(14, 'ROLLUP (page, author)')).toContainEqual([null, null, 4, 17]);
  expect(await lists(14, 'GROUPING SETS ((page), (author), ())')).toHaveLength(6);
  await expect(lists(13, 'ROLLUP (page, author)')).rejects.toThrow('larger than max [13]');
  await expect(lists(6, 'page, author')).rejects.toThrow('larger than max [6]');
});

test('a window counts the distinct values of all rows once', async () => {
  const answer = await answering();
  const text = 'SELECT APPROX_COUNT_DISTINCT(page) OVER () FROM edits';
  expect(query(text).duckdb).toContain('bitstring_agg');
  expect(await answer(text)).toEqual([[2], [2], [2], [2]]);
  expect(
    await answer('SELECT APPROX_COUNT_DISTINCT(page) OVER (PARTITION BY author) FROM edits'),
  ).toEqual([[1], [1], [2], [2]]);
});

test('COUNT counts all rows of a value whose type is not null, whatever a cast makes of it', async () => {
  const answer = await answering();
  expect(
    await answer(
      "SELECT COUNT(CAST('x' AS BIGINT)), COUNT(CAST(CAST(__time AS VARCHAR) AS DOUBLE)), COUNT(CAST(page AS BIGINT)), COUNT(DISTINCT CAST('x' AS BIGINT)) FROM edits",
    ),
  ).toEqual([[4, 4, 0, 0]]);
});
