import { expect, test } from 'vitest';
import { differences, isSame, sortKeys, withoutNulls } from '../../src/model/difference.ts';

test('the order of keys and the way an integer is held make no difference', () => {
  expect(differences({ a: 1, b: { c: [1, 2] } }, { b: { c: [1, 2n] }, a: 1n })).toEqual([]);
  expect(isSame(9007199254740993n, 9007199254740992n)).toBe(false);
});

test('a field is named by its path, also where a key holds dots', () => {
  expect(differences({ io: { 'a.b': 1, gone: true } }, { io: { 'a.b': 2, new: null } })).toEqual([
    { path: 'io["a.b"]', before: 1, after: 2 },
    { path: 'io.gone', before: true },
    { path: 'io.new', after: null },
  ]);
});

test('a list that got an item in front is the same list with one item more', () => {
  expect(
    differences([{ type: 'b' }, { type: 'c' }], [{ type: 'a' }, { type: 'b' }, { type: 'c' }]),
  ).toEqual([{ path: '[1]', after: { type: 'a' } }]);
  expect(differences([1, 2, 3, 4], [1, 3, 4])).toEqual([{ path: '[2]', before: 2 }]);
  expect(differences([{ p: 'P1Y' }], [{ p: 'P1M' }])).toEqual([
    { path: '[1].p', before: 'P1Y', after: 'P1M' },
  ]);
});

test('equal values have one text, and nulls stand for nothing', () => {
  expect(JSON.stringify(sortKeys({ b: [{ d: 1, c: 2 }], a: 1 }))).toBe(
    '{"a":1,"b":[{"c":2,"d":1}]}',
  );
  expect(withoutNulls({ a: null, b: { c: null, d: [{ e: null }] } })).toEqual({ b: { d: [{}] } });
});
