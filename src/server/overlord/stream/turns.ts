// Work on the same thing, one after the other.

/**
 * Queues by key: work waits for all that has been given for the same key before it, however that
 * ends.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work when it is its turn; resolves or rejects as it does. */
  take<Answer>(key: string, work: () => Promise<Answer>): Promise<Answer> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    this.#last.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
