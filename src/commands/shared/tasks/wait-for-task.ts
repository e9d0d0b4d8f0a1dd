// Waiting for a task, with its progress on stderr.

import type { Context } from '../../../cli/command/command.ts';
import type { Turn } from '../../../cli/command/wait-for-each.ts';
import { formatDuration } from '../../../cli/lists/columns.ts';
import type { Progress } from '../../../cli/output/progress.ts';
import type { ProgressState } from '../../../cli/output/progress-state.ts';
import { CommandError } from '../../../cli/process/errors.ts';
import { ServiceError } from '../../../client/errors.ts';
import { type TaskReports, type TaskStatus, tasks } from '../../../contract/tasks.ts';
import { commandLine } from '../../../model/shell-text.ts';
import { firstCauseIn } from '../../../model/stack-trace.ts';
import { type Leaving, mayLeave } from '../waiting/leaving.ts';
import { poll } from '../waiting/poll.ts';
import { progressOfPhases } from './report-phases.ts';
import { progressOf, stagesIn } from './report-stages.ts';
import { type RowCounts, rowCountsIn, rowWarning } from './row-counts.ts';

export type Waiting = Leaving & Pick<Context, 'out' | 'progress'>;

/** The progress display of a task; it may show more of its reports than a line. */
export interface TaskProgress extends Omit<Progress, 'update'> {
  update(state: ProgressState, reports: TaskReports | undefined): void;
}

interface WaitForTask {
  readonly maxWait?: number | undefined; // seconds
  readonly turn?: Turn; // for one of several tasks
  readonly label?: string; // the label of its progress
  readonly progress?: (label: string) => TaskProgress;
  readonly isKnown?: boolean; // the service has just returned this id
  readonly isReported?: boolean; // the command prints its report, with the row counts
}

/**
 * The status of a successful task; throws when it failed (exit code 1) and after `maxWait` seconds
 * (7).
 */
export function waitForTask(
  context: Waiting,
  taskId: string,
  how: WaitForTask = {},
): Promise<TaskStatus> {
  const waited = {
    goesOn: `Task [${taskId}] continues`,
    comeBack: commandLine`svcctl tasks wait ${how.turn?.left ?? taskId}`,
    stop: {
      by: commandLine`svcctl tasks cancel ${taskId}`,
      cancel: (call: Context['call']) => call(tasks.shutdown, { params: { taskId } }),
    },
  };
  return mayLeave(context, waited, (signal) =>
    untilEnded({ ...context, signal }, taskId, { ...how, hint: waited.comeBack }),
  );
}

/** As `waitForTask`, but Ctrl-C is left to the caller. */
export async function untilEnded(
  context: Pick<Context, 'call' | 'out' | 'progress' | 'signal'>,
  taskId: string,
  {
    maxWait,
    turn,
    label = `Task [${taskId}]`,
    isKnown = false,
    isReported = false,
    progress = context.progress,
    hint,
  }: WaitForTask & { readonly hint?: string },
): Promise<TaskStatus> {
  const { call } = context;
  const line = progress(label);
  const look = async () => {
    const { status } = await call(tasks.status, { params: { taskId } });
    const hasReports = status.statusCode === 'RUNNING' && status.runnerStatusCode === 'RUNNING';
    return { status, reports: hasReports ? await findReports(context, taskId) : undefined };
  };
  const patience = {
    what: `Task [${taskId}] has not ended`,
    ...maxWaitOption(maxWait),
    ...(turn && { sinceMs: turn.sinceMs }),
    ...(hint !== undefined && { hint }),
    isKnown,
  };
  try {
    for await (const { status, reports } of poll(look, context, patience)) {
      if (status.statusCode === 'RUNNING') {
        line.update({ ...subjectOf(status), ...stateOf(status, reports) }, reports);
        continue;
      }
      if (status.statusCode === 'FAILED') throw failureOf(status);
      line.done(`Task [${taskId}] succeeded after ${formatDuration(status.duration)}`);
      if (!isReported) await warnOfRows(context, taskId);
      return status;
    }
    throw new Error('Polling a task ended without a result');
  } catch (error) {
    line.failed();
    throw error;
  }
}

// A task that has stored no row succeeds all the same.
async function warnOfRows(context: Pick<Context, 'call' | 'out'>, taskId: string): Promise<void> {
  const warning = rowWarning(`Task [${taskId}]`, await findRowCounts(context, taskId));
  if (warning !== undefined) context.out.warn(warning);
}

/** The row counts of a task; undefined when its report has none. */
export async function findRowCounts(
  context: Pick<Context, 'call'>,
  taskId: string,
): Promise<RowCounts | undefined> {
  const reports = await findReports(context, taskId);
  return reports && rowCountsIn(reports);
}

/** The error of a failed task, with its own message. */
export const failureOf = ({ id, errorMsg }: TaskStatus): CommandError =>
  new CommandError(
    'failed',
    `Task [${id}] failed${errorMsg ? `: ${firstCauseIn(errorMsg)}` : ''}`,
    commandLine`svcctl tasks log ${id} --tail 20`,
  );

/** The reports of a task; undefined while there are none. */
async function findReports(
  { call }: Pick<Context, 'call'>,
  taskId: string,
): Promise<TaskReports | undefined> {
  try {
    return await call(tasks.reports, { params: { taskId } });
  } catch (error) {
    if (error instanceof ServiceError && [404, 500, 501, 503].includes(error.status))
      return undefined; // not available yet, or never
    throw error;
  }
}

const maxWaitOption = (maxWait: number | undefined) => (maxWait === undefined ? {} : { maxWait });

function stateOf(
  { runnerStatusCode }: TaskStatus,
  reports: TaskReports | undefined,
): ProgressState {
  if (reports?.multiStageQuery) return progressOf(stagesIn(reports.multiStageQuery));
  if (reports?.ingestionStatsAndErrors) return progressOfPhases(reports.ingestionStatsAndErrors);
  return { stage: runnerWords[runnerStatusCode] ?? runnerStatusCode.toLowerCase() };
}

const runnerWords: Readonly<Record<string, string>> = {
  NONE: 'submitted',
  PENDING: 'waiting for a worker',
  WAITING: 'waiting for a lock or a slot',
};

// A query, and a task without data, have no datasource of their own.
const subjectOf = ({ dataSource }: TaskStatus) =>
  dataSource === 'none' || dataSource.startsWith('__')
    ? {}
    : { what: `Datasource [${dataSource}]` };
