// Lists of tasks by the rules of each list, and the API form of a task.
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
 * Complete tasks, newest first and read lazily, then active ones. `max` applies to complete tasks
 * only; in the real engine's dialect, the interval does, too. Without both, complete tasks are
 * those of the last 24 hours (druid.indexer.storage.recentlyFinishedThreshold). Refuses an invalid
 * interval or number before the first task is read.
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
    ...(interval && dialect.createdTimeInterval === 'contains' && conditionInside(interval)),
    ...(state && state !== 'complete' && { runnerStatus: [runnerStatusOf[state]] }),
  };
  const active = state === 'complete' ? [] : listTasks(tx, { ...ofActive, status: ['RUNNING'] });
  if (state && state !== 'complete') return active;
  if (max !== undefined && max < 0)
    throw new Refusal('runtimeFailure', `Parameter [max] must not be negative: [${max}]`);
  // 0 means no limit, as in the real engine
  const limit = max ? Math.min(max, Number.MAX_SAFE_INTEGER) : undefined;
  const complete = eachTask(tx, {
    ...filter,
    status: ['SUCCESS', 'FAILED'],
    ...conditionOnCreation(interval, limit, dialect, nowMs),
    ...(limit !== undefined && { max: limit }),
  });
  return both(complete, active);
}

// The active tasks are read first: a task that completes meanwhile occurs only once.
function* both(complete: Iterable<TaskRecord>, active: readonly TaskRecord[]) {
  const ids = new Set(active.map(({ id }) => id));
  for (const task of complete) if (!ids.has(task.id)) yield task;
  yield* active;
}

/** The API form of a task (TaskStatusPlus): unknown members are null. */
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

function conditionOnCreation(
  interval: Interval | undefined,
  max: number | undefined,
  dialect: Dialect,
  nowMs: number,
) {
  if (interval && dialect.createdTimeInterval === 'contains') return conditionInside(interval);
  // Real services use only its length
  if (interval) return { createdAfterMs: nowMs - (interval.end - interval.start) };
  return max === undefined ? { createdAfterMs: nowMs - recentMs } : {};
}

const conditionInside = ({ start, end }: Interval) => ({
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
