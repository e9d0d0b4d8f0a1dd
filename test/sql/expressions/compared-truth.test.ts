// Texts compared with TRUE and FALSE, as a real 33.0.0 answers.
import { expect, test } from 'vitest';
import { answering } from '../statements-over-tables.ts';

test('a text equals TRUE where it can be cast to it', async () => {
  const answer = await answering();
  expect(
    await answer('SELECT sensor = TRUE, sensor <> TRUE, sensor = FALSE FROM readings'),
  ).toEqual([
    [true, false, false],
    [true, false, false],
    [null, null, null],
  ]);
});

test('a filter knows the text true alone', async () => {
  const answer = await answering();
  const found = (condition: string) => answer(`SELECT sensor FROM readings WHERE ${condition}`);
  expect(await found('sensor = TRUE')).toEqual([['true']]);
  expect(await found('FALSE = sensor')).toEqual([['7'], ['north']]);
  expect(await found('(sensor = TRUE) IS NOT TRUE')).toEqual([['7'], ['north']]);
});

test('groups of such a condition are groups of the number that it tests', async () => {
  const answer = await answering();
  expect(
    await answer('SELECT sensor = TRUE, COUNT(*) FROM readings GROUP BY 1 ORDER BY 2'),
  ).toEqual([
    [true, 1],
    [null, 2],
  ]);
});
