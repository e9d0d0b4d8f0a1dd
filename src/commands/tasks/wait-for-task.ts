// Waiting for a task, with its progress on stderr.

import type { Context } from '../../cli/command.ts';
import { CommandError } from '../../cli/errors.ts';
import { shownDuration } from '../../cli/lists/columns.ts';
import type { State } from '../../cli/output/progress.ts';
import { ServiceError } from '../../client/errors.ts';
import { type TaskReports, type TaskStatus, tasks } from '../../contract/tasks.ts';
import { type Leaving, mayLeave } from './leaving.ts';
import { looks } from './poll.ts';
import { progressOfPhases } from './report-phases.ts';
import { progressOf, stagesIn } from './report-stages.ts';

export type Waiting = Leaving & Pick<Context, 'out' | 'progress'>;

interface How {
  readonly maxWait?: number | undefined; // seconds
  readonly label?: string; // what its progress is called
}

/** The status of a task that has succeeded; throws when it failed (exit code 1) and when `maxWait` seconds are over (7). */
export function waitForTask(context: Waiting, taskId: string, how: How = {}): Promise<TaskStatus> {
  const waited = {
    what: `Task [${taskId}]`,
    comeBack: `svcctl tasks wait ${taskId}`,
    stop: `svcctl tasks cancel ${taskId}`,
    cancel: (call: Context['call']) => call(tasks.shutdown, { params: { taskId } }),
  };
  return mayLeave(context, waited, (signal) => untilEnded({ ...context, signal }, taskId, { ...how, hint: waited.comeBack }));
}

async function untilEnded(
  context: Waiting,
  taskId: string,
  { maxWait, label = `Task [${taskId}]`, hint }: How & { readonly hint: string },
): Promise<TaskStatus> {
  const { call, progress } = context;
  const line = progress(label);
  const look = async () => (await call(tasks.status, { params: { taskId } })).status;
  try {
    for await (const status of looks(look, context, { what: `Task [${taskId}] has not ended`, ...given(maxWait), hint })) {
      if (status.statusCode === 'RUNNING') {
        line.update(await stateOf(context, status));
        continue;
      }
      if (status.statusCode === 'FAILED') throw failureOf(status);
      line.done(`Task [${taskId}] succeeded after ${shownDuration(status.duration)}`);
      return status;
    }
    throw new Error('The looks at a task have no end of their own');
  } catch (error) {
    line.failed();
    throw error;
  }
}

/** What went wrong, in the task's own words. */
export const failureOf = ({ id, errorMsg }: TaskStatus): CommandError =>
  new CommandError('failed', `Task [${id}] failed${errorMsg ? `: ${errorMsg}` : ''}`, `svcctl tasks log ${id} --tail 20`);

/** The reports of a task; undefined while there are none. */
async function findReports({ call }: Pick<Context, 'call'>, taskId: string): Promise<TaskReports | undefined> {
  try {
    return await call(tasks.reports, { params: { taskId } });
  } catch (error) {
    if (error instanceof ServiceError && [404, 500, 501, 503].includes(error.status)) return undefined; // each means: not yet, or never
    throw error;
  }
}

const given = (maxWait: number | undefined) => (maxWait === undefined ? {} : { maxWait });

async function stateOf(context: Waiting, { id, runnerStatusCode }: TaskStatus): Promise<State> {
  if (runnerStatusCode !== 'RUNNING') return { stage: runnerStatusCode.toLowerCase() };
  const reports = await findReports(context, id);
  if (reports?.multiStageQuery) return progressOf(stagesIn(reports.multiStageQuery));
  if (reports?.ingestionStatsAndErrors) return progressOfPhases(reports.ingestionStatsAndErrors);
  return { stage: 'running' };
}
