// The service's time: what is due and when, how old data is, what CURRENT_TIMESTAMP says, how long
// a task of supervisors reads. It runs as the machine's clock does; a test may set it (control/).
// What somebody outside waits for is measured on the machine's own clock: deadlines of queries,
// requests and connections, retries, and how long a password is remembered.

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

  /** How far it is ahead of the machine's clock; negative when it is behind. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /**
   * Sets it this far ahead of the machine's clock, from where it runs on. What is due by then has
   * been looked at when this returns.
   */
  setAhead(aheadMs: number): void {
    this.#aheadMs = aheadMs;
    for (const look of [...this.#whenSet]) look();
  }

  /**
   * Looks every so often whether something is due, and at once when the clock is set, until the
   * function that this returns is called.
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
   * Resolves when so much of the service's time has passed; rejects with the signal's reason when
   * it is aborted first.
   */
  readonly sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    // Not by `now`: the machine's clock may be set, too, or stand still in a test.
    const passed = () => performance.now() + this.#aheadMs;
    const end = passed() + ms;
    let timer: NodeJS.Timeout | undefined;
    let wake = () => {};
    const again = () => {
      clearTimeout(timer);
      const leftMs = end - passed();
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

/** The longest that a timer of Node can wait, 25 days: one that is longer would end at once. */
export const longestTimerMs = 2 ** 31 - 1;
