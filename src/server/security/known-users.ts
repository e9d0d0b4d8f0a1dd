// Cache of positive verdicts: users of a directory whose passwords were right lately.
import type { Dn } from './dn.ts';

/** Validity of a positive verdict (Druid: LDAPCredentialsValidator). */
export interface CacheSettings {
  readonly users: number;
  readonly idleMs: number; // since its last use
  readonly longestMs: number; // regardless of use
}

export interface KnownUser {
  readonly digest: string; // of the name and the password
  readonly groups: readonly Dn[];
  readonly sinceMs: number;
  readonly addresses: Set<string>; // of callers with the right password
  usedMs: number;
}

export class KnownUsers {
  readonly #settings: CacheSettings;
  readonly #byName = new Map<string, KnownUser>(); // ordered by last use

  constructor(settings: CacheSettings) {
    this.#settings = settings;
  }

  /** A user whose verdict is still valid. */
  find(name: string, nowMs: number): KnownUser | undefined {
    const user = this.#byName.get(name);
    if (!user) return undefined;
    const { idleMs, longestMs } = this.#settings;
    if (nowMs - user.usedMs < idleMs && nowMs - user.sinceMs < longestMs) return user;
    this.#byName.delete(name);
    return undefined;
  }

  /** Prolongs a verdict after its use from an address. */
  touch(name: string, user: KnownUser, address: string, nowMs: number): void {
    user.usedMs = nowMs;
    user.addresses.add(address);
    const [first] = user.addresses;
    if (user.addresses.size > mostAddresses && first !== undefined) user.addresses.delete(first);
    this.#byName.delete(name);
    this.#byName.set(name, user);
  }

  /** Adds a verdict. The user of the oldest use makes room for it. */
  add(name: string, user: Pick<KnownUser, 'digest' | 'groups'>, address: string, nowMs: number) {
    const times = { sinceMs: nowMs, usedMs: nowMs };
    this.#byName.delete(name);
    this.#byName.set(name, { ...user, ...times, addresses: new Set([address]) });
    const oldest = this.#byName.keys().next();
    if (this.#byName.size > this.#settings.users && !oldest.done) this.#byName.delete(oldest.value);
  }

  clear(): void {
    this.#byName.clear();
  }
}

const mostAddresses = 1000;
