// Routes of a role: one handler per endpoint of its area. A missing handler does not compile.
import type { Endpoint, Request, Result, Role } from '../../contract/endpoint.ts';
import type { api } from '../../contract/index.ts';
import type { Resource } from '../../sql/statement.ts';
import type { JsonPieces } from './json-pieces.ts';

/**
 * All handlers of a service. The areas of users, permissions and JDBC are optional, but each one is
 * complete.
 */
export type Handlers = {
  [Area in Exclude<keyof typeof api, SecurityArea | 'avatica'>]: Routes<Area>;
} & Partial<SecurityHandlers & { avatica: Routes<'avatica'> }>;
export type SecurityHandlers = { [Area in SecurityArea]: Routes<Area> };
type SecurityArea = 'authentication' | 'authorization';

/** Some of the handlers: the path of an endpoint without a handler is unknown. */
export type SomeHandlers = { [Area in keyof typeof api]?: Partial<Routes<Area>> };
export type Routes<Area extends keyof typeof api> = {
  [Name in keyof (typeof api)[Area]]: (typeof api)[Area][Name] extends infer E extends Endpoint
    ? Handler<E>
    : never;
};

export type Handler<E extends Endpoint> = (
  request: Request<E> & RequestContext,
) => Answer<E> | Promise<Answer<E>>;
type Answer<E extends Endpoint> = AnswerBody<E> | Answered<AnswerBody<E>>;
type AnswerBody<E extends Endpoint> =
  | Result<E, Iterable<Chunk> | AsyncIterable<Chunk>>
  | (E['reply'] extends { kind: 'json' } ? JsonPieces : never);

type Chunk = string | Uint8Array;

// Details of a request that a handler may need besides its parameters.
export interface RequestContext {
  readonly caller: Caller;
  readonly role: Role; // the role of the port, or the target of the Router's forwarding
  readonly signal: AbortSignal; // aborted when the client has disconnected
  readonly largeBody?: string | undefined; // the JSON text of a large body
}

export interface Caller {
  readonly identity: string;
  readonly ip: string;
  // No credentials were sent, or none are required: the request may come from a web page
  readonly isAnonymous: boolean;
  /** Whether the caller may perform this action on the resource of this type and name. */
  readonly may: (type: Resource['type'], name: string, action: Resource['action']) => boolean;
}

/** The user for the fair sharing of places; undefined where callers cannot be distinguished. */
export const userOf = ({ identity, isAnonymous }: Caller): string | undefined =>
  isAnonymous ? undefined : identity;

/**
 * An answer with a status other than the default, or with headers of its own: `answer({ leader:
 * false }, { status: 404 })`.
 */
export const answer = <T>(body: T, head: Head): Answered<T> => new Answered(body, head);

export interface Head {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly untyped?: true; // JSON without a content type header
  readonly signal?: AbortSignal; // aborted when a stream is to be cut off, even if it is not read
  readonly text?: string; // sent unquoted in place of JSON, where a reply may be absent
}

export class Answered<T> {
  readonly body: T;
  readonly head: Head;
  constructor(body: T, head: Head) {
    this.body = body;
    this.head = head;
  }
}
