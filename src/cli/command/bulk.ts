// Bulk changes: the same action on many items, one after the other. A failure does not stop the
// others, and every item gets a result.

import { setTimeout as sleep } from 'node:timers/promises';
import { Interrupted, ServiceError } from '../../client/errors.ts';
import { longestTimerMs } from '../../model/longest-timer.ts';

import { type ItemResult, resultColumns } from '../lists/results.ts';
import type { Output } from '../output/output.ts';
import { CommandError, UsageError } from '../process/errors.ts';
import type { Outcome } from '../process/exit-codes.ts';
import { outcomeOf } from '../process/outcome.ts';
import { isMade } from './already.ts';
import type { Context } from './command.ts';

interface Bulk {
  readonly act: (item: string) => Promise<unknown>;
  readonly done: (item: string) => readonly [sentence: string, next?: string];
  // The sentence for an item already in the desired state. Without it, such a refusal is a failure
  readonly already?: (item: string) => string;
  // Tests for the desired state before the action, for services that do not report it
  readonly isSo?: (item: string) => Promise<boolean>;
  readonly again: (items: readonly string[]) => string; // the command to retry the rest
  readonly rate?: number | undefined; // maximum actions per second
}

/**
 * Applies the action to each item. A single item prints a sentence and throws its own error.
 * Several items print a table, and CommandError is thrown when some failed.
 */
export async function doEach(
  { out, dryRun, signal }: Pick<Context, 'out' | 'dryRun' | 'signal'>,
  items: readonly string[],
  bulk: Bulk,
): Promise<void> {
  const { done, again, rate } = bulk;
  if (rate !== undefined && !(rate > 0))
    throw new UsageError(
      `Invalid value for --rate: [${rate}] must be greater than 0`,
      'an example: --rate 10',
    );
  const [only, second] = items;
  if (only !== undefined && second === undefined) {
    const unchanged = await findUnchanged(only, bulk);
    if (unchanged !== undefined) out.note(unchanged);
    else if (!dryRun) out.changed(only, ...done(only));
    return;
  }
  const results: ItemResult[] = [];
  const outcomes = new Set<Outcome>();
  for (const [at, item] of items.entries()) {
    if (rate !== undefined && at > 0 && !dryRun)
      await sleep(Math.min(1000 / rate, longestTimerMs), undefined, { signal }).catch(() => {});
    if (signal.aborted) results.push({ item, result: 'not tried' });
    else results.push(await resultOf(item, bulk, outcomes));
  }
  await print(out, results);
  const left = results
    .filter(({ result }) => result !== 'done' && result !== 'unchanged')
    .map(({ item }) => item);
  if (dryRun || left.length === 0) return;
  const hint = left.length <= 20 ? again(left) : 'run the same command again to continue';
  if (signal.aborted) out.note(`${left.length} of ${items.length} are left: ${hint}`);
  if (signal.aborted) throw new Interrupted();
  const [common = 'failed'] = outcomes;
  const isCommon = outcomes.size === 1 && left.length === items.length;
  // A retry does not help for missing items.
  throw new CommandError(
    isCommon ? common : 'failed',
    `${left.length} of ${items.length} failed`,
    isCommon && common === 'notFound' ? undefined : hint,
  );
}

interface AtOnce {
  readonly act: () => Promise<unknown>; // one request for all
  readonly left: () => Promise<ReadonlyMap<string, string>>; // unprocessed items, with reasons
  readonly done: (count: number) => readonly [sentence: string, next?: string];
  readonly again: string; // the command to retry the rest
}

/**
 * Applies the action to all items in one request and then reads which items changed, because a
 * service may stop in between. Reports like `doEach`.
 */
export async function doAtOnce(
  { out, dryRun }: Pick<Context, 'out' | 'dryRun'>,
  items: readonly string[],
  { act, left, done, again }: AtOnce,
): Promise<void> {
  const failure = await act().then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof ServiceError && error.status >= 500) return error;
      throw error;
    },
  );
  if (dryRun) return;
  const whyNot = await left();
  const results = items.map((item): ItemResult => {
    const error = whyNot.get(item);
    return error === undefined
      ? { item, result: 'done' }
      : { item, result: 'failed', error: failure?.message ?? error };
  });
  const failed = results.filter(({ result }) => result === 'failed').length;
  if (failure && (failed === 0 || failed === items.length)) throw failure;
  if (items.length > 1) await print(out, results);
  if (failed > 0) throw new CommandError('failed', `${failed} of ${items.length} failed`, again);
  out.changed(items, ...done(items.length));
}

// With `-o name`, stdout lists only changed items: the next command in the pipe processes them.
const print = (out: Pick<Output, 'format' | 'rows'>, results: readonly ItemResult[]) =>
  out.rows(
    out.format === 'name' ? results.filter(({ result }) => result === 'done') : results,
    resultColumns,
  );

// The sentence for an item already in the desired state; undefined when it was changed.
async function findUnchanged(
  item: string,
  { act, already, isSo }: Bulk,
): Promise<string | undefined> {
  if (already && isSo && (await isSo(item))) return already(item);
  if (already) return (await isMade(act(item))) ? undefined : already(item);
  await act(item);
  return;
}

async function resultOf(item: string, bulk: Bulk, outcomes: Set<Outcome>): Promise<ItemResult> {
  try {
    const unchanged = await findUnchanged(item, bulk);
    return unchanged === undefined
      ? { item, result: 'done', message: bulk.done(item)[0] }
      : { item, result: 'unchanged', message: unchanged };
  } catch (error) {
    if (error instanceof Interrupted) return { item, result: 'not tried' };
    if (error instanceof ServiceError) outcomes.add(outcomeOf(error));
    if (error instanceof ServiceError) return { item, result: 'failed', error: error.message };
    throw error;
  }
}
