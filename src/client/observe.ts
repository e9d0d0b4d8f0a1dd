// Request traces for --verbose and --debug. Secrets are removed here.
import type { Headers } from './message.ts';

export type Observed =
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly url: string;
      readonly headers: Headers;
      readonly attempt: number;
    }
  | {
      readonly kind: 'reply';
      readonly method: string;
      readonly url: string;
      readonly status: number;
      readonly statusText: string;
      readonly headers: Headers;
      readonly queryId: string | undefined;
      readonly ms: number; // until the reply starts
    }
  | {
      readonly kind: 'failure';
      readonly method: string;
      readonly url: string;
      readonly error: Error;
      readonly ms: number;
    }
  | {
      readonly kind: 'retry';
      readonly reason: string;
      readonly delayMs: number;
      readonly attempt: number;
    }
  | {
      readonly kind: 'redirect';
      readonly status: number;
      readonly from: string;
      readonly to: string;
    }
  | { readonly kind: 'warning'; readonly message: string };

export type Observe = (event: Observed) => void;

/** The headers in lower case, without the values of credentials. */
export const redact = (headers: Headers): Headers =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name.toLowerCase(),
      isSecret(name) ? '<redacted>' : value,
    ]),
  );

const isSecret = (name: string) =>
  /^((proxy-)?authorization|(set-)?cookie2?)$|token|secret|password|api-?key/i.test(name);
