// Users of a directory, for an authenticator. Verdicts of the directory are cached for a while, and
// its requests are limited.
import { createHmac, randomBytes } from 'node:crypto';
import { logError } from '../process/log.ts';
import type { Validator, Verdict } from './authenticators.ts';
import { addressGroup, type BackOff } from './back-off.ts';
import { Derivations } from './derivations.ts';
import type { Dn, GroupPattern } from './dn.ts';
import { AmbiguousUser, type AskDirectory, DirectoryFailure } from './ldap.ts';
import { type Attempt, mostPasswordBytes } from './passwords.ts';
import { Recent } from './recent.ts';
import { awaySeconds, tooManyPasswords } from './refusals.ts';

/** Validity of a positive verdict (Druid: LDAPCredentialsValidator). */
export interface CacheSettings {
  readonly users: number;
  readonly idleMs: number; // since its last use
  readonly longestMs: number; // regardless of use
}

export interface DirectoryUsersSettings {
  readonly cache: CacheSettings;
  readonly groupFilters: readonly GroupPattern[] | undefined; // groups that count; all by default
}

interface Known {
  readonly digest: string; // of the name and the password
  readonly groups: readonly Dn[];
  readonly sinceMs: number;
  readonly addresses: Set<string>; // of callers with the right password
  usedMs: number;
}

export class DirectoryUsers implements Validator {
  readonly #ask: AskDirectory;
  readonly #settings: DirectoryUsersSettings;
  readonly #backOff: BackOff;
  readonly #now: () => number;
  readonly #key = randomBytes(32);
  readonly #known = new Map<string, Known>(); // by name, ordered by last use
  // Short, so that a corrected password or a new user in the directory works soon
  readonly #refused = new Recent(10_000, 10_000);
  // A client with an old password counts as one wrong attempt, however long it continues
  readonly #counted = new Recent(10_000, 300_000);
  readonly #turns = new Derivations({ running: 4, waiting: 64, waitingOfAddress: 16 });
  readonly #underWay = new Map<string, Promise<Verdict>>();
  #awayUntilMs = Number.NEGATIVE_INFINITY;
  #epoch = 0; // verdicts requested in an earlier epoch are not cached

  /** `now` is a monotonic clock in milliseconds. */
  constructor(
    ask: AskDirectory,
    settings: DirectoryUsersSettings,
    backOff: BackOff,
    now: () => number = () => performance.now(),
  ) {
    this.#ask = ask;
    this.#settings = settings;
    this.#backOff = backOff;
    this.#now = now;
  }

  /**
   * Checks a name and a password. An unknown name counts as a wrong password unless the next
   * authenticator checks it. Refuses when too many checks are pending, and after too many wrong
   * passwords from the address.
   */
  async validate(attempt: Attempt, isLast: boolean): Promise<Verdict> {
    const { name, password } = attempt;
    // With an empty password, a directory accepts an anonymous bind; some directories read a
    // password up to its first NUL.
    if (name === '' || password === '' || password.includes('\0')) return 'unknown';
    if (
      Buffer.byteLength(name) > mostPasswordBytes ||
      Buffer.byteLength(password) > mostPasswordBytes
    )
      return 'unknown';
    const address = addressGroup(attempt.ip);
    const digest = this.#digestOf([name, password]);
    const known = this.#find(name);
    // While an address waits, it gets no answers from the cache either, which would help it to
    // guess.
    if (
      known?.digest === digest &&
      (known.addresses.has(address) || this.#backOff.waitMs(address) === 0)
    )
      return this.#use(name, known, address);
    const asked = this.#digestOf([name, password, address]);
    const nobody = this.#digestOf([name]);
    if (this.#refused.has(asked, this.#now())) return this.#countOnce(asked, 'wrong');
    if (this.#refused.has(nobody, this.#now()))
      return isLast ? this.#count(address, asked, 'unknown') : 'unknown';
    const verdict = await (this.#underWay.get(asked) ??
      this.#askOnce(attempt, address, asked, digest));
    if (verdict === 'unknown') {
      this.#refused.add(nobody, this.#now());
      return isLast ? this.#count(address, asked, verdict) : verdict;
    }
    return verdict;
  }

  /** Discards all cached verdicts. */
  forget(): void {
    this.#epoch++;
    this.#underWay.clear();
    this.#known.clear();
    this.#refused.clear();
    this.#awayUntilMs = Number.NEGATIVE_INFINITY;
  }

  async #askOnce(
    { name, password }: Attempt,
    address: string,
    asked: string,
    digest: string,
  ): Promise<Verdict> {
    const waitMs = this.#backOff.waitMs(address);
    if (waitMs > 0) throw tooManyPasswords(Math.ceil(waitMs / 1000));
    const epoch = this.#epoch;
    const asking = this.#turns.run(address, () => this.#answer(name, password));
    this.#underWay.set(asked, asking);
    try {
      const verdict = await asking;
      if (verdict === 'wrong') {
        this.#refused.add(asked, this.#now());
        this.#count(address, asked, verdict);
      } else if (typeof verdict === 'object' && epoch === this.#epoch)
        this.#remember(name, digest, verdict.groups ?? [], address);
      return verdict;
    } finally {
      this.#underWay.delete(asked);
    }
  }

  // An unavailable directory is not tried again at once: callers would only wait longer, and an
  // account might be locked.
  async #answer(name: string, password: string): Promise<Verdict> {
    if (this.#now() < this.#awayUntilMs) return 'unavailable';
    try {
      const verdict = await this.#ask(name, password);
      this.#awayUntilMs = Number.NEGATIVE_INFINITY;
      if (typeof verdict !== 'object') return verdict;
      const filters = this.#settings.groupFilters;
      const groups = verdict.groups ?? [];
      return {
        groups: filters
          ? groups.filter((group) => filters.some((matches) => matches(group)))
          : groups,
      };
    } catch (error) {
      if (!(error instanceof DirectoryFailure)) throw error;
      if (error instanceof AmbiguousUser) {
        logError(error);
        return 'wrong';
      }
      if (this.#now() >= this.#awayUntilMs) logError(error);
      this.#awayUntilMs = this.#now() + 1000 * awaySeconds;
      return 'unavailable';
    }
  }

  #find(name: string): Known | undefined {
    const known = this.#known.get(name);
    if (!known) return undefined;
    const { idleMs, longestMs } = this.#settings.cache;
    if (this.#now() - known.usedMs < idleMs && this.#now() - known.sinceMs < longestMs)
      return known;
    this.#known.delete(name);
    return undefined;
  }

  #use(name: string, known: Known, address: string): Verdict {
    known.usedMs = this.#now();
    known.addresses.add(address);
    const [first] = known.addresses;
    if (known.addresses.size > mostAddresses && first !== undefined) known.addresses.delete(first);
    this.#known.delete(name);
    this.#known.set(name, known);
    return { groups: known.groups };
  }

  #remember(name: string, digest: string, groups: readonly Dn[], address: string): void {
    this.#known.delete(name);
    this.#known.set(name, {
      digest,
      groups,
      sinceMs: this.#now(),
      usedMs: this.#now(),
      addresses: new Set([address]),
    });
    const oldest = this.#known.keys().next();
    if (this.#known.size > this.#settings.cache.users && !oldest.done)
      this.#known.delete(oldest.value);
  }

  #count<No extends Verdict>(address: string, asked: string, verdict: No): No {
    if (!this.#counted.has(asked, this.#now())) this.#backOff.failed(address);
    return this.#countOnce(asked, verdict);
  }

  #countOnce<No extends Verdict>(asked: string, verdict: No): No {
    this.#counted.add(asked, this.#now());
    return verdict;
  }

  // The digest is useless without a key that is never stored.
  #digestOf(texts: readonly string[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(texts)).digest('base64');
  }
}

const mostAddresses = 1000;
