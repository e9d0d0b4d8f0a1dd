// The users of one basic authenticator. Changes count at once: what is in memory is what was just written.
import type { Metadata } from '../storage/metadata.ts';
import { type Credentials, deleteAuthenticatorUser, listAuthenticatorUsers, setAuthenticatorUser } from '../storage/security.ts';
import { credentialsOf, mostIterations, PasswordChecker } from './passwords.ts';
import { badIterations, knownUser, unknownUser } from './refusals.ts';

export class UserStore {
  readonly #metadata: Metadata;
  readonly #authenticator: string;
  readonly #iterations: number;
  readonly #checker = new PasswordChecker();
  readonly #users: Map<string, Credentials | undefined>;

  /** `iterations` is how often a password is hashed unless whoever sets it says otherwise. */
  constructor(metadata: Metadata, authenticator: string, iterations: number) {
    this.#metadata = metadata;
    this.#authenticator = authenticator;
    this.#iterations = iterations;
    this.#users = listAuthenticatorUsers(metadata, authenticator);
  }

  get all(): ReadonlyMap<string, Credentials | undefined> {
    return this.#users;
  }

  /** The credentials of a user, undefined until a password is set. Refuses an unknown user. */
  get(name: string): Credentials | undefined {
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

  /** Refuses an unknown user, and a number of iterations that is none. */
  async setPassword(name: string, password: string, iterations = this.#iterations): Promise<void> {
    this.get(name);
    if (iterations < 1 || iterations > mostIterations) throw badIterations(iterations, mostIterations);
    const credentials = await credentialsOf(password, iterations);
    this.get(name); // meanwhile somebody may have deleted the user
    this.#set(name, credentials);
  }

  /** Is there a user of this name who can come in at all? */
  hasPassword = (name: string): boolean => this.#users.get(name) !== undefined;

  isRight = (name: string, password: string): Promise<boolean> => this.#checker.isRight(password, this.#users.get(name));

  #set(name: string, credentials: Credentials | undefined): void {
    setAuthenticatorUser(this.#metadata, this.#authenticator, name, credentials);
    this.#users.set(name, credentials);
  }
}
