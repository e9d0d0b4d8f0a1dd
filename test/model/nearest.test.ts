// Words that a mistyped one may mean.
import { expect, test } from 'vitest';
import { nearest } from '../../src/model/nearest.ts';

test('the first letter of a word is rarely the mistyped one', () => {
  expect(nearest('DSC', ['ASC', 'DESC'])).toBe('DESC');
  expect(nearest('dsc', ['ASC', 'DESC'])).toBe('DESC');
  expect(nearest('cat', ['bat', 'rat'])).toBe('bat');
});

test('a word that differs in more than a third means none', () => {
  expect(nearest('segments', ['supervisors'])).toBeUndefined();
});
