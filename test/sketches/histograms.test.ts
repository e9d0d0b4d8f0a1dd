// Quantiles of histograms: the expected numbers are replies of a Druid 33.0.0 over the same edits in one segment.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ApproximateHistogram } from '../../src/sketches/approximate-histogram.ts';
import { fixedBucketsQuantile, type outlierModes } from '../../src/sketches/fixed-buckets.ts';

type Measure = 'added' | 'deleted' | 'delta';
type Edit = Readonly<Record<Measure, number>> & { readonly channel: string };

const edits: readonly Edit[] = gunzipSync(readFileSync(new URL('../../src/demo/wikiticker-2015-09-12-sampled.json.gz', import.meta.url)))
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const valuesOf = (measure: Measure, channel?: string) =>
  edits.filter((edit) => channel === undefined || edit.channel === channel).map((edit) => edit[measure]);

test.each<[measure: Measure, rank: number, resolution: number, expected: number, channel?: string]>([
  ['added', 0.9, 50, 0],
  ['added', 0.9, 500, 350.3923034667969],
  ['added', 0.95, 500, 924.1158447265625],
  ['deleted', 0.9, 50, 0.4484652876853943],
  ['delta', 0.9, 50, 178.5460205078125],
  ['added', 0.9, 50, 346.2998352050781, '#ar.wikipedia'],
  ['added', 0.5, 10, 1176, '#ce.wikipedia'],
])("the quantile of %s at %d with %d bins is the engine's %d", (measure, rank, resolution, expected, channel) => {
  const histogram = new ApproximateHistogram(resolution);
  for (const value of valuesOf(measure, channel)) histogram.add(value);
  expect(histogram.quantile(rank)).toBe(expected);
});

test.each<[mode: (typeof outlierModes)[number], low: number, high: number, expected: number]>([
  ['ignore', 0, 1000, 192.10079956054688],
  ['overflow', 0, 1000, 192.10079956054688],
  ['clip', 0, 1000, 359.0797119140625],
  ['ignore', 10, 100, 57.65077590942383],
])("ten fixed buckets that %s what is outside of %d and %d have the engine's quantile %d", (mode, low, high, expected) => {
  expect(fixedBucketsQuantile(valuesOf('added'), { count: 10, low, high, mode }, 0.9)).toBe(expected);
});

test('without values the quantile of bins is NaN, that of fixed buckets is zero', () => {
  expect(new ApproximateHistogram(50).quantile(0.5)).toBeNaN();
  expect(fixedBucketsQuantile([], { count: 10, low: 0, high: 1, mode: 'clip' }, 0.5)).toBe(0);
});

test('a single bin moves to the mean of what it holds', () => {
  const histogram = new ApproximateHistogram(1);
  for (const value of [1, 2, 6]) histogram.add(value);
  expect(histogram.quantile(0.5)).toBe(1); // left of the first bin there is only the least value
});

test('as many buckets as there can be take no memory unless they hold values', () => {
  expect(fixedBucketsQuantile([5, 6, 7], { count: 2 ** 31 - 1, low: 0, high: 10, mode: 'ignore' }, 0.5)).toBeCloseTo(6, 5);
});

const histogramOf = (values: readonly number[], size: number) => {
  const histogram = new ApproximateHistogram(size);
  for (const value of values) histogram.add(value);
  return histogram;
};
const ofKazakh = [0, 439, 94, 3, 685, 0, 36, 0, 59];

test('the counts between breaks are those of the engine, of few bins and of all', () => {
  const few = histogramOf(ofKazakh, 5);
  expect(few.countsBetween([0, 10, 100, 1000])).toEqual([2.7522947788238525, 4.247704982757568, 2]);
  expect(few.equalBreaks(7)).toEqual([
    -114.16666412353516, 0, 114.16666412353516, 228.3333282470703, 342.5, 456.6666564941406, 570.8333129882812, 685,
  ]);
  const all = histogramOf(valuesOf('added'), 50);
  expect(all.countsBetween(all.equalBreaks(4))).toEqual([0, 39237.26953125, 5.729433536529541, 1]);
});

test('a histogram is written and read, and joins another one', () => {
  const all = histogramOf(valuesOf('added'), 50);
  const again = ApproximateHistogram.fromBytes(all.toBytes());
  expect(again.countsBetween([0, 10, 100, 1000])).toEqual(all.countsBetween([0, 10, 100, 1000]));
  again.merge(histogramOf(ofKazakh, 50));
  expect([again.count, again.least, again.greatest]).toEqual([all.count + 9, 0, 199_818]);
  const exact = histogramOf([1, 2], 5);
  exact.merge(histogramOf([2, 3], 5));
  expect(exact.countsBetween([0, 1, 2, 3])).toEqual([1, 2, 1]);
  expect(() => ApproximateHistogram.fromBytes(new Uint8Array(20))).toThrow('no approximate histogram');
});
