// File names by wildcards.
import { expect, test } from 'vitest';
import { matchesWildcard } from '../../src/model/wildcard.ts';

test('a star is any characters, a question mark one', () => {
  expect(
    ['*.json', 'a*', 'a?c.json', '*b*.js?n', 'abc.json', '*'].map((filter) =>
      matchesWildcard('abc.json', filter),
    ),
  ).toEqual(Array(6).fill(true));
  expect(
    ['*.csv', 'b*', '?bc', 'abc.json?', '', '*.json.gz', 'abc[.]json'].map((filter) =>
      matchesWildcard('abc.json', filter),
    ),
  ).toEqual(Array(7).fill(false));
  expect(matchesWildcard('', '*')).toBe(true);
});

test('many stars are answered at once', () => {
  expect(matchesWildcard('a'.repeat(250), `${'*a'.repeat(60)}*b`)).toBe(false);
  expect(matchesWildcard(`${'a'.repeat(250)}b`, `${'*a'.repeat(60)}*b`)).toBe(true);
});
