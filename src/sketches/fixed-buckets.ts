// Histogram of buckets of equal width between two limits, as in the engine's fixedBucketsHistogram.
import { InvalidSketch } from './sketch-error.ts';

/** Handling of values outside the limits, in the order of the serialized form. */
export const outlierModes = ['ignore', 'overflow', 'clip'] as const;

export type OutlierMode = (typeof outlierModes)[number];

export interface BucketSettings {
  readonly count: number;
  readonly low: number; // lower limit of the first bucket, inclusive
  readonly high: number; // upper limit of the last bucket, exclusive
  readonly mode: OutlierMode;
}

const headerBytes = 2;
const commonBytes = 69;
const fullForm = 1;
const sparseForm = 2;

/** Only non-empty buckets use memory. */
export class FixedBuckets {
  readonly #settings: BucketSettings;
  readonly #width: number;
  readonly #held = new Map<number, number>();
  #count = 0;
  #below = 0; // values below the lower limit, where they are counted separately
  #above = 0;
  #missing = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;

  constructor(settings: BucketSettings) {
    this.#settings = settings;
    this.#width = (settings.high - settings.low) / settings.count;
  }

  /** The number of values in buckets. */
  get count(): number {
    return this.#count;
  }

  get least(): number {
    return this.#least;
  }

  get greatest(): number {
    return this.#greatest;
  }

  /** Counts a number. NaN is counted in the first bucket, as Java converts it. */
  add(value: number): void {
    const { low, high, count } = this.#settings;
    if (value < low) this.#addBelow(1);
    else if (value >= high) this.#addAbove(1);
    else {
      this.#put(
        Number.isNaN(value) ? 0 : Math.min(Math.trunc((value - low) / this.#width), count - 1),
        1,
      );
      this.#widen(value);
    }
  }

  /** Counts nulls. */
  addMissing(count: number): void {
    this.#missing += count;
  }

  /** Adds another histogram. Values of other buckets are assumed to be spread evenly over them. */
  merge(other: FixedBuckets): void {
    const { low, high } = this.#settings;
    const theirs = other.#settings;
    this.#missing += other.#missing;
    if (this.#width === other.#width && low === theirs.low && high === theirs.high) {
      for (const [bucket, count] of other.#held) this.#put(bucket, count);
      if (other.#count > 0) {
        this.#widen(other.#least);
        this.#widen(other.#greatest);
      }
      this.#addBelow(other.#below);
      this.#addAbove(other.#above);
    } else if (theirs.low >= high) this.#addAbove(other.#count + other.#above);
    else if (theirs.high <= low) this.#addBelow(other.#count + other.#below);
    else this.#mergeEvenly(other, Math.max(low, theirs.low), Math.min(high, theirs.high));
  }

  /**
   * The quantiles of ascending ranks, with the precision of a float: interpolated positions within
   * buckets, 0 without values. The search for each rank continues from the bucket of the previous
   * one.
   */
  quantiles(ranks: readonly number[]): number[] {
    const { low } = this.#settings;
    const found = new Array<number>(ranks.length).fill(0);
    let at = 0;
    let before = 0;
    let behind = 0; // the bucket after the last visited one
    // Visiting one of several adjacent empty buckets has the same result as visiting all of them.
    const visit = (bucket: number, held: number): void => {
      const [lowPercent, highPercent] = [this.#percent(before), this.#percent(before + held)];
      const start = bucket * this.#width + low;
      for (; at < ranks.length && highPercent >= (ranks[at] ?? 0) * 100; at++) {
        const part = ((ranks[at] ?? 0) * 100 - lowPercent) / (highPercent - lowPercent);
        found[at] = Math.fround(part * ((bucket + 1) * this.#width + low - start) + start);
      }
      before += held;
      behind = bucket + 1;
    };
    for (const [bucket, held] of this.#sortBuckets()) {
      if (bucket > behind) visit(behind, 0);
      visit(bucket, held);
    }
    if (this.#count > 0 && behind < this.#settings.count) visit(behind, 0);
    return found;
  }

  /**
   * The contents of the histogram under the engine's names and in its order: doubles, and whole
   * numbers as digits.
   */
  summary(): [name: string, value: number | string][] {
    const { low, high, count, mode } = this.#settings;
    const counts = Array.from({ length: count }, (_, bucket) => this.#held.get(bucket) ?? 0);
    return [
      ['lowerLimit', low],
      ['upperLimit', high],
      ['numBuckets', String(count)],
      ['upperOutlierCount', String(this.#above)],
      ['lowerOutlierCount', String(this.#below)],
      ['missingValueCount', String(this.#missing)],
      ['histogram', `[${counts.join(', ')}]`],
      ['outlierHandlingMode', mode],
      ['count', String(this.#count)],
      ['max', this.#greatest],
      ['min', this.#least],
    ];
  }

  /** The serialized form: all buckets, or only the non-empty ones if they are less than half. */
  toBytes(): Uint8Array {
    const { low, high, count, mode } = this.#settings;
    const isSparse = this.#held.size < Math.trunc(count / 2);
    const bytes = new Uint8Array(
      headerBytes + commonBytes + (isSparse ? 4 + 12 * this.#held.size : 8 * count),
    );
    const view = new DataView(bytes.buffer);
    bytes[0] = 1;
    bytes[1] = isSparse ? sparseForm : fullForm;
    view.setFloat64(2, low);
    view.setFloat64(10, high);
    view.setInt32(18, count);
    bytes[22] = outlierModes.indexOf(mode);
    for (const [index, number] of [this.#count, this.#below, this.#above, this.#missing].entries())
      view.setBigInt64(23 + 8 * index, BigInt(number));
    view.setFloat64(55, this.#greatest);
    view.setFloat64(63, this.#least);
    if (isSparse) view.setInt32(71, this.#held.size);
    for (const [index, [bucket, held]] of this.#sortBuckets().entries()) {
      if (isSparse) view.setInt32(75 + 12 * index, bucket);
      view.setBigInt64(isSparse ? 79 + 12 * index : 71 + 8 * bucket, BigInt(held));
    }
    return bytes;
  }

  /** Reads the form written by `toBytes`. Throws InvalidSketch. */
  static fromBytes(bytes: Uint8Array): FixedBuckets {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const invalid = () =>
      new InvalidSketch(`These [${bytes.length}] bytes are not a fixed buckets histogram`);
    const least = headerBytes + commonBytes;
    if (bytes.length < least || bytes[0] !== 1) throw invalid();
    const [low, high, count, mode] = [
      view.getFloat64(2),
      view.getFloat64(10),
      view.getInt32(18),
      outlierModes[view.getUint8(22)],
    ];
    const isSparse = bytes[1] === sparseForm;
    const entries = isSparse ? (bytes.length - least - 4) / 12 : count;
    const isWhole = isSparse
      ? bytes.length >= least + 4 && view.getInt32(71) === entries
      : bytes.length === least + 8 * count;
    if (mode === undefined || !(high > low) || count < 1 || !isWhole) throw invalid();
    const histogram = new FixedBuckets({ count, low, high, mode });
    for (let index = 0; index < entries; index++) {
      const bucket = isSparse ? view.getInt32(75 + 12 * index) : index;
      const held = Number(view.getBigInt64(isSparse ? 79 + 12 * index : 71 + 8 * index));
      if (bucket < 0 || bucket >= count) throw invalid();
      if (held !== 0) histogram.#held.set(bucket, held);
    }
    const [all = 0, below = 0, above = 0, missing = 0] = [0, 1, 2, 3].map((index) =>
      Number(view.getBigInt64(23 + 8 * index)),
    );
    histogram.#count = all;
    histogram.#below = below;
    histogram.#above = above;
    histogram.#missing = missing;
    histogram.#greatest = view.getFloat64(55);
    histogram.#least = view.getFloat64(63);
    return histogram;
  }

  #sortBuckets(): [bucket: number, held: number][] {
    return [...this.#held].sort(([one], [other]) => one - other);
  }

  #percent(count: number): number {
    return (100 * count) / this.#count;
  }

  #put(bucket: number, count: number): void {
    if (count === 0) return;
    this.#held.set(bucket, (this.#held.get(bucket) ?? 0) + count);
    this.#count += count;
  }

  #widen(value: number): void {
    if (value > this.#greatest) this.#greatest = value;
    if (value < this.#least) this.#least = value;
  }

  #addBelow(count: number): void {
    const { mode, low } = this.#settings;
    if (mode === 'overflow') this.#below += count;
    if (mode !== 'clip' || count === 0) return;
    this.#put(0, count);
    this.#widen(low);
  }

  #addAbove(count: number): void {
    const { mode, high, count: buckets } = this.#settings;
    if (mode === 'overflow') this.#above += count;
    if (mode !== 'clip' || count === 0) return;
    this.#put(buckets - 1, count);
    this.#widen(high);
  }

  // The number of values on one side of a place.
  #countTo(place: number, isBelow: boolean): number {
    const cut = Math.trunc((place - this.#settings.low) / this.#width);
    let sum = 0;
    for (const [bucket, held] of this.#sortBuckets()) {
      if (isBelow ? bucket < cut : bucket > cut) sum += held;
      if (bucket !== cut) continue;
      const edge = (isBelow ? bucket : bucket + 1) * this.#width + this.#settings.low;
      sum += ((isBelow ? place - edge : edge - place) / this.#width) * held;
    }
    return sum;
  }

  #mergeEvenly(other: FixedBuckets, from: number, to: number): void {
    const { low, high, mode } = this.#settings;
    const [isCutBelow, isCutAbove] = [from === low, to === high];
    this.#addBelow(other.#below + (isCutBelow ? Math.round(other.#countTo(from, true)) : 0));
    this.#addAbove(other.#above + (isCutAbove ? Math.round(other.#countTo(to, false)) : 0));
    if (mode === 'clip' && !isCutBelow && !isCutAbove && other.#count > 0) {
      if (other.#above === 0) this.#widen(other.#greatest);
      if (other.#below === 0) this.#widen(other.#least);
    }
    let mine = Math.trunc((from - low) / this.#width);
    let theirs = Math.trunc((from - other.#settings.low) / other.#width);
    // Piece by piece: each piece ends at the next bucket end of either histogram.
    for (let cursor = from; cursor < to; ) {
      const [myEnd, theirEnd] = [
        Math.min(this.#endOf(mine), to),
        Math.min(other.#endOf(theirs), to),
      ];
      const end = Math.min(myEnd, theirEnd);
      if (end > cursor) {
        const held = other.#held.get(theirs) ?? 0;
        const count = Math.round(held * ((end - cursor) / other.#width));
        if (count > 0) this.#widenEvenly(other, theirs, held, cursor, end);
        this.#put(mine, count);
        cursor = end;
      }
      if (myEnd <= cursor) mine++;
      if (theirEnd <= cursor) theirs++;
    }
  }

  #endOf(bucket: number): number {
    return (bucket + 1) * this.#width + this.#settings.low;
  }

  // Widens minimum and maximum by the evenly spread values in a piece of a bucket.
  #widenEvenly(other: FixedBuckets, bucket: number, held: number, from: number, to: number): void {
    const stride = other.#width / held;
    const start = bucket * other.#width + other.#settings.low;
    const first = Math.ceil((from - start) / stride) * stride + start;
    if (first >= from) this.#widen(first);
    const last = Math.floor((to - start) / stride) * stride + start;
    if (last < to) this.#widen(last);
  }
}
