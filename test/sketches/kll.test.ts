// KLL sketches against those that Druid 33.0.0 returned for the same values.
import { expect, test } from 'vitest';
import { KllSketch, type KllValues } from '../../src/sketches/kll.ts';
import { InvalidSketch } from '../../src/sketches/sketch-error.ts';

const values = [0, 439, 94, 3, 685, 0, 36, 0, 59];
const printed: Readonly<Record<KllValues, string>> = {
  double:
    'BQEPAMgACAAJAAAAAAAAAMgAAQC/AAAAAAAAAAAAAAAAAAAAAGiFQAAAAAAAgE1AAAAAAAAAAAAAAAAAAABCQAAAAAAAAAAAAAAAAABohUAAAAAAAAAIQAAAAAAAgFdAAAAAAABwe0AAAAAAAAAAAA==',
  float:
    'BQEPAMgACAAJAAAAAAAAAMgAAQC/AAAAAAAAAABAK0QAAGxCAAAAAAAAEEIAAAAAAEArRAAAQEAAALxCAIDbQwAAAAA=',
};

function sketchOf(numbers: Iterable<number>, kind: KllValues = 'double', k = 200): KllSketch {
  const sketch = new KllSketch(k, kind);
  for (const number of numbers) sketch.add(number);
  return sketch;
}

const base64 = (sketch: KllSketch) => Buffer.from(sketch.toBytes()).toString('base64');
const read = (text: string, kind: KllValues = 'double') =>
  KllSketch.fromBytes(Buffer.from(text, 'base64'), kind);
const upTo = (count: number, step = 1, from = 0) =>
  Array.from({ length: count }, (_, at) => from + at * step);

test.each(['double', 'float'] as const)(
  'a sketch of few values is the one of the engine, byte for byte: %s',
  (kind) => {
    expect(base64(sketchOf(values, kind))).toBe(printed[kind]);
    const again = read(printed[kind], kind);
    expect(base64(again)).toBe(printed[kind]);
    expect(again.sortedView().quantile(0.5)).toBe(36);
    expect(again.sortedView().rank(100)).toBe(7 / 9);
    expect(base64(sketchOf([], kind))).toBe('AgEPAcgACAA=');
    expect(base64(sketchOf([Number.NaN, 36], kind))).toBe(
      kind === 'double' ? 'AgIPBMgACAAAAAAAAABCQA==' : 'AgIPBMgACAAAABBC',
    );
  },
);

test('a sketch of many values has the levels of the engine, and ranks within the error that it states', () => {
  const sketch = sketchOf(upTo(39_244));
  expect(Object.fromEntries(sketch.summary())).toMatchObject({
    Levels: '8',
    'Capacity Items': '577',
    'Retained Items': '555',
    'Updatable Storage Bytes': '4688',
    'Compact Storage Bytes': '4508',
    Epsilon: '1.329%',
    'Epsilon PMF': '1.652%',
  });
  const sorted = read(base64(sketch)).sortedView();
  for (const rank of [0.01, 0.25, 0.5, 0.75, 0.99])
    expect(Math.abs(sorted.quantile(rank) / 39_244 - rank)).toBeLessThan(0.0133 * 3);
});

test('sketches are merged: counts add up, the smaller size decides the error', () => {
  const merged = new KllSketch(200, 'double');
  for (let part = 0; part < 10; part++)
    merged.merge(sketchOf(upTo(5000, 10, part), 'double', part === 3 ? 50 : 200));
  expect(merged.count).toBe(50_000);
  expect([merged.least, merged.greatest]).toEqual([0, 49_999]);
  expect(new Map(merged.summary()).get('Dynamic min K')).toBe('50');
  expect(Math.abs(merged.sortedView().quantile(0.5) - 25_000)).toBeLessThan(3000);
  const few = sketchOf(values);
  few.merge(sketchOf([]));
  few.merge(sketchOf([1, 2]));
  expect(few.sortedView().quantile(1)).toBe(685);
  expect(few.isEstimating).toBe(false);
});

test.each([
  ['AQID', 'at least [8] bytes'],
  ['AgMIGoAAAAABAAAAAAAAAAAAAAAAAABA', 'their family is [8], not [15]'],
  [`${printed.double.slice(0, 64)}`, 'bytes'],
  [printed.double.replace('MgACAAJ', 'MgACAAK'), 'stand for [9] values, not for [10]'],
  ['AgEPAQMACAA=', 'no size of [3]'],
])('what is not a sketch is refused: %s', (text, words) => {
  expect(() => read(text)).toThrow(InvalidSketch);
  expect(() => read(text)).toThrow(words);
});
