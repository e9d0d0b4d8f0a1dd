// Password storage: PBKDF2 hashes (RFC 8018 with HMAC-SHA-512; Druid: BasicAuthUtils), compared in
// constant time.
import { createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { StoredCredentials } from '../storage/security.ts';
import { addressGroup, BackOff } from './back-off.ts';
import { Derivations } from './derivations.ts';
import { Recent } from './recent.ts';
import { tooManyPasswords } from './refusals.ts';

export const defaultIterations = 10_000;
export const mostIterations = 10_000_000; // takes some seconds
export const mostPasswordBytes = 1024;

/** A name and a password from a caller. */
export interface Attempt {
  readonly name: string;
  readonly password: string;
  readonly ip: string; // of the caller
}

/**
 * Derives and verifies passwords for a whole service. It caches verdicts for a short time: hashing
 * deliberately takes milliseconds, and clients send their password with each request. The cache is
 * bounded, and useless without a key that is never stored.
 */
export class Passwords {
  readonly #key = randomBytes(32);
  readonly #now: () => number;
  readonly #derivations = new Derivations();
  readonly #backOff: BackOff;
  readonly #right = new Recent(10_000, 600_000); // active users do not wait for others
  readonly #wrong = new Recent(1000, 60_000); // a repeated password is derived once
  readonly #underWay = new Map<string, Promise<boolean>>();

  /**
   * `now` is a monotonic clock in milliseconds; `backOff` may be shared, to count wrong passwords
   * elsewhere, too.
   */
  constructor(now: () => number = () => performance.now(), backOff: BackOff = new BackOff(now)) {
    this.#now = now;
    this.#backOff = backOff;
  }

  /**
   * The credentials for a password, with a new salt, for a caller at an address. Refuses when too
   * many passwords wait.
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
   * Whether a password is right. Without credentials it is wrong, but the check takes as long as
   * `iterations` do, so that the time does not reveal which users exist. Refuses when too many
   * passwords wait, and after too many wrong ones from the address.
   */
  async isRight(
    { name, password, ip }: Attempt,
    credentials: StoredCredentials | undefined,
    iterations: number,
  ): Promise<boolean> {
    if (Buffer.byteLength(password) > mostPasswordBytes) return false;
    const address = addressGroup(ip);
    // A new password has new credentials, so a verdict on the old one is never used again. The key
    // contains the address, so that verdicts for one caller do not help another to guess.
    const asked = JSON.stringify([address, name, credentials?.salt, credentials?.hash, password]);
    const digest = createHmac('sha256', this.#key).update(asked).digest('base64');
    // A repeated password keeps its verdict: a client with an old password counts as one wrong
    // attempt, however long it continues.
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
