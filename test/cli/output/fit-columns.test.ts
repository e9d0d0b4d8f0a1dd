import { expect, test } from 'vitest';
import { type ColumnFit, fitColumns } from '../../../src/cli/output/fit-columns.ts';

const name = (full: number): ColumnFit => ({ full, heading: 4, isWhole: false, stays: 'first' });
const text = (full: number): ColumnFit => ({ full, heading: 8, isWhole: false, stays: 'short' });
const number: ColumnFit = { full: 9, heading: 8, isWhole: true, stays: 'short' };

test('long texts give first, so that names can be read and copied', () => {
  expect(fitColumns([name(42), text(200)], 80, true)).toEqual([42, 36]);
});

test('types and intervals of days are whole before a very long name is', () => {
  expect(fitColumns([name(79), text(18), text(21), text(21)], 140, true)).toEqual([74, 18, 21, 21]);
  expect(fitColumns([name(79), text(21), number], 80, true)).toEqual([46, 21, 9]);
});

test('texts of which nothing could be read are left out as a whole', () => {
  expect(
    fitColumns([name(40), text(40), text(40), text(40), text(40), text(40)], 80, true),
  ).toEqual([24, 12, 12, 12, 12, 0]);
});

test('on the narrowest terminal a short text still stands beside the name', () => {
  expect(fitColumns([name(40), text(18), text(21)], 20, true)).toEqual([8, 10, 0]);
});
