// Engine functions for sketches: hashes of values, and sketches of hashes or of other sketches. A
// sketch is a BLOB.
import { doubleText } from '../../model/java-text.ts';
import { ApproximateHistogram } from '../../sketches/approximate-histogram.ts';
import { couponOf, HllSketch, type HllType, unionOfHll } from '../../sketches/hll.ts';
import { sketchSeed } from '../../sketches/murmur3.ts';
import {
  defaultK,
  QuantilesSketch,
  quantileOfValues,
  quantilesK,
  type SortedValues,
  unionOfQuantiles,
} from '../../sketches/quantiles.ts';
import { InvalidSketch } from '../../sketches/sketch-error.ts';
import {
  boundsOfTheta,
  differenceOfTheta,
  estimateOfTheta,
  intersectionOfTheta,
  readTheta,
  summaryOfTheta,
  type ThetaSketch,
  thetaBytes,
  thetaHashOf,
  thetaOf,
  thetaOfLongs,
  unionOfTheta,
} from '../../sketches/theta.ts';
import {
  hashDouble,
  hashLongBytes,
  hashLongWords,
  hashRaw,
  hashText,
  hashUtf8,
  type TextEncoding,
  type VisitLongs,
  valueHash,
} from '../../sketches/value-hash.ts';
import { type ByteHash, doubleAt, engineFunction, hashFunction } from './engine-function.ts';
import { longsOfBits, longsOfList } from './visited-longs.ts';

// Zero is neither a coupon nor a hash: the empty text does not count.
const couponOfText = (text: string): number => {
  if (text === '') return 0;
  hashText(text, 'utf16le');
  return couponOf(valueHash);
};

const thetaHashOfText = (text: string): bigint => {
  if (text === '') return 0n;
  hashText(text, 'utf8');
  return thetaHashOf(valueHash);
};

// Hashes as the words of a number.
const writeCoupon = (words: Int32Array, at: number): void => {
  words[at] = couponOf(valueHash);
};

const writeThetaHash = (words: Int32Array, at: number): void => {
  words[at] = (valueHash.firstLow >>> 1) | (valueHash.firstHigh << 31);
  words[at + 1] = valueHash.firstHigh >>> 1;
};

type WriteHash = typeof writeCoupon;

const hashOfText =
  (encoding: TextEncoding, write: WriteHash): ByteHash =>
  (utf8, start, length, words, at) => {
    if (length === 0) return;
    if (encoding === 'utf8') hashRaw(utf8, start, length, sketchSeed);
    else hashUtf8(utf8, start, length, sketchSeed);
    write(words, at);
  };

const hashOfLong =
  (write: WriteHash): ByteHash =>
  (bytes, start, _, words, at) => {
    hashLongBytes(bytes, start);
    write(words, at);
  };

const hashOfDouble =
  (write: WriteHash): ByteHash =>
  (bytes, start, _, words, at) => {
    hashDouble(doubleAt(bytes, start));
    write(words, at);
  };

const hllType = (bits: bigint): HllType => (bits === 8n ? 8 : bits === 6n ? 6 : 4);

function hllOf(coupons: Iterable<number>, lgK: number, type: HllType): HllSketch {
  const sketch = new HllSketch(lgK, type);
  for (const coupon of coupons) if (coupon !== 0) sketch.add(coupon);
  return sketch;
}

function hllOfLongs(longs: VisitLongs, lgK: number, type: HllType): HllSketch {
  const sketch = new HllSketch(lgK, type);
  longs((high, low) => {
    hashLongWords(high, low);
    sketch.add(couponOf(valueHash));
  });
  return sketch;
}

// The engine reads sketches that a data server has serialized, which reorders a set.
const hllBytes = (sketch: HllSketch): Uint8Array =>
  sketch.mode === 'SET' ? HllSketch.fromBytes(sketch.toBytes()).toBytes() : sketch.toBytes();

const withoutOrder = (sketch: HllSketch): HllSketch => {
  sketch.forgetOrder();
  return sketch;
};

function* readAll<T>(all: Iterable<Uint8Array>, read: (bytes: Uint8Array) => T): Generator<T> {
  for (const bytes of all) yield read(bytes);
}

// The union has as many registers as the finest sketch and the encoding of the first one.
function mergeHll(all: Iterable<Uint8Array>): Uint8Array {
  let lgK = 0;
  let type: HllType | undefined;
  for (const sketch of readAll(all, HllSketch.fromBytes)) {
    lgK = Math.max(lgK, sketch.lgK);
    type ??= sketch.type;
  }
  return unionOfHll(readAll(all, HllSketch.fromBytes), lgK || defaultLgK, type ?? 4).toBytes();
}

// Sketches do not store their nominal size. The union grows beyond the default size so that it
// keeps all hashes of each sketch.
function mergeTheta(all: Iterable<Uint8Array>): Uint8Array {
  let size = defaultThetaSize;
  for (const { hashes } of readAll(all, readTheta)) while (size < hashes.length) size *= 2;
  return thetaBytes(unionOfTheta(readAll(all, readTheta), size));
}

const defaultLgK = 12;
const defaultThetaSize = 16384;

const showValue = (value: number | bigint | string | boolean) =>
  typeof value === 'number' ? doubleText(value) : String(value);

function hllText(bytes: Uint8Array): string {
  const lines = HllSketch.fromBytes(bytes)
    .summary()
    .map(([name, value]) => `  ${name.padEnd(15)}: ${showValue(value)}`);
  return ['### HLL SKETCH SUMMARY: ', ...lines, ''].join('\n');
}

// The first line names the class that holds the sketch: computed ones are on the heap.
function thetaText(bytes: Uint8Array, isComputed: boolean): string {
  const { kind, lines } = summaryOfTheta(readTheta(bytes));
  const holder = kind ?? (isComputed ? 'HeapCompactSketch' : 'DirectCompactSketch');
  const shown = lines.map(([name, value]) => `   ${name.padEnd(24)}: ${showValue(value)}`);
  return ['', `### ${holder} SUMMARY: `, ...shown, '### END SKETCH SUMMARY', ''].join('\n');
}

function deviationsOf(given: bigint): 1 | 2 | 3 {
  if (given === 1n || given === 2n || given === 3n) return Number(given) as 1 | 2 | 3;
  throw new InvalidSketch(`The number of standard deviations must be 1, 2 or 3, not [${given}]`);
}

function thetaBoundsJson(bytes: Uint8Array, deviations: bigint): string {
  const sketch = readTheta(bytes);
  const { low, high } = boundsOfTheta(sketch, deviationsOf(deviations));
  const numbers = { estimate: estimateOfTheta(sketch), highBound: high, lowBound: low };
  const members = Object.entries(numbers).map(([name, value]) => `"${name}":${doubleText(value)}`);
  return `{${members.join(',')},"numStdDev":${deviations}}`;
}

const combineThetas =
  (combine: (sketches: readonly ThetaSketch[]) => ThetaSketch) => (all: Iterable<Uint8Array>) =>
    thetaBytes(combine([...readAll(all, (bytes) => readTheta(bytes.slice()))]));

function quantilesOf(values: ArrayLike<number>, k: number): QuantilesSketch {
  const sketch = new QuantilesSketch(k);
  for (let at = 0; at < values.length; at++) sketch.add(values[at] ?? Number.NaN);
  return sketch;
}

// The union has the levels of the largest sketch.
function mergeQuantiles(all: Iterable<Uint8Array>): Uint8Array {
  let k = 0;
  for (const bytes of all) k = Math.max(k, quantilesK(bytes));
  return unionOfQuantiles(readAll(all, QuantilesSketch.fromBytes), k || defaultK).toBytes();
}

// A sketch from a text: a number, or a sketch in base64.
function quantilesOfText(text: string, k: number): Uint8Array {
  const value = text.trim();
  return isNumber(value)
    ? quantilesOf([Number(value)], k).toBytes()
    : readBase64(value, QuantilesSketch.fromBytes);
}

const isNumber = (text: string) =>
  /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text) || /^(NaN|[+-]?Infinity)$/.test(text);

function quantilesText(bytes: Uint8Array): string {
  const lines = QuantilesSketch.fromBytes(bytes)
    .summary(bytes.length)
    .map(([name, value]) => `   ${name.padEnd(29)}: ${value}`);
  return [
    '',
    '### Quantiles DirectCompactDoublesSketch SUMMARY: ',
    ...lines,
    '### END SKETCH SUMMARY',
    '',
  ].join('\n');
}

// A histogram of buckets of equal width, from the minimum to the maximum.
function equalHistogram(bytes: Uint8Array, bins: number): number[] {
  const sketch = QuantilesSketch.fromBytes(bytes);
  if (sketch.least === sketch.greatest)
    return [sketch.count, ...new Array<number>(bins - 1).fill(0)];
  const width = (sketch.greatest - sketch.least) / bins;
  const points = Array.from({ length: bins - 1 }, (_, at) => sketch.least + width * (at + 1));
  return sketch.sortedView().histogram(points);
}

const numbersJson = (values: ArrayLike<number>) =>
  `[${Array.from(values, (value) => (Number.isFinite(value) ? doubleText(value) : `"${doubleText(value)}"`)).join(',')}]`;

const sortedOf = (bytes: Uint8Array): SortedValues => QuantilesSketch.fromBytes(bytes).sortedView();

function readBase64(text: string, check: (bytes: Uint8Array) => unknown): Uint8Array {
  const bytes = Uint8Array.from(Buffer.from(text, 'base64'));
  check(bytes);
  return bytes;
}

const withoutNulls = (texts: readonly (string | null)[]) => texts.filter((text) => text !== null);

/** Functions of sketches, by their DuckDB names. */
export const sketchEngineFunctions = [
  hashFunction('druid_hll_coupon', 'VARCHAR', 'INTEGER', hashOfText('utf16le', writeCoupon)),
  hashFunction('druid_hll_coupon_of_utf8', 'VARCHAR', 'INTEGER', hashOfText('utf8', writeCoupon)),
  hashFunction('druid_hll_coupon_of_long', 'BIGINT', 'INTEGER', hashOfLong(writeCoupon)),
  hashFunction('druid_hll_coupon_of_double', 'DOUBLE', 'INTEGER', hashOfDouble(writeCoupon)),
  engineFunction('druid_hll', ['INTEGER[]', 'BIGINT', 'BIGINT'], 'BLOB', (coupons, lgK, bits) =>
    hllBytes(hllOf(coupons, Number(lgK), hllType(bits))),
  ),
  engineFunction(
    'druid_hll_of_any_order',
    ['INTEGER[]', 'BIGINT', 'BIGINT'],
    'BLOB',
    (coupons, lgK, bits) => hllBytes(withoutOrder(hllOf(coupons, Number(lgK), hllType(bits)))),
  ),
  engineFunction(
    'druid_hll_of_distinct_longs',
    ['BIGINT[]', 'BIGINT', 'BIGINT'],
    'BLOB',
    (values, lgK, bits) =>
      hllBytes(withoutOrder(hllOfLongs(longsOfList(values), Number(lgK), hllType(bits)))),
  ),
  engineFunction(
    'druid_hll_of_bits',
    ['BLOB', 'BIGINT', 'BIGINT', 'BIGINT'],
    'BLOB',
    (set, least, lgK, bits) =>
      hllBytes(withoutOrder(hllOfLongs(longsOfBits(set, least), Number(lgK), hllType(bits)))),
  ),
  engineFunction('druid_hll_union', ['BLOB[]', 'BIGINT', 'BIGINT'], 'BLOB', (all, lgK, bits) =>
    unionOfHll(readAll(all, HllSketch.fromBytes), Number(lgK), hllType(bits)).toBytes(),
  ),
  engineFunction('druid_hll_set_union', ['BLOB[]', 'BIGINT', 'BIGINT'], 'BLOB', (all, lgK, bits) =>
    unionOfHll(readAll(all, HllSketch.fromBytesInOrder), Number(lgK), hllType(bits)).toBytes(),
  ),
  engineFunction('druid_hll_merged', ['BLOB[]'], 'BLOB', mergeHll),
  engineFunction('druid_hll_of_texts', ['VARCHAR[]'], 'BLOB', (texts) =>
    hllBytes(hllOf(withoutNulls(texts).map(couponOfText), defaultLgK, 4)),
  ),
  engineFunction('druid_hll_read', ['VARCHAR'], 'BLOB', (text) =>
    readBase64(text, HllSketch.fromBytes),
  ),
  engineFunction('druid_hll_estimate', ['BLOB'], 'DOUBLE', (bytes) =>
    HllSketch.fromBytes(bytes).estimate(),
  ),
  engineFunction('druid_hll_bounds', ['BLOB', 'BIGINT'], 'DOUBLE[]', (bytes, deviations) => {
    const sketch = HllSketch.fromBytes(bytes);
    const count = deviationsOf(deviations);
    return [sketch.estimate(), sketch.lowerBound(count), sketch.upperBound(count)];
  }),
  engineFunction('druid_hll_text', ['BLOB'], 'VARCHAR', hllText),
  hashFunction('druid_theta_hash', 'VARCHAR', 'UBIGINT', hashOfText('utf8', writeThetaHash)),
  hashFunction('druid_theta_hash_of_long', 'BIGINT', 'UBIGINT', hashOfLong(writeThetaHash)),
  hashFunction('druid_theta_hash_of_double', 'DOUBLE', 'UBIGINT', hashOfDouble(writeThetaHash)),
  engineFunction('druid_theta', ['UBIGINT[]', 'BIGINT'], 'BLOB', (hashes, size) =>
    thetaBytes(thetaOf(hashes, Number(size))),
  ),
  engineFunction('druid_theta_of_longs', ['BIGINT[]', 'BIGINT'], 'BLOB', (values, size) =>
    thetaBytes(thetaOfLongs(longsOfList(values), Number(size))),
  ),
  engineFunction('druid_theta_of_bits', ['BLOB', 'BIGINT', 'BIGINT'], 'BLOB', (set, least, size) =>
    thetaBytes(thetaOfLongs(longsOfBits(set, least), Number(size))),
  ),
  engineFunction('druid_theta_union', ['BLOB[]', 'BIGINT'], 'BLOB', (all, size) =>
    thetaBytes(unionOfTheta(readAll(all, readTheta), Number(size))),
  ),
  engineFunction('druid_theta_text', ['BLOB', 'BOOLEAN'], 'VARCHAR', thetaText),
  engineFunction('druid_theta_merged', ['BLOB[]'], 'BLOB', mergeTheta),
  engineFunction('druid_theta_intersect', ['BLOB[]'], 'BLOB', combineThetas(intersectionOfTheta)),
  engineFunction('druid_theta_not', ['BLOB[]'], 'BLOB', combineThetas(differenceOfTheta)),
  engineFunction('druid_theta_of_texts', ['VARCHAR[]'], 'BLOB', (texts) =>
    thetaBytes(
      thetaOf(BigUint64Array.from(withoutNulls(texts), thetaHashOfText), defaultThetaSize),
    ),
  ),
  engineFunction('druid_theta_read', ['VARCHAR'], 'BLOB', (text) => readBase64(text, readTheta)),
  engineFunction('druid_theta_estimate', ['BLOB'], 'DOUBLE', (bytes) =>
    estimateOfTheta(readTheta(bytes)),
  ),
  engineFunction('druid_theta_bounds', ['BLOB', 'BIGINT'], 'VARCHAR', thetaBoundsJson),
  engineFunction('druid_doubles', ['DOUBLE[]', 'BIGINT'], 'BLOB', (values, k) =>
    quantilesOf(values, Number(k)).toBytes(),
  ),
  engineFunction(
    'druid_quantile_of_doubles',
    ['DOUBLE[]', 'BIGINT', 'DOUBLE'],
    'DOUBLE',
    (values, k, rank) => quantileOfValues(values, Number(k), rank),
  ),
  engineFunction('druid_doubles_union', ['BLOB[]', 'BIGINT'], 'BLOB', (all, k) =>
    unionOfQuantiles(readAll(all, QuantilesSketch.fromBytes), Number(k)).toBytes(),
  ),
  engineFunction('druid_doubles_merged', ['BLOB[]'], 'BLOB', mergeQuantiles),
  engineFunction('druid_doubles_of_list', ['DOUBLE[]'], 'BLOB', (values) =>
    quantilesOf(values, defaultK).toBytes(),
  ),
  engineFunction('druid_doubles_of_text', ['VARCHAR', 'BIGINT'], 'BLOB', (text, k) =>
    quantilesOfText(text, Number(k)),
  ),
  engineFunction('druid_doubles_read', ['VARCHAR'], 'BLOB', (text) =>
    readBase64(text, QuantilesSketch.fromBytes),
  ),
  engineFunction('druid_doubles_count', ['BLOB'], 'BIGINT', (bytes) =>
    BigInt(QuantilesSketch.fromBytes(bytes).count),
  ),
  engineFunction('druid_doubles_quantile', ['BLOB', 'DOUBLE'], 'DOUBLE', (bytes, rank) =>
    sortedOf(bytes).quantile(rank),
  ),
  engineFunction('druid_doubles_quantiles', ['BLOB', 'DOUBLE[]'], 'DOUBLE[]', (bytes, ranks) => {
    const sorted = sortedOf(bytes);
    return Array.from(ranks, (rank) => sorted.quantile(rank));
  }),
  engineFunction('druid_doubles_rank', ['BLOB', 'DOUBLE'], 'DOUBLE', (bytes, value) =>
    sortedOf(bytes).rank(value),
  ),
  engineFunction('druid_doubles_cdf', ['BLOB', 'DOUBLE[]'], 'DOUBLE[]', (bytes, points) =>
    sortedOf(bytes).ranks(points),
  ),
  engineFunction('druid_doubles_histogram', ['BLOB', 'DOUBLE[]'], 'DOUBLE[]', (bytes, points) =>
    sortedOf(bytes).histogram(points),
  ),
  engineFunction('druid_doubles_bins', ['BLOB', 'BIGINT'], 'DOUBLE[]', (bytes, bins) =>
    equalHistogram(bytes, Number(bins)),
  ),
  engineFunction('druid_doubles_text', ['BLOB'], 'VARCHAR', quantilesText),
  engineFunction(
    'druid_histogram_quantile',
    ['DOUBLE[]', 'DOUBLE', 'BIGINT'],
    'DOUBLE',
    (values, rank, resolution) => {
      const histogram = new ApproximateHistogram(Number(resolution));
      for (let at = 0; at < values.length; at++) histogram.add(values[at] ?? 0);
      return histogram.quantile(rank);
    },
  ),
  engineFunction('druid_numbers_json', ['DOUBLE[]'], 'VARCHAR', numbersJson),
];
