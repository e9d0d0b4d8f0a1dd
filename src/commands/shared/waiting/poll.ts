// Polling of slow operations: at short intervals first, then every second. It continues while the
// service is unavailable for a while.
import type { Context } from '../../../cli/command/command.ts';
import { CommandError } from '../../../cli/process/errors.ts';
import {
  CutOff,
  Interrupted,
  ServiceError,
  UnexpectedReply,
  Unreachable,
} from '../../../client/errors.ts';
import { longestTimerMs, uptimeMs } from '../../../client/uptime.ts';

export interface Patience {
  readonly what: string; // a sentence: 'Task [ingest-1] has not ended'
  readonly maxWait?: number; // seconds
  readonly sinceMs?: number; // start of a wait that began before this one: uptime
  readonly hint?: string;
  // The service has just returned this object: no answer or a 404 means that it is unavailable or
  // the object is not visible yet
  readonly isKnown?: boolean;
}

/**
 * Yields each result until the caller stops; throws at the timeout (exit code 7), and when the
 * service refuses the request.
 */
export async function* looks<T>(
  look: () => Promise<T>,
  { signal, out }: Pick<Context, 'out' | 'signal'>,
  { what, maxWait, sinceMs = uptimeMs(), hint, isKnown = false }: Patience,
): AsyncGenerator<T> {
  const { setTimeout: sleep } = process.getBuiltinModule('node:timers/promises'); // a list of tasks loads this file and waits for nothing
  const endMs = maxWait === undefined ? Number.POSITIVE_INFINITY : sinceMs + maxWait * 1000;
  let awaySinceMs: number | undefined;
  let hasSpoken = isKnown;
  let wasSeen = false;
  let isSaid = false;
  for (let delayMs = 100; ; delayMs = Math.min(delayMs * 1.5, 1000)) {
    const seen = await before(endMs, look(), signal);
    if ('value' in seen) {
      awaySinceMs = undefined;
      hasSpoken = wasSeen = true;
      yield seen.value;
    } else if ('error' in seen) {
      const mayPass =
        isAway(seen.error) || (isNotFound(seen.error) && (!wasSeen || awaySinceMs !== undefined));
      if (!hasSpoken || !mayPass) throw seen.error;
      awaySinceMs ??= uptimeMs();
      if (uptimeMs() - awaySinceMs > longestAbsenceMs) throw seen.error;
      if (!isSaid) out.note(`${messageOf(seen.error)}; trying again for a minute`);
      isSaid = true;
    }
    if (uptimeMs() >= endMs)
      throw new CommandError('waitedTooLong', `${what} after ${maxWait}s`, hint);
    await sleep(Math.min(delayMs, endMs - uptimeMs()), undefined, { signal }).catch(() => {
      throw new Interrupted();
    });
  }
}

const longestAbsenceMs = 60_000;

type Seen<T> = { readonly value: T } | { readonly error: unknown } | { readonly isLate: true };

// A slow answer neither prolongs the wait nor delays a user who leaves.
async function before<T>(
  endMs: number,
  looking: Promise<T>,
  signal: AbortSignal,
): Promise<Seen<T>> {
  const seen = looking.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  let giveUp = () => {};
  const late = new Promise<Seen<T>>((resolve) => {
    giveUp = () => resolve({ isLate: true });
  });
  const timer = setTimeout(
    giveUp,
    Math.min(Math.max(leastLookMs, endMs - uptimeMs()), longestTimerMs),
  );
  signal.addEventListener('abort', giveUp);
  return Promise.race([seen, late]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  });
}

const leastLookMs = 1000; // --max-wait 0 looks once

const isAway = (error: unknown) =>
  error instanceof Unreachable ||
  error instanceof CutOff ||
  error instanceof UnexpectedReply || // from a proxy, meanwhile
  (error instanceof ServiceError && passing.includes(error.status) && !error.isLacking);

const passing = [408, 429, 500, 502, 503, 504];

const isNotFound = (error: unknown) =>
  error instanceof ServiceError && error.status === 404 && !error.isLacking;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
