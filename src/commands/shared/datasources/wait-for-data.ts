// Flags of commands that submit a task: wait for its end, or until its data is queryable.
import type { Context } from '../../../cli/command/command.ts';
import type { Leg } from '../../../cli/output/progress-meter.ts';
import { uptimeMs } from '../../../client/uptime.ts';
import { oneOf, optional, seconds } from '../../../contract/schema.ts';
import { commandLine } from '../../../model/shell-text.ts';
import { waitForTask } from '../tasks/wait-for-task.ts';

export const waitOptions = {
  wait: optional(
    oneOf('ended', 'queryable'),
    'Wait for the task, or until its data is queryable; the exit code tells the result',
  ),
  maxWait: optional(seconds, 'With --wait: timeout in seconds'),
};

export const bareWait = { wait: 'ended' };

export interface Wish {
  readonly wait?: 'ended' | 'queryable' | undefined;
  readonly maxWait?: number | undefined;
}

/** Waits for a task that was just submitted as far as the flags say, and names the next command. */
export async function waitForData(
  context: Context,
  taskId: string,
  { wait, maxWait }: Wish,
): Promise<void> {
  const { out } = context;
  if (!wait)
    return out.changed(
      taskId,
      `Task [${taskId}] is submitted.`,
      commandLine`svcctl tasks wait ${taskId}`,
    );
  const startMs = uptimeMs();
  const leg = legBeforeLoading(wait, startMs);
  const { dataSource } = await waitForTask(context, taskId, {
    maxWait,
    isKnown: true,
    progress: (label) => context.progress(label, { leg }),
  });
  const ended = { taskId, dataSource, startMs };
  await waitForLoading(context, ended, { wait, ...leftOf(maxWait, startMs) });
}

/** The progress of a wait from `startMs` whose data is then loaded; undefined for other waits. */
export const legBeforeLoading = (wait: Wish['wait'], startMs: number): Leg | undefined =>
  wait === 'queryable' ? { from: 0, to: shareBeforeLoading, sinceMs: startMs } : undefined;

const shareBeforeLoading = 0.9;

interface EndedTask {
  readonly taskId: string;
  readonly dataSource: string;
  readonly startMs: number; // of the wait
}

/** Waits for the data of a task that has ended as far as the flags say; names the next command. */
export async function waitForLoading(
  context: Context,
  { taskId, dataSource, startMs }: EndedTask,
  { wait, maxWait }: Wish,
): Promise<void> {
  const { out } = context;
  if (wait === 'ended') return out.note(`next: ${commandLine`svcctl tasks report ${taskId}`}`);
  // Loaded only here, so that help and completion stay fast.
  const [{ waitUntilQueryable }, { quotedName }] = await Promise.all([
    import('./wait-until-queryable.ts'),
    import('../../../model/sql-text.ts'),
  ]);
  const leg = { from: shareBeforeLoading, to: 1, sinceMs: startMs };
  const progress: Context['progress'] = (label) => context.progress(label, { leg });
  await waitUntilQueryable({ ...context, progress }, dataSource, maxWait);
  const query = `SELECT * FROM ${quotedName(dataSource)} LIMIT 5`;
  out.note(`next: ${commandLine`svcctl sql ${query}`}`);
}

/** The rest of the seconds to wait, for a wait that began at `startMs`. */
export const leftOf = (maxWait: number | undefined, startMs: number): Pick<Wish, 'maxWait'> =>
  maxWait === undefined ? {} : { maxWait: Math.max(0, maxWait - (uptimeMs() - startMs) / 1000) };
