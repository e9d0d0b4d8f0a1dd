// The order of merged results; the ranks are those of a real cluster of version 33.
import { expect, test } from 'vitest';
import { mergeRanks } from '../../../src/sql/native/merge-order.ts';

test.each([
  [[], false, []],
  [[1960, 2010], false, [0, 1]],
  [[2010, 2010], false, [0, 1]],
  [[1960, 2010, 2010], false, [0, 2, 1]],
  [[1960, 2010, 2010, 2010, 2020, 2020], false, [0, 1, 3, 2, 5, 4]],
  [[1960, 2010, 2010, 2010, 2020, 2020], true, [5, 3, 4, 2, 0, 1]],
])('results of the times %j, descending: %j', (times, isDescending, ranks) => {
  expect(mergeRanks(times, isDescending)).toEqual(ranks);
});
