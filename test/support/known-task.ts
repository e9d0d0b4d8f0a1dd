// Task with a given state: stored as it is, without a run.
import type { TaskStatus } from '../../src/contract/tasks.ts';
import type { Storage } from '../../src/server/storage/storage.ts';
import { insertTask, type StoredPayload, setTaskReports } from '../../src/server/storage/tasks.ts';
import { TaskLogs } from '../../src/server/tasks/task-logs.ts';
import type { Reports } from '../../src/server/tasks/task-type.ts';

export interface KnownTask {
  readonly status: TaskStatus;
  readonly payload: StoredPayload;
  readonly log: readonly string[]; // lines
  readonly reports?: Reports;
}

/** Stores a task with its status, payload and log. */
export function storeTask(
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
