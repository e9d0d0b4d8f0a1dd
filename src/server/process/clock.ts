// Clock of the service, for due times, the age of data, CURRENT_TIMESTAMP, and the reading time of
// supervised tasks. It follows the machine's clock; a test may set it (control/). Waiting times of
// clients are measured on the machine's own clock: deadlines of queries, requests and connections,
// retries, and the caching of passwords.

import { longestTimerMs } from '../../model/longest-timer.ts';
export class Clock {
  readonly #machine: () => number;
  readonly #whenSet = new Set<() => void>();
  #aheadMs = 0;

  /** `machine` is the clock of the machine, in milliseconds since 1970. */
  constructor(machine: () => number = Date.now) {
    this.#machine = machine;
  }

  /** Milliseconds since 1970. */
  readonly now = (): number => this.#machine() + this.#aheadMs;

  /** Distance ahead of the machine's clock; negative when it is behind. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /**
   * Sets the clock this far ahead of the machine's clock; it runs on from there. Work that is due
   * by then has been checked when this returns.
   */
  setAhead(aheadMs: number): void {
    this.#aheadMs = aheadMs;
    for (const look of [...this.#whenSet]) look();
  }

  /**
   * Calls `look` at each tick, and at once when the clock is set, to check for due work. Returns a
   * function that stops the calls.
   */
  readonly every = (tickMs: number, look: () => void): (() => void) => {
    const timer = setInterval(look, tickMs).unref();
    this.#whenSet.add(look);
    return () => {
      clearInterval(timer);
      this.#whenSet.delete(look);
    };
  };

  /**
   * Resolves after this much service time; rejects with the signal's reason when the signal aborts
   * first.
   */
  readonly sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    // `now` is unsuitable: the machine's clock may be set, or stand still in a test.
    const elapsedMs = () => performance.now() + this.#aheadMs;
    const end = elapsedMs() + ms;
    let timer: NodeJS.Timeout | undefined;
    let wake = () => {};
    const again = () => {
      clearTimeout(timer);
      const leftMs = end - elapsedMs();
      if (leftMs <= 0 || signal.aborted) wake();
      else timer = setTimeout(again, Math.min(leftMs, longestTimerMs));
    };
    this.#whenSet.add(again);
    signal.addEventListener('abort', again, { once: true });
    await new Promise<void>((resolve) => {
      wake = resolve;
      again();
    });
    this.#whenSet.delete(again);
    signal.removeEventListener('abort', again);
    signal.throwIfAborted();
  };
}
