// Requests and replies independent of HTTP. Middleware is a function over `Send`.

/** A request without the service's address: what a command wants sent. */
export interface Message {
  readonly method: 'DELETE' | 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly path: string; // with the query string
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | Uint8Array;
  readonly idempotent?: boolean; // sending it twice does the same as sending it once
  readonly expected?: readonly number[]; // statuses of 400 and above that are answers all the same
}

/** A request on its way: where to, and how long its reply may take to begin. */
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
  readonly withheld: boolean; // there are credentials, but this host must not see them
  /**
   * The bytes as they arrive, decompressed; throws CutOff, Unreachable (when it falls silent) and
   * Interrupted.
   */
  readonly stream: AsyncIterable<Uint8Array>;
  /**
   * The whole body as text; throws as `stream` does, Unreachable when it is not whole in time, and
   * UnexpectedReply when it is too long to be held.
   */
  text(): Promise<string>;
  /** As much of the body as may be a message to people; throws as `text` does. */
  beginning(): Promise<string>;
  /** Reads the rest and forgets it, so that the connection can be used again. */
  discard(): Promise<void>;
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Sends a message and answers with the reply, whatever its status; throws Unreachable and
 * Interrupted.
 */
export type Transport = (message: Message) => Promise<Reply>;
export type Send = (outgoing: Outgoing) => Promise<Reply>;

/** A header's value; the first one where it stands more than once. */
export const headerOf = (headers: Headers, name: string): string | undefined =>
  [headers[name.toLowerCase()]].flat()[0];

/**
 * The most that is kept of one reply, or of one row of it, before it is looked at: what JSON makes
 * of it takes ten times as much.
 */
export const mostBytes = 2 ** 27;
