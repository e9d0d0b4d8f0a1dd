// One run of a task, from its start to its end: its log, its locks, its slots and its reports.
import { withPlace } from '../checks/disk-full.ts';
import { taskStopped } from '../checks/refusals.ts';
import type { Metadata, Transaction } from '../storage/metadata.ts';
import type { TaskLock } from '../storage/task-locks.ts';
import type { StoredPayload, TaskRecord } from '../storage/tasks.ts';
import type { Lockbox, LockRequest } from './lockbox.ts';
import type { RetryWhenDiskIsFull } from './retry-when-disk-is-full.ts';
import type { StoredTasks } from './stored-tasks.ts';
import type { Subtasks } from './subtasks.ts';
import type { TaskLog, TaskLogs } from './task-logs.ts';
import { taskFails, taskGoesOn, taskSucceeds, taskWaitsForLocks } from './task-states.ts';
import type { Reports, RunningTask, TaskType } from './task-type.ts';
import { describeLock, requestsOf } from './waiting-tasks.ts';

export interface TaskRunParts {
  readonly metadata: Metadata;
  readonly logs: TaskLogs;
  readonly stored: StoredTasks;
  readonly lockbox: Lockbox;
  readonly subtasks: Subtasks;
  readonly untilStored: RetryWhenDiskIsFull;
  /** The number of slots that a running task may take in addition to its own. */
  readonly freeSlots: () => number;
  /** Called when a run gives back its slots while it waits for locks. */
  readonly onSlotsFreed: () => void;
  readonly now: () => number; // milliseconds since 1970
}

export class TaskRun {
  readonly task: TaskRecord;
  readonly startedMs: number;
  readonly #parts: TaskRunParts;
  readonly #type: TaskType;
  readonly #log: TaskLog;
  readonly #stop = new AbortController();
  #slots: number;
  #reports: (() => Reports) | undefined;
  #ended: Promise<void> = Promise.resolve();

  constructor(parts: TaskRunParts, task: TaskRecord, type: TaskType, slots: number) {
    this.#parts = parts;
    this.task = task;
    this.#type = type;
    this.#slots = slots;
    this.startedMs = parts.now();
    this.#log = parts.logs.open(task.id);
  }

  /** The slots that it uses now. */
  get slots(): number {
    return this.#slots;
  }

  /** The current reports; undefined when the task has none yet. */
  reports(): Reports | undefined {
    return this.#reports?.();
  }

  /** How long it has run, in milliseconds. */
  get durationMs(): number {
    return this.#parts.now() - this.startedMs;
  }

  /** Stops the task. Its locks are released when it has really ended. */
  stop(reason: string): void {
    this.#stop.abort(taskStopped(reason));
  }

  /**
   * Runs the task to its end, stores the outcome, and releases the locks; then calls `onEnd`. Call
   * it once.
   */
  start(onEnd: () => void): void {
    this.#ended = this.#run().then(onEnd);
  }

  /** Resolves after `onEnd`. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  async #run(): Promise<void> {
    const { metadata, stored, lockbox, untilStored } = this.#parts;
    const { id, type, dataSource } = this.task;
    const payload = stored.payload(id);
    stored.dropCachedPayload();
    this.#log.write('INFO', `Running task of type [${type}] on datasource [${dataSource}]`);
    try {
      await this.#type.run(this.#contextWith(payload));
      if (stored.find(id)?.status === 'RUNNING') metadata.transaction((tx) => this.#succeed(tx));
    } catch (error) {
      await this.#fail(error);
    }
    const status = stored.find(id)?.status;
    this.#log.write('INFO', `Task ended with status [${status}] after [${this.durationMs}] ms`);
    this.#log.close();
    await untilStored.run(() => metadata.transaction((tx) => lockbox.release(tx, id)));
  }

  #contextWith(payload: StoredPayload): RunningTask {
    const { id, groupId, dataSource } = this.task;
    return {
      id,
      groupId,
      dataSource,
      payload,
      startedMs: this.startedMs,
      signal: this.#stop.signal,
      log: (message, level = 'INFO') => this.#log.write(level, message),
      lock: (specs) => this.#lock(requestsOf(this.task, specs)),
      reportWith: (reports) => {
        this.#reports = reports;
      },
      succeed: (tx, published) => this.#succeed(tx, published),
      takeSlots: (wanted) => {
        const taken = Math.max(0, Math.min(wanted, this.#parts.freeSlots()));
        this.#slots += taken;
        return taken;
      },
      startSubtask: (subtaskId, type, subPayload) =>
        this.#parts.subtasks.start(this.task, subtaskId, type, subPayload),
    };
  }

  // A task that waits for a lock releases its slots meanwhile: the task that holds the lock may
  // need these slots.
  async #lock(requests: readonly LockRequest[]): Promise<TaskLock[]> {
    const { metadata, lockbox, untilStored, onSlotsFreed } = this.#parts;
    const { id } = this.task;
    this.#stop.signal.throwIfAborted();
    const locks = lockbox.take(requests);
    if (locks) return locks;
    const [lock] = lockbox.inTheWay(requests);
    if (lock) this.#log.write('INFO', describeLock(lock, this.task));
    const slots = this.#slots;
    this.#slots = 0;
    await untilStored.run(() => void taskWaitsForLocks(metadata, id));
    onSlotsFreed();
    try {
      const locked = await lockbox.wait(requests, this.#stop.signal);
      await untilStored.run(() => void taskGoesOn(metadata, id));
      return locked;
    } finally {
      this.#slots += slots;
    }
  }

  #succeed(tx: Transaction, published?: readonly string[]): void {
    const { lockbox, stored } = this.#parts;
    const { id } = this.task;
    this.#stop.signal.throwIfAborted();
    this.#log.flush(); // the log must be complete before the task ends
    if (!lockbox.holdsAll(tx, id))
      throw new Error('A task of higher priority has taken over the locks of this task');
    if (!taskSucceeds(tx, id, this.durationMs))
      throw new Error(`Task [${id}] is not running any more`);
    // The cleanup from here on needs no locks
    lockbox.release(tx, id);
    stored.storeReports(tx, id, this.reports(), published);
  }

  async #fail(error: unknown): Promise<void> {
    const { metadata, stored, untilStored } = this.#parts;
    const { aborted, reason: stopReason } = this.#stop.signal;
    const reason = aborted ? stopReason : withPlace(error, 'staging');
    const message = reason instanceof Error ? reason.message : String(reason);
    const failedMs = this.durationMs;
    this.#log.write('ERROR', `Task failed: ${message}`);
    const fail = (tx: Transaction) => {
      taskFails(tx, this.task.id, failedMs, message);
      stored.storeReports(tx, this.task.id, this.reports());
    };
    await untilStored.run(() => metadata.transaction(fail));
  }
}
