// Hash functions for values in sketches: Apache DataSketches with its own seed, and the engine's
// sketches with another seed.
import { type Hash128, Murmur3, sketchSeed } from './murmur3.ts';

/** Encoding of texts: Druid's HLL sketches hash UTF-16 by default, its theta sketches UTF-8. */
export type TextEncoding = 'utf16le' | 'utf8';

/** Calls a function with both halves of each of many 64-bit integers. */
export type VisitLongs = (visit: (high: number, low: number) => void) => void;

/** The hash of the last hashed value. The next hash overwrites it. */
export const valueHash: Hash128 = { firstHigh: 0, firstLow: 0, secondHigh: 0, secondLow: 0 };

let murmur3 = new Murmur3(0);

/** Hashes a text. */
export function hashText(text: string, encoding: TextEncoding, seed = sketchSeed): void {
  makeRoom(text.length * 3);
  murmur3.hashBytes(murmur3.bytes.write(text, encoding), valueHash, seed);
  giveBackRoom();
}

/** Hashes a text as UTF-16, given its UTF-8. */
export function hashUtf8(utf8: Uint8Array, start: number, length: number, seed: number): void {
  makeRoom(length * 2);
  const { words } = murmur3;
  let all = 0;
  // One byte after the last is overwritten before it is read
  for (let at = 0; at < length; at += 2) {
    const first = utf8[start + at] ?? 0;
    const second = utf8[start + at + 1] ?? 0;
    all |= at + 1 < length ? first | second : first;
    words[at >> 1] = first | (second << 16);
  }
  if (all < 128) murmur3.hashBytes(2 * length, valueHash, seed);
  else
    hashText(Buffer.from(utf8.buffer, utf8.byteOffset + start, length).toString(), 'utf16le', seed);
  giveBackRoom();
}

/** Hashes raw bytes. */
export function hashRaw(given: Uint8Array, start: number, length: number, seed: number): void {
  makeRoom(length);
  const { bytes } = murmur3;
  for (let at = 0; at < length; at++) bytes[at] = given[start + at] ?? 0;
  murmur3.hashBytes(length, valueHash, seed);
  giveBackRoom();
}

function makeRoom(length: number): void {
  if (length > murmur3.bytes.length) murmur3 = new Murmur3(2 * length);
}

function giveBackRoom(): void {
  if (murmur3.bytes.length > mostKept) murmur3 = new Murmur3(0);
}

const mostKept = 1024 ** 2;

/** Hashes the eight bytes of a 64-bit integer. */
export function hashLongBytes(given: Uint8Array, start: number, seed = sketchSeed): void {
  const word = (at: number) =>
    (given[at] ?? 0) |
    ((given[at + 1] ?? 0) << 8) |
    ((given[at + 2] ?? 0) << 16) |
    ((given[at + 3] ?? 0) << 24);
  hashLongWords(word(start + 4), word(start), seed);
}

/** Hashes a 64-bit integer, given as two halves. */
export function hashLongWords(high: number, low: number, seed = sketchSeed): void {
  murmur3.hashWord(high, low, valueHash, seed);
}

/** Hashes a double. Both zeros are equal, and all NaN are equal. */
export function hashDouble(value: number): void {
  double[0] = value === 0 ? 0 : value;
  if (Number.isNaN(value)) hashLongWords(0x7ff8_0000, 0);
  else hashLongWords(halves[1] ?? 0, halves[0] ?? 0);
}

const double = new Float64Array(1);
const halves = new Int32Array(double.buffer);
