// Users of one basic authenticator. Changes take effect at once: memory is updated with each write.
import type { Metadata } from '../storage/metadata.ts';
import {
  deleteAuthenticatorUser,
  listAuthenticatorUsers,
  type StoredCredentials,
  setAuthenticatorUser,
} from '../storage/security.ts';
import type { Validator, Verdict } from './authenticators.ts';
import { type Attempt, mostIterations, mostPasswordBytes, type Passwords } from './passwords.ts';
import { badIterations, knownUser, longPassword, unknownUser } from './refusals.ts';

/** Users of an authenticator, for its endpoints. */
export interface ManagedUsers
  extends Pick<UserStore, 'all' | 'get' | 'create' | 'delete' | 'setPassword'> {
  /** Discards cached external data. */
  readonly forget?: () => void;
}

export class UserStore implements Validator {
  readonly #metadata: Metadata;
  readonly #authenticator: string;
  readonly #iterations: number;
  readonly #passwords: Passwords;
  readonly #users: Map<string, StoredCredentials | undefined>;

  /** `iterations` is the default number of hash iterations. */
  constructor(metadata: Metadata, authenticator: string, iterations: number, passwords: Passwords) {
    this.#passwords = passwords;
    this.#metadata = metadata;
    this.#authenticator = authenticator;
    this.#iterations = iterations;
    this.#users = listAuthenticatorUsers(metadata, authenticator);
  }

  get all(): ReadonlyMap<string, StoredCredentials | undefined> {
    return this.#users;
  }

  /** The credentials of a user, undefined until a password is set. Refuses an unknown user. */
  get(name: string): StoredCredentials | undefined {
    if (!this.#users.has(name)) throw unknownUser(name);
    return this.#users.get(name);
  }

  /** Refuses a name that is taken. */
  create(name: string): void {
    if (this.#users.has(name)) throw knownUser(name);
    this.#set(name, undefined);
  }

  /** Refuses an unknown user. */
  delete(name: string): void {
    this.get(name);
    deleteAuthenticatorUser(this.#metadata, this.#authenticator, name);
    this.#users.delete(name);
  }

  /**
   * Sets a password for a caller at `ip`. Refuses an unknown user, a password that is too long, and
   * an invalid number of iterations.
   */
  async setPassword({ name, password, ip }: Attempt, iterations = this.#iterations): Promise<void> {
    this.get(name);
    if (Buffer.byteLength(password) > mostPasswordBytes) throw longPassword(mostPasswordBytes);
    if (iterations < 1 || iterations > mostIterations)
      throw badIterations(iterations, mostIterations);
    const credentials = await this.#passwords.credentialsOf(password, iterations, ip);
    this.get(name); // the user may have been deleted in the meantime
    this.#set(name, credentials);
  }

  /** Checks the password of a user. Refuses when too many checks are pending. */
  async validate(attempt: Attempt, isLast: boolean): Promise<Verdict> {
    const credentials = this.#users.get(attempt.name);
    // Before the check: otherwise users of the next authenticator would count as wrong attempts
    // here.
    if (!isLast && !credentials) return 'unknown';
    return (await this.#passwords.isRight(attempt, credentials, this.#iterations)) ? {} : 'wrong';
  }

  #set(name: string, credentials: StoredCredentials | undefined): void {
    setAuthenticatorUser(this.#metadata, this.#authenticator, name, credentials);
    this.#users.set(name, credentials);
  }
}
