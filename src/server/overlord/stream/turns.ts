// Queues that run work on the same key sequentially.

/**
 * Queues by key: work waits for all earlier work of the same key, whether that succeeds or fails.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs the work in its turn; resolves or rejects with its result. */
  take<Answer>(key: string, work: () => Promise<Answer>): Promise<Answer> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    this.#last.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  }
}
