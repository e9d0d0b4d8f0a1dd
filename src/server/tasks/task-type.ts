// Interface of a task type, and its context while running.
import type { Interval } from '../../model/interval.ts';
import type { Transaction } from '../storage/metadata.ts';
import type { TaskLock, TaskLockType } from '../storage/task-locks.ts';
import type { TaskPayload } from '../storage/tasks.ts';
import type { Level } from './task-logs.ts';

export interface TaskType {
  readonly priority: number; // of its locks and in the queue, unless its context says otherwise
  /** How many slots it occupies, its subtasks included. */
  slots(payload: TaskPayload): number;
  /**
   * Checks a submitted task and completes it with defaults; throws a Refusal that says what is
   * wrong.
   */
  prepare(given: TaskPayload): PreparedTask;
  /** What must be locked before it may start. */
  locks(payload: TaskPayload): readonly LockSpec[];
  /**
   * Does the work; throws when it cannot. Returning is success, unless `succeed` was called before.
   */
  run(task: RunningTask): Promise<void>;
}

export interface PreparedTask {
  readonly dataSource: string;
  readonly payload: TaskPayload; // without id, groupId, resource and context, which every task has
}

export interface LockSpec {
  readonly interval: Interval;
  readonly type: TaskLockType;
}

export type Reports = Readonly<Record<string, unknown>>;

/** A task that runs, seen from inside. */
export interface RunningTask {
  readonly id: string;
  readonly groupId: string;
  readonly dataSource: string;
  readonly payload: TaskPayload;
  readonly startedMs: number;
  readonly signal: AbortSignal; // aborted when the task shall stop; the reason says why
  log(message: string, level?: Level): void;
  /** Waits for locks; throws when the task is stopped first. */
  lock(wishes: readonly LockSpec[]): Promise<TaskLock[]>;
  /** What the reports of the task say, asked for while it runs and once more at its end. */
  reportWith(reports: () => Reports): void;
  /**
   * Ends the task well, as part of the transaction that makes its work visible; `published` are the
   * ids of the segments it has made. Throws when the task was stopped or has lost a lock.
   */
  succeed(tx: Transaction, published?: readonly string[]): void;
  /**
   * Takes more slots, as many of the wanted as are free; returns how many. They are given back with
   * the others, at the end.
   */
  takeSlots(wanted: number): number;
  /** A subtask that runs in slots of this one, as a row and a log of its own. */
  startSubtask(id: string, type: string, payload: TaskPayload): Subtask;
}

export interface Subtask {
  readonly id: string;
  readonly startedMs: number;
  // Aborted when somebody stops the subtask alone; it has failed then, and the reason says why
  readonly signal: AbortSignal;
  log(message: string, level?: Level): void;
  succeed(): void;
  fail(message: string): void;
}
