// Start of waiting tasks, in order of priority, when locks and slots allow it.
import { lacksRoom } from '../checks/disk-full.ts';
import { Refusal } from '../checks/refusals.ts';
import { logError } from '../process/log.ts';
import type { Metadata } from '../storage/metadata.ts';
import { listTasks, type TaskLocation, type TaskRecord } from '../storage/tasks.ts';
import type { Lockbox, LockRequest } from './lockbox.ts';
import type { RetryWhenDiskIsFull } from './retry-when-disk-is-full.ts';
import type { StoredTasks } from './stored-tasks.ts';
import type { TaskEndings } from './task-endings.ts';
import type { TaskRuns } from './task-runs.ts';
import { hasStarted, taskFails, taskIsReady, taskStarts, taskWaitsAgain } from './task-states.ts';
import type { TaskType } from './task-type.ts';
import { describeLock, type WaitingTasks } from './waiting-tasks.ts';
import type { Applicant } from './worker-selection.ts';

export interface TaskStarterParts {
  readonly metadata: Metadata;
  readonly types: ReadonlyMap<string, TaskType>;
  readonly capacity: number; // slots
  /** The reason why the worker does not get a task for now. */
  readonly keptFromWorker?: (task: Applicant) => string | undefined;
  readonly location: TaskLocation; // of the worker
  readonly stored: StoredTasks;
  readonly lockbox: Lockbox;
  readonly waiting: WaitingTasks;
  readonly runs: TaskRuns;
  readonly endings: TaskEndings;
  readonly untilStored: RetryWhenDiskIsFull;
}

export class TaskStarter {
  readonly #parts: TaskStarterParts;
  readonly #startTasks = () => this.startTasks(); // one object, so that the lockbox stores it once
  #takesTasks = true;
  #isClosed = false;
  #startsLater = false; // the disk was full

  constructor(parts: TaskStarterParts) {
    this.#parts = parts;
  }

  /** Whether the worker accepts new tasks. */
  get takesTasks(): boolean {
    return this.#takesTasks;
  }

  set takesTasks(takes: boolean) {
    this.#takesTasks = takes;
    this.startTasks();
  }

  /** The number of slots that a running task may take in addition to its own. */
  freeSlots(): number {
    return this.#takesTasks ? this.#parts.capacity - this.#parts.runs.slotsUsed() : 0;
  }

  /**
   * Starts the tasks that can start. Call it after each change of tasks, locks, slots or worker
   * settings. When the disk is full, it retries later.
   */
  startTasks(): void {
    if (this.#isClosed || this.#startsLater) return;
    try {
      this.#queueTasksWithLocks();
      this.#startTasksWithSlots();
    } catch (error) {
      if (!lacksRoom(error)) throw error;
      this.#startsLater = true;
      void this.#parts.untilStored.pause().then(() => {
        this.#startsLater = false;
        this.startTasks();
      });
    }
  }

  /** Starts no more tasks. */
  close(): void {
    this.#isClosed = true;
  }

  #queueTasksWithLocks(): void {
    const { metadata, lockbox } = this.#parts;
    const waiting = listTasks(metadata, { status: ['RUNNING'], runnerStatus: ['WAITING'] })
      .filter((task) => !hasStarted(task)) // a started task waits for its locks itself
      .sort(byPriority);
    for (const task of waiting) {
      const requests = this.#readRequestsOf(task);
      if (!requests) continue;
      if (requests.length === 0 || lockbox.take(requests)) taskIsReady(metadata, task.id);
      else this.#waitForLocks(task, requests);
    }
  }

  #startTasksWithSlots(): void {
    const { metadata, types, lockbox, waiting } = this.#parts;
    const pending = listTasks(metadata, { status: ['RUNNING'], runnerStatus: ['PENDING'] });
    for (const task of pending.sort(byPriority)) {
      const type = types.get(task.type);
      if (!type) continue;
      if (!lockbox.holdsAll(metadata, task.id)) this.#queueAgain(task);
      else if (!this.#takesTasks) waiting.explain(task, 'Pending: the worker takes no tasks');
      // The next task must not overtake this one forever
      else if (!this.#startInSlots(task, type)) return;
    }
  }

  // Returns false when the task needs more slots than are free.
  #startInSlots(task: TaskRecord, type: TaskType): boolean {
    const { stored, runs, waiting, capacity, keptFromWorker } = this.#parts;
    const slots = Math.min(type.slots(stored.payload(task.id)), capacity);
    const slotsOfType = runs.slotsUsed(task.type);
    const refusal = keptFromWorker?.({ ...task, slots, slotsOfType });
    if (refusal !== undefined) {
      waiting.explain(task, `Pending: ${refusal}`);
      return true;
    }
    const used = runs.slotsUsed();
    if (used + slots <= capacity) {
      this.#start(task, type, slots);
      return true;
    }
    waiting.explain(
      task,
      `Pending: [${used}] of [${capacity}] slots are taken, and this task needs [${slots}]`,
    );
    return false;
  }

  #start(task: TaskRecord, type: TaskType, slots: number): void {
    const { metadata, location, waiting, runs } = this.#parts;
    if (!taskStarts(metadata, task.id, location)) return;
    waiting.forget(task.id);
    runs.start(task, type, slots);
  }

  // A stored task from an earlier version may have a payload that is refused now. It fails without
  // blocking other tasks; the result is then undefined.
  #readRequestsOf(task: TaskRecord): readonly LockRequest[] | undefined {
    const { metadata, stored, waiting, endings } = this.#parts;
    try {
      return waiting.requestsOf(task, () => stored.payload(task.id));
    } catch (error) {
      if (lacksRoom(error)) throw error;
      if (!(error instanceof Refusal)) logError(error); // stored payloads may be anything
      const reason = error instanceof Refusal ? error.message : 'The stored task cannot be read';
      taskFails(metadata, task.id, 0, reason);
      waiting.explain(task, reason);
      waiting.forget(task.id);
      endings.notify();
      return undefined;
    }
  }

  #waitForLocks(task: TaskRecord, requests: readonly LockRequest[]): void {
    const { lockbox, waiting } = this.#parts;
    const [lock] = lockbox.inTheWay(requests);
    if (lock) waiting.explain(task, describeLock(lock, task));
    lockbox.onRelease(this.#startTasks);
  }

  // A task of higher priority took the locks before this one began: it can wait again without
  // losing work.
  #queueAgain(task: TaskRecord): void {
    const { metadata, lockbox } = this.#parts;
    metadata.transaction((tx) => {
      lockbox.release(tx, task.id);
      taskWaitsAgain(tx, task.id);
    });
    lockbox.onRelease(this.#startTasks);
  }
}

const byPriority = (a: TaskRecord, b: TaskRecord) =>
  b.priority - a.priority || a.createdMs - b.createdMs;
