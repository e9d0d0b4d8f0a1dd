// Digests with a limited lifetime and number; the oldest are dropped first.

export class Recent {
  readonly #most: number;
  readonly #countMs: number;
  readonly #until = new Map<string, number>();

  constructor(most: number, countMs: number) {
    this.#most = most;
    this.#countMs = countMs;
  }

  has = (digest: string, nowMs: number): boolean => (this.#until.get(digest) ?? 0) > nowMs;

  clear = (): void => this.#until.clear();

  add(digest: string, nowMs: number): void {
    this.#until.delete(digest);
    this.#until.set(digest, nowMs + this.#countMs);
    const oldest = this.#until.keys().next();
    if (this.#until.size > this.#most && !oldest.done) this.#until.delete(oldest.value);
  }
}
