// Turns at deriving keys from passwords: each takes milliseconds of a processor on purpose, so few
// run at once and few wait.
import { availableParallelism } from 'node:os';
import { tooManyPasswords } from './refusals.ts';

/** How much is derived at once for the whole service. */
export interface DerivationLimits {
  readonly running: number;
  readonly waiting: number;
  readonly waitingOfAddress: number; // so that one address cannot take all places
}

const usualDerivations: DerivationLimits = {
  running: Math.min(2, Math.max(1, availableParallelism() - 1)),
  waiting: 64,
  waitingOfAddress: 16,
};

export class Derivations {
  readonly #limits: DerivationLimits;
  // By address, the one whose turn is next first
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;
  #waitingCount = 0;

  constructor(limits: DerivationLimits = usualDerivations) {
    this.#limits = limits;
  }

  /**
   * Runs `derive` when it is its turn: addresses take turns. Refuses at once when too many wait, of
   * all addresses or of this one.
   */
  async run<Result>(address: string, derive: () => Promise<Result>): Promise<Result> {
    const { running } = this.#limits;
    if (this.#running >= running) await this.#turn(address);
    else this.#running++;
    try {
      return await derive();
    } finally {
      const next = this.#next();
      if (next) next();
      else this.#running--;
    }
  }

  #turn(address: string): Promise<void> {
    const { waiting, waitingOfAddress } = this.#limits;
    const own = this.#waiting.get(address) ?? [];
    if (this.#waitingCount >= waiting || own.length >= waitingOfAddress) throw tooManyPasswords(1);
    this.#waitingCount++;
    this.#waiting.set(address, own);
    return new Promise((resolve) => own.push(resolve));
  }

  // The address goes to the end of the round; a place that becomes free passes to the next without
  // being free in between.
  #next(): (() => void) | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [address, own] = first;
    const next = own.shift();
    this.#waiting.delete(address);
    if (own.length > 0) this.#waiting.set(address, own);
    this.#waitingCount--;
    return next;
  }
}
