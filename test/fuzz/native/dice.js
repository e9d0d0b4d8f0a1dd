// Choices that random numbers decide.

export class Dice {
  /** @param {() => number} random numbers from 0 to 1 */
  constructor(random) {
    this.random = random;
  }

  /** One of the items. A frequent item is in the list several times. */
  among(items) {
    return items[Math.floor(this.random() * items.length)];
  }

  /** One of the rows [weight, make], made. @param {readonly [number, () => unknown][]} rows */
  made(rows) {
    let left = this.random() * rows.reduce((sum, [weight]) => sum + weight, 0);
    const row = rows.find(([weight]) => {
      left -= weight;
      return left < 0;
    });
    return (row ?? rows[0])[1]();
  }

  chance(share) {
    return this.random() < share;
  }

  /** From `least` to `most` items. */
  some(least, most, make) {
    return Array.from({ length: least + Math.floor(this.random() * (most - least + 1)) }, (_, at) =>
      make(at),
    );
  }

  /** A few different items, at least one. */
  few(items, most) {
    return [...new Set(this.some(1, most, () => this.among(items)))];
  }

  /** The fields with this probability, else none. */
  maybe(share, make) {
    return this.chance(share) ? make() : {};
  }
}
