// DuckDB functions that build and read approximate and fixed-buckets histograms as BLOBs.
import { doubleText, floatText } from '../../model/java-text.ts';
import { ApproximateHistogram } from '../../sketches/approximate-histogram.ts';
import { FixedBuckets, outlierModes } from '../../sketches/fixed-buckets.ts';
import { InvalidSketch } from '../../sketches/sketch-error.ts';
import { engineFunction } from './engine-function.ts';

function histogramOf(values: ArrayLike<number>, size: number): ApproximateHistogram {
  const histogram = new ApproximateHistogram(size);
  for (let at = 0; at < values.length; at++) histogram.add(values[at] ?? 0);
  return histogram;
}

const readHistogram = (bytes: Uint8Array): ApproximateHistogram =>
  ApproximateHistogram.fromBytes(bytes);

const quoteUnlessFinite = (text: string): string => (/[NI]/.test(text) ? `"${text}"` : text);
const floats = (values: ArrayLike<number>): string =>
  `[${Array.from(values, (value) => quoteUnlessFinite(floatText(value))).join(',')}]`;
const doubles = (values: ArrayLike<number>): string =>
  `[${Array.from(values, (value) => quoteUnlessFinite(doubleText(value))).join(',')}]`;

function bucketsJson(histogram: ApproximateHistogram, breaks: ArrayLike<number>): string {
  return `{"breaks":${doubles(breaks)},"counts":${doubles(histogram.countsBetween(breaks))}}`;
}

const equalBuckets = (histogram: ApproximateHistogram, buckets: number): string =>
  bucketsJson(histogram, histogram.equalBreaks(buckets));

// Buckets of a given width, with an edge at the offset, without the nearly empty ones.
function bucketsOfWidth(histogram: ApproximateHistogram, width: number, offset: number): string {
  const edge = (value: number, round: (value: number) => number) =>
    Math.fround(Math.fround(round((value - offset) / width)) * width + offset);
  const [first, last] = [edge(histogram.least, Math.floor), edge(histogram.greatest, Math.ceil)];
  if ((last - first) / width > mostBuckets)
    throw new InvalidSketch(
      `A histogram has at most [${mostBuckets}] buckets: make [bucketSize] larger`,
    );
  const hasValues = (from: number, to: number) => histogram.sum(to) - histogram.sum(from) > 0.1;
  const breaks: number[] = [];
  if (hasValues(Math.fround(first - width), first)) breaks.push(Math.fround(first - width));
  let isOpen = false;
  for (let left = first; left + width <= last + width / 10; left = Math.fround(left + width)) {
    const right = Math.fround(left + width);
    if (hasValues(left, right)) {
      if (!isOpen && breaks.at(-1) !== left) breaks.push(left);
      breaks.push(right);
      isOpen = true;
    } else isOpen = false;
  }
  if (breaks.length > 0 && breaks.at(-1) !== last && hasValues(breaks.at(-1) ?? last, last))
    breaks.push(last);
  return bucketsJson(histogram, breaks);
}

const mostBuckets = 100_000;

const readBuckets = (bytes: Uint8Array): FixedBuckets => FixedBuckets.fromBytes(bytes);

function fixedBuckets(count: bigint, low: number, high: number, mode: string): FixedBuckets {
  return new FixedBuckets({
    count: Number(count),
    low,
    high,
    mode: outlierModes.find((known) => known === mode) ?? 'ignore',
  });
}

function fixedBucketsOf(values: ArrayLike<number>, histogram: FixedBuckets): FixedBuckets {
  for (let at = 0; at < values.length; at++) histogram.add(values[at] ?? 0);
  return histogram;
}

/** A histogram with fixed buckets in Java's text format. */
export function bucketsText(histogram: FixedBuckets): string {
  const members = histogram
    .summary()
    .map(([name, value]) => `${name}=${typeof value === 'number' ? doubleText(value) : value}`);
  return `{${members.join(', ')}}`;
}

const quantileOf = (histogram: FixedBuckets, rank: number): number =>
  histogram.quantiles([Math.fround(rank)])[0] ?? 0;

interface Quantiles {
  readonly ranks: ArrayLike<number>;
  readonly values: ArrayLike<number>;
  readonly least: number;
  readonly greatest: number;
}

function quantilesJson({ ranks, values, least, greatest }: Quantiles): string {
  const edges = `"min":${quoteUnlessFinite(floatText(least))},"max":${quoteUnlessFinite(floatText(greatest))}`;
  return `{"probabilities":${floats(Float32Array.from(ranks))},"quantiles":${floats(values)},${edges}}`;
}

/** Functions of histograms, by their DuckDB names. */
export const histogramEngineFunctions = [
  engineFunction('druid_histogram', ['DOUBLE[]', 'BIGINT'], 'BLOB', (values, size) =>
    histogramOf(values, Number(size)).toBytes(),
  ),
  engineFunction('druid_histogram_union', ['BLOB[]', 'BIGINT'], 'BLOB', (all, size) => {
    const merged = new ApproximateHistogram(Number(size));
    for (const bytes of all) merged.merge(readHistogram(bytes));
    return merged.toBytes();
  }),
  engineFunction('druid_histogram_equal', ['BLOB', 'BIGINT'], 'VARCHAR', (bytes, buckets) =>
    equalBuckets(readHistogram(bytes), Number(buckets)),
  ),
  engineFunction('druid_histogram_custom', ['BLOB', 'DOUBLE[]'], 'VARCHAR', (bytes, breaks) =>
    bucketsJson(readHistogram(bytes), Float32Array.from(breaks)),
  ),
  engineFunction(
    'druid_histogram_buckets',
    ['BLOB', 'DOUBLE', 'DOUBLE'],
    'VARCHAR',
    (bytes, width, offset) =>
      bucketsOfWidth(readHistogram(bytes), Math.fround(width), Math.fround(offset)),
  ),
  engineFunction('druid_histogram_quantile_of', ['BLOB', 'DOUBLE'], 'DOUBLE', (bytes, rank) =>
    readHistogram(bytes).quantile(rank),
  ),
  engineFunction('druid_histogram_quantiles', ['BLOB', 'DOUBLE[]'], 'VARCHAR', (bytes, ranks) => {
    const histogram = readHistogram(bytes);
    const values = Array.from(ranks, (rank) => histogram.quantile(rank));
    return quantilesJson({ ranks, values, least: histogram.least, greatest: histogram.greatest });
  }),
  engineFunction(
    'druid_histogram_least',
    ['BLOB'],
    'DOUBLE',
    (bytes) => readHistogram(bytes).least,
  ),
  engineFunction(
    'druid_histogram_greatest',
    ['BLOB'],
    'DOUBLE',
    (bytes) => readHistogram(bytes).greatest,
  ),
  engineFunction(
    'druid_bucket_quantile',
    ['DOUBLE[]', 'DOUBLE', 'BIGINT', 'DOUBLE', 'DOUBLE', 'VARCHAR'],
    'DOUBLE',
    (values, rank, count, low, high, mode) =>
      quantileOf(fixedBucketsOf(values, fixedBuckets(count, low, high, mode)), rank),
  ),
  engineFunction(
    'druid_buckets',
    ['DOUBLE[]', 'BIGINT', 'BIGINT', 'DOUBLE', 'DOUBLE', 'VARCHAR'],
    'BLOB',
    (values, missing, count, low, high, mode) => {
      const histogram = fixedBucketsOf(values, fixedBuckets(count, low, high, mode));
      histogram.addMissing(Number(missing));
      return histogram.toBytes();
    },
  ),
  engineFunction(
    'druid_buckets_union',
    ['BLOB[]', 'BIGINT', 'DOUBLE', 'DOUBLE', 'VARCHAR'],
    'BLOB',
    (all, count, low, high, mode) => {
      const histogram = fixedBuckets(count, low, high, mode);
      for (const bytes of all) histogram.merge(readBuckets(bytes));
      return histogram.toBytes();
    },
  ),
  engineFunction('druid_buckets_text', ['BLOB'], 'VARCHAR', (bytes) =>
    bucketsText(readBuckets(bytes)),
  ),
  engineFunction('druid_buckets_quantile', ['BLOB', 'DOUBLE'], 'DOUBLE', (bytes, rank) =>
    quantileOf(readBuckets(bytes), rank),
  ),
  engineFunction('druid_buckets_quantiles', ['BLOB', 'DOUBLE[]'], 'VARCHAR', (bytes, ranks) => {
    const histogram = readBuckets(bytes);
    const values = histogram.quantiles(Array.from(ranks, Math.fround));
    return quantilesJson({ ranks, values, least: histogram.least, greatest: histogram.greatest });
  }),
  engineFunction('druid_buckets_count', ['BLOB'], 'BIGINT', (bytes) =>
    BigInt(readBuckets(bytes).count),
  ),
  engineFunction('druid_buckets_least', ['BLOB'], 'DOUBLE', (bytes) => readBuckets(bytes).least),
  engineFunction(
    'druid_buckets_greatest',
    ['BLOB'],
    'DOUBLE',
    (bytes) => readBuckets(bytes).greatest,
  ),
];
