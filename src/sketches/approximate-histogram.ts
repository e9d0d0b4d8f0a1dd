// The histogram of bins without fixed places of Ben-Haim and Tom-Tov, as the engine's approxHistogram computes it: with floats, in the order of the values.

/** The number of bins, unless a histogram is told otherwise. */
export const defaultResolution = 50;

/** Each value may have to look at all bins. */
export const mostResolution = 10_000;

export class ApproximateHistogram {
  readonly #size: number;
  readonly #places: Float32Array;
  readonly #counts: Float64Array;
  #bins = 0;
  #count = 0;
  #least = Number.POSITIVE_INFINITY;
  #greatest = Number.NEGATIVE_INFINITY;

  /** @param size the most bins: 1 or more */
  constructor(size: number) {
    this.#size = size;
    this.#places = new Float32Array(size);
    this.#counts = new Float64Array(size);
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

  /** The value that so large a part of all values does not exceed, as a float; NaN without values. */
  quantile(rank: number): number {
    if (this.#count === 0) return Number.NaN;
    const wanted = Math.fround(Math.fround(rank) * Math.fround(this.#count));
    let before = 0;
    let bin = 0;
    while (bin < this.#bins && before + this.#countAt(bin) <= wanted) before += this.#countAt(bin++);
    if (bin === 0 || bin === this.#bins) return this.#least;
    // Between two bins their counts grow or fall evenly.
    const [left, right] = [this.#countAt(bin - 1), this.#countAt(bin)];
    const missing = wanted - before;
    const part =
      left === right ? missing / left : (-2 * left + Math.sqrt(4 * left * left + 8 * (right - left) * missing)) / (2 * (right - left));
    const width = Math.fround(this.#place(bin) - this.#place(bin - 1));
    return Math.min(Math.fround(this.#place(bin - 1) + width * part), this.#greatest);
  }

  // Either the value moves the bin next to it, or the two bins closest to each other become one and the value is a bin of its own.
  #addToFull(at: number, value: number): void {
    let nearest = 0;
    let distance = Number.POSITIVE_INFINITY;
    for (let bin = 0; bin < this.#bins - 1; bin++) {
      const between = Math.fround(this.#place(bin + 1) - this.#place(bin));
      if (between < distance) [nearest, distance] = [bin, between];
    }
    const toRight = at < this.#bins ? Math.fround(this.#place(at) - value) : Number.POSITIVE_INFINITY;
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
  }

  #joinAndInsert(bin: number, at: number, value: number): void {
    const [left, right] = [this.#countAt(bin), this.#countAt(bin + 1)];
    this.#places[bin] = (this.#place(bin) * left + this.#place(bin + 1) * right) / (left + right);
    this.#counts[bin] = left + right;
    if (at <= bin) {
      this.#insert(at, value, bin + 1);
      return;
    }
    this.#places.copyWithin(bin + 1, bin + 2, at);
    this.#counts.copyWithin(bin + 1, bin + 2, at);
    this.#set(at - 1, value);
  }

  // Makes room with a bin that is not in use.
  #insert(at: number, value: number, unused: number): void {
    this.#places.copyWithin(at + 1, at, unused);
    this.#counts.copyWithin(at + 1, at, unused);
    this.#set(at, value);
  }

  #set(bin: number, value: number): void {
    this.#places[bin] = value;
    this.#counts[bin] = 1;
  }

  // The first bin whose place is not below a value.
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
