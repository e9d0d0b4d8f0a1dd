// Back-off after wrong passwords, by client address. In memory only, and bounded.
import { isIPv6 } from 'node:net';

export interface BackOffLimits {
  readonly free: number; // wrong passwords without a wait
  readonly firstMs: number; // wait after the next one; doubled by each further one
  readonly longestMs: number;
  readonly forgottenMs: number; // an address is reset after this time without a wrong password
  readonly addresses: number; // number of addresses in memory
}

const defaultBackOff: BackOffLimits = {
  free: 10,
  firstMs: 1000,
  longestMs: 60_000,
  forgottenMs: 300_000,
  addresses: 10_000,
};

interface Wrong {
  readonly count: number;
  readonly lastMs: number;
}

export class BackOff {
  readonly #limits: BackOffLimits;
  readonly #now: () => number;
  readonly #wrong = new Map<string, Wrong>(); // ordered by the last wrong password

  /** `now` is a monotonic clock in milliseconds. */
  constructor(now: () => number, limits: BackOffLimits = defaultBackOff) {
    this.#now = now;
    this.#limits = limits;
  }

  /** Remaining wait of an address in milliseconds; 0 for none. */
  waitMs(address: string): number {
    const { free, firstMs, longestMs, forgottenMs } = this.#limits;
    const wrong = this.#wrong.get(address);
    if (!wrong || wrong.count <= free) return 0;
    const sinceMs = this.#now() - wrong.lastMs;
    if (sinceMs >= forgottenMs) return 0;
    return Math.max(0, Math.min(longestMs, firstMs * 2 ** (wrong.count - free - 1)) - sinceMs);
  }

  /**
   * Counts a wrong password. Right ones do not reset the count: an attacker may have an account.
   */
  failed(address: string): void {
    const { forgottenMs, addresses } = this.#limits;
    const before = this.#wrong.get(address);
    const isOld = !before || this.#now() - before.lastMs >= forgottenMs;
    this.#wrong.delete(address);
    this.#wrong.set(address, { count: isOld ? 1 : before.count + 1, lastMs: this.#now() });
    const oldest = this.#wrong.keys().next();
    if (this.#wrong.size > addresses && !oldest.done) this.#wrong.delete(oldest.value);
  }
}

/**
 * The part of an address that identifies one caller: for IPv6, the network of 64 bits, in which a
 * machine can choose any address.
 */
export function addressGroup(ip: string): string {
  if (!isIPv6(ip) || ip.startsWith('::ffff:')) return ip.replace(/^::ffff:/, '');
  const [before = '', after] = (ip.split('%')[0] ?? '').split('::');
  const head = before === '' ? [] : before.split(':');
  const tail = after === undefined || after === '' ? [] : after.split(':');
  const parts =
    after === undefined
      ? head
      : [...head, ...Array(8 - head.length - tail.length).fill('0'), ...tail];
  return `${parts.slice(0, 4).join(':')}::/64`;
}
