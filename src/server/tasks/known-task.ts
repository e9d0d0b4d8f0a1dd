// Task with a given state: stored as it is, without a run.
import type { TaskStatus } from '../../contract/tasks.ts';
import type { Storage } from '../storage/storage.ts';
import { insertTask, setTaskReports, type TaskPayload } from '../storage/tasks.ts';
import { TaskLogs } from './task-logs.ts';
import type { Reports } from './task-type.ts';

export interface KnownTask {
  readonly status: TaskStatus;
  readonly payload: TaskPayload;
  readonly log: readonly string[]; // lines
  readonly reports?: Reports;
}

/** Stores a task with its status, payload and log. */
export function keepTask(
  { metadata, folder }: Storage,
  { status, payload, log, reports }: KnownTask,
  now: () => number,
): void {
  const { id, groupId, type, dataSource, errorMsg, location } = status;
  const record = {
    id,
    groupId,
    type,
    dataSource,
    createdMs: Date.parse(status.createdTime),
    queuedMs: Date.parse(status.queueInsertionTime),
    priority: 0,
    status: status.statusCode,
    runnerStatus: status.runnerStatusCode,
    durationMs: status.duration,
    errorMsg: errorMsg ?? undefined,
    location,
  };
  metadata.transaction((tx) => {
    insertTask(tx, record, payload);
    if (reports) setTaskReports(tx, id, reports);
  });
  new TaskLogs(folder.taskLogs, now).keep(id, log);
}
