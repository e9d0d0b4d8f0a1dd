// 128-bit MurmurHash3 (x64) in WebAssembly: JavaScript has no 64-bit multiplication, and takes four
// times as long.
import { murmur3Code } from './murmur3-code.ts';

/** The two 64-bit words of a hash, each as two 32-bit halves. */
export interface Hash128 {
  firstHigh: number;
  firstLow: number;
  secondHigh: number;
  secondLow: number;
}

/** The seed of Apache DataSketches. */
export const sketchSeed = 9001;

// TypeScript has the types of WebAssembly only among those of browsers.
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): void };
  hashBytes(length: number, seed: number): void;
  hashWord(high: number, low: number, seed: number): void;
}

const module = new WebAssembly.Module(Buffer.from(murmur3Code, 'base64'));

/** A hash function with memory of its own for the bytes that it hashes. */
export class Murmur3 {
  /** The bytes to hash. */
  readonly bytes: Buffer;
  /** The same bytes as words. */
  readonly words: Int32Array;
  readonly #hash: Int32Array;
  readonly #exports: Exports;

  /** `bytes` has room for `length` bytes or more. */
  constructor(length: number) {
    this.#exports = new WebAssembly.Instance(module).exports as Exports;
    const { memory } = this.#exports;
    const missing = bytesAt + length + padding - memory.buffer.byteLength;
    if (missing > 0) memory.grow(Math.ceil(missing / pageBytes));
    const room = memory.buffer.byteLength - bytesAt - padding;
    this.bytes = Buffer.from(memory.buffer, bytesAt, room);
    this.words = new Int32Array(memory.buffer, bytesAt, room / 4);
    this.#hash = new Int32Array(memory.buffer, 0, 4);
  }

  /** Writes the hash of the first `length` bytes into `hash`. It overwrites the 16 bytes after. */
  hashBytes(length: number, hash: Hash128, seed: number): void {
    this.#exports.hashBytes(length, seed);
    this.#read(hash);
  }

  /** Writes the hash of eight bytes, given as two halves in little-endian order, into `hash`. */
  hashWord(high: number, low: number, hash: Hash128, seed: number): void {
    this.#exports.hashWord(high, low, seed);
    this.#read(hash);
  }

  #read(hash: Hash128): void {
    hash.firstLow = this.#hash[0] ?? 0;
    hash.firstHigh = this.#hash[1] ?? 0;
    hash.secondLow = this.#hash[2] ?? 0;
    hash.secondHigh = this.#hash[3] ?? 0;
  }
}

const bytesAt = 16; // after the hash
const padding = 16;
const pageBytes = 65_536;
