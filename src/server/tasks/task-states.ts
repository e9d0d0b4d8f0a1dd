// State transitions of a task: WAITING for locks, PENDING for a slot, RUNNING, and then SUCCESS or
// FAILED as a final state.

import type { Transaction } from '../storage/metadata.ts';
import { findTask, type TaskLocation, type TaskRecord, updateTask } from '../storage/tasks.ts';

/** The task has the locks it needs before it starts. */
export const taskIsReady = (tx: Transaction, id: string): boolean =>
  move(tx, id, ['WAITING'], { runnerStatus: 'PENDING' });

/** The task has got a free slot. */
export const taskStarts = (tx: Transaction, id: string, location: TaskLocation): boolean =>
  move(tx, id, ['PENDING'], { runnerStatus: 'RUNNING', location });

/**
 * A running task waits for locks of chunks that it found during its run. It keeps its location,
 * which distinguishes it from a task that has not started.
 */
export const taskWaitsForLocks = (tx: Transaction, id: string): boolean =>
  move(tx, id, ['RUNNING'], { runnerStatus: 'WAITING' });

/** The task has its locks and continues. */
export const taskGoesOn = (tx: Transaction, id: string): boolean =>
  move(tx, id, ['WAITING'], { runnerStatus: 'RUNNING' });

/** Whether a task runs or has run in this process: a started task can wait for more locks. */
export const hasStarted = ({ location }: Pick<TaskRecord, 'location'>): boolean =>
  location !== undefined;

/** The task succeeded. Takes part in the transaction that makes its work visible. */
export const taskSucceeds = (tx: Transaction, id: string, durationMs: number): boolean =>
  move(tx, id, ['RUNNING'], {
    status: 'SUCCESS',
    runnerStatus: 'NONE',
    durationMs: durationOf(durationMs),
    errorMsg: undefined,
  });

/** The task failed or was stopped. A task can fail from any state except the final ones. */
export const taskFails = (
  tx: Transaction,
  id: string,
  durationMs: number,
  errorMsg: string,
): boolean =>
  move(tx, id, ['WAITING', 'PENDING', 'RUNNING'], {
    status: 'FAILED',
    runnerStatus: 'NONE',
    durationMs: durationOf(durationMs),
    errorMsg: shorten(errorMsg),
  });

/** The service stopped before the task started: the task queues again. */
export const taskWaitsAgain = (tx: Transaction, id: string): boolean =>
  move(tx, id, ['WAITING', 'PENDING'], { runnerStatus: 'WAITING' });

// False when the task is in none of the allowed states: a concurrent transition came first.
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

// The clock may have been set back since the start, and -1 would mean a running task.
const durationOf = (ms: number) => Math.max(0, ms);

// Keeps the beginning and the end of a long message, as the real engine does
// (TaskStatus.truncateErrorMsg).
function shorten(message: string): string {
  if (message.length <= 1024) return message;
  return `${message.slice(0, 512)}...${message.length - 1024} characters omitted...${message.slice(-512)}`;
}
