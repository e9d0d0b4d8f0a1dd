// EARLIEST, LATEST and ANY_VALUE: which of several rows they take. The rules are those of a real
// 33.0.0.
import { expect, test } from 'vitest';
import { answering } from '../statements-over-tables.ts';

test('of rows with the same time, EARLIEST takes the first and LATEST the last', async () => {
  const answer = await answering();
  const picked = 'EARLIEST(page), LATEST(page), EARLIEST(author), LATEST(author)';
  expect(await answer(`SELECT ${picked} FROM edits WHERE added > 0 AND page LIKE 'B%'`)).toEqual([
    ['Berlin', 'Bern', 'anna', 'ben'],
  ]);
  const byYear = "LATEST_BY(added, TIME_FLOOR(__time, 'P1Y'))";
  expect(await answer(`SELECT author, ${byYear} FROM edits GROUP BY 1`)).toEqual([
    ['anna', 7],
    ['ben', null],
  ]);
  expect(
    await answer("SELECT LATEST(page) FILTER (WHERE author = 'anna'), COUNT(*) FROM edits"),
  ).toEqual([[null, 4]]);
});

test('LATEST takes the last of unnested values', async () => {
  const answer = await answering();
  expect(
    await answer(
      'SELECT page, EARLIEST(tag), LATEST(tag) FROM edits, UNNEST(MV_TO_ARRAY(tags)) AS u (tag) WHERE added > 5 GROUP BY 1',
    ),
  ).toEqual([
    [null, 'river', 'city'],
    ['Berlin', 'city', 'capital'],
  ]);
});

test('ANY_VALUE takes the value of the first row, even if it is null', async () => {
  const answer = await answering();
  expect(
    await answer('SELECT author, ANY_VALUE(added), ANY_VALUE(page) FROM edits GROUP BY 1'),
  ).toEqual([
    ['anna', 10, 'Berlin'],
    ['ben', 5, 'Bern'],
  ]);
  expect(await answer("SELECT ANY_VALUE(added) FROM edits WHERE page LIKE '%lin'")).toEqual([[10]]);
  expect(
    await answer("SELECT ANY_VALUE(added) FROM edits WHERE author = 'ben' AND page <> 'Bern'"),
  ).toEqual([[null]]);
  const none = "SELECT ANY_VALUE(page) FROM edits WHERE author = 'anna' AND (page IS NULL OR";
  expect(await answer(`${none} added > 7)`)).toEqual([['Berlin']]);
});

test('groups are read in the order of their keys, a limited query in its own', async () => {
  const answer = await answering();
  const picked = 'ANY_VALUE(page), EARLIEST_BY(page, t), LATEST_BY(page, t)';
  const groups = "SELECT page, TIME_FLOOR(MAX(__time), 'P1Y') AS t FROM edits GROUP BY 1";
  expect(await answer(`SELECT ${picked} FROM (${groups})`)).toEqual([[null, null, 'Bern']]);
  const descending = `${groups} HAVING page > 'A' ORDER BY 1 DESC LIMIT 2`;
  expect(await answer(`SELECT ${picked} FROM (${descending})`)).toEqual([
    ['Bern', 'Bern', 'Berlin'],
  ]);
});

test('row by row, a text has the number 0, while a sum reads what it spells', async () => {
  const answer = await answering();
  const cast = 'CAST(sensor AS BIGINT)';
  const all = `EARLIEST(${cast}), LATEST(${cast}), ANY_VALUE(${cast}), SUM(${cast})`;
  const joined = `FROM readings JOIN people ON readings.__time = people.__time WHERE sensor = '7'`;
  expect(await answer(`SELECT ${all} ${joined}`)).toEqual([[0, 0, 0, 14]]);
  expect(
    await answer(
      'SELECT ANY_VALUE(CAST(tag AS DOUBLE)), MAX(CAST(tag AS DOUBLE)) FROM edits, UNNEST(MV_TO_ARRAY(tags)) AS u (tag)',
    ),
  ).toEqual([[0, null]]);
  expect(await answer(`SELECT ${all} FROM readings WHERE sensor = '7'`)).toEqual([[7, 7, 7, 7]]);
});
