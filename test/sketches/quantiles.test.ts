// Quantiles sketches against those of Apache DataSketches 4.2.0, the version of Druid 33:
// vectors/quantiles.json was printed by its Java library for the same values. Which values an
// estimating sketch drops is random there: these are read, and made here only within their error.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  QuantilesSketch,
  quantileOfValues,
  unionOfQuantiles,
} from '../../src/sketches/quantiles.ts';
import { InvalidSketch } from '../../src/sketches/sketch-error.ts';

interface Vector {
  readonly what: string;
  readonly k: number;
  readonly bytes: string;
  readonly quantiles: readonly number[] | null;
  readonly cdf: readonly number[] | null;
  readonly pmf: readonly number[] | null;
  readonly summary: string;
}

const vectors = JSON.parse(
  readFileSync(new URL('vectors/quantiles.json', import.meta.url), 'utf8'),
) as Vector[];

const valueAt = (at: number) => ((at * 7919) % 10007) / 8 - 300;

function sketchOf(k: number, from: number, count: number): QuantilesSketch {
  const sketch = new QuantilesSketch(k);
  for (let at = from; at < from + count; at++) sketch.add(valueAt(at));
  return sketch;
}

const base64 = (sketch: QuantilesSketch) => Buffer.from(sketch.toBytes()).toString('base64');
const bytesOf = (vector: Vector) => Buffer.from(vector.bytes, 'base64');

test.each(vectors.map((vector) => [`${vector.what}, k ${vector.k}`, vector] as const))(
  'a sketch that the Java library wrote has its quantiles, ranks and histogram: %s',
  (_, vector) => {
    const sketch = QuantilesSketch.fromBytes(bytesOf(vector));
    const sorted = sketch.sortedView();
    const points = [-250.5, 0, 100.125, 700];
    const quantiles = [0, 0.1, 0.25, 0.5, 0.75, 0.99, 1].map((rank) => sorted.quantile(rank));
    expect(quantiles).toEqual(vector.quantiles ?? Array(7).fill(Number.NaN));
    expect(sorted.ranks(points)).toEqual(vector.cdf ?? Array(5).fill(Number.NaN));
    expect(sorted.histogram(points)).toEqual(
      vector.pmf?.map((part) => part * sketch.count) ?? Array(5).fill(Number.NaN),
    );
    if (vector.what.includes('not compact')) return;
    const lines = sketch
      .summary(bytesOf(vector).length)
      .map(([name, value]) => `   ${name.padEnd(29)}: ${value}`);
    expect(vector.summary.split('\n').slice(2, -2)).toEqual(lines);
    expect(base64(sketch)).toBe(vector.bytes);
  },
);

test.each(
  vectors
    .filter(({ what }) => what.startsWith('values'))
    .map((vector) => [`${vector.what}, k ${vector.k}`, vector] as const),
)('a sketch of fewer than 2k values has the bytes of the Java library: %s', (_, vector) => {
  const count = Number(vector.what.split(':')[1]);
  expect(base64(sketchOf(vector.k, 0, count))).toBe(vector.bytes);
});

test('a sketch that is not compact is read, and written as the library writes it compact', () => {
  const vector = vectors.find(({ what }) => what === 'not compact 0:9');
  expect(base64(QuantilesSketch.fromBytes(bytesOf(vector as Vector)))).toBe(
    base64(sketchOf(16, 0, 9)),
  );
});

test('the union of exact sketches has the bytes of the Java library', () => {
  const union = unionOfQuantiles(
    [sketchOf(128, 0, 40), sketchOf(64, 40, 50), sketchOf(128, 90, 0), sketchOf(16, 90, 20)],
    128,
  );
  expect(base64(union)).toBe(vectors.find(({ what }) => what === 'union of exact 0:110')?.bytes);
});

test('a million values, added or merged from unequal parts, keep ranks within the error of their k in a few kilobytes', () => {
  const count = 1_000_000;
  const whole = sketchOf(128, 0, count);
  const parts = Array.from({ length: 100 }, (_, at) =>
    sketchOf(at % 3 === 0 ? 256 : 128, at * 10_000, 10_000),
  );
  const small = Array.from({ length: 10_000 }, (_, at) => sketchOf(128, at * 100, 100));
  for (const sketch of [
    whole,
    unionOfQuantiles(parts, 128),
    unionOfQuantiles(parts, 1024),
    unionOfQuantiles(small, 128),
  ]) {
    expect([sketch.k, sketch.count, sketch.least, sketch.greatest]).toEqual([
      128,
      count,
      -300,
      10006 / 8 - 300,
    ]);
    expect(sketch.toBytes().length).toBeLessThan(20_000);
    const sorted = sketch.sortedView();
    for (let rank = 0.05; rank < 1; rank += 0.05) {
      const exact = (sorted.quantile(rank) + 300) / (10007 / 8);
      expect(Math.abs(exact - rank)).toBeLessThan(0.0141);
    }
    expect(sorted.histogram([0, 300]).reduce((sum, each) => sum + each)).toBeCloseTo(count, 3);
  }
});

test('infinities are values, NaN is none, and both zeros stay as they are', () => {
  const sketch = new QuantilesSketch(2);
  for (const value of [Number.NaN, 0, -0, Number.POSITIVE_INFINITY]) sketch.add(value);
  expect(sketch.count).toBe(3);
  expect(sketch.sortedView().quantile(1)).toBe(Number.POSITIVE_INFINITY);
  expect(Object.is(sketch.sortedView().quantile(0), -0)).toBe(true);
});

test('refuses ranks that are none and points out of order', () => {
  const sorted = sketchOf(128, 0, 10).sortedView();
  expect(() => sorted.quantile(1.5)).toThrow('A normalized rank must be >= 0 and <= 1.0: 1.5');
  expect(() => sorted.ranks([5, 1])).toThrow(
    'Values must be unique, monotonically increasing and not NaN.',
  );
  expect(() => sorted.rank(Number.NaN)).toThrow(InvalidSketch);
});

test('refuses bytes that are cut off, or changed in a way that can be seen, and never reads beyond them', () => {
  for (const count of [1, 20, 500]) {
    const bytes = sketchOf(16, 0, count).toBytes();
    for (let length = 0; length < bytes.length; length += 7) {
      expect(() => QuantilesSketch.fromBytes(bytes.subarray(0, length))).toThrow(InvalidSketch);
    }
    for (let at = 0; at < bytes.length; at++) {
      for (const value of [0, 1, 127, 255]) {
        const changed = bytes.slice();
        changed[at] = value;
        try {
          const read = QuantilesSketch.fromBytes(changed);
          if (!read.isEmpty) expect(read.sortedView().quantile(0.5)).not.toBeNaN();
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidSketch);
        }
      }
    }
  }
});

test('a header that promises 2^53 values in a few bytes takes no memory', () => {
  const bytes = new Uint8Array(40);
  bytes.set([2, 3, 8, 26, 0, 0x80]);
  new DataView(bytes.buffer).setBigUint64(8, 2n ** 53n - 1n, true);
  expect(() => QuantilesSketch.fromBytes(bytes)).toThrow(/has no \[9007199254740991\] values/);
});

test.each([0, 1, 2, 15, 16, 17, 1000])(
  'the quantile of %d values is that of their sketch',
  (count) => {
    const values = Float64Array.from({ length: count }, (_, at) =>
      at % 7 === 3 ? Number.NaN : (at * 7919) % 1009,
    );
    const given = values.slice();
    const sketch = new QuantilesSketch(8);
    for (const value of values) sketch.add(value);
    for (const rank of [0, 0.1, 0.5, 0.999, 1])
      expect(quantileOfValues(values, 8, rank)).toBe(sketch.sortedView().quantile(rank));
    expect(values).toEqual(given); // the list of DuckDB stays as it is
    if (count > 0) expect(() => quantileOfValues(values, 8, 1.5)).toThrow('A normalized rank');
  },
);
