// Interface of a task type, and its context while running.
import type { Interval } from '../../model/interval.ts';
import type { Transaction } from '../storage/metadata.ts';
import type { TaskLock, TaskLockType } from '../storage/task-locks.ts';
import type { StoredPayload } from '../storage/tasks.ts';
import type { Level } from './task-logs.ts';

export interface TaskType {
  readonly priority: number; // of its locks and in the queue; the context can override it
  /** How many slots it occupies, its subtasks included. */
  slots(payload: StoredPayload): number;
  /** Checks a submitted task and fills in defaults; throws a Refusal that names the fault. */
  prepare(given: StoredPayload): PreparedTask;
  /** The locks that the task needs before it starts. */
  locks(payload: StoredPayload): readonly LockSpec[];
  /**
   * Does the work; throws on failure. Returning means success, unless `succeed` was called before.
   */
  run(task: RunningTask): Promise<void>;
}

export interface PreparedTask {
  readonly dataSource: string;
  /** Without id, groupId, resource and context, which every task has. */
  readonly payload: StoredPayload;
}

export interface LockSpec {
  readonly interval: Interval;
  readonly type: TaskLockType;
}

export type Reports = Readonly<Record<string, unknown>>;

/** Interface of a running task to its type. */
export interface RunningTask {
  readonly id: string;
  readonly groupId: string;
  readonly dataSource: string;
  readonly payload: StoredPayload;
  readonly startedMs: number;
  readonly signal: AbortSignal; // aborted to stop the task; the reason states why
  log(message: string, level?: Level): void;
  /** Waits for locks; throws when the task is stopped first. */
  lock(wishes: readonly LockSpec[]): Promise<TaskLock[]>;
  /**
   * Sets the source of the task's reports; it is called during the run and once more at the end.
   */
  reportWith(reports: () => Reports): void;
  /**
   * Ends the task successfully, as part of the transaction that makes its work visible; `published`
   * are the ids of its segments. Throws when the task was stopped or has lost a lock.
   */
  succeed(tx: Transaction, published?: readonly string[]): void;
  /**
   * Takes up to `wanted` more slots, as far as they are free; returns how many. The end of the task
   * releases them with the others.
   */
  takeSlots(wanted: number): number;
  /** A subtask that runs in slots of this one, as a row and a log of its own. */
  startSubtask(id: string, type: string, payload: StoredPayload): Subtask;
}

export interface Subtask {
  readonly id: string;
  readonly startedMs: number;
  // Aborted when the subtask alone is stopped: it has failed then, for the signal's reason
  readonly signal: AbortSignal;
  log(message: string, level?: Level): void;
  succeed(): void;
  fail(message: string): void;
}
