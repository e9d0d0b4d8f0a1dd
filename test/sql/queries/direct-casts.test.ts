// Casts of casts of columns. Expected answers are those of a real 33.0.0.
import { expect, test } from 'vitest';
import { answering, query } from '../statements-over-tables.ts';

test('a text that was cast to a number and back is the text itself', async () => {
  const answer = await answering();
  const twice = 'CAST(CAST(sensor AS BIGINT) AS VARCHAR)';
  expect(await answer(`SELECT ${twice} FROM readings`)).toEqual([['true'], ['7'], ['north']]);
  expect(
    await answer(
      `SELECT ${twice}, COUNT(${twice}) FROM readings WHERE ${twice} <> 'true' GROUP BY ${twice} ORDER BY ${twice} DESC`,
    ),
  ).toEqual([
    ['north', 1],
    ['7', 1],
  ]);
});

test('a DOUBLE that was cast to a whole number and back keeps its fraction', async () => {
  const answer = await answering();
  const twice = 'CAST(CAST(d AS BIGINT) AS DOUBLE)';
  expect(await answer(`SELECT SUM(${twice}) FROM readings WHERE ${twice} > 2`)).toEqual([[2.5]]);
});

test('an expression of such a cast is computed from both casts', async () => {
  const answer = await answering();
  expect(
    await answer(
      "SELECT CAST(CAST(sensor AS BIGINT) AS VARCHAR) || '!', CAST(CAST(d AS BIGINT) AS DOUBLE) * 2 FROM readings WHERE CAST(CAST(d AS BIGINT) AS DOUBLE) * 2 = 4",
    ),
  ).toEqual([
    ['1!', 4],
    ['7!', 4],
  ]);
});

test('a key of groups is the column in the outermost type', async () => {
  const answer = await answering();
  const twice = 'CAST(CAST(d AS BIGINT) AS VARCHAR)';
  expect(await answer(`SELECT ${twice} FROM readings`)).toEqual([['2'], ['2'], [null]]);
  const keys = [[null], ['2.0'], ['2.5']];
  expect(await answer(`SELECT ${twice} FROM readings GROUP BY 1`)).toEqual(keys);
  expect(await answer(`SELECT DISTINCT ${twice} FROM readings`)).toEqual(keys);
});

test('windows read such casts as the column, a DATE only what the inner cast makes', async () => {
  const answer = await answering();
  const number = 'CAST(CAST(sensor AS BIGINT) AS VARCHAR)';
  expect(
    await answer(
      `SELECT sensor, ROW_NUMBER() OVER (ORDER BY ${number}), COUNT(*) OVER (PARTITION BY ${number}) FROM readings ORDER BY __time LIMIT 3`,
    ),
  ).toEqual(
    expect.arrayContaining([
      ['7', 1, 1],
      ['north', 2, 1],
      ['true', 3, 1],
    ]),
  );
  const time = (type: string) => `MAX(CAST(CAST(added AS VARCHAR) AS ${type})) OVER ()`;
  expect(await answer(`SELECT ${time('TIMESTAMP')} FROM edits LIMIT 1`)).toEqual([[10]]);
  expect(await answer(`SELECT ${time('DATE')} FROM edits LIMIT 1`)).toEqual([
    [Date.parse('0010-01-01')],
  ]);
});

test('casts of a column that WHERE decides are casts of its constant', async () => {
  const answer = await answering();
  const twice = 'CAST(CAST(sensor AS BIGINT) AS VARCHAR)';
  const rows = "FROM readings WHERE sensor = 'north'";
  expect(await answer(`SELECT ${twice} ${rows}`)).toEqual([[null]]);
  expect(await answer(`SELECT ${twice}, COUNT(*) ${rows} GROUP BY 1 ORDER BY 1`)).toEqual([
    [null, 1],
  ]);
});

test('an aggregate of doubles reads a numeric column without the cast around it', async () => {
  const answer = await answering();
  const average = (value: string, from = 'readings') =>
    answer(`SELECT AVG(CAST(${value} AS BIGINT)) FROM ${from}`);
  expect(await average('d')).toEqual([[2.25]]);
  expect(await average('v', '(SELECT sensor, MAX(d) AS v FROM readings GROUP BY 1)')).toEqual([
    [2.25],
  ]);
  expect(await average('d + 1')).toEqual([[3]]);
  expect(await average('x', '(VALUES (1.5), (2.7)) AS t (x)')).toEqual([[1.5]]);
  expect(
    await answer('SELECT AVG(CAST(d AS BIGINT)) OVER () FROM readings WHERE d IS NOT NULL'),
  ).toEqual([[2], [2]]);
  expect(await answer('SELECT APPROX_QUANTILE_DS(CAST(d AS BIGINT), 1) FROM readings')).toEqual([
    [2.5],
  ]);
});

test('ORDER BY means an alias, also where both sides of a join have such a column', async () => {
  const answer = await answering();
  const authors = 'FROM edits e JOIN edits f ON e.author = f.author AND e.page = f.page';
  expect(
    await answer(
      `SELECT e.page AS page, COUNT(*) AS added ${authors} GROUP BY e.page ORDER BY added DESC, page`,
    ),
  ).toEqual([
    ['Berlin', 2],
    ['Bern', 1],
  ]);
  expect(() =>
    query(`SELECT e.page ${authors} ORDER BY CAST(CAST(added AS VARCHAR) AS BIGINT)`),
  ).toThrow("Column 'added' is ambiguous");
});
