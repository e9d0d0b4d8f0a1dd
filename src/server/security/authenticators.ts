// The chain of authenticators (the specification, "Authentication"): each knows who is asking,
// knows them to be wrong, or leaves it to the next.
import { Refusal } from '../checks/refusals.ts';
import type { Dn } from './dn.ts';
import type { Attempt } from './passwords.ts';
import { authenticationFailed, directoryAway, notAuthenticated } from './refusals.ts';

export interface Authenticated {
  readonly identity: string;
  readonly authorizer: string; // the name of the one that knows what they may do
  readonly isAnonymous: boolean; // without credentials
  readonly groups?: readonly Dn[]; // of a directory
}

export interface Given {
  readonly authorization: string | undefined; // the header
  readonly ip: string;
}

export interface Authenticator {
  readonly challenge?: string; // for WWW-Authenticate
  /**
   * Who an Authorization header stands for; undefined, and what cannot be said now, leave it to the
   * next. Refuses a header that is wrong.
   */
  authenticate(
    given: Given,
  ): Promise<Authenticated | 'unavailable' | undefined> | Authenticated | undefined;
}

/** The first authenticator that knows the caller decides. Refuses a caller whom none knows. */
export async function authenticate(
  chain: readonly Authenticator[],
  given: Given,
): Promise<Authenticated> {
  // One could not be asked: that the others do not know the caller then proves nothing
  let isUnsure = false;
  try {
    for (const authenticator of chain) {
      const found = await authenticator.authenticate(given);
      if (found === 'unavailable') isUnsure = true;
      else if (found) return found;
    }
    throw notAuthenticated(chain.flatMap(({ challenge }) => challenge ?? []));
  } catch (error) {
    throw isUnsure && error instanceof Refusal && error.category === 'unauthorized'
      ? directoryAway()
      : error;
  }
}

/** Everybody is the same one: `allowAll`, or the `anonymous` authenticator. */
export const everybody = (identity: string, authorizer: string): Authenticator => ({
  authenticate: () => ({ identity, authorizer, isAnonymous: true }),
});

export interface BasicSettings {
  readonly authorizer: string;
  // A user without a password here may be known to the next authenticator
  readonly skipOnFailure: boolean;
}

/**
 * The result of checking a name and a password; with the user's groups where a directory knows
 * them.
 */
export type Verdict = { readonly groups?: readonly Dn[] } | 'unknown' | 'wrong' | 'unavailable';

export interface Validator {
  /**
   * `isLast`: nobody else is asked for a name that is unknown here. Refuses to say when too many
   * ask.
   */
  validate(attempt: Attempt, isLast: boolean): Promise<Verdict>;
}

/**
 * HTTP basic (RFC 7617; Druid: BasicHTTPAuthenticator) with the users of a store or a directory.
 */
export const basicAuthenticator = (
  users: Validator,
  { authorizer, skipOnFailure }: BasicSettings,
): Authenticator => ({
  challenge: 'Basic',
  async authenticate({ authorization, ip }) {
    const [, encoded] = /^basic +(.+)$/i.exec(authorization ?? '') ?? [];
    if (encoded === undefined) return undefined;
    const text = decode(encoded);
    const colon = text?.indexOf(':') ?? -1;
    if (text === undefined || colon === -1) throw authenticationFailed();
    const [identity, password] = [text.slice(0, colon), text.slice(colon + 1)];
    const verdict = await users.validate({ name: identity, password, ip }, !skipOnFailure);
    if (typeof verdict === 'object')
      return { identity, authorizer, isAnonymous: false, ...verdict };
    // A wrong password is never left to the next.
    if (verdict === 'wrong') throw authenticationFailed();
    if (skipOnFailure) return verdict === 'unavailable' ? verdict : undefined;
    throw verdict === 'unavailable' ? directoryAway() : authenticationFailed();
  },
});

// Buffer reads anything as base64; what is none is not a name and password.
function decode(encoded: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  return Buffer.from(encoded, 'base64').toString();
}
