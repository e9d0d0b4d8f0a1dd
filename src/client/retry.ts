// Retries of safe requests. A write is sent only once: when its reply is lost, its outcome is
// unknown.
import { Interrupted, Unreachable } from './errors.ts';
import { queryIdIn } from './failure-body.ts';
import { headerOf, type Outgoing, type Reply, type Send } from './message.ts';
import type { Observe } from './observe.ts';
import { uptimeMs } from './uptime.ts';

export interface RetrySettings {
  readonly retries: number; // attempts after the first one
  readonly observe: Observe;
  readonly clock: RetryClock;
  readonly signal: AbortSignal | undefined;
}

/** Injected time and randomness. */
export interface RetryClock {
  now(): number; // milliseconds
  // Ends early when the signal is aborted
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>;
  random(): number; // 0 to 1
}

const firstDelayMs = 200;
const longestDelayMs = 10_000;
const longestWaitMs = 30_000; // for all delays of one call

const passingStatuses = new Set([429, 502, 503, 504]);

/**
 * Retries after 429, 502, 503, 504 and a refused or broken connection, if the message is safe or
 * idempotent (RFC 9110, 9.2). After a refused connection, any message is retried, because it was
 * not sent. Waits by exponential back-off with full jitter, or as long as `Retry-After` says. Gives
 * up after `retries`, 30 s of waiting, or the message's own time limit.
 */
export function withRetries(send: Send, { retries, observe, clock, signal }: RetrySettings): Send {
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

// undefined: must not be retried
function delayAfter(
  outcome: Reply | Error,
  outgoing: Outgoing,
  attempt: number,
  clock: RetryClock,
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

// A query that timed out in the service would time out again. A proxy's error has no query id and
// is retried.
function isPassing({ status, headers }: Reply, { expected = [] }: Outgoing): boolean {
  if (status === 504 && queryIdIn(headers) !== undefined) return false;
  return passingStatuses.has(status) && !expected.includes(status);
}

/**
 * Milliseconds until the time of a `Retry-After` header (RFC 9110, 10.2.3: seconds or a date),
 * undefined for other values.
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

/**
 * The time of the system when the process started plus the uptime, so clock changes have no effect.
 */
export const systemClock: RetryClock = {
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
