// Places for work that runs at once. DuckDB's queries occupy the threads that file reads need, so some must stay free.
import { capacityExceeded } from './refusals.ts';

interface Waiting {
  readonly user: string | undefined;
  start(): void;
}

export class Admission {
  readonly #maxRunning: number;
  readonly #maxQueued: number;
  readonly #maxOfUser: number;
  readonly #queue: Waiting[] = [];
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  /** `maxRunning` places; at most `maxQueued` wait for one. The last place is never given to a user who has all others. */
  constructor(maxRunning: number, maxQueued: number) {
    this.#maxRunning = maxRunning;
    this.#maxQueued = maxQueued;
    this.#maxOfUser = Math.max(1, maxRunning - 1);
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /**
   * Waits for a place, in order of arrival, and returns what gives it back. Work without a `user` is
   * the service's own. Refuses when too many wait; rejects with the signal's reason.
   */
  async enter(signal: AbortSignal, user?: string): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#hasPlaceFor(user)) this.#take(user);
    else if (this.#queue.length >= this.#maxQueued) throw capacityExceeded(this.#maxRunning + this.#maxQueued);
    else await this.#turn(signal, user); // the place is handed over, so nobody overtakes
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#giveBack(user);
    };
  }

  #hasPlaceFor(user: string | undefined): boolean {
    return this.#running < this.#maxRunning && (user === undefined || (this.#runningOf.get(user) ?? 0) < this.#maxOfUser);
  }

  #take(user: string | undefined): void {
    this.#running++;
    if (user !== undefined) this.#runningOf.set(user, (this.#runningOf.get(user) ?? 0) + 1);
  }

  #giveBack(user: string | undefined): void {
    this.#running--;
    if (user !== undefined) {
      const left = (this.#runningOf.get(user) ?? 1) - 1;
      if (left > 0) this.#runningOf.set(user, left);
      else this.#runningOf.delete(user);
    }
    const next = this.#queue.findIndex((waiting) => this.#hasPlaceFor(waiting.user));
    if (next < 0) return;
    const [waiting] = this.#queue.splice(next, 1);
    this.#take(waiting?.user);
    waiting?.start();
  }

  #turn(signal: AbortSignal, user: string | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const waiting = {
        user,
        start: () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      const giveUp = () => {
        this.#queue.splice(this.#queue.indexOf(waiting), 1);
        reject(signal.reason);
      };
      this.#queue.push(waiting);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }
}
