// HyperLogLog sketches of Apache DataSketches (package `hll`): estimates of the number of distinct
// values, and the serialized form. A value is a coupon: 26 bits of its hash, and the number of
// leading zeros of another part of the hash. A small sketch stores the coupons themselves, first in
// a list, then in a hash set. A large one stores the maximum number of zeros in each of 2^lgK
// registers. HLL_4, HLL_6 and HLL_8 differ only in the serialized form of registers.
import { compositeEstimate, couponEstimate, relativeError } from './hll-estimators.ts';
import type { Hash128 } from './murmur3.ts';
import { InvalidSketch } from './sketch-error.ts';

/** Bits of a serialized register. */
export type HllType = 4 | 6 | 8;

const leastLgK = 4;
const mostLgK = 21;
const keyBits = 26;
const keyMask = (1 << keyBits) - 1;
const lgListSize = 3;
const lgFirstSetSize = 5;

/** The coupon of a hash. */
export function couponOf({ firstLow, secondHigh, secondLow }: Hash128): number {
  const zeros = secondHigh === 0 ? 32 + Math.clz32(secondLow) : Math.clz32(secondHigh);
  return ((Math.min(zeros, 62) + 1) << keyBits) | (firstLow & keyMask);
}

/** Whether sketches with 2^lgK registers are supported. */
export const isLgK = (lgK: number): boolean =>
  Number.isInteger(lgK) && lgK >= leastLgK && lgK <= mostLgK;

export class HllSketch {
  readonly lgK: number;
  readonly type: HllType;
  // A list in order, or a hash set with empty slots
  #coupons: Int32Array | undefined = new Int32Array(1 << lgListSize);
  #count = 0; // number of coupons
  // The coupons of a set in the order of its bytes, until another one is added. The estimate of a
  // union depends on the order in which it meets them.
  #asRead: Int32Array | undefined;
  #registers: Uint8Array | undefined;
  #zeros = 0; // number of registers with zero
  #hip = 0; // the estimate from the history of the registers, while it is known
  #sumLow = 0; // sums of 2^-register, for registers below 32 and for the others
  #sumHigh = 0;
  #isMerged = false; // the registers were merged without a known order

  constructor(lgK: number, type: HllType) {
    if (!isLgK(lgK))
      throw new InvalidSketch(
        `Log K must be between ${leastLgK} and ${mostLgK}, inclusive: ${lgK}`,
      );
    this.lgK = lgK;
    this.type = type;
  }

  get isEmpty(): boolean {
    return this.#coupons !== undefined && this.#count === 0;
  }

  get mode(): 'LIST' | 'SET' | 'HLL' {
    if (!this.#coupons) return 'HLL';
    return this.#coupons.length === 1 << lgListSize ? 'LIST' : 'SET';
  }

  /** Adds a coupon. */
  add(coupon: number): void {
    if (this.#registers) this.#addToRegisters(this.#registers, coupon);
    else if (this.#coupons?.length === 1 << lgListSize) this.#addToList(this.#coupons, coupon);
    else if (this.#coupons) this.#addToSet(this.#coupons, coupon);
  }

  /**
   * Estimates from the registers alone from now on: the coupons did not come in the order of rows,
   * as in the union of the sketches of several segments.
   */
  forgetOrder(): void {
    if (!this.#registers) return;
    this.#isMerged = true;
    this.#hip = 0;
  }

  /** A copy with another serialized form of registers. */
  copyAs(type: HllType): HllSketch {
    const copy = new HllSketch(this.lgK, type);
    copy.#coupons = this.#coupons?.slice();
    copy.#asRead = this.#asRead;
    copy.#registers = this.#registers?.slice();
    copy.#count = this.#count;
    copy.#zeros = this.#zeros;
    copy.#hip = this.#hip;
    copy.#sumLow = this.#sumLow;
    copy.#sumHigh = this.#sumHigh;
    copy.#isMerged = this.#isMerged;
    return copy;
  }

  /**
   * Adds another sketch to this union. Returns this sketch or its replacement. A union is an HLL_8
   * with at most 2^`mostLgK` registers, and no more registers than any sketch in register mode.
   */
  unionWith(other: HllSketch, mostLgK: number): HllSketch {
    if (other.isEmpty) return this;
    const registers = other.#registers;
    if (!registers) {
      if (this.isEmpty && this.lgK === other.lgK && other.mode === 'SET') return other.copyAs(8);
      for (const coupon of other.#inOrder()) if (coupon !== 0) this.add(coupon);
      return this;
    }
    if (!this.#registers) {
      const copy = other.lgK > mostLgK ? other.#reduceTo(mostLgK) : other.copyAs(8);
      for (const coupon of this.#inOrder()) if (coupon !== 0) copy.add(coupon);
      return copy;
    }
    const union = other.lgK < this.lgK ? this.#reduceTo(other.lgK) : this;
    union.#merge(registers);
    return union;
  }

  /** The estimated number of distinct values. */
  estimate(): number {
    if (this.#coupons) return Math.max(couponEstimate(this.#count), this.#count);
    return this.#isMerged
      ? compositeEstimate(this.lgK, this.#sumLow + this.#sumHigh, this.#zeros)
      : this.#hip;
  }

  lowerBound(deviations: number): number {
    if (this.#coupons)
      return Math.max(couponEstimate(this.#count) / (1 + deviations * couponError), this.#count);
    const error = relativeError('lower', this.#isMerged, this.lgK, deviations);
    return Math.max(this.estimate() / (1 + error), (1 << this.lgK) - this.#zeros);
  }

  upperBound(deviations: number): number {
    if (this.#coupons)
      return Math.max(couponEstimate(this.#count) / (1 - deviations * couponError), this.#count);
    return this.estimate() / (1 - relativeError('upper', this.#isMerged, this.lgK, deviations));
  }

  /** A summary of the sketch, with the names that Apache DataSketches prints. */
  summary(): readonly (readonly [name: string, value: number | string | boolean])[] {
    const [least, atLeast] = this.#leastRegister();
    return [
      ['Log Config K', String(this.lgK)],
      ['Hll Target', `HLL_${this.type}`],
      ['Current Mode', this.mode],
      ['Memory', false],
      ['LB', this.lowerBound(1)],
      ['Estimate', this.estimate()],
      ['UB', this.upperBound(1)],
      ['OutOfOrder Flag', this.#isMerged],
      ...(this.#coupons
        ? ([['Coupon Count', String(this.#count)]] as const)
        : ([
            ['CurMin', String(least)],
            ['NumAtCurMin', String(atLeast)],
            ['HipAccum', this.#hip],
            ['KxQ0', this.#sumLow],
            ['KxQ1', this.#sumHigh],
            ['Rebuild KxQ Flg', false],
          ] as const)),
    ];
  }

  /** The serialized form, compact. */
  toBytes(): Uint8Array {
    return this.#coupons
      ? this.#couponBytes(this.#coupons)
      : this.#registerBytes(this.#registers ?? new Uint8Array());
  }

  /**
   * Reads a serialized sketch, compact or not, for functions of sketches: a union meets the coupons
   * of a set in the order of the bytes. Throws InvalidSketch.
   */
  static fromBytesInOrder(bytes: Uint8Array): HllSketch {
    const sketch = HllSketch.fromBytes(bytes);
    if (sketch.mode === 'SET') sketch.#asRead = couponsOf(bytes);
    return sketch;
  }

  /**
   * Reads a serialized sketch, compact or not, for aggregators, which arrange the coupons of a set
   * anew. Throws InvalidSketch.
   */
  static fromBytes(bytes: Uint8Array): HllSketch {
    const reader = readerOf(bytes, 8);
    const [preamble, version, family, lgK, lgSize, flags, few, mode] =
      bytes as unknown as readonly [number, number, number, number, number, number, number, number];
    const [kind, bits] = [mode & 3, mode >> 2];
    const expected = [2, 3, 10][kind];
    if (
      version !== 1 ||
      family !== 7 ||
      expected === undefined ||
      (preamble & 0x3f) !== expected ||
      bits > 2
    ) {
      throw new InvalidSketch('Possible Corruption, Invalid Preamble of an HLL sketch');
    }
    const sketch = new HllSketch(lgK, bits === 0 ? 4 : bits === 1 ? 6 : 8);
    const isCompact = (flags & compactFlag) !== 0;
    if (kind === 2) sketch.#readRegisters(bytes, isCompact, lgSize, (flags & mergedFlag) !== 0);
    else if ((flags & emptyFlag) === 0)
      sketch.#readCoupons(reader, kind === 1, isCompact, lgSize, few);
    return sketch;
  }

  // ── Coupons ────────────────────────────────────────────────────────────────────────────────────

  #inOrder(): Int32Array {
    return this.#asRead ?? this.#coupons ?? new Int32Array();
  }

  #addToList(coupons: Int32Array, coupon: number): void {
    for (let at = 0; at < this.#count; at++) if (coupons[at] === coupon) return;
    coupons[this.#count++] = coupon;
    if (this.#count < coupons.length) return;
    if (this.lgK < 8) {
      this.#promote(coupons);
      return;
    }
    const set = new Int32Array(1 << lgFirstSetSize);
    for (const each of coupons) insert(set, each);
    this.#coupons = set;
  }

  #addToSet(coupons: Int32Array, coupon: number): void {
    if (!insert(coupons, coupon)) return;
    this.#asRead = undefined;
    this.#count++;
    if (4 * this.#count <= 3 * coupons.length) return;
    if (coupons.length >= 1 << (this.lgK - 3)) {
      this.#promote(coupons);
      return;
    }
    const larger = new Int32Array(coupons.length * 2);
    for (const each of coupons) if (each !== 0) insert(larger, each);
    this.#coupons = larger;
  }

  #promote(coupons: Int32Array): void {
    const estimate = this.estimate();
    this.#coupons = undefined;
    this.#emptyRegisters();
    for (const each of coupons) if (each !== 0) this.add(each);
    this.#hip = estimate;
  }

  // ── Registers ──────────────────────────────────────────────────────────────────────────────────

  #emptyRegisters(): void {
    this.#registers = new Uint8Array(1 << this.lgK);
    this.#zeros = 1 << this.lgK;
    this.#sumLow = 1 << this.lgK;
    this.#sumHigh = 0;
  }

  #addToRegisters(registers: Uint8Array, coupon: number): void {
    const slot = coupon & (registers.length - 1);
    const value = coupon >>> keyBits;
    const before = registers[slot] ?? 0;
    if (value <= before) return;
    registers[slot] = value;
    if (before === 0) this.#zeros--;
    this.#hip += registers.length / (this.#sumLow + this.#sumHigh);
    if (before < 32) this.#sumLow -= 2 ** -before;
    else this.#sumHigh -= 2 ** -before;
    if (value < 32) this.#sumLow += 2 ** -value;
    else this.#sumHigh += 2 ** -value;
  }

  #reduceTo(lgK: number): HllSketch {
    const reduced = new HllSketch(lgK, 8);
    reduced.#coupons = undefined;
    reduced.#emptyRegisters();
    for (const [slot, value] of (this.#registers ?? []).entries())
      if (value > 0) reduced.add((value << keyBits) | slot);
    reduced.#hip = this.#hip;
    reduced.#isMerged = this.#isMerged;
    return reduced;
  }

  #merge(others: Uint8Array): void {
    const registers = this.#registers ?? new Uint8Array();
    const mask = registers.length - 1;
    for (let slot = 0; slot < others.length; slot++) {
      const value = others[slot] ?? 0;
      if (value > (registers[slot & mask] ?? 0)) registers[slot & mask] = value;
    }
    this.forgetOrder();
    this.#countRegisters(registers);
  }

  #countRegisters(registers: Uint8Array): void {
    this.#sumLow = registers.length;
    this.#sumHigh = 0;
    this.#zeros = 0;
    for (const value of registers) {
      if (value === 0) this.#zeros++;
      else if (value < 32) this.#sumLow += 2 ** -value - 1;
      else this.#sumHigh += 2 ** -value - 1;
    }
  }

  // The least register in the serialized form. Registers of four bits are stored relative to it,
  // and merging also computes it for eight bits.
  #leastRegister(): readonly [least: number, count: number] {
    if (this.#zeros > 0 || !(this.type === 4 || (this.type === 8 && this.#isMerged)))
      return [0, this.#zeros];
    let least = 64;
    let count = 0;
    for (const value of this.#registers ?? []) {
      if (value < least) [least, count] = [value, 1];
      else if (value === least) count++;
    }
    return [least, count];
  }

  // ── Writing ────────────────────────────────────────────────────────────────────────────────────

  #couponBytes(coupons: Int32Array): Uint8Array {
    const isSet = this.mode === 'SET';
    const start = isSet ? setStart : listStart;
    const bytes = new Uint8Array(start + this.#count * 4);
    const view = new DataView(bytes.buffer);
    const flags = compactFlag | (this.#count === 0 ? emptyFlag : 0);
    const mode = (isSet ? 1 : 0) | (typeCodes[this.type] << 2);
    bytes.set([
      isSet ? 3 : 2,
      1,
      7,
      this.lgK,
      Math.log2(coupons.length),
      flags,
      isSet ? 0 : this.#count,
      mode,
    ]);
    if (isSet) view.setInt32(8, this.#count, true);
    let at = start;
    for (const coupon of coupons) {
      if (coupon === 0) continue;
      view.setInt32(at, coupon, true);
      at += 4;
    }
    return bytes;
  }

  #registerBytes(registers: Uint8Array): Uint8Array {
    const [least, atLeast] = this.#leastRegister();
    const exceptions = this.type === 4 ? this.#exceptions(registers, least) : new Int32Array();
    const kept = exceptions.filter((pair) => pair !== 0);
    const end = registersStart + registerSize(this.lgK, this.type);
    const bytes = new Uint8Array(end + kept.length * 4);
    const view = new DataView(bytes.buffer);
    // HLL_6 and HLL_8 have no exceptions to leave out, so the library does not call them compact.
    const flags = (this.type === 4 ? compactFlag : 0) | (this.#isMerged ? mergedFlag : 0);
    const lgExceptions = kept.length > 0 ? Math.log2(exceptions.length) : 0;
    bytes.set([10, 1, 7, this.lgK, lgExceptions, flags, least, 2 | (typeCodes[this.type] << 2)]);
    view.setFloat64(8, this.#hip, true);
    view.setFloat64(16, this.#sumLow, true);
    view.setFloat64(24, this.#sumHigh, true);
    view.setInt32(32, atLeast, true);
    view.setInt32(36, kept.length, true);
    const written = bytes.subarray(registersStart, end);
    if (this.type === 8) written.set(registers);
    else if (this.type === 6) write6(registers, written);
    else write4(registers, least, written);
    for (const [index, pair] of kept.entries()) view.setInt32(end + index * 4, pair, true);
    return bytes;
  }

  // The registers that do not fit into four bits, as pairs in a hash table. The library inserts
  // them in the order of arrival, so colliding pairs may be in another order.
  #exceptions(registers: Uint8Array, least: number): Int32Array {
    let table = new Int32Array(1 << (lgExceptionSizes[this.lgK] ?? 2));
    let count = 0;
    for (const [slot, value] of registers.entries()) {
      if (value < least + 15) continue;
      insertSlot(table, slot, value);
      if (4 * ++count <= 3 * table.length) continue;
      const larger = new Int32Array(table.length * 2);
      for (const pair of table)
        if (pair !== 0) insertSlot(larger, pair & (registers.length - 1), pair >>> keyBits);
      table = larger;
    }
    return table;
  }

  // ── Reading ────────────────────────────────────────────────────────────────────────────────────

  #readCoupons(
    reader: DataView,
    isSet: boolean,
    isCompact: boolean,
    lgSize: number,
    few: number,
  ): void {
    if (isSet && this.lgK < 8)
      throw new InvalidSketch(`An HLL sketch of 2^${this.lgK} registers has no set of coupons`);
    const start = isSet ? setStart : listStart;
    if (isSet) requireBytes(reader, setStart);
    const count = isSet ? reader.getInt32(8, true) : few;
    const most = isSet ? 3 << (this.lgK - 5) : 1 << lgListSize;
    if (count < 0 || count > most)
      throw new InvalidSketch(`An HLL sketch of 2^${this.lgK} registers has no [${count}] coupons`);
    // A form that is not compact contains the whole table of coupons with empty slots.
    const places = isCompact || !isSet ? count : 1 << Math.min(lgSize, this.lgK - 3);
    requireBytes(reader, start + places * 4);
    if (isSet) this.#coupons = new Int32Array(1 << lgFirstSetSize);
    for (let at = 0; at < places; at++) {
      const coupon = reader.getInt32(start + at * 4, true);
      if (coupon !== 0) this.add(coupon);
    }
    if (this.#count !== count && this.#coupons)
      throw new InvalidSketch(
        `An HLL sketch of [${count}] coupons has [${this.#count}] different ones`,
      );
  }

  #readRegisters(
    bytes: Uint8Array,
    isCompact: boolean,
    lgExceptions: number,
    isMerged: boolean,
  ): void {
    const reader = readerOf(bytes, registersStart);
    const end = registersStart + registerSize(this.lgK, this.type);
    requireBytes(reader, end);
    const least = bytes[6] ?? 0;
    if (least > 63)
      throw new InvalidSketch(`The least register of an HLL sketch is [${least}], more than 63`);
    const registers = new Uint8Array(1 << this.lgK);
    const written = bytes.subarray(registersStart, end);
    if (this.type === 8)
      for (const [slot, value] of written.entries()) registers[slot] = value & 63;
    else if (this.type === 6) read6(written, registers);
    else this.#read4(reader, end, written, registers, least, isCompact ? undefined : lgExceptions);
    this.#coupons = undefined;
    this.#registers = registers;
    this.#countRegisters(registers);
    this.#isMerged = isMerged;
    this.#hip = isMerged ? 0 : reader.getFloat64(8, true);
    this.#sumLow = reader.getFloat64(16, true);
    this.#sumHigh = reader.getFloat64(24, true);
    const sum = this.#sumLow + this.#sumHigh;
    if (!(this.#hip >= 0 && this.#hip < Number.MAX_VALUE && sum > 0 && sum <= registers.length)) {
      throw new InvalidSketch(
        `The estimate of an HLL sketch is [${this.#hip}], its sum of registers [${sum}]`,
      );
    }
  }

  #read4(
    reader: DataView,
    end: number,
    written: Uint8Array,
    registers: Uint8Array,
    least: number,
    lgExceptions: number | undefined,
  ): void {
    const count = reader.getInt32(36, true);
    const places = lgExceptions === undefined || count === 0 ? count : 1 << Math.min(lgExceptions);
    if (count < 0 || count > registers.length)
      throw new InvalidSketch(`An HLL sketch has [${count}] exceptions`);
    requireBytes(reader, end + places * 4);
    for (const [at, byte] of written.entries()) {
      registers[2 * at] = (byte & 15) + least;
      registers[2 * at + 1] = (byte >> 4) + least;
    }
    for (let at = 0; at < places; at++) {
      const pair = reader.getInt32(end + at * 4, true);
      if (pair !== 0) registers[pair & (registers.length - 1)] = pair >>> keyBits;
    }
  }
}

/** The union of serialized sketches, with at most 2^lgK registers. Throws InvalidSketch. */
export function unionOfHll(sketches: Iterable<HllSketch>, lgK: number, type: HllType): HllSketch {
  let union = new HllSketch(lgK, 8);
  for (const sketch of sketches) union = union.unionWith(sketch, lgK);
  return union.copyAs(type);
}

const couponError = 0.409 / 2 ** 13;

const emptyFlag = 4;
const compactFlag = 8;
const mergedFlag = 16;
const listStart = 8;
const setStart = 12;
const registersStart = 40;
const typeCodes: Readonly<Record<HllType, number>> = { 4: 0, 6: 1, 8: 2 };

// The initial size of the table of exceptions, by lgK.
const lgExceptionSizes: readonly number[] = [
  0, 2, 2, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5, 6, 7, 8, 9, 10, 11, 12, 13,
];

const registerSize = (lgK: number, type: HllType) =>
  type === 6 ? ((3 << lgK) >> 2) + 1 : (type << lgK) >> 3;

// The coupons of a valid set, with the empty slots of a form that is not compact.
function couponsOf(bytes: Uint8Array): Int32Array {
  const reader = readerOf(bytes, setStart);
  const places = Math.floor((bytes.length - setStart) / 4);
  return Int32Array.from({ length: places }, (_, at) => reader.getInt32(setStart + at * 4, true));
}

function readerOf(bytes: Uint8Array, least: number): DataView {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  requireBytes(view, least);
  return view;
}

function requireBytes(view: DataView, least: number): void {
  if (view.byteLength < least)
    throw new InvalidSketch(
      `An HLL sketch ends after [${view.byteLength}] bytes instead of [${least}]`,
    );
}

// Inserts a coupon into a hash table whose size is a power of two; false if it is already there.
function insert(table: Int32Array, coupon: number): boolean {
  const mask = table.length - 1;
  const stride = ((coupon & keyMask) >>> Math.log2(table.length)) | 1;
  let at = coupon & mask;
  for (; table[at] !== 0; at = (at + stride) & mask) if (table[at] === coupon) return false;
  table[at] = coupon;
  return true;
}

function insertSlot(table: Int32Array, slot: number, value: number): void {
  const mask = table.length - 1;
  const stride = (slot >>> Math.log2(table.length)) | 1;
  let at = slot & mask;
  while (table[at] !== 0) at = (at + stride) & mask;
  table[at] = (value << keyBits) | slot;
}

function write4(registers: Uint8Array, least: number, written: Uint8Array): void {
  const nibble = (slot: number) => Math.min((registers[slot] ?? 0) - least, 15);
  for (let at = 0; at < written.length; at++)
    written[at] = nibble(2 * at) | (nibble(2 * at + 1) << 4);
}

function write6(registers: Uint8Array, written: Uint8Array): void {
  for (const [slot, value] of registers.entries()) {
    const bit = slot * 6;
    const shifted = value << (bit & 7);
    written[bit >> 3] = (written[bit >> 3] ?? 0) | shifted;
    written[(bit >> 3) + 1] = (written[(bit >> 3) + 1] ?? 0) | (shifted >> 8);
  }
}

function read6(written: Uint8Array, registers: Uint8Array): void {
  for (let slot = 0; slot < registers.length; slot++) {
    const bit = slot * 6;
    const both = (written[bit >> 3] ?? 0) | ((written[(bit >> 3) + 1] ?? 0) << 8);
    registers[slot] = (both >> (bit & 7)) & 63;
  }
}
