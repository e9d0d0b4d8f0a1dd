// Accepted tasks that do not run yet: the locks each one needs before it starts, and the reason why
// it waits.
import { formatInterval } from '../../model/interval.ts';
import type { TaskLock } from '../storage/task-locks.ts';
import type { StoredPayload, TaskRecord } from '../storage/tasks.ts';
import type { LockRequest } from './lockbox.ts';
import type { TaskLogs } from './task-logs.ts';
import type { LockSpec, TaskType } from './task-type.ts';

interface WaitingParts {
  readonly types: ReadonlyMap<string, TaskType>;
  readonly logs: TaskLogs;
}

export class WaitingTasks {
  readonly #parts: WaitingParts;
  readonly #requests = new Map<string, readonly LockRequest[]>(); // by task id
  readonly #explained = new Map<string, string>(); // why, by task id

  constructor(parts: WaitingParts) {
    this.#parts = parts;
  }

  /**
   * The locks that a task needs. They do not change while it waits, and many waiting tasks are
   * checked often, so they are cached. Throws a Refusal for an invalid payload.
   */
  requestsOf(task: TaskRecord, payload: () => StoredPayload): readonly LockRequest[] {
    const known = this.#requests.get(task.id);
    if (known) return known;
    const requests = requestsOf(task, this.#parts.types.get(task.type)?.locks(payload()) ?? []);
    this.#requests.set(task.id, requests);
    return requests;
  }

  /** Logs the reason why a task does not run yet, once. */
  explain(task: TaskRecord, reason: string): void {
    if (this.#explained.get(task.id) === reason) return;
    this.#explained.set(task.id, reason);
    const log = this.#parts.logs.open(task.id);
    log.write('INFO', reason);
    log.close();
  }

  /** Forgets a task that runs or has ended. */
  forget(taskId: string): void {
    this.#requests.delete(taskId);
    this.#explained.delete(taskId);
  }
}

/** Lock specifications of a task as requests to the lockbox. */
export const requestsOf = (task: TaskRecord, wishes: readonly LockSpec[]): readonly LockRequest[] =>
  wishes.map((wish) => ({
    ...wish,
    taskId: task.id,
    groupId: task.groupId,
    dataSource: task.dataSource,
    priority: task.priority,
  }));

/** Sentence about a lock that blocks a task. */
export const describeLock = ({ taskId, interval, priority }: TaskLock, task: TaskRecord): string =>
  `Waiting: task [${taskId}] with priority [${priority}] has locked [${formatInterval(interval)}]; this task has priority [${task.priority}]`;
