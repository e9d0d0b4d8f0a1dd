// Tuple sketches of Apache DataSketches (ArrayOfDoublesSketch): the hashes of keys below theta, as
// in a theta sketch, each with sums of numbers. A sketch keeps between its nominal number of keys
// and about twice as many, in a hash table. The serialized form has the order of that table.
import { InvalidSketch } from './sketch-error.ts';

/** The default nominal number of keys. */
export const defaultTupleSize = 4096;

/** Whether this nominal number of keys is supported. */
export const isTupleSize = (size: number): boolean =>
  Number.isInteger(Math.log2(size)) && size >= 16 && size <= 2 ** 26;

const wholeTheta = 2n ** 63n - 1n;

export class TupleSketch {
  readonly size: number;
  readonly width: number; // numbers per key
  #isEmpty = true;
  #theta = wholeTheta;
  #keys: BigUint64Array;
  #sums: Float64Array;
  #count = 0;

  /**
   * @param size the nominal number of keys
   * @param width the number of numbers per key
   */
  constructor(size: number, width: number) {
    this.size = size;
    this.width = width;
    const places = 2 ** (leastBits + ((Math.log2(size) + 1 - leastBits) % growthBits));
    this.#keys = new BigUint64Array(places);
    this.#sums = new Float64Array(places * width);
  }

  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  get theta(): bigint {
    return this.#theta;
  }

  /** The number of stored keys. */
  get count(): number {
    return this.#count;
  }

  /** The estimated number of distinct keys. */
  get estimate(): number {
    return this.#count / (Number(this.#theta) / 2 ** 63);
  }

  /** The estimated sums over all added keys; a single zero for an empty sketch. */
  get sums(): number[] {
    const sums = new Array<number>(Math.max(this.width, 1)).fill(0);
    for (const [, values] of this.entries())
      for (const [at, value] of values.entries()) sums[at] = (sums[at] ?? 0) + value;
    return sums.map((sum) => sum / (Number(this.#theta) / 2 ** 63));
  }

  /** Adds numbers to a key, whose hash must not be zero. */
  add(hash: bigint, numbers: ArrayLike<number>, from = 0): void {
    this.#isEmpty = false;
    if (hash >= this.#theta) return;
    const place = this.#placeOf(hash);
    if (this.#keys[place] === 0n) {
      this.#keys[place] = hash;
      this.#count++;
    }
    for (let at = 0; at < this.width; at++) {
      const sum = place * this.width + at;
      this.#sums[sum] = (this.#sums[sum] ?? 0) + (numbers[from + at] ?? 0);
    }
    this.#rebuildIfFull();
  }

  /** Adds another sketch with the same width. */
  merge(other: TupleSketch): void {
    if (other.isEmpty) return;
    this.#isEmpty = false;
    this.cutAt(other.theta);
    for (const [hash, numbers] of other.entries()) this.add(hash, numbers);
  }

  /** Drops keys at or above theta. */
  cutAt(theta: bigint): void {
    if (theta >= this.#theta) return;
    this.#theta = theta;
    this.#rebuild(this.#keys.length);
  }

  /** The sketch reduced to at most the nominal number of keys. */
  trim(): this {
    if (this.#count > this.size) this.cutAt(this.#thetaOf(this.size));
    return this;
  }

  /** Updates the empty flag: a sketch without keys is not empty if theta is below its maximum. */
  touch(): this {
    this.#isEmpty = this.#count === 0 && this.#theta === wholeTheta;
    return this;
  }

  /** The numbers of a key; undefined for an unknown key. */
  numbersOf(hash: bigint): Float64Array | undefined {
    const place = this.#placeOf(hash);
    return this.#keys[place] === hash ? this.#numbersAt(place) : undefined;
  }

  /** Keys with their numbers, in the order of the table. */
  *entries(): Generator<readonly [hash: bigint, numbers: Float64Array]> {
    for (const [place, key] of this.#keys.entries())
      if (key !== 0n) yield [key, this.#numbersAt(place)];
  }

  /** The serialized form, compact. */
  toBytes(): Uint8Array {
    const bytes = new Uint8Array(this.#count === 0 ? 16 : 24 + this.#count * (1 + this.width) * 8);
    const view = new DataView(bytes.buffer);
    bytes.set([
      1,
      1,
      family,
      compactKind,
      this.#isEmpty ? emptyFlag : this.#count > 0 ? entriesFlag : 0,
      this.width,
    ]);
    view.setUint16(6, seedHash, true);
    view.setBigUint64(8, this.#theta, true);
    if (this.#count === 0) return bytes;
    view.setInt32(16, this.#count, true);
    let key = 24;
    let number = 24 + this.#count * 8;
    for (const [hash, numbers] of this.entries()) {
      view.setBigUint64(key, hash, true);
      key += 8;
      for (const value of numbers) {
        view.setFloat64(number, value, true);
        number += 8;
      }
    }
    return bytes;
  }

  /** Reads a compact serialized sketch. Throws InvalidSketch. */
  static fromBytes(bytes: Uint8Array): TupleSketch {
    if (bytes.length < 16)
      throw new InvalidSketch(`A tuple sketch has at least [16] bytes, not [${bytes.length}]`);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (view.getUint8(1) !== 1 || view.getUint8(2) !== family || view.getUint8(3) !== compactKind)
      throw new InvalidSketch('These bytes are no compact tuple sketch of arrays of doubles');
    if (view.getUint16(6, true) !== seedHash)
      throw new InvalidSketch('The seed hash of a tuple sketch is not that of seed [9001]');
    const flags = view.getUint8(4);
    const width = view.getUint8(5);
    const theta = view.getBigUint64(8, true);
    if (theta === 0n || theta > wholeTheta)
      throw new InvalidSketch(`Theta of a tuple sketch is [${theta}]`);
    const count = (flags & entriesFlag) === 0 || bytes.length < 24 ? 0 : view.getInt32(16, true);
    if (count < 0 || bytes.length < 24 + count * (1 + width) * 8 - (count === 0 ? 8 : 0))
      throw new InvalidSketch(
        `A tuple sketch of [${bytes.length}] bytes has no [${count}] keys with [${width}] numbers`,
      );
    const sketch = new TupleSketch(
      Math.max(16, 2 ** Math.ceil(Math.log2(Math.max(count, 1)))),
      width,
    );
    sketch.#isEmpty = (flags & emptyFlag) !== 0;
    for (let at = 0; at < count; at++) {
      const from = 24 + count * 8 + at * width * 8;
      sketch.add(
        view.getBigUint64(24 + at * 8, true),
        Float64Array.from({ length: width }, (_, index) => view.getFloat64(from + index * 8, true)),
      );
    }
    if (sketch.count !== count)
      throw new InvalidSketch(
        `A tuple sketch has [${sketch.count}] different keys, not [${count}]`,
      );
    sketch.#theta = theta;
    return sketch;
  }

  #numbersAt(place: number): Float64Array {
    return this.#sums.subarray(place * this.width, (place + 1) * this.width);
  }

  // The slot of a hash, or the free slot for it.
  #placeOf(hash: bigint): number {
    const mask = this.#keys.length - 1;
    const bits = Math.log2(this.#keys.length);
    const low = Number(BigInt.asUintN(32, hash));
    const stride = 2 * (Number(BigInt.asUintN(32, hash >> BigInt(bits))) & 127) + 1;
    let at = (low & mask) >>> 0;
    for (let key = this.#keys[at]; key !== hash && key !== 0n; key = this.#keys[at])
      at = (at + stride) & mask;
    return at;
  }

  #rebuildIfFull(): void {
    const places = this.#keys.length;
    const isLargest = places > this.size;
    if (this.#count <= Math.trunc(places * (isLargest ? 15 / 16 : 1 / 2))) return;
    if (!isLargest) {
      this.#rebuild(Math.min(places * 2 ** growthBits, this.size * 2));
      return;
    }
    this.#theta = this.#thetaOf(this.size);
    this.#rebuild(places);
  }

  // The hash with exactly `size` smaller hashes.
  #thetaOf(size: number): bigint {
    return this.#keys.filter((key) => key !== 0n).sort()[size] ?? this.#theta;
  }

  #rebuild(places: number): void {
    const kept = [...this.entries()].filter(([hash]) => hash < this.#theta);
    this.#keys = new BigUint64Array(places);
    this.#sums = new Float64Array(places * this.width);
    this.#count = kept.length;
    for (const [hash, numbers] of kept) {
      const place = this.#placeOf(hash);
      this.#keys[place] = hash;
      this.#sums.set(numbers, place * this.width);
    }
  }
}

const leastBits = 5; // of the number of slots in a table
const growthBits = 3;
const family = 9;
const compactKind = 3;
const emptyFlag = 4;
const entriesFlag = 8;
const seedHash = 0x93cc;

/** The union of sketches of the same width, with a nominal size. Throws InvalidSketch. */
export function unionOfTuples(sketches: readonly TupleSketch[], size: number): TupleSketch {
  const union = new TupleSketch(size, widthOf(sketches));
  for (const sketch of sketches) union.merge(sketch);
  return union.trim();
}

/** The keys in all sketches, with the sums of their numbers. Throws InvalidSketch. */
export function intersectionOfTuples(sketches: readonly TupleSketch[]): TupleSketch {
  const width = widthOf(sketches);
  const [first, ...rest] = sketches;
  if (!first || sketches.some(({ isEmpty }) => isEmpty))
    return new TupleSketch(defaultTupleSize, width);
  const theta = leastTheta(sketches);
  const result = new TupleSketch(sizeFor(first.count), width);
  for (const [hash, numbers] of first.entries()) {
    const others = rest.map((sketch) => sketch.numbersOf(hash));
    if (hash >= theta || others.includes(undefined)) continue;
    result.add(hash, numbers);
    for (const other of others) if (other) result.add(hash, other);
  }
  result.cutAt(theta);
  return result.touch();
}

/** The keys of the first sketch that are in none of the others. Throws InvalidSketch. */
export function differenceOfTuples(sketches: readonly TupleSketch[]): TupleSketch {
  const width = widthOf(sketches);
  const [first, ...rest] = sketches;
  if (!first || first.isEmpty) return new TupleSketch(defaultTupleSize, width);
  const others = rest.filter(({ isEmpty }) => !isEmpty);
  const theta = leastTheta([first, ...others]);
  const result = new TupleSketch(sizeFor(first.count), width);
  for (const [hash, numbers] of first.entries()) {
    if (hash < theta && others.every((sketch) => !sketch.numbersOf(hash)))
      result.add(hash, numbers);
  }
  result.cutAt(theta);
  return result.touch();
}

const leastTheta = (sketches: readonly TupleSketch[]): bigint =>
  sketches
    .map(({ theta }) => theta)
    .sort((one, other) => (one < other ? -1 : Number(one > other)))[0] ?? wholeTheta;

// A size that keeps `count` keys.
const sizeFor = (count: number): number =>
  Math.max(16, 2 ** Math.ceil(Math.log2(Math.max(count, 1))));

function widthOf(sketches: readonly TupleSketch[]): number {
  const [first, ...rest] = sketches;
  const other = rest.find(({ width }) => width !== first?.width);
  if (first && other)
    throw new InvalidSketch(
      `Tuple sketches of [${first.width}] and of [${other.width}] numbers do not fit together`,
    );
  return first?.width ?? 1;
}
