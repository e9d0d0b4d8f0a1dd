// Looking again and again at what takes its time: soon at first, then every second. A service that is away for a while is waited for.
import type { Context } from '../../cli/command.ts';
import { CommandError } from '../../cli/errors.ts';
import { CutOff, Interrupted, ServiceError, Unreachable } from '../../client/errors.ts';
import { uptimeMs } from '../../client/uptime.ts';

export interface Patience {
  readonly what: string; // a sentence: 'Task [ingest-1] has not ended'
  readonly maxWait?: number; // seconds
  readonly hint?: string;
}

/** What each look sees, until nobody asks for more; throws when the time is over (exit code 7). */
export async function* looks<T>(
  look: () => Promise<T>,
  { signal, out }: Pick<Context, 'out' | 'signal'>,
  { what, maxWait, hint }: Patience,
): AsyncGenerator<T> {
  const { setTimeout: sleep } = process.getBuiltinModule('node:timers/promises'); // a list of tasks loads this file and waits for nothing
  const endMs = maxWait === undefined ? Number.POSITIVE_INFINITY : uptimeMs() + maxWait * 1000;
  let awaySinceMs: number | undefined;
  let wasThere = false;
  for (let delayMs = 100; ; delayMs = Math.min(delayMs * 1.5, 1000)) {
    const seen = await look().then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    if ('value' in seen) {
      awaySinceMs = undefined;
      wasThere = true;
      yield seen.value;
    } else {
      if (!wasThere || !isAway(seen.error)) throw seen.error;
      if (awaySinceMs === undefined) out.note('The service does not answer; trying again for a minute');
      awaySinceMs ??= uptimeMs();
      if (uptimeMs() - awaySinceMs > longestAbsenceMs) throw seen.error;
    }
    if (uptimeMs() >= endMs) throw new CommandError('waitedTooLong', `${what} after ${maxWait}s`, hint);
    await sleep(Math.min(delayMs, endMs - uptimeMs()), undefined, { signal }).catch(() => {
      throw new Interrupted();
    });
  }
}

const longestAbsenceMs = 60_000;

const isAway = (error: unknown) =>
  error instanceof Unreachable || error instanceof CutOff || (error instanceof ServiceError && [502, 503, 504].includes(error.status));
