// Theta sketches of Apache DataSketches (package `theta`): the smallest hashes of values, from
// whose maximum the number of values is estimated. Sketches are compact here: sorted hashes without
// duplicates.

import type { Hash128 } from './murmur3.ts';
import { InvalidSketch } from './sketch-error.ts';
import { lowerBound, upperBound } from './theta-bounds.ts';
import { hashLongWords, type VisitLongs, valueHash } from './value-hash.ts';

export interface ThetaSketch {
  readonly isEmpty: boolean; // no value was added, not even one with a hash above theta
  readonly theta: bigint; // the sketch has all hashes below theta; out of 2^63
  // Ascending, except after some set operations
  readonly hashes: BigUint64Array;
  readonly isOrdered: boolean;
}

const wholeTheta = 2n ** 63n - 1n;

export const emptyTheta: ThetaSketch = {
  isEmpty: true,
  theta: wholeTheta,
  hashes: new BigUint64Array(),
  isOrdered: true,
};

/** The 63-bit hash of a theta sketch. Zero is not a valid hash. */
export const thetaHashOf = ({ firstHigh, firstLow }: Hash128): bigint =>
  BigInt.asUintN(64, (BigInt(firstHigh) << 32n) | BigInt(firstLow >>> 0)) >> 1n;

/** Whether sketches with this nominal size are supported. */
export const isThetaSize = (size: number): boolean =>
  Number.isInteger(Math.log2(size)) && size >= 1 && size <= mostThetaSize;

/** The largest nominal size of sketches. */
export const mostThetaSize = 2 ** 26;

/**
 * The sketch of hashes in any order and with duplicates. It keeps the `size` smallest hashes. Zeros
 * are ignored.
 */
export function thetaOf(hashes: Iterable<bigint>, size: number): ThetaSketch {
  const held = new SmallestHashes(size);
  if (hashes instanceof BigUint64Array) held.addPacked(hashes);
  else for (const hash of hashes) if (hash !== 0n) held.add(hash);
  return held.sketch(held.isEmpty);
}

/** The sketch of 64-bit integers. It keeps the `size` smallest hashes. */
export function thetaOfLongs(longs: VisitLongs, size: number): ThetaSketch {
  const held = new SmallestHashes(size);
  longs((high, low) => {
    hashLongWords(high, low);
    if (valueHash.firstHigh >>> 1 <= held.mostHigh) held.add(thetaHashOf(valueHash));
  });
  return held.sketch(held.isEmpty);
}

/** The union of sketches, with a nominal size that limits memory for any number of sketches. */
export function unionOfTheta(sketches: Iterable<ThetaSketch>, size: number): ThetaSketch {
  const held = new SmallestHashes(size);
  let isEmpty = true;
  for (const sketch of sketches) {
    if (sketch.isEmpty) continue;
    isEmpty = false;
    held.cutAt(sketch.theta);
    for (const hash of sketch.hashes) {
      if (sketch.isOrdered && hash >= held.theta) break;
      held.add(hash);
    }
  }
  return held.sketch(isEmpty);
}

// The smallest hashes, in a buffer of twice their number.
class SmallestHashes {
  readonly #size: number;
  #theta = wholeTheta;
  #mostHigh = Number(wholeTheta >> 32n);
  #held: BigUint64Array = new BigUint64Array(64);
  #count = 0;

  constructor(size: number) {
    this.#size = size;
  }

  get theta(): bigint {
    return this.#theta;
  }

  /** The upper half of theta: a larger one belongs to a hash that is not kept. */
  get mostHigh(): number {
    return this.#mostHigh;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  cutAt(theta: bigint): void {
    this.#theta = lesser(theta, this.#theta);
    this.#mostHigh = Number(this.#theta >> 32n);
  }

  add(hash: bigint): void {
    if (hash >= this.#theta) return;
    if (this.#count === this.#held.length) {
      this.#reduce();
      if (this.#count > this.#held.length / 2) this.#grow();
    }
    this.#held[this.#count++] = hash;
  }

  /** Adds all hashes but zeros. Most are too large by their upper halves, which need no bigint. */
  addPacked(hashes: BigUint64Array): void {
    const halves = new Uint32Array(hashes.buffer, hashes.byteOffset, 2 * hashes.length);
    for (let at = 0; at < hashes.length; at++) {
      if ((halves[2 * at + 1] ?? 0) > this.#mostHigh) continue;
      const hash = hashes[at] ?? 0n;
      if (hash !== 0n) this.add(hash);
    }
  }

  sketch(isEmpty: boolean): ThetaSketch {
    if (isEmpty) return emptyTheta;
    this.#reduce();
    return {
      isEmpty: false,
      theta: this.#theta,
      hashes: this.#held.slice(0, this.#count),
      isOrdered: true,
    };
  }

  #reduce(): void {
    const hashes = removeDuplicates(this.#held.slice(0, this.#count));
    const next = hashes[this.#size];
    if (next !== undefined) this.cutAt(next);
    let count = Math.min(hashes.length, this.#size);
    while (count > 0 && (hashes[count - 1] ?? 0n) >= this.#theta) count--;
    this.#held.set(hashes.subarray(0, count));
    this.#count = count;
  }

  #grow(): void {
    const larger = new BigUint64Array(this.#held.length * 2);
    larger.set(this.#held);
    this.#held = larger;
  }
}

/** The intersection of all sketches. */
export function intersectionOfTheta([first, ...rest]: readonly ThetaSketch[]): ThetaSketch {
  let result = first ?? emptyTheta;
  for (const other of rest) {
    if (result.isEmpty || other.isEmpty) return emptyTheta;
    const theta = lesser(result.theta, other.theta);
    const known = new Set(result.hashes);
    const hashes = other.hashes.filter((hash) => hash < theta && known.has(hash));
    result = {
      isEmpty: hashes.length === 0 && theta === wholeTheta,
      theta,
      hashes,
      isOrdered: true,
    };
  }
  // The library keeps the order of its hash table.
  return result.isEmpty || isSingle(result)
    ? result
    : { ...result, hashes: inTableOrder(result.hashes), isOrdered: false };
}

/** The first sketch without the hashes of the others. */
export function differenceOfTheta([first, ...rest]: readonly ThetaSketch[]): ThetaSketch {
  let result = first ?? emptyTheta;
  for (const other of rest) {
    if (result.isEmpty || other.isEmpty) continue;
    const theta = lesser(result.theta, other.theta);
    const known = new Set(other.hashes);
    const hashes = result.hashes.filter((hash) => hash < theta && !known.has(hash)).sort();
    result = {
      isEmpty: hashes.length === 0 && theta === wholeTheta,
      theta,
      hashes,
      isOrdered: true,
    };
  }
  return result;
}

/** The estimated number of distinct values. */
export const estimateOfTheta = ({ theta, hashes }: ThetaSketch): number =>
  hashes.length * (2 ** 63 / Number(theta));

/** The estimate's bounds within 1, 2 or 3 standard deviations. */
export function boundsOfTheta(
  { isEmpty, theta, hashes }: ThetaSketch,
  deviations: 1 | 2 | 3,
): { readonly low: number; readonly high: number } {
  if (isEmpty) return { low: 0, high: 0 };
  const fraction = Number(theta) / 2 ** 63;
  return {
    low: lowerBound(hashes.length, fraction, deviations),
    high: upperBound(hashes.length, fraction, deviations),
  };
}

/**
 * A summary of the sketch, with the names that Apache DataSketches prints, and the name of its
 * class if the number of hashes decides it.
 */
export function summaryOfTheta(sketch: ThetaSketch): {
  readonly kind: string | undefined;
  readonly lines: readonly (readonly [name: string, value: number | bigint | string | boolean])[];
} {
  const { isEmpty, theta, hashes, isOrdered } = sketch;
  const { low, high } = boundsOfTheta(sketch, 2);
  const seed = isEmpty ? 0 : seedHash;
  return {
    kind: isEmpty ? 'EmptyCompactSketch' : isSingle(sketch) ? 'SingleItemSketch' : undefined,
    lines: [
      ['Estimate', estimateOfTheta(sketch)],
      ['Upper Bound, 95% conf', high],
      ['Lower Bound, 95% conf', low],
      ['Theta (double)', Number(theta) / 2 ** 63],
      ['Theta (long)', theta],
      ['Theta (long) hex', theta.toString(16).padStart(16, '0')],
      ['EstMode?', theta < wholeTheta && !isEmpty],
      ['Empty?', isEmpty],
      ['Ordered?', isOrdered],
      ['Retained Entries', BigInt(hashes.length)],
      ['Seed Hash', `${seed.toString(16)} | ${seed}`],
    ],
  };
}

/** The serialized form, compact. */
export function thetaBytes(sketch: ThetaSketch): Uint8Array {
  const { isEmpty, theta, hashes, isOrdered } = sketch;
  if (isEmpty)
    return Uint8Array.of(1, 3, 3, 0, 0, emptyFlag | readOnlyFlag | compactFlag | orderedFlag, 0, 0);
  const longs = theta < wholeTheta ? 3 : isSingle(sketch) ? 1 : 2;
  const bytes = new Uint8Array((longs + hashes.length) * 8);
  const view = new DataView(bytes.buffer);
  const flags =
    readOnlyFlag | compactFlag | (isOrdered ? orderedFlag : 0) | (longs === 1 ? singleFlag : 0);
  bytes.set([longs, 3, compactFamily, 0, 0, flags]);
  view.setUint16(6, seedHash, true);
  if (longs > 1) {
    view.setInt32(8, hashes.length, true);
    view.setFloat32(12, 1, true);
  }
  if (longs > 2) view.setBigUint64(16, theta, true);
  for (const [at, hash] of hashes.entries()) view.setBigUint64((longs + at) * 8, hash, true);
  return bytes;
}

/** Reads a serialized sketch, compact or not. Throws InvalidSketch. */
export function readTheta(bytes: Uint8Array): ThetaSketch {
  if (bytes.length < 8)
    throw new InvalidSketch(`A theta sketch has at least [8] bytes, not [${bytes.length}]`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const longs = view.getUint8(0) & 0x3f;
  const version = view.getUint8(1);
  const family = view.getUint8(2);
  const flags = view.getUint8(5);
  if (version !== 3)
    throw new InvalidSketch(
      `Theta sketches of serialization version [${version}] are not read: write them as version [3]`,
    );
  if (family < 1 || family > compactFamily)
    throw new InvalidSketch(
      `Possible Corruption: Family ID [${family}] is not that of a theta sketch`,
    );
  if (flags & emptyFlag) return emptyTheta;
  if (view.getUint16(6, true) !== seedHash)
    throw new InvalidSketch(
      'Possible Corruption: the seed hash of a theta sketch is not that of seed [9001]',
    );
  if (longs < 1 || longs > 4 || bytes.length < longs * 8)
    throw new InvalidSketch(
      `Possible Corruption: a theta sketch has no [${longs}] longs before its hashes`,
    );
  const isCompact = (flags & compactFlag) !== 0;
  const count = longs === 1 ? 1 : view.getInt32(8, true);
  const theta = longs > 2 ? view.getBigUint64(16, true) : wholeTheta;
  if (theta === 0n || theta > wholeTheta)
    throw new InvalidSketch(`Possible Corruption: theta is [${theta}]`);
  const places = isCompact ? count : 2 ** view.getUint8(4);
  if (!(count >= 0 && count <= places) || bytes.length < (longs + places) * 8) {
    throw new InvalidSketch(
      `Possible Corruption: a theta sketch of [${bytes.length}] bytes has no [${count}] hashes`,
    );
  }
  const hashes = BigUint64Array.from({ length: places }, (_, at) =>
    view.getBigUint64((longs + at) * 8, true),
  ).filter((hash) => hash !== 0n && hash < theta);
  const inOrder = removeDuplicates(hashes);
  if (inOrder.length !== count)
    throw new InvalidSketch(
      `Possible Corruption: a theta sketch has [${inOrder.length}] hashes below theta, not [${count}]`,
    );
  return { isEmpty: false, theta, hashes: inOrder, isOrdered: true };
}

const readOnlyFlag = 2;
const emptyFlag = 4;
const compactFlag = 8;
const orderedFlag = 16;
const singleFlag = 32;
const compactFamily = 3;
const seedHash = 0x93cc;

const lesser = (one: bigint, other: bigint) =>
  [one, other].reduce((least, each) => (each < least ? each : least));

const isSingle = ({ theta, hashes }: ThetaSketch) => hashes.length === 1 && theta === wholeTheta;

// Sorted and without duplicates. Sorts the given array in place.
function removeDuplicates(hashes: BigUint64Array): BigUint64Array {
  hashes.sort();
  let count = 0;
  for (const hash of hashes) if (count === 0 || hash !== hashes[count - 1]) hashes[count++] = hash;
  return hashes.subarray(0, count);
}

function inTableOrder(hashes: BigUint64Array): BigUint64Array {
  let bits = 5;
  while (2 ** bits < Math.ceil(hashes.length / (15 / 16))) bits++;
  const table = new BigUint64Array(2 ** bits);
  const mask = table.length - 1;
  for (const hash of hashes) {
    const stride = 2 * Number((hash >> BigInt(bits)) & 127n) + 1;
    let at = Number(hash & BigInt(mask));
    while (table[at] !== 0n) at = (at + stride) & mask;
    table[at] = hash;
  }
  return table.filter((hash) => hash !== 0n);
}
