// Queue for deriving keys from passwords: each derivation deliberately takes milliseconds of a
// processor, so few run at once and few wait.
import { availableParallelism } from 'node:os';
import { tooManyPasswords } from './refusals.ts';

/** Limits on concurrent derivations of the whole service. */
export interface DerivationLimits {
  readonly running: number;
  readonly waiting: number;
  readonly waitingOfAddress: number; // so that one address cannot occupy all places
}

const defaultDerivations: DerivationLimits = {
  running: Math.min(2, Math.max(1, availableParallelism() - 1)),
  waiting: 64,
  waitingOfAddress: 16,
};

export class Derivations {
  readonly #limits: DerivationLimits;
  // By address, in the order of their turns
  readonly #waiting = new Map<string, (() => void)[]>();
  #running = 0;
  #waitingCount = 0;

  constructor(limits: DerivationLimits = defaultDerivations) {
    this.#limits = limits;
  }

  /**
   * Runs `derive` in its turn; addresses alternate. Refuses at once when too many derivations wait,
   * in total or for this address.
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

  // The address moves to the end of the round. A free place passes directly to the next derivation.
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
