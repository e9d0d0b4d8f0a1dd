// Authenticates callers and authorizes their requests.
import type { Endpoint, Request } from '../../contract/endpoint.ts';
import type { Caller } from '../handlers/routes.ts';
import type { Route } from './router.ts';

export interface Guard {
  /** Are callers asked who they are? Where they are not, only this machine is listened to. */
  readonly requiresCredentials: boolean;
  /** Who is asking. Refuses those whom nobody knows. */
  authenticate(asked: Asked): Caller | Promise<Caller>;
  /**
   * Who a name and a password stand for, where they are not in a header. Refuses those whom nobody
   * knows.
   */
  logIn(given: Credentials): Caller | Promise<Caller>;
  /**
   * Refuses a caller who may not use an endpoint, as far as its path and query tell: before the
   * body is read.
   */
  authorize(route: Route, search: URLSearchParams, caller: Caller): void;
  /** What of a reply the caller may see. */
  filterReply(route: Route, request: Request<Endpoint>, reply: unknown, caller: Caller): unknown;
}

export interface Asked {
  readonly path: string;
  readonly endpoint: Endpoint | undefined; // none where there is nothing under this path
  readonly authorization: string | undefined; // the header
  readonly ip: string;
}

export interface Credentials {
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly ip: string;
}

/**
 * The guard of a service without users (the specification, "Authentication"): everybody may do
 * everything.
 */
export const openDoor: Guard = {
  requiresCredentials: false,
  authenticate: ({ ip }) => ({ identity: 'allowAll', ip, isAnonymous: true, may: () => true }),
  logIn: ({ ip }) => ({ identity: 'allowAll', ip, isAnonymous: true, may: () => true }),
  authorize: () => undefined,
  filterReply: (_route, _request, reply) => reply,
};
