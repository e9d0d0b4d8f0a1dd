// Lists of tasks, with the rules of each list, and a task as the API shows it.
import type { TaskStatus } from '../../contract/tasks.ts';
import type { Dialect } from '../../model/dialect.ts';
import { formatInstant, InvalidTime } from '../../model/instant.ts';
import { type Interval, parsePathInterval } from '../../model/interval.ts';
import { Refusal } from '../checks/refusals.ts';
import type { Transaction } from '../storage/metadata.ts';
import { eachTask, listTasks, type TaskRecord } from '../storage/tasks.ts';

export interface TaskListQuery {
  readonly state?: 'running' | 'complete' | 'waiting' | 'pending';
  readonly datasource?: string;
  readonly createdTimeInterval?: string;
  readonly max?: number;
  readonly type?: string;
}

/**
 * Complete tasks, newest first and read while they are taken, then active ones. `max` concerns
 * complete tasks only, in the dialect of the real engine the interval, too; without both, complete
 * tasks are those of the last 24 hours (druid.indexer.storage.recentlyFinishedThreshold). Refuses
 * what is not an interval or no number of tasks before the first is taken.
 */
export function tasksFor(
  tx: Transaction,
  { state, datasource, createdTimeInterval, max, type }: TaskListQuery,
  dialect: Dialect,
  nowMs: number,
): Iterable<TaskRecord> {
  const filter = {
    ...(datasource !== undefined && { dataSource: datasource }),
    ...(type !== undefined && { type }),
  };
  const isFiltered = dialect.createdTimeInterval === 'contains' || !state || state === 'complete';
  const interval =
    createdTimeInterval === undefined || !isFiltered ? undefined : intervalIn(createdTimeInterval);
  const ofActive = {
    ...filter,
    ...(interval && dialect.createdTimeInterval === 'contains' && createdInside(interval)),
    ...(state && state !== 'complete' && { runnerStatus: [runnerStatusOf[state]] }),
  };
  const active = state === 'complete' ? [] : listTasks(tx, { ...ofActive, status: ['RUNNING'] });
  if (state && state !== 'complete') return active;
  if (max !== undefined && max < 0)
    throw new Refusal('runtimeFailure', `Parameter [max] must not be negative: [${max}]`);
  // 0 is not a limit, in the real engine too
  const limit = max ? Math.min(max, Number.MAX_SAFE_INTEGER) : undefined;
  const complete = eachTask(tx, {
    ...filter,
    status: ['SUCCESS', 'FAILED'],
    ...createdIn(interval, limit, dialect, nowMs),
    ...(limit !== undefined && { max: limit }),
  });
  return both(complete, active);
}

// Which are active is known before the first is taken: one that completes meanwhile is still one
// task.
function* both(complete: Iterable<TaskRecord>, active: readonly TaskRecord[]) {
  const ids = new Set(active.map(({ id }) => id));
  for (const task of complete) if (!ids.has(task.id)) yield task;
  yield* active;
}

/** A task as the API shows it (TaskStatusPlus): members that are not known are null. */
export const taskStatusOf = (task: TaskRecord): TaskStatus => ({
  id: task.id,
  groupId: task.groupId,
  type: task.type,
  createdTime: formatInstant(task.createdMs),
  queueInsertionTime: formatInstant(task.queuedMs),
  statusCode: task.status,
  status: task.status,
  runnerStatusCode: task.runnerStatus,
  duration: task.durationMs,
  location: { ...(task.location ?? nowhere) },
  dataSource: task.dataSource,
  errorMsg: task.errorMsg ?? null,
});

export const nowhere = { host: null, port: -1, tlsPort: -1 };

const runnerStatusOf = { running: 'RUNNING', waiting: 'WAITING', pending: 'PENDING' } as const;
const recentMs = 24 * 60 * 60 * 1000;

function createdIn(
  interval: Interval | undefined,
  max: number | undefined,
  dialect: Dialect,
  nowMs: number,
) {
  if (interval && dialect.createdTimeInterval === 'contains') return createdInside(interval);
  // Real services look at its length only
  if (interval) return { createdAfterMs: nowMs - (interval.end - interval.start) };
  return max === undefined ? { createdAfterMs: nowMs - recentMs } : {};
}

const createdInside = ({ start, end }: Interval) => ({
  createdAfterMs: start,
  createdBeforeMs: end,
});

function intervalIn(text: string): Interval {
  try {
    return parsePathInterval(text);
  } catch (error) {
    if (error instanceof InvalidTime)
      throw new Refusal(
        'runtimeFailure',
        `Parameter [createdTimeInterval] is not an interval: ${error.message}`,
      );
    throw error;
  }
}
