// The life of a task: WAITING for locks, PENDING for a slot, RUNNING, and then SUCCESS or FAILED
// for good.

import type { Transaction } from '../storage/metadata.ts';
import { findTask, type TaskLocation, type TaskRecord, updateTask } from '../storage/tasks.ts';

/** The locks a task needs before it starts are its own. */
export const taskIsReady = (tx: Transaction, id: string): boolean =>
  move(tx, id, ['WAITING'], { runnerStatus: 'PENDING' });

/** A slot is free, and the task has it. */
export const taskStarts = (tx: Transaction, id: string, location: TaskLocation): boolean =>
  move(tx, id, ['PENDING'], { runnerStatus: 'RUNNING', location });

/**
 * A running task waits for locks of chunks that it learned of while it ran. It keeps its location:
 * that tells it from one that has not started.
 */
export const taskWaitsForLocks = (tx: Transaction, id: string): boolean =>
  move(tx, id, ['RUNNING'], { runnerStatus: 'WAITING' });

/** The locks are there, and the task goes on. */
export const taskGoesOn = (tx: Transaction, id: string): boolean =>
  move(tx, id, ['WAITING'], { runnerStatus: 'RUNNING' });

/** Whether a task runs or has run in this process: a started task can wait for more locks. */
export const hasStarted = ({ location }: Pick<TaskRecord, 'location'>): boolean =>
  location !== undefined;

/** It did what it was asked to do. Takes part in the transaction that makes its work visible. */
export const taskSucceeds = (tx: Transaction, id: string, durationMs: number): boolean =>
  move(tx, id, ['RUNNING'], {
    status: 'SUCCESS',
    runnerStatus: 'NONE',
    durationMs: lasted(durationMs),
    errorMsg: undefined,
  });

/** It could not, or was not let. A task fails from any state in which it is not over. */
export const taskFails = (
  tx: Transaction,
  id: string,
  durationMs: number,
  errorMsg: string,
): boolean =>
  move(tx, id, ['WAITING', 'PENDING', 'RUNNING'], {
    status: 'FAILED',
    runnerStatus: 'NONE',
    durationMs: lasted(durationMs),
    errorMsg: shorten(errorMsg),
  });

/** The service stopped before the task had started: it queues again. */
export const taskWaitsAgain = (tx: Transaction, id: string): boolean =>
  move(tx, id, ['WAITING', 'PENDING'], { runnerStatus: 'WAITING' });

// False when the task is in none of the states it may move from: somebody was faster.
function move(
  tx: Transaction,
  id: string,
  from: readonly TaskRecord['runnerStatus'][],
  to: Parameters<typeof updateTask>[2],
): boolean {
  const task = findTask(tx, id);
  return (
    task !== undefined &&
    task.status === 'RUNNING' &&
    from.includes(task.runnerStatus) &&
    updateTask(tx, id, to)
  );
}

// The clock may have been set back meanwhile, and -1 means that it still runs.
const lasted = (ms: number) => Math.max(0, ms);

// As the real engine keeps it (TaskStatus.truncateErrorMsg): the beginning and the end of what is
// too long.
function shorten(message: string): string {
  if (message.length <= 1024) return message;
  return `${message.slice(0, 512)}...${message.length - 1024} characters omitted...${message.slice(-512)}`;
}
