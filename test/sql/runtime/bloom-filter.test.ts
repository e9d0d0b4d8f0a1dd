// Bloom filters: the recorded one is the real Druid's.
import { expect, test } from 'vitest';
import {
  addToBloomFilter,
  type BloomKind,
  bloomFilterText,
  emptyBloomFilter,
  mayContain,
  readBloomFilter,
} from '../../../src/sql/runtime/bloom-filter.ts';
import { expressions, resolved } from '../expressions.ts';

const ofTheEngine =
  'BAAAAAgAAAAAAAAAEAAAAAAAAAAAgAAAAAAAAAAIAAAAAAAAAAAAAAAAAAIAAAAAAAAAAAAQAAEQAAAAAAEAAAAAAAAA';

test('a filter that the engine has made knows what was put into it', () => {
  const filter = readBloomFilter(ofTheEngine);
  expect(filter).toMatchObject({ hashes: 4 });
  expect(filter && mayContain(filter, 'x', 'text')).toBe(true);
  expect(filter && mayContain(filter, 'nothing', 'text')).toBe(false);
  expect(filter && bloomFilterText(filter)).toBe(ofTheEngine);
});

test.each<[BloomKind, readonly (string | null)[], string]>([
  ['text', ['', 'a', 'exactly8', 'more than eight letters', 'ü☕', null], 'another'],
  ['long', ['0', '-1', '9223372036854775807', null], '42'],
  ['double', ['0.5', '-0.0', '1.0E300', 'NaN', null], '2.5'],
])(
  'of kind %s, all values that were put in are found, and hardly another one',
  (kind, values, other) => {
    const filter = emptyBloomFilter(100);
    for (const value of values) addToBloomFilter(filter, value, kind);
    const read = readBloomFilter(bloomFilterText(filter));
    if (!read) throw new Error('it cannot be read');
    for (const value of values) expect(mayContain(read, value, kind), String(value)).toBe(true);
    expect(mayContain(read, other, kind)).toBe(false);
  },
);

test('one in about twenty values that are not in a full filter seems to be', () => {
  const filter = emptyBloomFilter(1000);
  for (let count = 0; count < 1000; count++) addToBloomFilter(filter, `in ${count}`, 'text');
  const wrong = Array.from({ length: 2000 }, (_, count) =>
    mayContain(filter, `out ${count}`, 'text'),
  ).filter(Boolean).length;
  expect(wrong).toBeGreaterThan(0);
  expect(wrong).toBeLessThan(200);
});

test('texts that are no filter are refused', () => {
  for (const text of ['', 'AAAA', 'BAAAAAg=', '!'])
    expect(readBloomFilter(text), text).toBeUndefined();
  expect(() => resolved("BLOOM_FILTER_TEST(s, 'AAAA')")).toThrow(
    'Function[bloom_filter_test] failed to deserialize bloom filter',
  );
});

test('SQL makes filters and asks them; a null is a value like others', async () => {
  const { values } = await expressions();
  const made = emptyBloomFilter(10);
  addToBloomFilter(made, 'alpha', 'text');
  expect(await values(`BLOOM_FILTER_TEST(s, '${bloomFilterText(made)}')`)).toEqual([true, false]);
  const numbers = emptyBloomFilter(10);
  addToBloomFilter(numbers, '7', 'long');
  expect(await values(`BLOOM_FILTER_TEST(n, '${bloomFilterText(numbers)}')`)).toEqual([
    true,
    false,
  ]);
  const nulls = emptyBloomFilter(10);
  addToBloomFilter(nulls, null, 'double');
  expect(await values(`BLOOM_FILTER_TEST(f, '${bloomFilterText(nulls)}')`)).toEqual([false, true]);
});
