// Files of deleted segments that running queries may still read: they go when the last query that
// began before has ended, as a Historical keeps a segment that is being read. What a crash leaves
// has no row, so the next start removes it.

export class HeldFiles {
  readonly #remove: (path: string) => void;
  readonly #readers = new Set<symbol>();
  readonly #leaving = new Map<string, Set<symbol>>(); // with the readers that are waited for

  /** `remove` takes a file away for good. */
  constructor(remove: (path: string) => void) {
    this.#remove = remove;
  }

  /** Keeps all files that there are now until the function that this returns is called. */
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

  /** Takes a file away as soon as nobody reads it any more. */
  remove(path: string): void {
    if (this.#readers.size === 0) this.#remove(path);
    else this.#leaving.set(path, new Set(this.#readers));
  }

  /** Takes a file away that is about to go, because its path is wanted for another one. */
  removeNow(path: string): void {
    if (this.#leaving.delete(path)) this.#remove(path);
  }
}
