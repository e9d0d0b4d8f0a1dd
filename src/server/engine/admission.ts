// Places for concurrent work, shared fairly between users.
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
  // Users who got a place while others waited, the most recent one at the end
  readonly #served = new Set<string>();
  #running = 0;

  /**
   * `maxRunning` places, of which one user gets at most three quarters; at most `maxQueued`
   * requests wait when all are taken.
   */
  constructor(maxRunning: number, maxQueued: number) {
    this.#maxRunning = maxRunning;
    this.#maxQueued = maxQueued;
    this.#maxOfUser = Math.max(1, Math.floor((maxRunning * 3) / 4));
  }

  get running(): number {
    return this.#running;
  }

  get queued(): number {
    return this.#queue.length;
  }

  /**
   * Waits for a place and returns a function that releases it. The next place goes to the user with
   * the fewest places, then to the user who waited longest since the last one, then to the earliest
   * request. Work without a `user` belongs to the service, or to callers that cannot be
   * distinguished. Refuses when too many wait; rejects with the signal's reason.
   */
  async enter(signal: AbortSignal, user?: string): Promise<() => void> {
    signal.throwIfAborted();
    const isFull = this.#running + this.#queue.length >= this.#maxRunning + this.#maxQueued;
    if (!this.#hasPlaceFor(user) && isFull)
      throw capacityExceeded(this.#maxRunning + this.#maxQueued);
    return this.reenter(signal, user);
  }

  /**
   * As `enter`, for work that has given up its place in between: it waits however many others do.
   */
  async reenter(signal: AbortSignal, user?: string): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#hasPlaceFor(user)) this.#take(user);
    else await this.#turn(signal, user); // the place is handed over, so no request overtakes
    let left = false;
    return () => {
      if (left) return;
      left = true;
      this.#giveBack(user);
    };
  }

  #hasPlaceFor(user: string | undefined): boolean {
    return this.#running < this.#maxRunning && this.#countOf(user) < this.#maxOfUser;
  }

  #countOf(user: string | undefined): number {
    return user === undefined ? 0 : (this.#runningOf.get(user) ?? 0);
  }

  #take(user: string | undefined): void {
    this.#running++;
    if (user !== undefined) this.#runningOf.set(user, this.#countOf(user) + 1);
  }

  #giveBack(user: string | undefined): void {
    this.#running--;
    if (user !== undefined) {
      const left = this.#countOf(user) - 1;
      if (left > 0) this.#runningOf.set(user, left);
      else this.#runningOf.delete(user);
    }
    const next = this.#next();
    if (!next) return;
    this.#queue.splice(this.#queue.indexOf(next), 1);
    this.#take(next.user);
    this.#noteServed(next.user);
    next.start();
  }

  #noteServed(user: string | undefined): void {
    if (this.#queue.length === 0) this.#served.clear();
    if (user === undefined) return;
    this.#served.delete(user);
    this.#served.add(user);
  }

  #next(): Waiting | undefined {
    const order = new Map([...this.#served].map((user, at) => [user, at]));
    const lastOf = (user: string | undefined) =>
      user === undefined ? -1 : (order.get(user) ?? -1);
    const isBefore = (one: Waiting, other: Waiting) =>
      (this.#countOf(one.user) - this.#countOf(other.user) ||
        lastOf(one.user) - lastOf(other.user)) < 0;
    const able = this.#queue.filter(({ user }) => this.#hasPlaceFor(user));
    const [first] = able;
    return first && able.reduce((next, other) => (isBefore(other, next) ? other : next), first);
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
