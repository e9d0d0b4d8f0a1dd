// Certificate and key, validated before use.
import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { CannotStart } from '../process/cannot-start.ts';

/** A certificate, its intermediate certificates, and its key, as PEM. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

/**
 * Returns the identity if its certificate is valid now and belongs to its key. Throws CannotStart;
 * `source` is the beginning of its message.
 */
export function checkIdentity(identity: Identity, source: string, nowMs: number): Identity {
  const { validFrom, validTo } = new X509Certificate(identity.cert);
  if (Date.parse(validTo) < nowMs)
    throw new CannotStart(`${source} has expired on [${dayOf(validTo)}]; replace it`);
  if (Date.parse(validFrom) > nowMs)
    throw new CannotStart(
      `${source} is not valid before [${dayOf(validFrom)}]; check the clock, or replace it`,
    );
  try {
    createSecureContext(identity);
  } catch (error) {
    throw new CannotStart(`${source} and its key cannot be used: ${(error as Error).message}`);
  }
  return identity;
}

const dayOf = (date: string) => new Date(date).toISOString();
