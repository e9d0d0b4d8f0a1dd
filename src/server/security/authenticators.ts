// Chain of authenticators (the specification, "Authentication"): each one accepts the caller,
// refuses the credentials, or passes the request to the next.
import { Refusal } from '../checks/refusals.ts';
import type { Dn } from './dn.ts';
import type { Attempt } from './passwords.ts';
import { authenticationFailed, directoryAway, notAuthenticated } from './refusals.ts';

export interface Authenticated {
  readonly identity: string;
  readonly authorizer: string; // name of the authorizer that decides about permissions
  readonly isAnonymous: boolean; // without credentials
  readonly groups?: readonly Dn[]; // from a directory
}

export interface GivenCredentials {
  readonly authorization: string | undefined; // the header
  readonly ip: string;
}

export interface Authenticator {
  readonly challenge?: string; // for WWW-Authenticate
  /**
   * The caller of an Authorization header; undefined when the next authenticator decides, also
   * while this one cannot answer. Refuses invalid credentials.
   */
  authenticate(
    given: GivenCredentials,
  ): Promise<Authenticated | 'unavailable' | undefined> | Authenticated | undefined;
}

/** The first authenticator that accepts the caller decides. Refuses a caller whom none accepts. */
export async function authenticate(
  chain: readonly Authenticator[],
  given: GivenCredentials,
): Promise<Authenticated> {
  // One authenticator was unavailable: then a caller unknown to the others may still be valid
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

/** Accepts every caller as the same identity: `allowAll`, or the `anonymous` authenticator. */
export const everybody = (identity: string, authorizer: string): Authenticator => ({
  authenticate: () => ({ identity, authorizer, isAnonymous: true }),
});

export interface BasicSettings {
  readonly authorizer: string;
  // A user without a password here may be known to the next authenticator
  readonly skipOnFailure: boolean;
}

/** Result of checking a name and a password; with the user's groups if a directory has them. */
export type Verdict = { readonly groups?: readonly Dn[] } | 'unknown' | 'wrong' | 'unavailable';

export interface Validator {
  /**
   * `isLast`: no other authenticator checks a name that is unknown here. Refuses when too many
   * checks are pending.
   */
  validate(attempt: Attempt, isLast: boolean): Promise<Verdict>;
}

/**
 * HTTP basic authentication (RFC 7617; Druid: BasicHTTPAuthenticator) with the users of a store or
 * a directory.
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
    // A wrong password is never passed to the next authenticator.
    if (verdict === 'wrong') throw authenticationFailed();
    if (skipOnFailure) return verdict === 'unavailable' ? verdict : undefined;
    throw verdict === 'unavailable' ? directoryAway() : authenticationFailed();
  },
});

// Buffer accepts any text as base64; an invalid one contains no name and password.
function decode(encoded: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  return Buffer.from(encoded, 'base64').toString();
}
