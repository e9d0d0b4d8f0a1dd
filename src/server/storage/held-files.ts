// Files of deleted segments that running queries may still read. They are removed after the last
// query that began earlier has ended, as a Historical keeps a segment during reads. After a crash,
// such files have no row, so the next start removes them.

export class HeldFiles {
  readonly #remove: (path: string) => void;
  readonly #readers = new Set<symbol>();
  readonly #leaving = new Map<string, Set<symbol>>(); // with the readers to wait for

  /** `remove` deletes a file for good. */
  constructor(remove: (path: string) => void) {
    this.#remove = remove;
  }

  /** Keeps all current files until the returned function is called. */
  hold(): () => void {
    const reader = Symbol('reader');
    this.#readers.add(reader);
    return () => {
      this.#readers.delete(reader);
      for (const [path, readers] of this.#leaving) {
        readers.delete(reader);
        if (readers.size === 0) this.removeNow(path);
      }
    };
  }

  /** Removes a file as soon as it has no readers. */
  remove(path: string): void {
    if (this.#readers.size === 0) this.#remove(path);
    else this.#leaving.set(path, new Set(this.#readers));
  }

  /** Removes a pending file at once, because its path is needed for another one. */
  removeNow(path: string): void {
    if (this.#leaving.delete(path)) this.#remove(path);
  }
}
