// Requests and replies independent of HTTP. Middleware is a function over `Send`.

/** A request of a command, without the service's address. */
export interface Message {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly path: string; // with the query string
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
  readonly idempotent?: boolean; // safe to send twice
  readonly expected?: readonly number[]; // error statuses that are regular replies
}

/** A request with its destination and the time limit for the start of its reply. */
export interface Outgoing extends Message {
  readonly url: URL;
  readonly attempt: number; // from 1
  readonly timeoutMs: number;
}

export interface Reply {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers; // lower-case names
  readonly url: URL; // after redirects
  readonly withheld: boolean; // credentials exist, but this host must not receive them
  readonly isAnonymous: boolean; // the request had no credentials
  /**
   * The decompressed bytes as they arrive. Throws CutOff, Unreachable (after a long pause) and
   * Interrupted.
   */
  readonly stream: AsyncIterable<Uint8Array>;
  /**
   * The whole body as text. Throws like `stream`, Unreachable at the deadline, and UnexpectedReply
   * when it is too long for memory.
   */
  text(): Promise<string>;
  /** The beginning of the body, long enough for an error message; throws like `text`. */
  beginning(): Promise<string>;
  /** Drops the rest of the body, so that the connection can be reused. */
  discard(): Promise<void>;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Sends a message and returns the reply, whatever its status; throws Unreachable and Interrupted.
 */
export type Transport = (message: Message) => Promise<Reply>;
export type Send = (outgoing: Outgoing) => Promise<Reply>;

/** The value of a header; the first one if it is repeated. */
export const headerOf = (headers: Headers, name: string): string | undefined =>
  [headers[name.toLowerCase()]].flat()[0];

/**
 * The maximum size of one reply, or of one of its rows, in memory before parsing: parsed JSON takes
 * ten times as much.
 */
export const mostBytes = 2 ** 27;
