import { expect, test } from 'vitest';
import { bestMatches } from '../../src/model/fuzzy.ts';

const search = (typed: string, ...names: readonly string[]) =>
  bestMatches(typed, names, (name) => name);

test('letters in their order find a name, and letters that stand together come first', () => {
  expect(search('wik', 'w-i-k', 'wikipedia', 'visits', 'my-wiki')).toEqual([
    'wikipedia',
    'my-wiki',
    'w-i-k',
  ]);
});

test('the case does not count, and every word must be found', () => {
  expect(search('FAILED edits', 'a failed edits', 'a success edits')).toEqual(['a failed edits']);
});

test('nothing typed keeps the order, and letters that are missing find nothing', () => {
  expect(search('', 'b', 'a')).toEqual(['b', 'a']);
  expect(search('zz', 'b', 'a')).toEqual([]);
});
