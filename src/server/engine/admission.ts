// How many may run at once. DuckDB's queries occupy the threads that file reads need too, so some must stay free.
import { capacityExceeded } from './refusals.ts';

export class Admission {
  readonly #maxRunning: number;
  readonly #maxQueued: number;
  readonly #queue: (() => void)[] = [];
  #running = 0;

  constructor(maxRunning: number, maxQueued: number) {
    this.#maxRunning = maxRunning;
    this.#maxQueued = maxQueued;
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /** Waits for a place, in order of arrival, and returns what gives it back. Refuses when too many wait; rejects with the signal's reason. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#running < this.#maxRunning) this.#running++;
    else if (this.#queue.length >= this.#maxQueued) throw capacityExceeded(this.#maxRunning + this.#maxQueued);
    else await this.#turn(signal); // the place is handed over, so nobody overtakes
    let left = false;
    return () => {
      if (left) return;
      left = true;
      const next = this.#queue.shift();
      if (next) next();
      else this.#running--;
    };
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const start = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = () => {
        this.#queue.splice(this.#queue.indexOf(start), 1);
        reject(signal.reason);
      };
      this.#queue.push(start);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
