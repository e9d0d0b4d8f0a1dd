// The chain of authenticators (the specification, "Authentication"): each knows who is asking, knows them to be wrong, or leaves it to the next.
import { authenticationFailed, notAuthenticated } from './refusals.ts';
import type { UserStore } from './user-store.ts';

export interface Authenticated {
  readonly identity: string;
  readonly authorizer: string; // the name of the one that knows what they may do
  readonly isAnonymous: boolean; // without credentials
}

export interface Given {
  readonly authorization: string | undefined; // the header
  readonly ip: string;
}

export interface Authenticator {
  readonly challenge?: string; // for WWW-Authenticate
  /** Who an Authorization header stands for; undefined leaves it to the next. Refuses a header that is wrong. */
  authenticate(given: Given): Promise<Authenticated | undefined> | Authenticated | undefined;
}

/** The first authenticator that knows the caller decides. Refuses a caller whom none knows. */
export async function authenticate(chain: readonly Authenticator[], given: Given): Promise<Authenticated> {
  for (const authenticator of chain) {
    const found = await authenticator.authenticate(given);
    if (found) return found;
  }
  throw notAuthenticated(chain.flatMap(({ challenge }) => challenge ?? []));
}

/** Everybody is the same one: `allowAll`, or the `anonymous` authenticator. */
export const everybody = (identity: string, authorizer: string): Authenticator => ({
  authenticate: () => ({ identity, authorizer, isAnonymous: true }),
});

export interface BasicSettings {
  readonly authorizer: string;
  readonly skipOnFailure: boolean; // a user without a password here may be known to the next authenticator
}

/** HTTP basic (RFC 7617; Druid: BasicHTTPAuthenticator) with the users of a store. */
export const basicAuthenticator = (users: UserStore, { authorizer, skipOnFailure }: BasicSettings): Authenticator => ({
  challenge: 'Basic',
  async authenticate({ authorization, ip }) {
    const [, encoded] = /^basic +(.+)$/i.exec(authorization ?? '') ?? [];
    if (encoded === undefined) return undefined;
    const text = decoded(encoded);
    const colon = text?.indexOf(':') ?? -1;
    if (text === undefined || colon === -1) throw authenticationFailed();
    const [identity, password] = [text.slice(0, colon), text.slice(colon + 1)];
    // Before the check, or users of the next authenticator would count as wrong ones of this.
    if (skipOnFailure && !users.hasPassword(identity)) return undefined;
    if (await users.isRight({ name: identity, password, ip })) return { identity, authorizer, isAnonymous: false };
    throw authenticationFailed();
  },
});

// Buffer reads anything as base64; what is none is no name and password.
function decoded(encoded: string): string | undefined {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return undefined;
  return Buffer.from(encoded, 'base64').toString();
}
