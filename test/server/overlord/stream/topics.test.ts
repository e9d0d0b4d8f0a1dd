// Partitions of several topics: their names, their groups, and what is committed of them.
import { expect, test } from 'vitest';
import {
  commitOffsets,
  committedOffsets,
  offsetMap,
} from '../../../../src/server/overlord/stream/committed-offsets.ts';
import {
  byPlace,
  groupOf,
  isPartitionOf,
  type Topics,
  topicsMatching,
} from '../../../../src/server/overlord/stream/topics.ts';
import { temporaryStorage } from '../../../support/storage.ts';

const refuse = (problem: string): never => {
  throw new Error(problem);
};
const matching = (pattern: string): Topics => topicsMatching(pattern, refuse);

test('partitions have the names that Druid gives them', () => {
  expect(['0', '12', 'a:0', ''].map((text) => isPartitionOf({ topic: 'a' }, text))).toEqual([
    true,
    true,
    false,
    false,
  ]);
  const texts = ['a:0', 'b-1:12', 'c:0', 'a', '0', 'a:x', ':0'];
  expect(texts.map((text) => isPartitionOf(matching('a|b-.*'), text))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
  expect([10, 9].sort(byPlace)).toEqual([9, 10]);
  expect(['b:0', 'a:10', 'a:9'].sort(byPlace)).toEqual(['a:9', 'a:10', 'b:0']);
});

test('partitions of several topics are divided by the hash of the topic, as in Java', () => {
  expect([0, 1, 2, 3].map((partition) => groupOf(partition, 2))).toEqual([0, 1, 0, 1]);
  // "a".hashCode() is 97, "polygenelubricants".hashCode() is the least integer there is.
  expect([groupOf('a:0', 10), groupOf('a:1', 10), groupOf('a:5', 10)]).toEqual([
    (31 * 97) % 10,
    (31 * 97 + 1) % 10,
    (31 * 97 + 5) % 10,
  ]);
  expect(groupOf('polygenelubricants:0', 10)).toBe(8); // of 31 times that, the least integer again: 2147483648
});

test.each([
  ['(', 'topicPattern [(] cannot be used'],
  ['a(?=b)', 'RE2'],
  ['(a{1000}){1000}', 'topicPattern'],
])('the pattern %s is refused with the reason', (pattern, words) =>
  expect(() => matching(pattern)).toThrow(words),
);

test('what was committed for one topic is known under a pattern that matches it, and the other way round', async () => {
  const { metadata } = await temporaryStorage();
  const committed = (topics: Topics) => offsetMap(committedOffsets(metadata, 'edits', topics));
  commitOffsets(metadata, 'edits', { topic: 'a' }, new Map([[0, 5]]));
  expect([committed(matching('a|b')), committed(matching('b')), committed({ topic: 'b' })]).toEqual(
    [{ 'a:0': 5 }, {}, {}],
  );
  commitOffsets(metadata, 'edits', matching('a|b'), new Map([['b:1', 7]]));
  expect([
    committed(matching('a|b')),
    committed({ topic: 'a' }),
    committed({ topic: 'b' }),
  ]).toEqual([{ 'a:0': 5, 'b:1': 7 }, { 0: 5 }, { 1: 7 }]);
});

test('a task of one topic that publishes late takes nothing away from the pattern that came after it', async () => {
  const { metadata } = await temporaryStorage();
  const pattern = matching('a|b');
  commitOffsets(metadata, 'edits', { topic: 'a' }, new Map([[0, 5]]));
  commitOffsets(metadata, 'edits', pattern, new Map([['b:0', 7]]));
  commitOffsets(metadata, 'edits', { topic: 'a' }, new Map([[0, 9]]));
  expect(offsetMap(committedOffsets(metadata, 'edits', pattern))).toEqual({ 'a:0': 9, 'b:0': 7 });
});
