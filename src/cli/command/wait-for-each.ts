// Waiting for many concurrent operations: one timeout for all, and a failure does not end the wait
// for the others.
import { uptimeMs } from '../../client/uptime.ts';
import { type ItemResult, resultColumns } from '../lists/results.ts';
import { CommandError } from '../process/errors.ts';
import type { Context } from './command.ts';

/** The arguments of one wait. */
export interface Turn {
  readonly sinceMs: number; // start of the wait for all items
  // The names not yet waited for, including this one: a later command resumes with them
  readonly left: readonly string[];
}

/**
 * Waits for each item. A single item throws its own error; several throw CommandError when some
 * failed. Programs get a list of results.
 */
export async function waitForEach(
  { out }: Pick<Context, 'out'>,
  items: readonly string[],
  wait: (item: string, turn: Turn) => Promise<unknown>,
): Promise<void> {
  const results: ItemResult[] = [];
  const sinceMs = uptimeMs();
  let last: CommandError | undefined;
  for (const [at, item] of items.entries()) {
    try {
      await wait(item, { sinceMs, left: items.slice(at) });
      results.push({ item, result: 'done' });
    } catch (error) {
      const outcome = error instanceof CommandError ? error.outcome : undefined;
      if (!(error instanceof CommandError) || (outcome !== 'failed' && outcome !== 'waitedTooLong'))
        throw error;
      last = error;
      results.push({
        item,
        result: outcome === 'failed' ? 'failed' : 'pending',
        error: error.message,
      });
      if (items.length > 1) out.warn(error.message);
    }
  }
  if (out.isForPrograms) await out.rows(results, resultColumns);
  if (!last) return;
  if (items.length === 1) throw last;
  const pending = results.filter(({ result }) => result === 'pending').length;
  const failed = results.filter(({ result }) => result === 'failed').length;
  if (failed > 0)
    throw new CommandError(
      'failed',
      `${failed} of ${items.length} failed${pending > 0 ? `, ${pending} have not ended` : ''}`,
    );
  throw new CommandError(
    'waitedTooLong',
    `${pending} of ${items.length} have not ended`,
    last.hint,
  );
}
