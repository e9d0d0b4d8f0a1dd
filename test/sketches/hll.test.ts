// HLL sketches against those of Apache DataSketches 4.2.0, the version of Druid 33:
// vectors/hll.json was printed by its Java library for the same values. Sketches of more than 120
// bytes are given by their SHA-256.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { couponOf, HllSketch, type HllType, unionOfHll } from '../../src/sketches/hll.ts';
import { InvalidSketch } from '../../src/sketches/sketch-error.ts';
import { hashDouble, hashLongWords, hashText, valueHash } from '../../src/sketches/value-hash.ts';

interface Vector {
  readonly what: string;
  readonly values: number;
  readonly lgK: number;
  readonly type: HllType;
  readonly estimate: number;
  readonly bounds: readonly number[];
  readonly bytes?: string;
  readonly size?: number;
  readonly sha256?: string;
}

const vectors = JSON.parse(
  readFileSync(new URL('vectors/hll.json', import.meta.url), 'utf8'),
) as Vector[];

const hashes: Readonly<Record<string, (at: number) => void>> = {
  texts: (at) => hashText(`value ${at}`, 'utf16le'),
  utf8: (at) => hashText(`välue 😀${at}`, 'utf8'),
  longs: (at) => hashLongWords(at * at < 1000 ? -1 : 0, at * at - 1000),
  doubles: (at) => hashDouble(at / 7 - 3),
};

function sketchOf(
  lgK: number,
  type: HllType,
  from: number,
  count: number,
  hash = hashes.texts,
): HllSketch {
  const sketch = new HllSketch(lgK, type);
  for (let at = from; at < from + count; at++) {
    hash?.(at);
    sketch.add(couponOf(valueHash));
  }
  return sketch;
}

function madeAs({ what, values, lgK, type }: Vector): HllSketch {
  if (!what.startsWith('union ')) return sketchOf(lgK, type, 0, values, hashes[what]);
  const parts = what.split(' ').slice(1);
  const sketches = parts.map((part) => {
    const [partLgK = 0, from = 0, count = 0] = part.split(':').map(Number);
    return sketchOf(partLgK, type, from, count);
  });
  return unionOfHll(sketches, 12, type);
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test.each(
  vectors.map(
    (vector) =>
      [`${vector.values} ${vector.what}, HLL_${vector.type} of 2^${vector.lgK}`, vector] as const,
  ),
)('has the estimate, the bounds and the bytes of the Java library: %s', (_, vector) => {
  const sketch = madeAs(vector);
  const bytes = sketch.toBytes();
  expect(sketch.estimate()).toBe(vector.estimate);
  expect([
    sketch.lowerBound(1),
    sketch.upperBound(1),
    sketch.lowerBound(3),
    sketch.upperBound(3),
  ]).toEqual(vector.bounds);
  if (vector.bytes !== undefined) expect(Buffer.from(bytes).toString('base64')).toBe(vector.bytes);
  else expect([bytes.length, sha256(bytes)]).toEqual([vector.size, vector.sha256]);
  const read = HllSketch.fromBytes(bytes);
  if (read.mode !== 'SET') expect(sha256(read.toBytes())).toBe(sha256(bytes)); // sets are written in the order of their hash table
  expect(read.estimate()).toBe(vector.estimate);
});

test('refuses bytes that are cut off, or changed in a way that can be seen, and never reads beyond them', () => {
  for (const count of [5, 100, 5000]) {
    const bytes = sketchOf(10, 4, 0, count).toBytes();
    for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 50)) {
      expect(() => HllSketch.fromBytes(bytes.subarray(0, length))).toThrow(InvalidSketch);
    }
    for (let at = 0; at < Math.min(bytes.length, 60); at++) {
      for (const value of [0, 1, 127, 255]) {
        const changed = bytes.slice();
        changed[at] = value;
        try {
          expect(HllSketch.fromBytes(changed).estimate()).toBeGreaterThanOrEqual(0);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidSketch);
        }
      }
    }
  }
});

test('a union meets the coupons of a set in the order of its bytes; an aggregator does not', () => {
  const few = sketchOf(12, 4, 0, 181).toBytes();
  const many = sketchOf(12, 4, 150, 1100).toBytes();
  const estimateOf = (read: (bytes: Uint8Array) => HllSketch) =>
    unionOfHll([read(few), read(many)], 12, 4).estimate();
  const inOrder = HllSketch.fromBytes(many).copyAs(8);
  for (let at = 12; at < few.length; at += 4)
    inOrder.add(new DataView(few.buffer, few.byteOffset).getInt32(at, true));
  expect(estimateOf(HllSketch.fromBytesInOrder)).toBe(inOrder.estimate());
  expect(estimateOf(HllSketch.fromBytes)).not.toBe(inOrder.estimate());
});
