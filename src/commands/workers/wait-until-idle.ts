// Waiting until a disabled worker has finished its tasks.

import type { Context } from '../../cli/command/command.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { formatDuration } from '../../cli/lists/columns.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { tasks } from '../../contract/tasks.ts';
import { workers } from '../../contract/workers.ts';
import { commandLine } from '../../model/shell-text.ts';
import { mayLeave } from '../shared/waiting/leaving.ts';
import { poll } from '../shared/waiting/poll.ts';

/** Returns once none of the worker's tasks runs; throws after `maxWait` seconds (exit code 7). */
export function waitUntilIdle(
  context: Context,
  host: string,
  maxWait: number | undefined,
): Promise<void> {
  const waited = {
    goesOn: `Worker [${host}] accepts no more tasks`,
    comeBack: commandLine`svcctl workers drain ${host}`,
    stop: {
      by: commandLine`svcctl workers enable ${host}`,
      cancel: (call: Context['call']) => call(workers.enable, { params: { host } }),
      ended: `Worker [${host}] accepts tasks again`,
    },
  };
  return mayLeave(context, waited, (signal) =>
    untilIdle({ ...context, signal }, host, { hint: waited.comeBack, maxWait }),
  );
}

interface How {
  readonly hint: string;
  readonly maxWait: number | undefined;
}

async function untilIdle(context: Context, host: string, { hint, maxWait }: How): Promise<void> {
  const { call, progress } = context;
  const line = progress(`Worker [${host}]`);
  const look = async () => {
    const found = (await call(workers.list)).find(({ worker }) => worker.host === host);
    return {
      found,
      stage:
        found && found.runningTasks.length > 0 ? await stageOf(context, found.runningTasks) : '',
    };
  };
  const patience = {
    what: `Worker [${host}] still runs tasks`,
    hint,
    isKnown: true,
    ...(maxWait !== undefined && { maxWait }),
  };
  let all = 0;
  try {
    for await (const { found, stage } of poll(look, context, patience)) {
      if (!found)
        throw new CommandError(
          'failed',
          `Worker [${host}] does not exist any more`,
          'svcctl workers list',
        );
      const left = found.runningTasks;
      if (left.length === 0) return line.done(`Worker [${host}] does not run any task`);
      all = Math.max(all, left.length);
      line.update({ stage, fraction: (all - left.length) / all });
    }
  } catch (error) {
    line.failed();
    throw error;
  }
}

// A streaming task ends when its time is over, any other task when its work is done.
async function stageOf({ call }: Context, left: readonly string[]): Promise<string> {
  const [first = ''] = left;
  const found = await ifKnown(call(tasks.status, { params: { taskId: first } }));
  const more = left.length > 1 ? ` and ${left.length - 1} more` : '';
  if (!found) return `[${first}]${more} left`;
  const { type, createdTime } = found.status;
  if (type === 'index_kafka' || type === 'index_kinesis')
    return `[${first}]${more} left, which reads a stream until its taskDuration is over (svcctl supervisors hand-off ends it sooner)`;
  const hours = Math.floor((Date.now() - Date.parse(createdTime)) / 3_600_000);
  return `[${first}] of type [${type}]${more} left${hours > 0 ? `, for more than ${formatDuration(hours * 3_600_000)}` : ''}`;
}
