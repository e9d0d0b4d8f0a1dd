// Filters of arrays, as a real 33.0.0 answers.
import { expect, test } from 'vitest';
import { query, refusal } from '../statements-over-tables.ts';

const counted = (condition: string) => `SELECT COUNT(*) FROM edits WHERE ${condition}`;

test.each([
  'links IN (ARRAY[1, 2], ARRAY[3])',
  'links = ARRAY[1, 2] OR links = ARRAY[3]',
  '(links IN (ARRAY[1, 2], ARRAY[3])) IS TRUE AND added > 0',
])('version 33 has no filter [%s]', (condition) => {
  expect(refusal(counted(condition), { version: 33 })).toBe(
    'Unsupported matchValueType[ARRAY<LONG>]',
  );
});

test.each([
  'links IN (ARRAY[1, 2], ARRAY[1, 2])',
  'links NOT IN (ARRAY[1, 2], ARRAY[3])',
  'links = ARRAY[1, 2] OR added = 1',
])('version 33 has a filter [%s]', (condition) => {
  expect(() => query(counted(condition), { version: 33 })).not.toThrow();
});

test('later versions have the filter', () => {
  expect(() => query(counted('links IN (ARRAY[1, 2], ARRAY[3])'))).not.toThrow();
});
