// Hashes of values as Apache DataSketches updates its sketches with them.
import { type Hash128, hashBytes } from './murmur3.ts';

/** How texts become bytes: Druid's HLL sketches hash UTF-16 unless they are told otherwise, its theta sketches UTF-8. */
export type TextEncoding = 'utf16le' | 'utf8';

/** The hash of the value hashed last: it is overwritten by the next one. */
export const valueHash: Hash128 = { firstHigh: 0, firstLow: 0, secondHigh: 0, secondLow: 0 };

let bytes = Buffer.alloc(1024);
let view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** Hashes a text that is not empty. */
export function hashText(text: string, encoding: TextEncoding): void {
  const most = text.length * 3 + 16;
  if (most > bytes.length) {
    bytes = Buffer.alloc(most * 2);
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
  hashBytes(bytes, bytes.write(text, encoding), view, valueHash);
  if (bytes.length > mostKept) {
    bytes = Buffer.alloc(1024);
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }
}

const mostKept = 1024 ** 2;

/** Hashes a 64-bit integer. */
export function hashLong(value: bigint | number): void {
  view.setBigInt64(0, BigInt(value), true);
  hashBytes(bytes, 8, view, valueHash);
}

/** Hashes a double: both zeros are one value, all NaN are one. */
export function hashDouble(value: number): void {
  if (Number.isNaN(value)) view.setBigInt64(0, 0x7ff8_0000_0000_0000n, true);
  else view.setFloat64(0, value === 0 ? 0 : value, true);
  hashBytes(bytes, 8, view, valueHash);
}
