// Status of supervisors in lists, reports and statistics.
import type { SupervisorStatus } from '../../../contract/supervisors.ts';
import { formatInstant } from '../../../model/instant.ts';
import { formatJson } from '../../../model/json.ts';
import type { ListedSupervisor } from '../../cluster/listed.ts';
import { maskDocument } from '../../handlers/masks.ts';
import { offsetMap } from '../stream/committed-offsets.ts';
import type { RunningStreamTasks } from '../stream/stream.ts';
import { totalOf } from './lag.ts';
import type { StreamSupervisorSpec } from './spec.ts';
import type { ExceptionEvent } from './state-machine.ts';
import type { SupervisedTask } from './supervised-tasks.ts';
import type { RunningSupervisor } from './supervisor.ts';
import type { KnownSupervisor } from './supervisors.ts';

/** A supervisor in a list, without its specification. One without work is always running. */
export const summaryOf = (known: KnownSupervisor) => {
  const { id, ...state } = stateOf(known);
  return { id, dataSource: known.spec.dataSource, ...state };
};

/** The state of a supervisor. */
export function stateOf({ spec, running }: KnownSupervisor) {
  const rests = (spec.type === 'autocompact' || spec.type === 'scheduled_batch') && spec.suspended;
  const idle =
    spec.type === 'unreadable' ? 'UNHEALTHY_SUPERVISOR' : rests ? 'SUSPENDED' : 'RUNNING';
  return {
    id: spec.id,
    state: running?.states.state ?? idle,
    detailedState: running?.states.detailedState ?? idle,
    healthy: running?.states.isHealthy ?? spec.type !== 'unreadable',
    suspended: spec.suspended,
  };
}

/** Fields of the system table besides the summary. */
export const systemFieldsOf = ({ spec }: KnownSupervisor) => ({
  type: spec.type === 'unreadable' ? String(spec.stored.type) : spec.type,
  source: sourceOf(spec),
  specString: formatJson(spec.stored),
});

function sourceOf(spec: KnownSupervisor['spec']): string {
  if (spec.type === 'kafka') return spec.io.address.topic;
  return spec.type === 'autocompact' || spec.type === 'scheduled_batch' ? '' : spec.type;
}

/** A supervisor as a row of sys.supervisors. */
export function listedSupervisor(known: KnownSupervisor): ListedSupervisor {
  const { type, source } = systemFieldsOf(known);
  return { ...summaryOf(known), type, source, spec: maskDocument(known.spec.stored) };
}

/** The status of a supervisor; its keys in the order of the real engine. */
export function statusOf(supervisor: RunningSupervisor, now: number): SupervisorStatus {
  const { spec, states, lag, partitions, tasks } = supervisor;
  const behind = lag.behind(supervisor.offsets());
  const statusOfTask = (task: SupervisedTask) =>
    taskOf(task, supervisor.offsetsOf(task), lag, spec, now);
  return {
    id: spec.id,
    generationTime: formatInstant(now),
    payload: {
      id: spec.id,
      dataSource: spec.dataSource,
      stream: spec.io.address.topic,
      partitions: partitions.length,
      replicas: spec.io.replicas,
      durationSeconds: Math.trunc(spec.io.taskDurationMs / 1000),
      latestOffsets: offsetMap(lag.latest),
      minimumLag: offsetMap(behind),
      aggregateLag: totalOf(behind),
      ...(lag.updatedMs !== undefined && { offsetsLastUpdated: formatInstant(lag.updatedMs) }),
      suspended: spec.suspended,
      healthy: states.isHealthy,
      recentErrors: states.errors.map(errorOf),
      activeTasks: tasks
        .filter(({ publishingSinceMs }) => publishingSinceMs === undefined)
        .map(statusOfTask),
      publishingTasks: tasks
        .filter(({ publishingSinceMs }) => publishingSinceMs !== undefined)
        .map(statusOfTask),
      state: states.state,
      detailedState: states.detailedState,
    },
  };
}

/**
 * The status of a supervisor with an unreadable stored specification; it contains the reason. `now`
 * in milliseconds.
 */
export const statusOfUnreadable = (
  known: KnownSupervisor,
  fault: string,
  now: number,
): SupervisorStatus => {
  const error = {
    timeMs: now,
    exceptionClass: 'org.apache.druid.error.DruidException',
    message: fault,
    isStream: false,
  };
  return {
    id: known.spec.id,
    generationTime: formatInstant(now),
    payload: {
      ...summaryOf(known),
      activeTasks: [],
      publishingTasks: [],
      recentErrors: [errorOf({ ...error, stackTrace: undefined })],
    },
  };
};

function taskOf(
  { id, start, startedMs, publishingSinceMs }: SupervisedTask,
  current: ReturnType<RunningSupervisor['offsetsOf']>,
  lag: RunningSupervisor['lag'],
  spec: StreamSupervisorSpec,
  now: number,
) {
  const totalMs =
    publishingSinceMs === undefined ? spec.io.taskDurationMs : spec.io.completionTimeoutMs;
  const sinceMs = publishingSinceMs ?? startedMs;
  const isActive = publishingSinceMs === undefined;
  return {
    id,
    startingOffsets: offsetMap(start),
    ...(startedMs !== undefined && { startTime: formatInstant(startedMs) }),
    ...(sinceMs !== undefined && {
      remainingSeconds: Math.max(0, Math.trunc((sinceMs + totalMs - now) / 1000)),
    }),
    type: isActive ? 'ACTIVE' : 'PUBLISHING',
    currentOffsets: offsetMap(current),
    ...(isActive && { lag: offsetMap(lag.behind(current)) }),
  };
}

const errorOf = ({ timeMs, exceptionClass, message, isStream, stackTrace }: ExceptionEvent) => ({
  timestamp: formatInstant(timeMs),
  exceptionClass,
  message,
  streamException: isStream,
  ...(stackTrace !== undefined && { stackTrace }),
});

/** Rows read, by task group and task. */
export function statsOf(
  { tasks }: RunningSupervisor,
  running: RunningStreamTasks,
  now: number,
): Record<string, Record<string, Record<string, unknown>>> {
  const groups: Record<string, Record<string, Record<string, unknown>>> = {};
  for (const { id, group: taskGroup, rates } of tasks) {
    const task = running.get(id);
    if (!task) continue;
    const counts = task.rowStats();
    rates.note(now, counts);
    const group = groups[taskGroup.groupId] ?? {};
    groups[taskGroup.groupId] = group;
    group[id] = {
      movingAverages: { buildSegments: rates.averages() },
      totals: { buildSegments: counts },
      autoscalerMetrics: { pollIdleRatio: task.pollIdleRatio() },
    };
  }
  return groups;
}
