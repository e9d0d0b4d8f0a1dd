import { type Context, command } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { middleManager } from '../../contract/middle-manager.ts';
import { flag, optional, required, seconds, text } from '../../contract/schema.ts';
import { commandLine } from '../../model/shell-text.ts';
import { poll } from '../shared/waiting/poll.ts';
import { tasksHere } from './host.ts';

export const cancel = command({
  summary: 'Cancel a task on the worker at --url',
  description:
    "Prefer svcctl tasks cancel: the Overlord marks the task as failed at once and stops its subtasks. A worker only asks the task's process to end. Since Druid 28 the process first waits up to five minutes for its current work. The state after a few seconds is reported.",
  examples: ['svcctl workers cancel ingest-1'],
  endpoints: [middleManager.shutdown, middleManager.tasks],
  arguments: { taskId: required(text, 'Task id') },
  completers: { taskId: tasksHere },
  options: {
    wait: optional(flag, 'Wait until the worker no longer runs it'),
    maxWait: optional(seconds, 'With --wait: timeout in seconds'),
  },
  needs: { maxWait: 'wait' },
  hints: {
    notFound:
      'set the address of the worker with --url, or use svcctl tasks cancel, which asks the Overlord',
  },
  writes: 'change',
  async run(context, { args: { taskId }, options: { wait, maxWait } }) {
    const { call, out, dryRun } = context;
    // A worker accepts any id.
    if (!dryRun && !(await idsAt(context)).includes(taskId))
      throw new CommandError(
        'notFound',
        `The worker does not run task [${taskId}]`,
        'svcctl workers tasks lists its running tasks',
      );
    await call(middleManager.shutdown, { params: { taskId } });
    if (dryRun) return;
    if (
      await hasLeft(context, taskId, wait ? { maxWait } : { maxWait: fewSeconds, isLenient: true })
    )
      return out.changed(
        taskId,
        `Task [${taskId}] has ended.`,
        commandLine`svcctl tasks status ${taskId}`,
      );
    out.changed(
      taskId,
      `Task [${taskId}] got the request to stop and still runs: stopping may take minutes.`,
      commandLine`svcctl tasks cancel ${taskId}`,
    );
  },
});

const fewSeconds = 3;

const idsAt = ({ call }: Context) => call(middleManager.tasks);

interface Patience {
  readonly maxWait: number | undefined;
  readonly isLenient?: boolean; // a task that still runs then is not a failure
}

async function hasLeft(
  context: Context,
  taskId: string,
  { maxWait, isLenient }: Patience,
): Promise<boolean> {
  const patience = {
    what: `Task [${taskId}] still runs on the worker`,
    ...(maxWait !== undefined && { maxWait }),
    hint: 'svcctl workers tasks',
  };
  try {
    for await (const ids of poll(() => idsAt(context), context, patience))
      if (!ids.includes(taskId)) return true;
  } catch (error) {
    if (!isLenient || !(error instanceof CommandError && error.outcome === 'waitedTooLong'))
      throw error;
  }
  return false;
}
