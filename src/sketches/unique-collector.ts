// The engine's own HyperLogLog with 2,048 registers of four bits, used by `cardinality` and
// `hyperUnique` (Druid: HyperLogLogCollector).
import type { Hash128 } from './murmur3.ts';
import { InvalidSketch } from './sketch-error.ts';

const registers = 2048;
const payloadBytes = registers / 2;
const headerBytes = 7;
const entryBytes = 3; // in the sparse form: the position of a byte, and the byte
const range = 15; // maximum value of four bits
const sparseBelow = 128; // number of registers in use

const correction = (0.7213 / (1 + 1.079 / registers)) * registers * registers;
const smallEstimate = (5 * registers) / 2;
const largeEstimate = 2 ** 64 / 30;

/**
 * The mark of a hash, as a whole number above zero: a register, and the position of the hash's
 * lowest bit that is 1.
 */
export function markOf({ firstHigh, firstLow, secondHigh }: Hash128): number {
  const place =
    firstLow !== 0 ? lowestBit(firstLow) : firstHigh !== 0 ? 32 + lowestBit(firstHigh) : 64;
  const register = (((secondHigh >>> 16) & 7) << 8) | (secondHigh >>> 24);
  return (register << placeBits) | place;
}

const placeBits = 7;
const registerBits = 11;

/** All marks are below it. */
export const markLimit = 1 << (registerBits + placeBits);

const placeMask = (1 << placeBits) - 1;
const lowestBit = (word: number): number => 32 - Math.clz32(word & -word);

export class UniqueCollector {
  // Two registers per byte, each stored minus the offset
  #payload = new Uint8Array(payloadBytes);
  #offset = 0;
  #used = 0; // registers above zero
  #overflow = 0; // the largest value that did not fit into four bits
  #overflowRegister = 0;

  /** The collector of marks in any order. Large marks, which may get lost, are added last. */
  static of(marks: Int32Array): UniqueCollector {
    const collector = new UniqueCollector();
    const high: number[] = [];
    for (const mark of marks) {
      if ((mark & placeMask) > range) high.push(mark);
      else if (mark !== 0) collector.add(mark >> placeBits, mark & placeMask);
    }
    high.sort((one, other) => (one & placeMask) - (other & placeMask) || one - other);
    for (const mark of high) collector.add(mark >> placeBits, mark & placeMask);
    return collector;
  }

  /** Sets a register if the value is larger. */
  add(register: number, value: number): void {
    if (value <= this.#offset) return;
    if (value > this.#offset + range) {
      this.#keepOverflow(register, value);
      return;
    }
    const at = register >> 1;
    const shift = (register & 1) === 0 ? 4 : 0;
    const byte = this.#payload[at] ?? 0;
    const [held, given] = [(byte >> shift) & 15, value - this.#offset];
    if (held === 0) this.#used++;
    if (given > held) this.#payload[at] = (byte & ~(15 << shift)) | (given << shift);
    this.#moveOffset();
  }

  /** This collector merged with another one. The result may be either of them. */
  mergeWith(other: UniqueCollector): UniqueCollector {
    if (this.#offset < other.#offset) return other.mergeWith(this);
    const difference = this.#offset - other.#offset;
    for (let at = 0; at < payloadBytes; at++) {
      const [mine, theirs] = [this.#payload[at] ?? 0, other.#payload[at] ?? 0];
      const upper = Math.max(mine >> 4, (theirs >> 4) - difference);
      const lower = Math.max(mine & 15, (theirs & 15) - difference);
      this.#used += (mine < 16 && upper > 0 ? 1 : 0) + ((mine & 15) === 0 && lower > 0 ? 1 : 0);
      this.#payload[at] = (upper << 4) | lower;
    }
    this.#moveOffset();
    this.add(other.#overflowRegister, other.#overflow);
    return this;
  }

  /** The serialized form. */
  toBytes(isSparse = this.#used < sparseBelow): Uint8Array {
    const bytes = new Uint8Array(headerBytes + (isSparse ? this.#used * entryBytes : payloadBytes));
    const view = new DataView(bytes.buffer);
    bytes[0] = version;
    bytes[1] = this.#offset;
    view.setInt16(2, this.#used);
    bytes[4] = this.#overflow;
    view.setInt16(5, this.#overflowRegister);
    if (!isSparse) bytes.set(this.#payload, headerBytes);
    else {
      let to = headerBytes; // two registers in one byte leave an entry unused
      for (let at = 0; at < payloadBytes; at++) {
        if (this.#payload[at] === 0) continue;
        view.setInt16(to, at + headerBytes);
        bytes[to + 2] = this.#payload[at] ?? 0;
        to += entryBytes;
      }
    }
    return bytes;
  }

  /** Reads a serialized form. Throws InvalidSketch. */
  static fromBytes(bytes: Uint8Array): UniqueCollector {
    const view = viewOf(bytes);
    const collector = new UniqueCollector();
    collector.#offset = view.getUint8(1);
    collector.#overflow = view.getUint8(4);
    collector.#overflowRegister = view.getInt16(5) & (registers - 1);
    if (bytes.length === headerBytes + payloadBytes) collector.#payload = bytes.slice(headerBytes);
    else
      for (let from = headerBytes; from + entryBytes <= bytes.length; from += entryBytes) {
        const at = view.getInt16(from) - headerBytes;
        if (at >= 0 && at < payloadBytes) collector.#payload[at] = view.getUint8(from + 2);
      }
    collector.#count();
    return collector;
  }

  // The previous overflow is stored in its register if it fits by now, and dropped otherwise.
  #keepOverflow(register: number, value: number): void {
    if (value <= this.#overflow) return;
    if (this.#overflow <= this.#offset + range) this.add(this.#overflowRegister, this.#overflow);
    this.#overflow = value;
    this.#overflowRegister = register;
  }

  // When all registers are in use, the offset grows and each register shrinks by one.
  #moveOffset(): void {
    if (this.#used !== registers) return;
    this.#offset++;
    for (let at = 0; at < payloadBytes; at++) this.#payload[at] = (this.#payload[at] ?? 0) - 0x11;
    this.#count();
  }

  #count(): void {
    this.#used = 0;
    for (const byte of this.#payload)
      this.#used += (byte > 15 ? 1 : 0) + ((byte & 15) !== 0 ? 1 : 0);
  }
}

const version = 1;

// For each register, the last list of marks that set it.
const setBy = new Int32Array(registers);
let list = 0;

/**
 * The estimated number of distinct values of a group's marks. A collector that is sent may lose its
 * largest mark: the sparse form does not name its register.
 */
export function estimateOfMarks(marks: Int32Array, isSent = true): number {
  list = (list + 1) | 0;
  let used = 0;
  for (const mark of marks) {
    if ((mark & placeMask) > range) {
      const collector = UniqueCollector.of(marks);
      return estimateOfUnique(isSent ? collector.toBytes() : collector.toBytes(false));
    }
    const register = mark >> placeBits;
    if (mark === 0 || setBy[register] === list) continue;
    setBy[register] = list;
    used++;
  }
  // For few registers, only their number counts.
  return used < sparseBelow
    ? registers * Math.log(registers / (registers - used))
    : estimateOfUnique(UniqueCollector.of(marks).toBytes());
}

/** The estimated number of distinct values in a serialized collector. Throws InvalidSketch. */
export function estimateOfUnique(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  const offset = view.getUint8(1);
  const overflow = view.getUint8(4);
  const overflowRegister = view.getInt16(5);
  const isSparse = bytes.length !== headerBytes + payloadBytes;
  const step = isSparse ? entryBytes : 1;
  let zeros = isSparse ? registers - 2 * Math.trunc((bytes.length - headerBytes) / entryBytes) : 0;
  let sum = 0;
  for (let from = headerBytes; from + step <= bytes.length; from += step) {
    // The engine compares a position counted from the header (in the sparse form) with one counted
    // from the payload.
    const place = isSparse ? view.getInt16(from) : from - headerBytes;
    const byte = view.getUint8(from + step - 1);
    let [upper, lower] = [(byte >> 4) + offset, (byte & 15) + offset];
    if (overflow !== 0 && place === overflowRegister >>> 1) {
      if ((overflowRegister & 1) === 0) upper = Math.max(upper, overflow);
      else lower = Math.max(lower, overflow);
      // The engine looks for zeros in this way
      zeros += ((upper & 0xf0) === 0 ? 1 : 0) + ((lower & 15) === 0 ? 1 : 0);
    } else zeros += (byte < 16 ? 1 : 0) + ((byte & 15) === 0 ? 1 : 0);
    sum += 2 ** -upper + 2 ** -lower;
  }
  return correct(correction / (isSparse ? sum + zeros : sum), zeros);
}

function correct(estimate: number, zeros: number): number {
  if (estimate <= smallEstimate)
    return zeros === 0 ? estimate : registers * Math.log(registers / zeros);
  if (estimate <= largeEstimate) return estimate;
  const part = estimate / 2 ** 64;
  return part >= 1 ? Number.POSITIVE_INFINITY : -(2 ** 64) * Math.log(1 - part);
}

function viewOf(bytes: Uint8Array): DataView {
  const isWhole =
    bytes.length === headerBytes + payloadBytes ||
    (bytes.length >= headerBytes && (bytes.length - headerBytes) % entryBytes === 0);
  if (!isWhole || bytes[0] !== version)
    throw new InvalidSketch(`These [${bytes.length}] bytes are not a hyperUnique sketch`);
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
