// Hash functions for values in sketches: Apache DataSketches with its own seed, and the engine's
// sketches with another seed.
import { type Hash128, hashBytes, hashWord, sketchSeed } from './murmur3.ts';

/** Encoding of texts: Druid's HLL sketches hash UTF-16 by default, its theta sketches UTF-8. */
export type TextEncoding = 'utf16le' | 'utf8';

/** The hash of the last hashed value. The next hash overwrites it. */
export const valueHash: Hash128 = { firstHigh: 0, firstLow: 0, secondHigh: 0, secondLow: 0 };

// The bytes to hash, which are also read as words.
let bytes = Buffer.alloc(1024);
let words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);

/** Hashes a text. */
export function hashText(text: string, encoding: TextEncoding, seed = sketchSeed): void {
  makeRoom(text.length * 3 + 16);
  hashBytes(bytes, bytes.write(text, encoding), words, valueHash, seed);
  if (bytes.length > mostKept) allocate(1024);
}

/** Hashes a text as UTF-16, given its UTF-8. */
export function hashUtf8(utf8: Uint8Array, start: number, length: number, seed: number): void {
  makeRoom(length * 2 + 16);
  let all = 0;
  // One byte after the last is overwritten before it is read
  for (let at = 0; at < length; at += 2) {
    const first = utf8[start + at] ?? 0;
    const second = utf8[start + at + 1] ?? 0;
    all |= at + 1 < length ? first | second : first;
    words[at >> 1] = first | (second << 16);
  }
  if (all < 128) hashBytes(bytes, 2 * length, words, valueHash, seed);
  else
    hashText(Buffer.from(utf8.buffer, utf8.byteOffset + start, length).toString(), 'utf16le', seed);
  if (bytes.length > mostKept) allocate(1024);
}

/** Hashes raw bytes. */
export function hashRaw(given: Uint8Array, start: number, length: number, seed: number): void {
  makeRoom(length + 16);
  for (let at = 0; at < length; at++) bytes[at] = given[start + at] ?? 0;
  hashBytes(bytes, length, words, valueHash, seed);
  if (bytes.length > mostKept) allocate(1024);
}

function makeRoom(length: number): void {
  if (length > bytes.length) allocate(Math.ceil(length / 2) * 4);
}

function allocate(length: number): void {
  bytes = Buffer.alloc(length);
  words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
}

const mostKept = 1024 ** 2;

/** Hashes the eight bytes of a 64-bit integer. */
export function hashLongBytes(given: Uint8Array, start: number): void {
  for (let at = 0; at < 8; at++) bytes[at] = given[start + at] ?? 0;
  hashWord(words[1] ?? 0, words[0] ?? 0, valueHash);
}

/** Hashes a 64-bit integer, given as two halves. */
export function hashLongWords(high: number, low: number): void {
  hashWord(high, low, valueHash);
}

/** Hashes a double. Both zeros are equal, and all NaN are equal. */
export function hashDouble(value: number): void {
  double[0] = value === 0 ? 0 : value;
  if (Number.isNaN(value)) hashWord(0x7ff8_0000, 0, valueHash);
  else hashWord(halves[1] ?? 0, halves[0] ?? 0, valueHash);
}

const double = new Float64Array(1);
const halves = new Int32Array(double.buffer);
