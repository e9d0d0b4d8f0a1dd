// Running subtasks: each uses a slot of its task, and has a row and a log of its own.

import { taskStopped } from '../checks/refusals.ts';
import { logError } from '../process/log.ts';
import type { Metadata } from '../storage/metadata.ts';
import {
  insertTask,
  type StoredPayload,
  type TaskLocation,
  type TaskRecord,
} from '../storage/tasks.ts';
import type { RetryWhenDiskIsFull } from './retry-when-disk-is-full.ts';
import type { TaskLogs } from './task-logs.ts';
import { completePayload } from './task-payload.ts';
import { taskFails, taskSucceeds } from './task-states.ts';
import type { Subtask } from './task-type.ts';

export interface SubtasksParts {
  readonly metadata: Metadata;
  readonly logs: TaskLogs;
  readonly untilStored: RetryWhenDiskIsFull;
  readonly location: TaskLocation;
  readonly now: () => number; // milliseconds since 1970
}

export class Subtasks {
  readonly #parts: SubtasksParts;
  readonly #running = new Map<string, (reason: string) => void>(); // stops each one, by id

  constructor(parts: SubtasksParts) {
    this.#parts = parts;
  }

  /** The ids of the running subtasks. */
  ids(): Iterable<string> {
    return this.#running.keys();
  }

  /** Starts a subtask of a task, without requesting a slot. */
  start(parent: TaskRecord, id: string, type: string, payload: StoredPayload): Subtask {
    const { metadata, logs, location, now, untilStored } = this.#parts;
    const startedMs = now();
    const complete = completePayload({ type, groupId: parent.id }, payload, id);
    const running = {
      runnerStatus: 'RUNNING',
      status: 'RUNNING',
      durationMs: -1,
      errorMsg: undefined,
      location,
    } as const;
    const task = {
      ...parent,
      ...running,
      id,
      groupId: parent.id,
      type,
      createdMs: startedMs,
      queuedMs: startedMs,
    };
    metadata.transaction((tx) => insertTask(tx, task, complete));
    const log = logs.open(id);
    log.write('INFO', `Running task of type [${type}] for [${parent.id}]`);
    const stopped = new AbortController();
    const end = (move: () => unknown, message: string) => {
      if (!this.#running.delete(id)) return;
      untilStored.run(() => void move()).catch(logError);
      log.write('INFO', message);
      log.close();
    };
    const fail = (message: string) => {
      if (this.#running.has(id)) log.write('ERROR', `Task failed: ${message}`);
      end(
        () => taskFails(metadata, id, now() - startedMs, message),
        'Task ended with status [FAILED]',
      );
    };
    this.#running.set(id, (reason) => {
      fail(reason);
      stopped.abort(taskStopped(reason));
    });
    return {
      id,
      startedMs,
      signal: stopped.signal,
      log: (message, level = 'INFO') => this.#running.has(id) && log.write(level, message),
      succeed: () =>
        end(
          () => taskSucceeds(metadata, id, now() - startedMs),
          'Task ended with status [SUCCESS]',
        ),
      fail,
    };
  }

  /** Stops one subtask alone. Returns whether a subtask with this id was running. */
  stop(id: string, reason: string): boolean {
    const stop = this.#running.get(id);
    stop?.(reason);
    return stop !== undefined;
  }
}
