// Passwords are kept as PBKDF2 hashes (RFC 8018 with HMAC-SHA-512; Druid: BasicAuthUtils) and
// compared in constant time.
import { createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { StoredCredentials } from '../storage/security.ts';
import { addressGroup, BackOff } from './back-off.ts';
import { Derivations } from './derivations.ts';
import { Recent } from './recent.ts';
import { tooManyPasswords } from './refusals.ts';

export const usualIterations = 10_000;
export const mostIterations = 10_000_000; // some seconds
export const mostPasswordBytes = 1024;

/** A name and a password as a caller sent them. */
export interface Attempt {
  readonly name: string;
  readonly password: string;
  readonly ip: string; // of the caller
}

/**
 * Derives and verifies passwords for a whole service. It remembers for a short time which were
 * right, and which were wrong: hashing takes milliseconds on purpose, and clients send theirs each
 * time. What it remembers is bounded, and means nothing without a key that is never written down.
 */
export class Passwords {
  readonly #key = randomBytes(32);
  readonly #now: () => number;
  readonly #derivations = new Derivations();
  readonly #backOff: BackOff;
  readonly #right = new Recent(10_000, 600_000); // so that who is at work does not wait for others
  readonly #wrong = new Recent(1000, 60_000); // so that the same one is not derived each time
  readonly #underWay = new Map<string, Promise<boolean>>();

  /**
   * `now` is a clock in milliseconds that only goes forward; `backOff` may count wrong passwords
   * for others, too.
   */
  constructor(now: () => number = () => performance.now(), backOff: BackOff = new BackOff(now)) {
    this.#now = now;
    this.#backOff = backOff;
  }

  /**
   * The credentials of a password, with a salt of its own, for a caller at an address. Refuses when
   * too many passwords wait.
   */
  async credentialsOf(
    password: string,
    iterations: number,
    ip: string,
  ): Promise<StoredCredentials> {
    const salt = randomBytes(32);
    const hash = await this.#derivations.run(addressGroup(ip), () =>
      derive(password, salt, iterations, 64, 'sha512'),
    );
    return { salt: salt.toString('base64'), hash: hash.toString('base64'), iterations };
  }

  /**
   * Is this the password? Without credentials it is not, but the answer takes as long as
   * `iterations` do, so that the time does not tell which users there are. Refuses to check when
   * too many passwords wait, and when too many wrong ones came from the address.
   */
  async isRight(
    { name, password, ip }: Attempt,
    credentials: StoredCredentials | undefined,
    iterations: number,
  ): Promise<boolean> {
    if (Buffer.byteLength(password) > mostPasswordBytes) return false;
    const address = addressGroup(ip);
    // A new password makes new credentials, so a verdict on the old one is never asked for again.
    // With the address in it, what is remembered of one caller does not help another to guess.
    const asked = JSON.stringify([address, name, credentials?.salt, credentials?.hash, password]);
    const digest = createHmac('sha256', this.#key).update(asked).digest('base64');
    // What is sent again stays known: a client with an old password is one wrong attempt, however
    // long it goes on.
    for (const [verdict, isRight] of [
      [this.#right, true] as const,
      [this.#wrong, false] as const,
    ]) {
      if (!verdict.has(digest, this.#now())) continue;
      verdict.add(digest, this.#now());
      return isRight;
    }
    return (
      this.#underWay.get(digest) ??
      this.#check(digest, address, password, credentials ?? { ...this.#unknown, iterations })
    );
  }

  // No password has this hash.
  readonly #unknown = {
    salt: randomBytes(32).toString('base64'),
    hash: randomBytes(64).toString('base64'),
  };

  async #check(
    digest: string,
    address: string,
    password: string,
    credentials: StoredCredentials,
  ): Promise<boolean> {
    const waitMs = this.#backOff.waitMs(address);
    if (waitMs > 0) throw tooManyPasswords(Math.ceil(waitMs / 1000));
    const asked = this.#derivations.run(address, () => matches(password, credentials));
    this.#underWay.set(digest, asked);
    try {
      const isRight = await asked;
      if (!isRight) this.#backOff.failed(address);
      (isRight ? this.#right : this.#wrong).add(digest, this.#now());
      return isRight;
    } finally {
      this.#underWay.delete(digest);
    }
  }
}

const derive = promisify(pbkdf2);

async function matches(
  password: string,
  { salt, hash, iterations }: StoredCredentials,
): Promise<boolean> {
  const wanted = Buffer.from(hash, 'base64');
  return timingSafeEqual(
    await derive(password, Buffer.from(salt, 'base64'), iterations, wanted.length, 'sha512'),
    wanted,
  );
}
