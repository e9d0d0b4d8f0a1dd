// Routes of a role: one handler per endpoint of its area. A missing handler does not compile.
import type { Endpoint, Request, Result, Role } from '../../contract/endpoint.ts';
import type { api } from '../../contract/index.ts';
import type { Resource } from '../../sql/statement.ts';
import type { JsonPieces } from './json-pieces.ts';

/**
 * All handlers of a service. Users, permissions and JDBC have endpoints only where there are any:
 * then all of them.
 */
export type Handlers = {
  [Area in Exclude<keyof typeof api, SecurityArea | 'avatica'>]: Routes<Area>;
} & Partial<SecurityHandlers & { avatica: Routes<'avatica'> }>;
export type SecurityHandlers = { [Area in SecurityArea]: Routes<Area> };
type SecurityArea = 'authentication' | 'authorization';

/** Some of them: a path whose endpoint has none is unknown. */
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

// What a handler may want to know besides the request's own words.
export interface RequestContext {
  readonly caller: Caller;
  readonly role: Role; // whose port was asked, or to whom the Router forwarded
  readonly signal: AbortSignal; // aborted when nobody waits for the answer any more
  readonly largeBody?: string | undefined; // the JSON text of a large body
}

export interface Caller {
  readonly identity: string;
  readonly ip: string;
  // Came without credentials where they are wanted, or where no one is asked: a web page may stand
  // behind the request
  readonly isAnonymous: boolean;
  /** May they do this to the resource of this type and name? */
  readonly may: (type: Resource['type'], name: string, action: Resource['action']) => boolean;
}

/** The user among whom places are shared fairly; undefined where callers are not told apart. */
export const userOf = ({ identity, isAnonymous }: Caller): string | undefined =>
  isAnonymous ? undefined : identity;

/**
 * An answer with another status than the usual one, or with headers of its own: `answer({ leader:
 * false }, { status: 404 })`.
 */
export const answer = <T>(body: T, head: Head): Answered<T> => new Answered(body, head);

export interface Head {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly untyped?: true; // JSON without a content type
  readonly text?: string; // sent in place of JSON, unquoted, where a reply may be absent
}

export class Answered<T> {
  readonly body: T;
  readonly head: Head;
  constructor(body: T, head: Head) {
    this.body = body;
    this.head = head;
  }
}
