import { expect, test } from 'vitest';
import {
  dimensionsIn,
  timeColumnsIn,
} from '../../../../src/commands/shared/builder/row-guesses.ts';

test('the time is guessed from names and values', () => {
  const rows = [{ id: '1700000000000', when: 'x', ts: 1_700_000_000, day: '2024-05-01' }];
  expect(timeColumnsIn(rows)).toEqual([
    { column: 'day', format: 'iso' },
    { column: 'ts', format: 'posix' },
    { column: 'id', format: 'millis' },
  ]);
});

test('types follow all values, and a code with a leading zero stays a text', () => {
  const rows = [
    { time: 1, code: '007', n: '1', share: 1, tags: ['a'], user: { name: 'a' }, none: null },
    { time: 2, code: '8', n: '-2', share: 0.5, tags: [], user: null, none: null },
  ];
  expect(dimensionsIn(rows, 'time')).toEqual([
    { type: 'string', name: 'code' },
    { type: 'long', name: 'n' },
    { type: 'double', name: 'share' },
    { type: 'auto', name: 'tags' },
    { type: 'json', name: 'user' },
    { type: 'string', name: 'none' },
  ]);
});
