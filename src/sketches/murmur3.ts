// 128-bit MurmurHash3 (x64) over 32-bit halves. A version with BigInt takes twenty times as long.

/** The two 64-bit words of a hash, each as two 32-bit halves. */
export interface Hash128 {
  firstHigh: number;
  firstLow: number;
  secondHigh: number;
  secondLow: number;
}

/** The seed of Apache DataSketches. */
export const sketchSeed = 9001;

// Results of 64-bit arithmetic, in shared variables: objects for each word would cost more than the
// hash.
let high = 0;
let low = 0;

function multiply(aHigh: number, aLow: number, bHigh: number, bLow: number): void {
  const a0 = aLow & 0xffff;
  const a1 = aLow >>> 16;
  const b0 = bLow & 0xffff;
  const b1 = bLow >>> 16;
  // Each sum is below 2^32
  const middle = (Math.imul(a1, b0) + (Math.imul(a0, b0) >>> 16)) | 0;
  const other = (Math.imul(a0, b1) + (middle & 0xffff)) | 0;
  const carry = (Math.imul(a1, b1) + (middle >>> 16) + (other >>> 16)) | 0;
  low = Math.imul(aLow, bLow);
  high = (carry + Math.imul(aLow, bHigh) + Math.imul(aHigh, bLow)) | 0;
}

function add(aHigh: number, aLow: number, bHigh: number, bLow: number): void {
  const sum = (aLow + bLow) | 0;
  low = sum;
  high = (aHigh + bHigh + (sum >>> 0 < aLow >>> 0 ? 1 : 0)) | 0;
}

// h * 5 + c
function step(aHigh: number, aLow: number, c: number): void {
  const sum = (aLow >>> 0) * 5 + c; // below 2^35
  low = sum | 0;
  high = (Math.imul(aHigh, 5) + Math.floor(sum / 0x1_0000_0000)) | 0;
}

// Rotates left by fewer than 32 bits.
function turnLeft(aHigh: number, aLow: number, by: number): void {
  const turned = (aHigh << by) | (aLow >>> (32 - by));
  low = (aLow << by) | (aHigh >>> (32 - by));
  high = turned;
}

function mixFirst(kHigh: number, kLow: number): void {
  multiply(kHigh, kLow, 0x87c3_7b91, 0x1142_53d5);
  turnLeft(high, low, 31);
  multiply(high, low, 0x4cf5_ad43, 0x2745_937f);
}

function mixSecond(kHigh: number, kLow: number): void {
  multiply(kHigh, kLow, 0x4cf5_ad43, 0x2745_937f);
  turnLeft(low, high, 1); // 33 = 32 + 1
  multiply(high, low, 0x87c3_7b91, 0x1142_53d5);
}

function mixLast(kHigh: number, kLow: number): void {
  multiply(kHigh, kLow ^ (kHigh >>> 1), 0xff51_afd7, 0xed55_8ccd);
  multiply(high, low ^ (high >>> 1), 0xc4ce_b9fe, 0x1a85_ec53);
  low ^= high >>> 1;
}

/** Writes the hash of eight bytes, given as two halves in little-endian order, into `hash`. */
export function hashWord(wordHigh: number, wordLow: number, hash: Hash128): void {
  mixFirst(wordHigh, wordLow);
  finish(high, low ^ sketchSeed, 0, sketchSeed, 8, hash);
}

/**
 * Writes the hash of the first `length` bytes into `hash`. Bytes after them, up to a multiple of
 * 16, are overwritten with zeros. `words` is a view of the same memory.
 */
export function hashBytes(
  bytes: Uint8Array,
  length: number,
  words: Int32Array,
  hash: Hash128,
  seed = sketchSeed,
): void {
  let h1High = 0;
  let h1Low = seed;
  let h2High = 0;
  let h2Low = seed;
  const whole = length & ~15;
  for (let at = 0; at < whole; at += 16) {
    const word = at >> 2;
    mixFirst(words[word + 1] ?? 0, words[word] ?? 0);
    turnLeft(h1High ^ high, h1Low ^ low, 27);
    add(high, low, h2High, h2Low);
    step(high, low, 0x52dc_e729);
    h1High = high;
    h1Low = low;
    mixSecond(words[word + 3] ?? 0, words[word + 2] ?? 0);
    turnLeft(h2High ^ high, h2Low ^ low, 31);
    add(high, low, h1High, h1Low);
    step(high, low, 0x3849_5ab5);
    h2High = high;
    h2Low = low;
  }
  if (length > whole) {
    for (let at = length; at < whole + 16; at++) bytes[at] = 0;
    const word = whole >> 2;
    mixFirst(words[word + 1] ?? 0, words[word] ?? 0);
    h1High ^= high;
    h1Low ^= low;
    mixSecond(words[word + 3] ?? 0, words[word + 2] ?? 0);
    h2High ^= high;
    h2Low ^= low;
  }
  finish(h1High, h1Low, h2High, h2Low, length, hash);
}

function finish(
  h1High: number,
  h1Low: number,
  h2High: number,
  h2Low: number,
  length: number,
  hash: Hash128,
): void {
  add(h1High, h1Low ^ length, h2High, h2Low ^ length);
  const sumHigh = high;
  const sumLow = low;
  add(sumHigh, sumLow, h2High, h2Low ^ length);
  const nextHigh = high;
  const nextLow = low;
  mixLast(sumHigh, sumLow);
  const firstHigh = high;
  const firstLow = low;
  mixLast(nextHigh, nextLow);
  const secondHigh = high;
  const secondLow = low;
  add(firstHigh, firstLow, secondHigh, secondLow);
  hash.firstHigh = high;
  hash.firstLow = low;
  add(high, low, secondHigh, secondLow);
  hash.secondHigh = high;
  hash.secondLow = low;
}
