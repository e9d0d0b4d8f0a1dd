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
import { uptimeMs } from '../../../client/uptime.ts';
import { longestTimerMs } from '../../../model/longest-timer.ts';

export interface PollOptions {
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
export async function* poll<T>(
  request: () => Promise<T>,
  { signal, out }: Pick<Context, 'out' | 'signal'>,
  { what, maxWait, sinceMs = uptimeMs(), hint, isKnown = false }: PollOptions,
): AsyncGenerator<T> {
  const { setTimeout: sleep } = process.getBuiltinModule('node:timers/promises'); // loaded only by commands that wait
  const endMs = maxWait === undefined ? Number.POSITIVE_INFINITY : sinceMs + maxWait * 1000;
  let unavailableSinceMs: number | undefined;
  let hasAnswered = isKnown;
  let wasSeen = false;
  let isNoted = false;
  for (let delayMs = 100; ; delayMs = Math.min(delayMs * 1.5, 1000)) {
    const outcome = await settleBefore(endMs, request(), signal);
    if ('value' in outcome) {
      unavailableSinceMs = undefined;
      hasAnswered = wasSeen = true;
      yield outcome.value;
    } else if ('error' in outcome) {
      const mayPass =
        isUnavailable(outcome.error) ||
        (isNotFound(outcome.error) && (!wasSeen || unavailableSinceMs !== undefined));
      if (!hasAnswered || !mayPass) throw outcome.error;
      unavailableSinceMs ??= uptimeMs();
      if (uptimeMs() - unavailableSinceMs > longestOutageMs) throw outcome.error;
      if (!isNoted) out.note(`${messageOf(outcome.error)}; trying again for a minute`);
      isNoted = true;
    }
    if (uptimeMs() >= endMs)
      throw new CommandError('waitedTooLong', `${what} after ${maxWait}s`, hint);
    await sleep(Math.min(delayMs, endMs - uptimeMs()), undefined, { signal }).catch(() => {
      throw new Interrupted();
    });
  }
}

const longestOutageMs = 60_000;

type Outcome<T> = { readonly value: T } | { readonly error: unknown } | { readonly isLate: true };

// A slow answer neither prolongs the wait nor delays a user who leaves.
async function settleBefore<T>(
  endMs: number,
  reply: Promise<T>,
  signal: AbortSignal,
): Promise<Outcome<T>> {
  const settled = reply.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  let giveUp = () => {};
  const late = new Promise<Outcome<T>>((resolve) => {
    giveUp = () => resolve({ isLate: true });
  });
  const timer = setTimeout(
    giveUp,
    Math.min(Math.max(shortestPollMs, endMs - uptimeMs()), longestTimerMs),
  );
  signal.addEventListener('abort', giveUp);
  return Promise.race([settled, late]).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
  });
}

const shortestPollMs = 1000; // --max-wait 0 polls once

const isUnavailable = (error: unknown) =>
  error instanceof Unreachable ||
  error instanceof CutOff ||
  error instanceof UnexpectedReply || // from a proxy, meanwhile
  (error instanceof ServiceError && temporaryStatuses.includes(error.status) && !error.isLacking);

const temporaryStatuses = [408, 429, 500, 502, 503, 504];

const isNotFound = (error: unknown) =>
  error instanceof ServiceError && error.status === 404 && !error.isLacking;

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
