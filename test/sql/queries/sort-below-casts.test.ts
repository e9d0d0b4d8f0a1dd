// Sorting by casts, as a real 33.0.0 answers.
import { expect, test } from 'vitest';
import { answering } from '../statements-over-tables.ts';

test('rows of a table are sorted by a cast of the time', async () => {
  const answer = await answering();
  const pages = (order: string) => answer(`SELECT page FROM edits ORDER BY ${order} LIMIT 1`);
  expect(await pages('CAST(__time AS DATE) DESC')).toEqual([[null]]);
  expect(await pages('CAST(__time AS VARCHAR) DESC, __time')).toEqual([[null]]);
  const named = 'SELECT page, CAST(__time AS BIGINT) AS t FROM edits ORDER BY t DESC LIMIT 1';
  expect(await answer(named)).toEqual([[null, 1_704_240_000_000]]);
  await expect(pages('CAST(added AS DOUBLE)')).rejects.toThrow(
    'ordering a table by non-time column [[added]]',
  );
  await expect(pages('CAST(__time AS DATE), page')).rejects.toThrow('[[__time, page]]');
});

test('groups are sorted by the value that is cast, unless the cast is the key', async () => {
  const answer = await answering();
  const groups = (item: string, rest: string) =>
    answer(`SELECT ${item} AS x, MAX(d) FROM readings WHERE d IS NOT NULL GROUP BY ${rest}`);
  expect(await groups('CAST(d AS BIGINT)', 'd ORDER BY x DESC')).toEqual([
    [2, 2.5],
    [2, 2],
  ]);
  expect(await groups('CAST(d AS BIGINT)', '1 ORDER BY x DESC')).toEqual([[2, 2.5]]);
  expect(await groups('CAST(MIN(d) AS BIGINT)', 'sensor ORDER BY x')).toEqual([
    [2, 2],
    [2, 2.5],
  ]);
  const computed = await groups('CAST(MIN(d) + 1 AS BIGINT)', 'sensor ORDER BY x, sensor DESC');
  expect(computed).toEqual([
    [3, 2.5],
    [3, 2],
  ]);
});

test('rows are sorted by a window, which is computed first', async () => {
  const answer = await answering();
  const numbered =
    'SELECT page FROM edits ORDER BY ROW_NUMBER() OVER (ORDER BY added DESC) LIMIT 1';
  expect(await answer(numbered)).toHaveLength(1);
});
