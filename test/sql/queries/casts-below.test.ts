// Casts that groups, aggregates and filters look through. Expected answers are those of a real
// 33.0.0.
import { expect, test } from 'vitest';
import { answering } from '../statements-over-tables.ts';

test.each([
  'WITH x AS (SELECT CAST(d AS BIGINT) AS t FROM readings) SELECT t FROM x WHERE t = 2',
  'WITH x AS (SELECT CAST(d AS BIGINT) AS t FROM readings), y AS (SELECT * FROM x) SELECT t FROM y WHERE t = 2',
  'SELECT t FROM (SELECT t, s FROM (SELECT CAST(d AS BIGINT) AS t, sensor AS s FROM readings)) WHERE t = 2',
  'SELECT a.t FROM (SELECT CAST(d AS BIGINT) AS t, sensor FROM readings) a JOIN readings b ON a.sensor = b.sensor WHERE a.t = 2',
  'SELECT t FROM (SELECT CAST(d AS BIGINT) AS t, COUNT(*) AS c FROM readings GROUP BY 1) WHERE t = 2',
  'SELECT t FROM (SELECT CAST(d AS BIGINT) AS t, COUNT(*) AS c FROM readings WHERE f > 0 GROUP BY 1) WHERE t = 2',
])('a filter compares the column of the cast below: %s', async (statement) => {
  const answer = await answering();
  expect(await answer(statement)).toEqual([[2]]); // of 2.0, and not of 2.5
  expect(await answer(statement.replace(/ = 2$/, ' = 3'))).toEqual([]);
});

test('a filter stays above a query that leaves out rows, and above the optional side of a join', async () => {
  const answer = await answering();
  const cut = '(SELECT CAST(d AS BIGINT) AS t FROM readings ORDER BY __time LIMIT 2)';
  expect(await answer(`SELECT COUNT(*) FROM ${cut} WHERE t = 2`)).toEqual([[2]]);
  const joined =
    'readings a LEFT JOIN (SELECT CAST(d AS BIGINT) AS t, sensor FROM readings) b ON a.sensor = b.sensor';
  expect(await answer(`SELECT COUNT(*) FROM ${joined} WHERE b.t = 2`)).toEqual([[2]]);
});

test('groups, distinct values and LATEST read a FLOAT itself instead of its text', async () => {
  const answer = await answering();
  expect(await answer('SELECT CAST(f AS VARCHAR), COUNT(*) FROM readings GROUP BY 1')).toEqual([
    [null, 1],
    ['0.1', 1],
    ['0.5', 1],
  ]);
  const below = '(SELECT CAST(f AS VARCHAR) AS t FROM readings)';
  expect(await answer(`SELECT DISTINCT t FROM ${below} WHERE t < '0.2'`)).toEqual([['0.1']]);
  expect(
    await answer("SELECT LATEST(CAST(f AS VARCHAR)) FROM readings WHERE sensor = 'true'"),
  ).toEqual([['0.1']]);
  expect(
    await answer("SELECT CAST(f AS VARCHAR), MAX(f) || 'x' FROM readings WHERE f < 0.2 GROUP BY f"),
  ).toEqual([['0.10000000149011612', '0.10000000149011612x']]);
});

test('an estimate of distinct values counts the values of the column below a cast', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT COUNT(DISTINCT CAST(sensor AS BIGINT)), COUNT(DISTINCT CAST(d AS BIGINT)) FROM readings',
    ),
  ).toEqual([[3, 2]]);
});

test.each([
  'SELECT COUNT(DISTINCT n), COUNT(DISTINCT t) FROM (SELECT CAST(sensor AS BIGINT) AS n, CAST(d AS BIGINT) AS t FROM readings)',
  'WITH x AS (SELECT CAST(sensor AS BIGINT) AS n, CAST(d AS BIGINT) AS t FROM readings), y AS (SELECT * FROM x) SELECT COUNT(DISTINCT n), APPROX_COUNT_DISTINCT(t) FROM y',
])('an estimate looks through derived tables: %s', async (statement) => {
  const answer = await answering();
  expect(await answer(statement)).toEqual([[3, 2]]);
  const exact = { context: { useApproximateCountDistinct: false } };
  expect(
    await answer(statement.replace('APPROX_COUNT_DISTINCT(', 'COUNT(DISTINCT '), exact),
  ).toEqual(
    await answer(
      'SELECT 0 + COUNT(DISTINCT CAST(sensor AS BIGINT)), COUNT(DISTINCT CAST(d AS BIGINT)) FROM readings',
      exact,
    ),
  );
  expect(
    await answer(
      'SELECT COUNT(DISTINCT t) FROM (SELECT CAST(d AS BIGINT) AS t FROM readings LIMIT 9)',
    ),
  ).toEqual([[1]]);
});

test.each([
  ["CAST(f AS VARCHAR) <= '0.1'", 1],
  ["CAST(f AS VARCHAR) BETWEEN '0.1' AND '0.1'", 1],
  ["CAST(f AS VARCHAR) LIKE '%1'", 1],
  ["CAST(f AS VARCHAR) NOT LIKE '%1'", 1],
])('a filter on the text of a FLOAT reads the FLOAT itself: %s', async (condition, count) => {
  const answer = await answering();
  expect(
    await answer(
      `SELECT COUNT(*), COUNT(*) FILTER (WHERE ${condition}) FROM readings WHERE ${condition}`,
    ),
  ).toEqual([[count, count]]);
});
