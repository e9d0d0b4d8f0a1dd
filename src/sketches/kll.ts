// KLL quantiles sketches of Apache DataSketches (KllDoublesSketch, KllFloatsSketch): levels of
// values, where a value of level i stands for 2^i values. A full level passes every second value to
// the next level. The library chooses the half at random. Here the sketch's own generator decides,
// so that the same values in the same order make the same sketch. The sketch is exact until values
// are dropped.
import { SortedValues } from './quantiles.ts';
import { InvalidSketch } from './sketch-error.ts';

/** Values of 64 or of 32 bits. */
export type KllValues = 'double' | 'float';

/** The bits of a value in a kind of sketch. */
export const kllWidth = (kind: 'KllDoublesSketch' | 'KllFloatsSketch'): 32 | 64 =>
  kind === 'KllFloatsSketch' ? 32 : 64;

/** The default size of a sketch. */
export const defaultKllK = 200;

/** Whether this size is supported. */
export const isKllK = (k: number): boolean => Number.isInteger(k) && k >= leastWidth && k <= 65535;

const leastWidth = 8; // smallest capacity of a level

export class KllSketch {
  readonly values: KllValues;
  readonly k: number;
  #leastK: number; // smallest k of the merged sketches
  #count = 0;
  #least = Number.NaN;
  #greatest = Number.NaN;
  #levels: number[][] = [[]];
  #retained = 0;
  #random = 0x9e3779b9;

  constructor(k: number, values: KllValues) {
    this.k = k;
    this.#leastK = k;
    this.values = values;
  }

  get count(): number {
    return this.#count;
  }

  get least(): number {
    return this.#least;
  }

  get greatest(): number {
    return this.#greatest;
  }

  /** Whether values were dropped, so that results are estimates. */
  get isEstimating(): boolean {
    return this.#levels.length > 1;
  }

  /** Adds a value. NaN is ignored. */
  add(value: number): void {
    if (Number.isNaN(value)) return;
    this.#widen(value, value);
    if (this.#retained === capacityOf(this.k, this.#levels.length)) this.#compact();
    this.#levels[0]?.push(this.values === 'float' ? Math.fround(value) : value);
    this.#retained++;
    this.#count++;
  }

  /** Adds the values of another sketch. */
  merge(other: KllSketch): void {
    if (other.#count === 0) return;
    if (other.isEstimating) this.#leastK = Math.min(this.#leastK, other.#leastK);
    this.#widen(other.#least, other.#greatest);
    for (const [level, values] of other.#levels.entries()) {
      while (this.#levels.length <= level) this.#levels.push([]);
      const held = this.#levels[level] ?? [];
      this.#levels[level] = level === 0 ? [...held, ...values] : inOrder(held, values);
    }
    this.#retained += other.#retained;
    this.#count += other.#count;
    while (this.#retained > capacityOf(this.k, this.#levels.length)) this.#compact();
  }

  /** The values in order, with the number of values up to each. */
  sortedView(): SortedValues {
    const weighed = this.#levels.flatMap((values, level) =>
      values.map((value) => [value, 2 ** level] as const),
    );
    weighed.sort(([one], [other]) => one - other);
    const values = Float64Array.from(weighed, ([value]) => value);
    if (!this.isEstimating) return new SortedValues(values, undefined);
    let sum = 0;
    return new SortedValues(
      values,
      Float64Array.from(weighed, ([, weight]) => {
        sum += weight;
        return sum;
      }),
    );
  }

  /** The serialized form: compact and read-only. */
  toBytes(): Uint8Array {
    const width = this.values === 'double' ? 8 : 4;
    const header = (
      words: number,
      version: number,
      flags: number,
      size: number,
    ): [Uint8Array, DataView] => {
      const bytes = new Uint8Array(size);
      const view = new DataView(bytes.buffer);
      bytes.set([words, version, family, flags]);
      view.setUint16(4, this.k, true);
      bytes[6] = leastWidth;
      return [bytes, view];
    };
    if (this.#count === 0) return header(2, 1, emptyFlag, 8)[0];
    const setValue = (view: DataView, at: number, value: number) =>
      width === 8 ? view.setFloat64(at, value, true) : view.setFloat32(at, value, true);
    if (this.#count === 1) {
      const [bytes, view] = header(2, 2, singleFlag, 8 + width);
      setValue(view, 8, this.#least);
      return bytes;
    }
    const levels = this.#levels.length;
    const start = fullHeader + levels * 4;
    const [bytes, view] = header(5, 1, 0, start + (2 + this.#retained) * width);
    view.setBigUint64(8, BigInt(this.#count), true);
    view.setUint16(16, this.#leastK, true);
    view.setUint8(18, levels);
    let place = capacityOf(this.k, levels) - this.#retained;
    for (const [level, values] of this.#levels.entries()) {
      view.setInt32(fullHeader + level * 4, place, true);
      place += values.length;
    }
    const [newest = [], ...others] = this.#levels;
    // Newest values first
    const values = [this.#least, this.#greatest, ...newest.toReversed(), ...others.flat()];
    for (const [at, value] of values.entries()) setValue(view, start + at * width, value);
    return bytes;
  }

  /** Reads a serialized sketch of values of this type. Throws InvalidSketch. */
  static fromBytes(bytes: Uint8Array, values: KllValues): KllSketch {
    const width = values === 'double' ? 8 : 4;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const demand = (size: number) => {
      if (bytes.length < size)
        throw new InvalidSketch(
          `A KLL sketch has at least [${size}] bytes here, not [${bytes.length}]`,
        );
    };
    demand(8);
    if (bytes[2] !== family)
      throw new InvalidSketch(
        `These bytes are no KLL sketch: their family is [${bytes[2]}], not [${family}]`,
      );
    const [version, flags] = [view.getUint8(1), view.getUint8(3)];
    const k = view.getUint16(4, true);
    if (!isKllK(k) || view.getUint8(6) !== leastWidth)
      throw new InvalidSketch(`A KLL sketch has no size of [${k}]`);
    if (version < 1 || version > 3)
      throw new InvalidSketch(`A KLL sketch has no version [${version}]`);
    const valueAt = (at: number) =>
      width === 8 ? view.getFloat64(at, true) : view.getFloat32(at, true);
    const sketch = new KllSketch(k, values);
    if ((flags & emptyFlag) !== 0) return sketch;
    if (version === 2) {
      demand(8 + width);
      sketch.add(valueAt(8));
      return sketch;
    }
    demand(fullHeader);
    const levels = view.getUint8(18);
    const capacity = capacityOf(k, levels);
    // An updatable sketch stores the end of its last level, and its free space too.
    const isUpdatable = version === 3;
    const start = fullHeader + (levels + (isUpdatable ? 1 : 0)) * 4;
    demand(start + 2 * width);
    const places = Array.from({ length: levels }, (_, level) =>
      view.getInt32(fullHeader + level * 4, true),
    );
    places.push(capacity);
    const [first = 0] = places;
    if (levels === 0 || first < 0 || places.some((place, at) => place < (places[at - 1] ?? 0)))
      throw new InvalidSketch('The levels of a KLL sketch do not follow one another');
    const from = start + (2 - (isUpdatable ? 0 : first)) * width;
    demand(from + capacity * width);
    sketch.#levels = Array.from({ length: levels }, (_, level) => {
      const begin = places[level] ?? 0;
      return Array.from({ length: (places[level + 1] ?? 0) - begin }, (_item, at) =>
        valueAt(from + (begin + at) * width),
      );
    });
    sketch.#levels[0]?.reverse();
    sketch.#retained = capacity - first;
    sketch.#count = Number(view.getBigUint64(8, true));
    sketch.#leastK = view.getUint16(16, true);
    sketch.#least = valueAt(start);
    sketch.#greatest = valueAt(start + width);
    const weight = sketch.#levels.reduce((sum, level, at) => sum + level.length * 2 ** at, 0);
    if (weight !== sketch.#count || sketch.#levels.flat().some(Number.isNaN))
      throw new InvalidSketch(
        `The levels of a KLL sketch stand for [${weight}] values, not for [${sketch.#count}]`,
      );
    return sketch;
  }

  /** The library's text summary of a serialized sketch, as names and values. */
  summary(): readonly (readonly [name: string, value: string])[] {
    const capacity = capacityOf(this.k, this.#levels.length);
    const width = this.values === 'double' ? 8 : 4;
    const percent = (error: number) => `${(error * 100).toFixed(3)}%`;
    return [
      ['K', String(this.k)],
      ['Dynamic min K', String(this.#leastK)],
      ['M', String(leastWidth)],
      ['N', String(this.#count)],
      ['Epsilon', percent(2.296 / this.#leastK ** 0.9723)],
      ['Epsilon PMF', percent(2.446 / this.#leastK ** 0.9433)],
      ['Empty', String(this.#count === 0)],
      ['Estimation Mode', String(this.isEstimating)],
      ['Levels', String(this.#levels.length)],
      ['Level 0 Sorted', 'false'],
      ['Capacity Items', String(capacity)],
      ['Retained Items', String(this.#retained)],
      ['Empty/Garbage Items', String(capacity - this.#retained)],
      ['ReadOnly', 'true(Format)'],
      [
        'Updatable Storage Bytes',
        String(fullHeader + (this.#levels.length + 1) * 4 + (2 + capacity) * width),
      ],
      ['Compact Storage Bytes', String(this.toBytes().length)],
    ];
  }

  #widen(least: number, greatest: number): void {
    this.#least = this.#count === 0 ? least : Math.min(this.#least, least);
    this.#greatest = this.#count === 0 ? greatest : Math.max(this.#greatest, greatest);
    if (this.values === 'float')
      [this.#least, this.#greatest] = [Math.fround(this.#least), Math.fround(this.#greatest)];
  }

  // Keeps a value of the first full level if their number is odd, and passes half of the others to
  // the next level.
  #compact(): void {
    const depth = this.#levels.length;
    const level = this.#levels.findIndex((held, at) => held.length >= widthOf(this.k, depth, at));
    const values = this.#levels[level];
    if (!values) throw new TypeError('One of the levels of a full sketch is full');
    if (level === depth - 1) this.#levels.push([]);
    const kept = values.length % 2 === 1 ? values.splice(level === 0 ? -1 : 0, 1) : [];
    if (level === 0) values.sort((one, other) => one - other);
    const half = this.#isOdd() ? 1 : 0;
    const given = values.filter((_, at) => at % 2 === half);
    this.#levels[level] = kept;
    this.#levels[level + 1] = inOrder(this.#levels[level + 1] ?? [], given);
    this.#retained -= values.length - given.length;
  }

  // Xorshift of 32 bits.
  #isOdd(): boolean {
    this.#random ^= this.#random << 13;
    this.#random ^= this.#random >>> 17;
    this.#random ^= this.#random << 5;
    return (this.#random & 1) === 1;
  }
}

const family = 15;
const emptyFlag = 1;
const singleFlag = 4;
const fullHeader = 20;

// The capacity of a level: two thirds of the level above, but at least eight
// (KllHelper.levelCapacity).
function widthOf(k: number, levels: number, level: number): number {
  const depth = levels - level - 1;
  return Math.max(leastWidth, Math.round(k * (2 / 3) ** depth));
}

function capacityOf(k: number, levels: number): number {
  let sum = 0;
  for (let level = 0; level < levels; level++) sum += widthOf(k, levels, level);
  return sum;
}

function inOrder(left: readonly number[], right: readonly number[]): number[] {
  const merged: number[] = [];
  let at = 0;
  for (const value of left) {
    while (at < right.length && (right[at] ?? 0) < value) merged.push(right[at++] ?? 0);
    merged.push(value);
  }
  return merged.concat(right.slice(at));
}
