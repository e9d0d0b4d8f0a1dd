// Users of a directory, for an authenticator. Verdicts of the directory are cached for a while, and
// its requests are limited.
import { createHmac, randomBytes } from 'node:crypto';
import { logError } from '../process/log.ts';
import type { Validator, Verdict } from './authenticators.ts';
import { addressGroup, type BackOff } from './back-off.ts';
import { Derivations } from './derivations.ts';
import type { Dn, GroupPattern } from './dn.ts';
import { type CacheSettings, KnownUsers } from './known-users.ts';
import { AmbiguousUser, type AskDirectory, DirectoryFailure } from './ldap.ts';
import { type Attempt, mostPasswordBytes } from './passwords.ts';
import { Recent } from './recent.ts';
import { awaySeconds, tooManyPasswords } from './refusals.ts';

export interface DirectoryUsersSettings {
  readonly cache: CacheSettings;
  readonly groupFilters: readonly GroupPattern[] | undefined; // groups that count; all by default
}

interface Digests {
  readonly ofName: string;
  readonly ofPassword: string; // of the name and the password
  readonly ofAttempt: string; // of the name, the password and the caller's address
}

export class DirectoryUsers implements Validator {
  readonly #ask: AskDirectory;
  readonly #groupFilters: DirectoryUsersSettings['groupFilters'];
  readonly #backOff: BackOff;
  readonly #now: () => number;
  readonly #key = randomBytes(32);
  readonly #known: KnownUsers;
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
    { cache, groupFilters }: DirectoryUsersSettings,
    backOff: BackOff,
    now: () => number = () => performance.now(),
  ) {
    this.#ask = ask;
    this.#groupFilters = groupFilters;
    this.#known = new KnownUsers(cache);
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
    if (!canBeChecked(attempt)) return 'unknown';
    const address = addressGroup(attempt.ip);
    const digests: Digests = {
      ofName: this.#digestOf([name]),
      ofPassword: this.#digestOf([name, password]),
      ofAttempt: this.#digestOf([name, password, address]),
    };
    const nowMs = this.#now();
    const user = this.#known.find(name, nowMs);
    // While an address waits, it gets no answers from the cache either, which would help it to
    // guess.
    if (
      user?.digest === digests.ofPassword &&
      (user.addresses.has(address) || this.#backOff.waitMs(address) === 0)
    ) {
      this.#known.touch(name, user, address, nowMs);
      return { groups: user.groups };
    }
    if (this.#refused.has(digests.ofAttempt, nowMs)) {
      this.#counted.add(digests.ofAttempt, nowMs);
      return 'wrong';
    }
    const isKnownToMiss = this.#refused.has(digests.ofName, nowMs);
    const verdict = isKnownToMiss
      ? 'unknown'
      : await (this.#underWay.get(digests.ofAttempt) ?? this.#askOnce(attempt, address, digests));
    if (verdict !== 'unknown') return verdict;
    if (!isKnownToMiss) this.#refused.add(digests.ofName, this.#now());
    if (isLast) this.#countFailure(address, digests.ofAttempt);
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

  async #askOnce({ name, password }: Attempt, address: string, digests: Digests): Promise<Verdict> {
    const waitMs = this.#backOff.waitMs(address);
    if (waitMs > 0) throw tooManyPasswords(Math.ceil(waitMs / 1000));
    const epoch = this.#epoch;
    const asking = this.#turns.run(address, () => this.#answer(name, password));
    this.#underWay.set(digests.ofAttempt, asking);
    try {
      const verdict = await asking;
      if (verdict === 'wrong') {
        this.#refused.add(digests.ofAttempt, this.#now());
        this.#countFailure(address, digests.ofAttempt);
      } else if (typeof verdict === 'object' && epoch === this.#epoch) {
        const user = { digest: digests.ofPassword, groups: verdict.groups ?? [] };
        this.#known.add(name, user, address, this.#now());
      }
      return verdict;
    } finally {
      this.#underWay.delete(digests.ofAttempt);
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
      return { groups: this.#countedGroups(verdict.groups ?? []) };
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

  #countedGroups(groups: readonly Dn[]): readonly Dn[] {
    const filters = this.#groupFilters;
    return filters ? groups.filter((group) => filters.some((matches) => matches(group))) : groups;
  }

  // A repeated attempt counts once.
  #countFailure(address: string, attempt: string): void {
    if (!this.#counted.has(attempt, this.#now())) this.#backOff.failed(address);
    this.#counted.add(attempt, this.#now());
  }

  // The digest is useless without a key that is never stored.
  #digestOf(texts: readonly string[]): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(texts)).digest('base64');
  }
}

// With an empty password, a directory accepts an anonymous bind; some directories read a password
// up to its first NUL.
const canBeChecked = ({ name, password }: Attempt) =>
  name !== '' &&
  password !== '' &&
  !password.includes('\0') &&
  Buffer.byteLength(name) <= mostPasswordBytes &&
  Buffer.byteLength(password) <= mostPasswordBytes;
