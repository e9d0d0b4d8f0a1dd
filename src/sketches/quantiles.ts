// Classic quantiles sketches of Apache DataSketches (DoublesSketch of package `quantiles`): a base
// buffer of the newest values and sorted levels of k values, where a value of level i stands for
// 2^(i + 1) values. Exact as long as fewer than 2k values were added.
import { InvalidSketch } from './sketch-error.ts';

/** The default number of values in a level. */
export const defaultK = 128;

/** Whether levels of this size are supported. */
export const isQuantilesK = (k: number): boolean =>
  Number.isInteger(Math.log2(k)) && k >= 2 && k <= mostK;

const mostK = 32768;

export class QuantilesSketch {
  readonly k: number;
  #count = 0;
  #least = Number.NaN;
  #greatest = Number.NaN;
  #base: Float64Array;
  #baseCount = 0;
  readonly #levels: (Float64Array | undefined)[] = [];

  constructor(k: number) {
    this.k = k;
    this.#base = new Float64Array(4); // starts small, since most of many sketches hold few values
  }

  get count(): number {
    return this.#count;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get least(): number {
    return this.#least;
  }

  get greatest(): number {
    return this.#greatest;
  }

  /** Whether values were dropped, so that results are estimates. */
  get isEstimating(): boolean {
    return this.#count >= 2 * this.k;
  }

  /** Adds a value. NaN is ignored. */
  add(value: number): void {
    if (Number.isNaN(value)) return;
    if (this.#count === 0) {
      this.#least = value;
      this.#greatest = value;
    } else if (value > this.#greatest) this.#greatest = value;
    else if (value < this.#least) this.#least = value;
    if (this.#baseCount === this.#base.length)
      this.#base = enlarge(this.#base, Math.min(2 * this.k, Math.max(4, 4 * this.#base.length)));
    this.#base[this.#baseCount++] = value;
    this.#count++;
    if (this.#baseCount < 2 * this.k) return;
    this.#carry(0, everySecond(this.#base.sort()));
    this.#baseCount = 0;
  }

  /**
   * Adds the values of another sketch, whose levels must be at least as large as those of this one.
   */
  merge(other: QuantilesSketch): void {
    if (other.isEmpty) return;
    const [least, greatest] = [this.#least, this.#greatest];
    const wasEmpty = this.isEmpty;
    this.addBase(other);
    const stride = other.k / this.k;
    for (const [level, values] of other.#levels.entries()) {
      if (!values) continue;
      this.#carry(level + Math.log2(stride), stride === 1 ? values : everyNth(values, stride));
      this.#count += other.k * 2 ** (level + 1);
    }
    this.#least = wasEmpty ? other.#least : Math.min(least, other.#least);
    this.#greatest = wasEmpty ? other.#greatest : Math.max(greatest, other.#greatest);
  }

  /** Adds the values of another sketch's base buffer, which are all its values if it is exact. */
  addBase(other: QuantilesSketch): void {
    for (let at = 0; at < other.#baseCount; at++) this.add(other.#base[at] ?? Number.NaN);
  }

  /** The values in order, with the number of values up to each. Valid until a value is added. */
  sortedView(): SortedValues {
    let values: Float64Array = this.#sortedBase();
    if (!this.isEstimating) return new SortedValues(values, undefined);
    let weights = new Float64Array(values.length).fill(1);
    for (const [level, more] of this.#levels.entries()) {
      if (more) [values, weights] = mergeWeights(values, weights, more, 2 ** (level + 1));
    }
    let sum = 0;
    for (const [at, weight] of weights.entries()) {
      sum += weight;
      weights[at] = sum;
    }
    return new SortedValues(values, weights);
  }

  /** The serialized form: compact, with a sorted base buffer. */
  toBytes(): Uint8Array {
    const flags = readOnlyFlag | compactFlag | orderedFlag;
    if (this.isEmpty)
      return Uint8Array.of(2, 3, family, flags | emptyFlag, this.k & 0xff, this.k >> 8, 0, 0);
    const levels = this.#levels.filter((level) => level !== undefined);
    const bytes = new Uint8Array((4 + this.#baseCount + levels.length * this.k) * 8);
    const view = new DataView(bytes.buffer);
    bytes.set([2, 3, family, flags]);
    view.setUint16(4, this.k, true);
    view.setBigUint64(8, BigInt(this.#count), true);
    view.setFloat64(16, this.#least, true);
    view.setFloat64(24, this.#greatest, true);
    let at = 32;
    for (const values of [this.#sortedBase(), ...levels]) {
      for (const value of values) {
        view.setFloat64(at, value, true);
        at += 8;
      }
    }
    return bytes;
  }

  /** Reads a serialized sketch, compact or not. Throws InvalidSketch. */
  static fromBytes(bytes: Uint8Array): QuantilesSketch {
    const { k, count, isCompact } = readHeader(bytes);
    const sketch = new QuantilesSketch(k);
    if (count === 0) return sketch;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const baseCount = count % (2 * k);
    const read = (from: number, length: number): Float64Array => {
      const start = 32 + from * 8;
      if (start + length * 8 > bytes.length)
        throw corruption(`a quantiles sketch of [${bytes.length}] bytes has no [${count}] values`);
      const values = new Float64Array(length);
      for (let at = 0; at < length; at++) values[at] = view.getFloat64(start + at * 8, true);
      return values;
    };
    sketch.#count = count;
    sketch.#least = view.getFloat64(16, true);
    sketch.#greatest = view.getFloat64(24, true);
    sketch.#baseCount = baseCount;
    sketch.#base = read(0, baseCount);
    let at = isCompact ? baseCount : 2 * k;
    // The bits of this number tell which levels exist.
    for (let levels = Math.floor(count / (2 * k)); levels > 0; levels = Math.floor(levels / 2)) {
      const isThere = levels % 2 === 1;
      sketch.#levels.push(isThere ? read(at, k) : undefined);
      if (isThere || !isCompact) at += k;
    }
    if (
      Number.isNaN(sketch.#least) ||
      Number.isNaN(sketch.#greatest) ||
      sketch.#base.includes(Number.NaN)
    )
      throw corruption('a quantiles sketch holds NaN');
    if (!sketch.#levels.every((level) => level === undefined || isAscending(level)))
      throw corruption('a level of a quantiles sketch is not in order');
    return sketch;
  }

  /** The library's text summary of a sketch with a given number of bytes, as names and values. */
  summary(size: number): readonly (readonly [name: string, value: string])[] {
    const levels = this.#levels.filter((level) => level !== undefined).length;
    const total = this.#levels.length;
    const retained = this.#baseCount + levels * this.k;
    const percent = (error: number) => `${(error * 100).toFixed(3)}%`;
    return [
      ['Empty', String(this.isEmpty)],
      ['Memory, Capacity bytes', `true, ${size}`],
      ['Estimation Mode', String(this.isEstimating)],
      ['K', group(this.k)],
      ['N', group(this.#count)],
      ['Levels (Needed, Total, Valid)', `${total}, ${total}, ${levels}`],
      ['Level Bit Pattern', Math.floor(this.#count / (2 * this.k)).toString(2)],
      ['BaseBufferCount', group(this.#baseCount)],
      ['Combined Buffer Capacity', group((size - 32) / 8)],
      ['Retained Items', group(retained)],
      ['Compact Storage Bytes', group(this.isEmpty ? 8 : 32 + retained * 8)],
      ['Updatable Storage Bytes', group(this.#updatableSize(total))],
      ['Normalized Rank Error', percent(1.576 / this.k ** 0.9726)],
      ['Normalized Rank Error (PMF)', percent(1.854 / this.k ** 0.9657)],
      ['Min Item', exponential(this.#least)],
      ['Max Item', exponential(this.#greatest)],
    ];
  }

  // The base buffer is unordered.
  #sortedBase(): Float64Array {
    const values = this.#base.subarray(0, this.#baseCount);
    return values.length > 1 ? values.sort() : values;
  }

  #updatableSize(levels: number): number {
    if (this.isEmpty) return 8;
    const base =
      this.#count <= this.k ? Math.max(4, 2 ** Math.ceil(Math.log2(this.#count))) : 2 * this.k;
    return (4 + base + levels * this.k) * 8;
  }

  // Levels are added like the digits of binary numbers.
  #carry(from: number, values: Float64Array): void {
    let carried = values;
    let level = from;
    for (let held = this.#levels[level]; held !== undefined; held = this.#levels[level]) {
      carried = everySecond(mergeInOrder(held, carried));
      this.#levels[level++] = undefined;
    }
    while (this.#levels.length < level) this.#levels.push(undefined);
    this.#levels[level] = carried;
  }
}

/**
 * The quantile of a sketch of the values. Few values, which a sketch would keep completely, are
 * only sorted.
 * Throws InvalidSketch.
 */
export function quantileOfValues(values: ArrayLike<number>, k: number, rank: number): number {
  if (values.length >= 2 * k) {
    const sketch = new QuantilesSketch(k);
    for (let at = 0; at < values.length; at++) sketch.add(values[at] ?? Number.NaN);
    return sketch.sortedView().quantile(rank);
  }
  if (values.length > ordered.length) ordered = new Float64Array(2 * k);
  let count = 0;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    let place = count++;
    // Insertion sort for few values; a sort call is faster for many.
    for (; values.length <= fewValues && place > 0 && (ordered[place - 1] ?? 0) > value; place--)
      ordered[place] = ordered[place - 1] ?? 0;
    ordered[place] = value;
  }
  const counted = ordered.subarray(0, count);
  return new SortedValues(values.length > fewValues ? counted.sort() : counted, undefined).quantile(
    rank,
  );
}

const fewValues = 16;

// A shared buffer: groups are sorted one after the other.
let ordered = new Float64Array(2 * defaultK);

/** The union of sketches. Its level size is the smallest of the inexact sketches, but at most k. */
export function unionOfQuantiles(sketches: Iterable<QuantilesSketch>, k: number): QuantilesSketch {
  let union: QuantilesSketch | undefined;
  for (const sketch of sketches) {
    if (sketch.isEmpty) continue;
    if (!sketch.isEstimating) {
      union ??= new QuantilesSketch(k);
      union.addBase(sketch);
      continue;
    }
    if (union === undefined || union.k > sketch.k) {
      const smaller = new QuantilesSketch(Math.min(sketch.k, k));
      if (union) smaller.merge(union);
      union = smaller;
    }
    union.merge(sketch);
  }
  return union ?? new QuantilesSketch(k);
}

/** Sorted values of a sketch, with quantiles and ranks. Both are inclusive. */
export class SortedValues {
  readonly #values: Float64Array;
  // cumulative; undefined if each value has weight 1
  readonly #weights: Float64Array | undefined;

  constructor(values: Float64Array, weights: Float64Array | undefined) {
    this.#values = values;
    this.#weights = weights;
  }

  /**
   * The quantile of a rank: the least value with at least this fraction of all values up to it. NaN
   * without values.
   * Throws InvalidSketch.
   */
  quantile(rank: number): number {
    if (this.#values.length === 0) return Number.NaN;
    if (!isRank(rank)) throw new InvalidSketch(unknownRank(rank));
    const wanted = Math.ceil(rank * this.#total);
    const at = this.#weights
      ? firstWhere(this.#weights, (weight) => weight >= wanted)
      : Math.max(wanted - 1, 0);
    return this.#values[Math.min(at, this.#values.length - 1)] ?? Number.NaN;
  }

  /**
   * The fraction of all values up to and including a value; NaN without values.
   * Throws InvalidSketch.
   */
  rank(value: number): number {
    if (this.#values.length === 0) return Number.NaN;
    if (Number.isNaN(value)) throw new InvalidSketch('A sketch has no rank of NaN: give a number');
    const at = firstWhere(this.#values, (held) => held > value);
    return at === 0 ? 0 : (this.#weights?.[at - 1] ?? at) / this.#total;
  }

  /** The ranks of ordered points, followed by 1. Throws InvalidSketch. */
  ranks(points: ArrayLike<number>): number[] {
    if (this.#values.length === 0)
      return Array.from({ length: points.length + 1 }, () => Number.NaN);
    if (!areSplitPoints(points)) throw new InvalidSketch(unorderedPoints);
    return [...Array.from(points, (point) => this.rank(point)), 1];
  }

  /**
   * The numbers of values up to the first point, between points, and above the last one.
   * Throws InvalidSketch.
   */
  histogram(points: ArrayLike<number>): number[] {
    const ranks = this.ranks(points);
    return ranks.map((rank, at) => (at === 0 ? rank : rank - (ranks[at - 1] ?? 0)) * this.#total);
  }

  get #total(): number {
    return this.#weights?.at(-1) ?? this.#values.length;
  }
}

/** Whether a number is a valid rank: from 0 to 1. */
export const isRank = (rank: number): boolean => rank >= 0 && rank <= 1;

/** The error message for an invalid rank. */
export const unknownRank = (rank: number): string =>
  `A normalized rank must be >= 0 and <= 1.0: ${Number.isInteger(rank) ? rank.toFixed(1) : rank}`;

/** Whether numbers are valid split points: each greater than the one before. */
export function areSplitPoints(points: ArrayLike<number>): boolean {
  for (let at = 0; at < points.length; at++) {
    const point = points[at] ?? Number.NaN;
    if (Number.isNaN(point) || (at > 0 && !((points[at - 1] ?? Number.NaN) < point))) return false;
  }
  return true;
}

/** The error message for invalid split points. */
export const unorderedPoints = 'Values must be unique, monotonically increasing and not NaN.';

/** The number of values of a level, from the header of a sketch. Throws InvalidSketch. */
export const quantilesK = (bytes: Uint8Array): number => readHeader(bytes).k;

function readHeader(bytes: Uint8Array): { k: number; count: number; isCompact: boolean } {
  if (bytes.length < 8)
    throw new InvalidSketch(`A quantiles sketch has at least [8] bytes, not [${bytes.length}]`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const [longs, version, familyId, flags] = [
    view.getUint8(0),
    view.getUint8(1),
    view.getUint8(2),
    view.getUint8(3),
  ];
  const k = view.getUint16(4, true);
  if (familyId !== family)
    throw corruption(`Family ID [${familyId}] is not that of a quantiles sketch`);
  if (version !== 3)
    throw new InvalidSketch(
      `Quantiles sketches of serialization version [${version}] are not read: write them as version [3]`,
    );
  if (longs < 1 || longs > 2) throw corruption(`PreLongs must be 1 or 2: ${longs}`);
  if (!isQuantilesK(k)) throw corruption(`K must be >= 2 and <= ${mostK} and a power of 2: ${k}`);
  const isCompact = (flags & compactFlag) !== 0;
  if (flags & emptyFlag) return { k, count: 0, isCompact };
  if (bytes.length < 32)
    throw corruption(
      `a quantiles sketch with values has at least [40] bytes, not [${bytes.length}]`,
    );
  const count = view.getBigUint64(8, true);
  if (count === 0n || count > BigInt(Number.MAX_SAFE_INTEGER))
    throw corruption(`a quantiles sketch of [${count}] values`);
  return { k, count: Number(count), isCompact };
}

const readOnlyFlag = 2;
const emptyFlag = 4;
const compactFlag = 8;
const orderedFlag = 16;
const family = 8;

const corruption = (reason: string) => new InvalidSketch(`Possible Corruption: ${reason}`);

function enlarge(values: Float64Array, length: number): Float64Array {
  const larger = new Float64Array(length);
  larger.set(values);
  return larger;
}

// The library chooses one of the two halves at random. Here the values decide, so that results are
// repeatable and errors still cancel out.
const everySecond = (values: Float64Array): Float64Array => everyNth(values, 2);

function everyNth(values: Float64Array, stride: number): Float64Array {
  const offset = chance(values, stride);
  return Float64Array.from(
    { length: values.length / stride },
    (_, at) => values[offset + at * stride] ?? 0,
  );
}

// A number below a power of 2, made from the bits of four of the values.
function chance(values: Float64Array, below: number): number {
  let mixed = values.length;
  for (let part = 0; part < 4; part++) {
    bits.setFloat64(0, values[Math.floor((part * (values.length - 1)) / 3)] ?? 0);
    mixed = Math.imul(mixed ^ bits.getInt32(0), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 15) ^ bits.getInt32(4), 0xc2b2ae35);
    mixed ^= mixed >>> 13;
  }
  return (mixed ^ (mixed >>> 16)) & (below - 1);
}

const bits = new DataView(new ArrayBuffer(8));

function mergeInOrder(one: Float64Array, other: Float64Array): Float64Array {
  const merged = new Float64Array(one.length + other.length);
  let [i, j] = [0, 0];
  for (let at = 0; at < merged.length; at++) {
    const isOther = j < other.length && (i === one.length || (other[j] ?? 0) < (one[i] ?? 0));
    merged[at] = (isOther ? other[j++] : one[i++]) ?? 0;
  }
  return merged;
}

function mergeWeights(
  values: Float64Array,
  weights: Float64Array,
  more: Float64Array,
  weight: number,
): [Float64Array<ArrayBuffer>, Float64Array<ArrayBuffer>] {
  const length = values.length + more.length;
  const [merged, mergedWeight] = [new Float64Array(length), new Float64Array(length)];
  let [i, j] = [0, 0];
  for (let at = 0; at < length; at++) {
    const isMore = j < more.length && (i === values.length || (more[j] ?? 0) < (values[i] ?? 0));
    mergedWeight[at] = isMore ? weight : (weights[i] ?? 0);
    merged[at] = (isMore ? more[j++] : values[i++]) ?? 0;
  }
  return [merged, mergedWeight];
}

function firstWhere(values: Float64Array, holds: (value: number) => boolean): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(values[middle] ?? 0)) high = middle;
    else low = middle + 1;
  }
  return low;
}

function isAscending(values: Float64Array): boolean {
  for (let at = 1; at < values.length; at++)
    if (!((values[at - 1] ?? 0) <= (values[at] ?? 0))) return false;
  return values.length < 2 ? !values.some(Number.isNaN) : true;
}

const group = (whole: number): string => whole.toLocaleString('en-US');

// Java's format "%12.6e".
function exponential(value: number): string {
  if (!Number.isFinite(value))
    return (Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity').padStart(12);
  const [digits = '', exponent = ''] = value.toExponential(6).split('e');
  return `${digits}e${exponent.slice(0, 1)}${exponent.slice(1).padStart(2, '0')}`.padStart(12);
}
