// Passwords are kept as PBKDF2 hashes (RFC 8018 with HMAC-SHA-512; Druid: BasicAuthUtils) and compared in constant time.
import { createHmac, pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { Credentials } from '../storage/security.ts';

export const usualIterations = 10_000;
export const mostIterations = 10_000_000; // some seconds

/** The credentials of a password, with a salt of its own. */
export async function credentialsOf(password: string, iterations: number): Promise<Credentials> {
  const salt = randomBytes(32);
  const hash = await derive(password, salt, iterations, 64, 'sha512');
  return { salt: salt.toString('base64'), hash: hash.toString('base64'), iterations };
}

/** Verifies passwords, and remembers for a short time which were right: hashing takes milliseconds on purpose, and clients send theirs each time. */
export class PasswordChecker {
  readonly #key = randomBytes(32); // what is remembered means nothing without it, and it is never written down
  readonly #right = new Map<string, Remembered>();
  readonly #underWay = new Map<string, Promise<boolean>>();
  readonly #nobody = credentialsOf('', usualIterations);

  /** Is this the password? Without credentials it is not, but finding out takes as long: names cannot be told by the time. */
  async isRight(password: string, credentials: Credentials | undefined): Promise<boolean> {
    if (!credentials) {
      await matches(password, await this.#nobody);
      return false;
    }
    // A new password makes new credentials, so what was remembered of the old one is never asked for again.
    const digest = createHmac('sha256', this.#key).update(`${credentials.salt} ${credentials.hash} ${password}`).digest('base64');
    const known = this.#right.get(digest);
    if (known && known.untilMs > performance.now()) return true;
    const asked = this.#underWay.get(digest) ?? this.#ask(digest, password, credentials);
    return asked;
  }

  async #ask(digest: string, password: string, credentials: Credentials): Promise<boolean> {
    const asked = matches(password, credentials);
    this.#underWay.set(digest, asked);
    try {
      const isRight = await asked;
      if (isRight) this.#remember(digest);
      return isRight;
    } finally {
      this.#underWay.delete(digest);
    }
  }

  #remember(digest: string): void {
    const oldest = this.#right.keys().next();
    if (this.#right.size >= mostRemembered && !oldest.done) this.#right.delete(oldest.value);
    this.#right.set(digest, { untilMs: performance.now() + rememberedMs });
  }
}

interface Remembered {
  readonly untilMs: number;
}

const rememberedMs = 60_000;
const mostRemembered = 1000;

const derive = promisify(pbkdf2);

async function matches(password: string, { salt, hash, iterations }: Credentials): Promise<boolean> {
  const wanted = Buffer.from(hash, 'base64');
  return timingSafeEqual(await derive(password, Buffer.from(salt, 'base64'), iterations, wanted.length, 'sha512'), wanted);
}
