import { expect, test } from 'vitest';
import { hashBucket, murmur3 } from '../../../src/server/ingestion/hash-buckets.ts';

// Published values of the 32-bit hash with seed 0.
test.each([
  ['', 0],
  ['hello', 0x248bfa47],
  ['hello, world', 0x149bbb7f],
  ['The quick brown fox jumps over the lazy dog.', 0xd5c48bfc | 0],
])('the hash of [%s]', (text, expected) => {
  expect(murmur3(Buffer.from(text))).toBe(expected);
});

test('a bucket is never negative', () => {
  expect(hashBucket.call('The quick brown fox jumps over the lazy dog.', 7)).toBe(
    Math.abs((0xd5c48bfc | 0) % 7),
  );
});
