// Hash functions for values in sketches: Apache DataSketches with its own seed, and the engine's
// sketches with another seed.
import { type Hash128, hashBytes, hashWord, sketchSeed } from './murmur3.ts';

/** Encoding of texts: Druid's HLL sketches hash UTF-16 by default, its theta sketches UTF-8. */
export type TextEncoding = 'utf16le' | 'utf8';

/** The hash of the last hashed value. The next hash overwrites it. */
export const valueHash: Hash128 = { firstHigh: 0, firstLow: 0, secondHigh: 0, secondLow: 0 };

let bytes = Buffer.alloc(1024);
let view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Hashes a text. */
export function hashText(text: string, encoding: TextEncoding, seed = sketchSeed): void {
  makeRoom(text.length * 3 + 16);
  hashBytes(bytes, bytes.write(text, encoding), view, valueHash, seed);
  if (bytes.length > mostKept) allocate(1024);
}

/** Hashes a text as UTF-16, given its UTF-8. */
export function hashUtf8(utf8: Uint8Array, start: number, length: number, seed: number): void {
  makeRoom(length * 2 + 16);
  let all = 0;
  for (let at = 0; at < length; at++) {
    const byte = utf8[start + at] ?? 0;
    all |= byte;
    bytes[2 * at] = byte;
    bytes[2 * at + 1] = 0;
  }
  if (all < 128) hashBytes(bytes, 2 * length, view, valueHash, seed);
  else
    hashText(Buffer.from(utf8.buffer, utf8.byteOffset + start, length).toString(), 'utf16le', seed);
  if (bytes.length > mostKept) allocate(1024);
}

/** Hashes raw bytes. */
export function hashRaw(given: Uint8Array, start: number, length: number, seed: number): void {
  makeRoom(length + 16);
  for (let at = 0; at < length; at++) bytes[at] = given[start + at] ?? 0;
  hashBytes(bytes, length, view, valueHash, seed);
  if (bytes.length > mostKept) allocate(1024);
}

function makeRoom(length: number): void {
  if (length > bytes.length) allocate(length * 2);
}

function allocate(length: number): void {
  bytes = Buffer.alloc(length);
  view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const mostKept = 1024 ** 2;

/** Hashes a 64-bit integer. */
export function hashLong(value: bigint | number): void {
  view.setBigInt64(0, BigInt(value), true);
  hashFirstWord();
}

/** Hashes the eight bytes of a 64-bit integer. */
export function hashLongBytes(given: Uint8Array, start: number): void {
  for (let at = 0; at < 8; at++) bytes[at] = given[start + at] ?? 0;
  hashFirstWord();
}

/** Hashes a 64-bit integer, given as two halves. */
export function hashLongWords(high: number, low: number): void {
  hashWord(high, low, valueHash);
}

const hashFirstWord = () => hashWord(view.getInt32(4, true), view.getInt32(0, true), valueHash);

/** Hashes a double. Both zeros are equal, and all NaN are equal. */
export function hashDouble(value: number): void {
  if (Number.isNaN(value)) view.setBigInt64(0, 0x7ff8_0000_0000_0000n, true);
  else view.setFloat64(0, value === 0 ? 0 : value, true);
  hashFirstWord();
}
