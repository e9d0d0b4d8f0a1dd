// Theta sketches against those of Apache DataSketches 4.2.0, the version of Druid 33:
// vectors/theta.json was printed by its Java library for the same values. Sketches of more than 120
// bytes are given by their SHA-256.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { InvalidSketch } from '../../src/sketches/sketch-error.ts';
import {
  boundsOfTheta,
  differenceOfTheta,
  estimateOfTheta,
  intersectionOfTheta,
  readTheta,
  type ThetaSketch,
  thetaBytes,
  thetaHashOf,
  thetaOf,
  unionOfTheta,
} from '../../src/sketches/theta.ts';
import { hashText, valueHash } from '../../src/sketches/value-hash.ts';

interface Vector {
  readonly what: string;
  readonly size: number;
  readonly estimate: number;
  readonly bounds?: readonly number[];
  readonly bytes?: string;
  readonly length?: number;
  readonly sha256?: string;
}

const vectors = JSON.parse(
  readFileSync(new URL('vectors/theta.json', import.meta.url), 'utf8'),
) as Vector[];

function sketchOf(size: number, from: number, count: number): ThetaSketch {
  const hashes = BigUint64Array.from({ length: count }, (_, at) => {
    hashText(`value ${from + at}`, 'utf8');
    return thetaHashOf(valueHash);
  });
  return thetaOf(hashes, size);
}

const operations: Readonly<
  Record<string, (sketches: readonly ThetaSketch[], size: number) => ThetaSketch>
> = {
  union: unionOfTheta,
  intersection: intersectionOfTheta,
  difference: differenceOfTheta,
};

function madeAs({ what, size }: Vector): ThetaSketch {
  const [operation = '', ...parts] = what.split(' ');
  const sketches = parts.map((part) => {
    const [partSize = 0, from = 0, count = 0] = part.split(':').map(Number);
    return sketchOf(partSize, from, count);
  });
  if (operation !== 'texts') return operations[operation]?.(sketches, size) as ThetaSketch;
  const [from = 0, count = 0] = (parts[0] ?? '').split(':').map(Number);
  return sketchOf(size, from, count);
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

test.each(
  vectors
    .filter(({ what }) => what !== 'not compact')
    .map((vector) => [`${vector.what} of ${vector.size}`, vector] as const),
)('has the estimate, the bounds and the bytes of the Java library: %s', (_, vector) => {
  const sketch = madeAs(vector);
  expect(estimateOfTheta(sketch)).toBe(vector.estimate);
  const bounds = ([1, 2, 3] as const).flatMap((deviations) =>
    Object.values(boundsOfTheta(sketch, deviations)),
  );
  expect(bounds).toEqual(vector.bounds);
  const bytes = thetaBytes(sketch);
  if (vector.bytes !== undefined) expect(Buffer.from(bytes).toString('base64')).toBe(vector.bytes);
  else expect([bytes.length, sha256(bytes)]).toEqual([vector.length, vector.sha256]);
  const read = readTheta(bytes);
  expect(estimateOfTheta(read)).toBe(vector.estimate);
  if (sketch.isOrdered) expect(sha256(thetaBytes(read))).toBe(sha256(bytes));
});

test('reads a sketch that is still a hash table with empty places', () => {
  const vector = vectors.find(({ what }) => what === 'not compact');
  expect(estimateOfTheta(readTheta(Buffer.from(vector?.bytes ?? '', 'base64')))).toBe(
    vector?.estimate,
  );
});

test('refuses bytes that are cut off, or changed in a way that can be seen, and never reads beyond them', () => {
  for (const count of [1, 20, 500]) {
    const bytes = thetaBytes(sketchOf(128, 0, count));
    for (let length = 0; length < bytes.length; length += Math.ceil(bytes.length / 50)) {
      expect(() => readTheta(bytes.subarray(0, length))).toThrow(InvalidSketch);
    }
    for (let at = 0; at < Math.min(bytes.length, 40); at++) {
      for (const value of [0, 1, 127, 255]) {
        const changed = bytes.slice();
        changed[at] = value;
        try {
          expect(estimateOfTheta(readTheta(changed))).toBeGreaterThanOrEqual(0);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidSketch);
        }
      }
    }
  }
});
