// Sending again what may be sent again. A write is sent once: when its reply is lost, nobody knows
// whether it was done.
import { Interrupted, Unreachable } from './errors.ts';
import { queryIdIn } from './failure-body.ts';
import { headerOf, type Outgoing, type Reply, type Send } from './message.ts';
import type { Observe } from './observe.ts';
import { uptimeMs } from './uptime.ts';

export interface RetrySettings {
  readonly retries: number; // sendings after the first one
  readonly observe: Observe;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** Time and chance, given from outside. */
export interface Clock {
  now(): number; // milliseconds
  // Ends early when the signal is raised
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  random(): number; // 0 to 1
}

const firstDelayMs = 200;
const longestDelayMs = 10_000;
const longestWaitMs = 30_000; // all delays of one call together

const passingStatuses = new Set([429, 502, 503, 504]);

/**
 * Sends again after 429, 502, 503, 504 and a refused or broken connection, if the message is safe
 * or idempotent (RFC 9110, 9.2), and after a refused connection whatever it is, because nothing was
 * sent. Waits by exponential back-off with full jitter, or as long as `Retry-After` says; gives up
 * after `retries`, 30 s of waiting, or the message's own time.
 */
export function retrying(send: Send, { retries, observe, clock, signal }: RetrySettings): Send {
  return async (outgoing) => {
    const start = clock.now();
    let waitedMs = 0;
    for (let attempt = 1; ; attempt++) {
      const timeoutMs = outgoing.timeoutMs - (clock.now() - start);
      const outcome = await settle(send({ ...outgoing, attempt, timeoutMs }));
      const delayMs = attempt > retries ? undefined : delayAfter(outcome, outgoing, attempt, clock);
      const leftMs = Math.min(longestWaitMs - waitedMs, outgoing.timeoutMs - (clock.now() - start));
      if (delayMs === undefined || delayMs >= leftMs)
        return outcome instanceof Error ? Promise.reject(outcome) : outcome;
      observe({
        kind: 'retry',
        reason:
          outcome instanceof Error ? outcome.message : `${outcome.status} ${outcome.statusText}`,
        delayMs,
        attempt,
      });
      if (!(outcome instanceof Error)) await outcome.discard();
      await clock.sleep(delayMs, signal);
      if (signal?.aborted) throw new Interrupted();
      waitedMs += delayMs;
    }
  };
}

// undefined: it must not be sent again
function delayAfter(
  outcome: Reply | Error,
  outgoing: Outgoing,
  attempt: number,
  clock: Clock,
): number | undefined {
  const mayRepeat =
    outgoing.method === 'GET' || outgoing.method === 'HEAD' || outgoing.idempotent === true;
  const backOffMs = clock.random() * Math.min(longestDelayMs, firstDelayMs * 2 ** (attempt - 1));
  if (outcome instanceof Unreachable) {
    return outcome.kind === 'refused' || (outcome.kind === 'reset' && mayRepeat)
      ? backOffMs
      : undefined;
  }
  if (outcome instanceof Error || !mayRepeat || !isPassing(outcome, outgoing)) return undefined;
  return retryAfterMs(headerOf(outcome.headers, 'retry-after'), clock.now()) ?? backOffMs;
}

// A query that the service itself gave up would be given up again; what stands before it knows no
// ids of queries.
function isPassing({ status, headers }: Reply, { expected = [] }: Outgoing): boolean {
  if (status === 504 && queryIdIn(headers) !== undefined) return false;
  return passingStatuses.has(status) && !expected.includes(status);
}

/**
 * Milliseconds until the time of a `Retry-After` header (RFC 9110, 10.2.3: seconds or a date),
 * undefined if it says neither.
 */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

const settle = (sending: Promise<Reply>): Promise<Reply | Error> =>
  sending.catch((error: unknown) => (error instanceof Error ? error : new Error(String(error))));

const beganAt = Date.now() - uptimeMs();

/** The clock of the machine, as it stood when the process began: nobody sets it meanwhile. */
export const systemClock: Clock = {
  now: () => beganAt + uptimeMs(),
  random: Math.random,
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      signal?.addEventListener('abort', done);
    }),
};
