// Flags of commands that submit a task: wait for its end, or until its data is queryable.
import type { Context } from '../../../cli/command/command.ts';
import { uptimeMs } from '../../../client/uptime.ts';
import { oneOf, optional, seconds } from '../../../contract/schema.ts';
import { commandLine } from '../../../model/shell-text.ts';
import { type WaitForTask, waitForTask } from '../tasks/wait-for-task.ts';

export const waitOptions = {
  wait: optional(
    oneOf('ended', 'queryable'),
    'Wait for the task, or until its data is queryable; the exit code tells the result',
  ),
  maxWait: optional(seconds, 'With --wait: timeout in seconds'),
};

export const bareWait = { wait: 'ended' };

interface Wish {
  readonly wait?: 'ended' | 'queryable';
  readonly maxWait?: number;
}

/** Waits for a task that was just submitted as far as the flags say, and names the next command. */
export async function waitForData(
  context: Context,
  taskId: string,
  { wait, maxWait }: Wish,
  how: Pick<WaitForTask, 'isReported' | 'progress'> = {},
): Promise<void> {
  const { out } = context;
  if (!wait)
    return out.changed(
      taskId,
      `Task [${taskId}] is submitted.`,
      commandLine`svcctl tasks wait ${taskId}`,
    );
  const start = uptimeMs();
  const { dataSource } = await waitForTask(context, taskId, {
    ...how,
    maxWait,
    isKnown: true,
  });
  const left =
    maxWait === undefined ? undefined : Math.max(0, maxWait - (uptimeMs() - start) / 1000);
  if (wait === 'ended') return out.note(`next: ${commandLine`svcctl tasks report ${taskId}`}`);
  // Loaded only here, so that help and completion stay fast.
  const [{ waitUntilQueryable }, { quotedName }] = await Promise.all([
    import('./wait-until-queryable.ts'),
    import('../../../model/sql-text.ts'),
  ]);
  await waitUntilQueryable(context, dataSource, left);
  const query = `SELECT * FROM ${quotedName(dataSource)} LIMIT 5`;
  out.note(`next: ${commandLine`svcctl sql ${query}`}`);
}
