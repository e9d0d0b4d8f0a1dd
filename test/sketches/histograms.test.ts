// Quantiles of histograms: the expected numbers are replies of a Druid 33.0.0 over the same edits
// in one segment.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ApproximateHistogram } from '../../src/sketches/approximate-histogram.ts';
import {
  type BucketSettings,
  FixedBuckets,
  type outlierModes,
} from '../../src/sketches/fixed-buckets.ts';
import { bucketsText } from '../../src/sql/runtime/histogram-functions.ts';

type Measure = 'added' | 'deleted' | 'delta';
type Edit = Readonly<Record<Measure, number>> & { readonly channel: string };

const edits: readonly Edit[] = gunzipSync(
  readFileSync(new URL('../../src/demo/wikiticker-2015-09-12-sampled.json.gz', import.meta.url)),
)
  .toString()
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

const valuesOf = (measure: Measure, channel?: string) =>
  edits
    .filter((edit) => channel === undefined || edit.channel === channel)
    .map((edit) => edit[measure]);

test.each<[measure: Measure, rank: number, resolution: number, expected: number, channel?: string]>(
  [
    ['added', 0.9, 50, 0],
    ['added', 0.9, 500, 350.3923034667969],
    ['added', 0.95, 500, 924.1158447265625],
    ['deleted', 0.9, 50, 0.4484652876853943],
    ['delta', 0.9, 50, 178.5460205078125],
    ['added', 0.9, 50, 346.2998352050781, '#ar.wikipedia'],
    ['added', 0.5, 10, 1176, '#ce.wikipedia'],
  ],
)(
  "the quantile of %s at %d with %d bins is the engine's %d",
  (measure, rank, resolution, expected, channel) => {
    const histogram = new ApproximateHistogram(resolution);
    for (const value of valuesOf(measure, channel)) histogram.add(value);
    expect(histogram.quantile(rank)).toBe(expected);
  },
);

function bucketsOf(values: readonly number[], settings: BucketSettings): FixedBuckets {
  const histogram = new FixedBuckets(settings);
  for (const value of values) histogram.add(value);
  return histogram;
}

const bucketsQuantile = (values: readonly number[], settings: BucketSettings, rank: number) =>
  bucketsOf(values, settings).quantiles([Math.fround(rank)])[0];

test.each<[mode: (typeof outlierModes)[number], low: number, high: number, expected: number]>([
  ['ignore', 0, 1000, 192.10079956054688],
  ['overflow', 0, 1000, 192.10079956054688],
  ['clip', 0, 1000, 359.0797119140625],
  ['ignore', 10, 100, 57.65077590942383],
])(
  "ten fixed buckets that %s what is outside of %d and %d have the engine's quantile %d",
  (mode, low, high, expected) => {
    expect(bucketsQuantile(valuesOf('added'), { count: 10, low, high, mode }, 0.9)).toBe(expected);
  },
);

const counted = (column: Measure, settings: Partial<BucketSettings> = {}) =>
  bucketsOf(valuesOf(column), { count: 5, low: 0, high: 2000, mode: 'overflow', ...settings });

test.each<[measure: Measure, settings: Partial<BucketSettings>, expected: string]>([
  [
    'added',
    {},
    '{lowerLimit=0.0, upperLimit=2000.0, numBuckets=5, upperOutlierCount=855, lowerOutlierCount=0, missingValueCount=0, histogram=[35622, 1337, 769, 394, 267], outlierHandlingMode=overflow, count=38389, max=1999.0, min=0.0}',
  ],
  [
    'added',
    { mode: 'clip' },
    '{lowerLimit=0.0, upperLimit=2000.0, numBuckets=5, upperOutlierCount=0, lowerOutlierCount=0, missingValueCount=0, histogram=[35622, 1337, 769, 394, 1122], outlierHandlingMode=clip, count=39244, max=2000.0, min=0.0}',
  ],
  [
    'added',
    { mode: 'ignore' },
    '{lowerLimit=0.0, upperLimit=2000.0, numBuckets=5, upperOutlierCount=0, lowerOutlierCount=0, missingValueCount=0, histogram=[35622, 1337, 769, 394, 267], outlierHandlingMode=ignore, count=38389, max=1999.0, min=0.0}',
  ],
  [
    'delta',
    { count: 3, low: -7.25, high: 11 },
    '{lowerLimit=-7.25, upperLimit=11.0, numBuckets=3, upperOutlierCount=25280, lowerOutlierCount=4744, missingValueCount=0, histogram=[1500, 5721, 1999], outlierHandlingMode=overflow, count=9220, max=10.0, min=-7.0}',
  ],
])(
  'fixed buckets of %s with %j are printed as the engine prints them',
  (measure, settings, expected) => {
    expect(bucketsText(counted(measure, settings))).toBe(expected);
  },
);

test('fixed buckets are written as the engine writes them, and read again', () => {
  const full = counted('added').toBytes();
  expect(Buffer.from(full).toString('base64')).toBe(
    'AQEAAAAAAAAAAECfQAAAAAAAAAAABQEAAAAAAACV9QAAAAAAAAAAAAAAAAAAA1cAAAAAAAAAAECfPAAAAAAAAAAAAAAAAAAAAAAAAACLJgAAAAAAAAU5AAAAAAAAAwEAAAAAAAABigAAAAAAAAEL',
  );
  const empty = bucketsOf([], { count: 5, low: 0, high: 2000, mode: 'overflow' }).toBytes();
  expect(Buffer.from(empty).toString('base64')).toBe(
    'AQIAAAAAAAAAAECfQAAAAAAAAAAABQEAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAP/wAAAAAAAAf/AAAAAAAAAAAAAA',
  );
  for (const bytes of [full, empty, counted('added', { count: 40, high: 100_000 }).toBytes()])
    expect(FixedBuckets.fromBytes(bytes).toBytes()).toEqual(bytes);
  expect(() => FixedBuckets.fromBytes(full.slice(0, 90))).toThrow(
    'These [90] bytes are not a fixed buckets histogram',
  );
});

test('several quantiles of fixed buckets are those of the engine, in an order of their own, too', () => {
  const ranks = (...given: number[]) => counted('added').quantiles(given.map(Math.fround));
  expect(ranks(0.9, 0.1)).toEqual([387.9636, 43.10707].map(Math.fround));
  expect(ranks(0, 0.999)).toEqual([0, 1942.4891].map(Math.fround));
  expect(counted('added', { count: 50 }).quantiles([0.1, 0.5, 0.9, 0.99].map(Math.fround))).toEqual(
    [5.477101, 27.385504, 264.34055, 1456.3356].map(Math.fround),
  );
});

test('fixed buckets of other limits are taken in as evenly filled', () => {
  const settings: BucketSettings = { count: 6, low: 10, high: 700, mode: 'overflow' };
  const merged = new FixedBuckets(settings);
  for (const channel of new Set(edits.map((edit) => edit.channel))) {
    merged.merge(
      bucketsOf(valuesOf('added', channel), { count: 5, low: 0, high: 2000, mode: 'overflow' }),
    );
  }
  expect(bucketsText(merged)).toBe(
    '{lowerLimit=10.0, upperLimit=700.0, numBuckets=6, upperOutlierCount=2624, lowerOutlierCount=891, missingValueCount=0, histogram=[10238, 10238, 10238, 4241, 380, 380], outlierHandlingMode=overflow, count=35715, max=699.5169082125603, min=0.0}',
  );
});

test('without values the quantile of bins is NaN, that of fixed buckets is zero', () => {
  expect(new ApproximateHistogram(50).quantile(0.5)).toBeNaN();
  expect(bucketsQuantile([], { count: 10, low: 0, high: 1, mode: 'clip' }, 0.5)).toBe(0);
});

test('a single bin moves to the mean of what it holds', () => {
  const histogram = new ApproximateHistogram(1);
  for (const value of [1, 2, 6]) histogram.add(value);
  expect(histogram.quantile(0.5)).toBe(1); // left of the first bin there is only the least value
});

test('as many buckets as there can be take no memory unless they hold values', () => {
  expect(
    bucketsQuantile([5, 6, 7], { count: 2 ** 31 - 1, low: 0, high: 10, mode: 'ignore' }, 0.5),
  ).toBeCloseTo(6, 5);
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
    -114.16666412353516, 0, 114.16666412353516, 228.3333282470703, 342.5, 456.6666564941406,
    570.8333129882812, 685,
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
  expect(() => ApproximateHistogram.fromBytes(new Uint8Array(20))).toThrow(
    'no approximate histogram',
  );
});
