// Authentication of callers and authorization of their requests.
import type { Endpoint, Request } from '../../contract/endpoint.ts';
import type { Caller } from '../handlers/routes.ts';
import type { Route } from './router.ts';

export interface Guard {
  /** Whether credentials are required. Otherwise, the service listens only to this machine. */
  readonly requiresCredentials: boolean;
  /** Authenticates the caller. Refuses an unknown one. */
  authenticate(asked: AuthenticationRequest): Caller | Promise<Caller>;
  /** Authenticates a user by name and password that are not in a header. Refuses an unknown one. */
  logIn(given: LoginCredentials): Caller | Promise<Caller>;
  /**
   * Refuses a caller without permission for an endpoint, as far as path and query determine it:
   * before the body is read.
   */
  authorize(route: Route, search: URLSearchParams, caller: Caller): void;
  /** The part of a reply that the caller may see. */
  filterReply(route: Route, request: Request<Endpoint>, reply: unknown, caller: Caller): unknown;
}

export interface AuthenticationRequest {
  readonly path: string;
  readonly endpoint: Endpoint | undefined; // undefined for an unknown path
  readonly authorization: string | undefined; // the header
  readonly ip: string;
}

export interface LoginCredentials {
  readonly user: string | undefined;
  readonly password: string | undefined;
  readonly ip: string;
}

/**
 * The guard of a service without users (the specification, "Authentication"): every caller may do
 * everything.
 */
export const openDoor: Guard = {
  requiresCredentials: false,
  authenticate: ({ ip }) => ({ identity: 'allowAll', ip, isAnonymous: true, may: () => true }),
  logIn: ({ ip }) => ({ identity: 'allowAll', ip, isAnonymous: true, may: () => true }),
  authorize: () => undefined,
  filterReply: (_route, _request, reply) => reply,
};
