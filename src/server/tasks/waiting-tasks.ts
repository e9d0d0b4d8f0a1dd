// Tasks that are taken in and do not run yet: what each must lock before it may, and why it waits.
import { formatInterval } from '../../model/interval.ts';
import type { TaskLock } from '../storage/task-locks.ts';
import type { TaskPayload, TaskRecord } from '../storage/tasks.ts';
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
   * What a task must lock. It does not change while it waits, and with many that wait it is asked
   * often. Throws a Refusal for a payload that cannot be read.
   */
  requestsOf(task: TaskRecord, payload: () => TaskPayload): readonly LockRequest[] {
    const known = this.#requests.get(task.id);
    if (known) return known;
    const requests = requestsOf(task, this.#parts.types.get(task.type)?.locks(payload()) ?? []);
    this.#requests.set(task.id, requests);
    return requests;
  }

  /** Why a task does not run yet stands in its log, once. */
  explain(task: TaskRecord, reason: string): void {
    if (this.#explained.get(task.id) === reason) return;
    this.#explained.set(task.id, reason);
    const log = this.#parts.logs.open(task.id);
    log.write('INFO', reason);
    log.close();
  }

  /** It runs, or is over. */
  forget(taskId: string): void {
    this.#requests.delete(taskId);
    this.#explained.delete(taskId);
  }
}

/** What the wishes of a task are to the lockbox. */
export const requestsOf = (task: TaskRecord, wishes: readonly LockSpec[]): readonly LockRequest[] =>
  wishes.map((wish) => ({
    ...wish,
    taskId: task.id,
    groupId: task.groupId,
    dataSource: task.dataSource,
    priority: task.priority,
  }));

/** The sentence about a lock that is in a task's way. */
export const lockedBy = ({ taskId, interval, priority }: TaskLock, task: TaskRecord): string =>
  `Waiting: task [${taskId}] with priority [${priority}] has locked [${formatInterval(interval)}]; this task has priority [${task.priority}]`;
