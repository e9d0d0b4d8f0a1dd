// Approximate histogram of Ben-Haim and Tom-Tov with movable bins, as in the engine's
// approxHistogram: computed with floats, in the order of the values.

import { InvalidSketch } from './sketch-error.ts';

/** The default number of bins. */
export const defaultResolution = 50;

/** Adding a value may examine all bins. */
export const mostResolution = 10_000;

export class ApproximateHistogram {
  readonly #size: number;
  readonly #places: Float32Array;
  readonly #counts: Float64Array;
  readonly #rough: Uint8Array; // 1 for a bin of different values around its place
  #bins = 0;
  #count = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;

  /** @param size the maximum number of bins, at least 1 */
  constructor(size: number) {
    this.#size = size;
    this.#places = new Float32Array(size);
    this.#counts = new Float64Array(size);
    this.#rough = new Uint8Array(size);
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

  /** Adds a number as a float. */
  add(given: number): void {
    const value = Math.fround(given);
    this.#least = Math.min(this.#least, value);
    this.#greatest = Math.max(this.#greatest, value);
    this.#count++;
    const at = this.#placeOf(value);
    if (at < this.#bins && this.#place(at) === value) this.#counts[at] = this.#countAt(at) + 1;
    else if (this.#bins < this.#size) this.#insert(at, value, this.#bins++);
    else this.#addToFull(at, value);
  }

  /** The quantile of a rank, as a float; NaN without values. */
  quantile(rank: number): number {
    if (this.#count === 0) return Number.NaN;
    const wanted = Math.fround(Math.fround(rank) * Math.fround(this.#count));
    let before = 0;
    let bin = 0;
    while (bin < this.#bins && before + this.#countAt(bin) <= wanted)
      before += this.#countAt(bin++);
    if (bin === 0 || bin === this.#bins) return this.#least;
    // Between two bins, the density changes linearly.
    const [left, right] = [this.#countAt(bin - 1), this.#countAt(bin)];
    const missing = wanted - before;
    const part =
      left === right
        ? missing / left
        : (-2 * left + Math.sqrt(4 * left * left + 8 * (right - left) * missing)) /
          (2 * (right - left));
    const width = Math.fround(this.#place(bin) - this.#place(bin - 1));
    return Math.min(Math.fround(this.#place(bin - 1) + width * part), this.#greatest);
  }

  /** The number of values up to and including a number. */
  sum(given: number): number {
    const limit = Math.fround(given);
    if (limit < this.#least) return 0;
    if (limit >= this.#greatest) return this.#count;
    const found = this.#placeOf(limit);
    const bin = found < this.#bins && this.#place(found) === limit ? found : found - 1;
    const [isLeft, isRight] = [bin < 0, bin >= this.#bins - 1];
    const [before, after] = [isLeft ? 0 : this.#countAt(bin), isRight ? 0 : this.#countAt(bin + 1)];
    const [from, to] = [
      isLeft ? this.#least : this.#place(bin),
      isRight ? this.#greatest : this.#place(bin + 1),
    ];
    const isExact = !isLeft && this.#rough[bin] === 0;
    const part = to === from ? 0 : (limit - from) / (to - from);
    // Values of exact bins lie at their places; those of other bins are spread between the places.
    const spreadBefore = isExact ? 0 : before;
    const spreadAfter = !isRight && this.#rough[bin + 1] === 0 ? 0 : after;
    let sum = 0.5 * (spreadBefore + (spreadBefore + (spreadAfter - spreadBefore) * part)) * part;
    for (let at = 0; at < bin; at++) sum += this.#countAt(at);
    return sum + (isExact ? before : 0.5 * before);
  }

  /** The number of values between each two adjacent breaks. */
  countsBetween(breaks: ArrayLike<number>): number[] {
    const sums = Array.from(breaks, (each) => this.sum(each));
    return sums.slice(1).map((sum, at) => Math.fround(sum - (sums[at] ?? 0)));
  }

  /** The breaks of `buckets` buckets of equal width, at least 2. */
  equalBreaks(buckets: number): number[] {
    const width = Math.fround(Math.fround(this.#greatest - this.#least) / (buckets - 1));
    const breaks = [Math.fround(this.#least - width)];
    while (breaks.length < buckets) breaks.push(Math.fround((breaks.at(-1) ?? 0) + width));
    return [...breaks, this.#greatest];
  }

  /** Adds another histogram. Bins that are close to each other are joined. */
  merge(other: ApproximateHistogram): void {
    if (other.#bins === 0) return;
    this.#least = Math.min(this.#least, other.#least);
    this.#greatest = Math.max(this.#greatest, other.#greatest);
    this.#count += other.#count;
    const joined =
      this.#bins + other.#bins > this.#size
        ? Math.fround(Math.fround(this.#greatest - this.#least) / (this.#size - 1))
        : -1;
    const bins: { place: number; count: number; rough: number }[] = [];
    const all = [...this.#entries(), ...other.#entries()].sort(
      (one, another) => one.place - another.place,
    );
    for (const next of all) {
      const last = bins.at(-1);
      const distance = last ? Math.fround(next.place - last.place) : Number.POSITIVE_INFINITY;
      if (last && distance === 0 && joined < 0) {
        last.count += next.count;
        last.rough = Math.max(last.rough, next.rough);
      } else if (last && distance <= joined) {
        const weight = Math.fround(Math.fround(last.count) / Math.fround(last.count + next.count));
        last.place = Math.fround(Math.fround(-distance * weight) + next.place);
        last.count += next.count;
        last.rough = 1;
      } else bins.push({ ...next });
    }
    this.#bins = bins.length;
    for (const [at, { place, count, rough }] of bins.entries()) {
      this.#places[at] = place;
      this.#counts[at] = count;
      this.#rough[at] = rough;
    }
  }

  /** The serialized form: places, counts, minimum and maximum. */
  toBytes(): Uint8Array {
    const bytes = new Uint8Array(16 + 12 * this.#bins);
    const view = new DataView(bytes.buffer);
    view.setInt32(0, this.#size);
    view.setInt32(4, -this.#bins); // negative: only the bins in use
    for (let bin = 0; bin < this.#bins; bin++) {
      view.setFloat32(8 + bin * 4, this.#place(bin));
      const count = BigInt(this.#countAt(bin));
      view.setBigUint64(
        8 + this.#bins * 4 + bin * 8,
        this.#rough[bin] === 1 ? count | roughFlag : count,
      );
    }
    view.setFloat32(8 + this.#bins * 12, this.#least);
    view.setFloat32(12 + this.#bins * 12, this.#greatest);
    return bytes;
  }

  /** Reads the form written by `toBytes`. Throws InvalidSketch. */
  static fromBytes(bytes: Uint8Array): ApproximateHistogram {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const [size, bins] = bytes.length < 16 ? [0, 0] : [view.getInt32(0), -view.getInt32(4)];
    if (
      size < 1 ||
      size > mostResolution ||
      bins < 0 ||
      bins > size ||
      bytes.length < 16 + 12 * bins
    )
      throw new InvalidSketch(`These [${bytes.length}] bytes are no approximate histogram`);
    const histogram = new ApproximateHistogram(size);
    for (let bin = 0; bin < bins; bin++) {
      histogram.#places[bin] = view.getFloat32(8 + bin * 4);
      const count = view.getBigUint64(8 + bins * 4 + bin * 8);
      histogram.#counts[bin] = Number(BigInt.asUintN(63, count));
      histogram.#rough[bin] = (count & roughFlag) === 0n ? 0 : 1;
      histogram.#count += histogram.#countAt(bin);
    }
    histogram.#bins = bins;
    histogram.#least = view.getFloat32(8 + bins * 12);
    histogram.#greatest = view.getFloat32(12 + bins * 12);
    return histogram;
  }

  *#entries(): Generator<{ place: number; count: number; rough: number }> {
    for (let bin = 0; bin < this.#bins; bin++)
      yield { place: this.#place(bin), count: this.#countAt(bin), rough: this.#rough[bin] ?? 0 };
  }

  // Either moves the adjacent bin towards the value, or joins the two closest bins and gives the
  // value a bin of its own.
  #addToFull(at: number, value: number): void {
    let nearest = 0;
    let distance = Number.POSITIVE_INFINITY;
    for (let bin = 0; bin < this.#bins - 1; bin++) {
      const between = Math.fround(this.#place(bin + 1) - this.#place(bin));
      if (between < distance) [nearest, distance] = [bin, between];
    }
    const toRight =
      at < this.#bins ? Math.fround(this.#place(at) - value) : Number.POSITIVE_INFINITY;
    const toLeft = at > 0 ? Math.fround(value - this.#place(at - 1)) : Number.POSITIVE_INFINITY;
    if (toLeft < Math.min(distance, toRight)) this.#move(at - 1, value);
    else if (toRight < distance) this.#move(at, value);
    else this.#joinAndInsert(nearest, at, value);
  }

  #move(bin: number, value: number): void {
    const count = this.#countAt(bin);
    const sum = Math.fround(Math.fround(this.#place(bin) * Math.fround(count)) + value);
    this.#places[bin] = sum / Math.fround(count + 1);
    this.#counts[bin] = count + 1;
    this.#rough[bin] = 1;
  }

  #joinAndInsert(bin: number, at: number, value: number): void {
    const [left, right] = [this.#countAt(bin), this.#countAt(bin + 1)];
    this.#places[bin] = (this.#place(bin) * left + this.#place(bin + 1) * right) / (left + right);
    this.#counts[bin] = left + right;
    this.#rough[bin] = 1;
    if (at <= bin) {
      this.#insert(at, value, bin + 1);
      return;
    }
    this.#places.copyWithin(bin + 1, bin + 2, at);
    this.#counts.copyWithin(bin + 1, bin + 2, at);
    this.#rough.copyWithin(bin + 1, bin + 2, at);
    this.#set(at - 1, value);
  }

  // Makes room by reusing an unused bin.
  #insert(at: number, value: number, unused: number): void {
    this.#places.copyWithin(at + 1, at, unused);
    this.#counts.copyWithin(at + 1, at, unused);
    this.#rough.copyWithin(at + 1, at, unused);
    this.#set(at, value);
  }

  #set(bin: number, value: number): void {
    this.#places[bin] = value;
    this.#counts[bin] = 1;
    this.#rough[bin] = 0;
  }

  // The index of the first bin whose place is at or above a value.
  #placeOf(value: number): number {
    let [low, high] = [0, this.#bins];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#place(middle) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #place(bin: number): number {
    return this.#places[bin] ?? 0;
  }

  #countAt(bin: number): number {
    return this.#counts[bin] ?? 0;
  }
}

const roughFlag = 2n ** 63n;
