// Tasks of the service: accepted, queued, started when locks and slots allow, and ended exactly
// once.

import type { Dialect } from '../../model/dialect.ts';
import { lacksRoom, withPlace } from '../checks/disk-full.ts';
import { checkNameLength } from '../checks/name-length.ts';
import {
  alreadyExists,
  invalidTaskId,
  Refusal,
  taskStopped,
  unknownTask,
  unknownTaskType,
} from '../checks/refusals.ts';
import { logError } from '../process/log.ts';
import type { Metadata, Transaction } from '../storage/metadata.ts';
import type { TaskLock } from '../storage/task-locks.ts';
import {
  findTask,
  findTaskPayload,
  findTaskReports,
  insertTask,
  listTasks,
  setTaskReports,
  type TaskLocation,
  type TaskPayload,
  type TaskRecord,
} from '../storage/tasks.ts';
import { Lockbox, type LockRequest } from './lockbox.ts';
import { RetryWhenDiskIsFull } from './retry-when-disk-is-full.ts';
import { Subtasks } from './subtasks.ts';
import { faultInId, newTaskId } from './task-ids.ts';
import type { TaskLog, TaskLogs } from './task-logs.ts';
import { completePayload, groupIdOf, priorityOf } from './task-payload.ts';
import {
  hasStarted,
  taskFails,
  taskGoesOn,
  taskIsReady,
  taskStarts,
  taskSucceeds,
  taskWaitsAgain,
  taskWaitsForLocks,
} from './task-states.ts';
import type { Reports, RunningTask, TaskType } from './task-type.ts';
import { describeLock, requestsOf, WaitingTasks } from './waiting-tasks.ts';
import type { Applicant } from './worker-selection.ts';

export interface TaskQueueParts {
  readonly metadata: Metadata;
  readonly logs: TaskLogs;
  readonly types: ReadonlyMap<string, TaskType>;
  readonly dialect: Dialect;
  readonly capacity: number; // slots
  /** The reason why the worker does not get a task for now. */
  readonly keptFromWorker?: (task: Applicant) => string | undefined;
  readonly location: TaskLocation; // of the worker, which is this service
  readonly now: () => number; // milliseconds since 1970
}

export class TaskQueue {
  readonly lockbox: Lockbox;
  readonly dialect: Dialect;
  readonly capacity: number;
  readonly #parts: TaskQueueParts;
  readonly #running = new Map<string, Running>();
  readonly #subtasks: Subtasks;
  readonly #waiting: WaitingTasks;
  readonly #untilStored = new RetryWhenDiskIsFull();
  #takesTasks = true;
  #closed = false;
  #pumpsLater = false; // the disk was full
  #lastCompletedMs = 0;
  // Starting a task at once reads its payload three times
  #lastPayload: { readonly id: string; readonly payload: TaskPayload } | undefined;

  constructor(parts: TaskQueueParts) {
    this.#parts = parts;
    this.dialect = parts.dialect;
    this.capacity = parts.capacity;
    this.lockbox = new Lockbox(parts.metadata, parts.now);
    this.#subtasks = new Subtasks({ ...parts, untilStored: this.#untilStored });
    this.#waiting = new WaitingTasks(parts);
  }

  /**
   * Cleans up after an earlier process: tasks that ran become failed, and tasks that waited wait
   * again. Call it once, before tasks are submitted.
   */
  start(): void {
    const { metadata, now } = this.#parts;
    metadata.transaction((tx) => {
      this.lockbox.releaseAll(tx);
      for (const task of listTasks(tx, { status: ['RUNNING'] })) {
        if (task.runnerStatus === 'RUNNING' || hasStarted(task))
          taskFails(tx, task.id, now() - task.createdMs, stoppedWithService);
        else taskWaitsAgain(tx, task.id);
      }
    });
    this.#pump();
  }

  /**
   * Stores a task, queues it and returns its id. The task is on disk when this returns. Throws a
   * Refusal for an invalid task and for an id that is taken. `check` may throw for the target
   * datasource before anything is stored.
   */
  submit(given: TaskPayload, check?: (dataSource: string) => void): string {
    const { metadata, types, now } = this.#parts;
    const typeName = typeof given.type === 'string' ? given.type : '';
    const type = types.get(typeName);
    if (!type) throw unknownTaskType(given.type, [...types.keys()]);
    const givenId = typeof given.id === 'string' ? given.id : undefined;
    const fault = givenId === undefined ? undefined : faultInId('task ID', givenId);
    if (fault) throw invalidTaskId(typeName, fault);
    const { dataSource, payload } = type.prepare(given);
    checkNameLength(dataSource, 'dataSource');
    if (typeof given.groupId === 'string') checkNameLength(given.groupId, 'groupId');
    check?.(dataSource);
    const createdMs = now();
    const id = givenId ?? newTaskId(typeName, dataSource, createdMs);
    const complete = completePayload(given, payload, id);
    const task: TaskRecord = {
      id,
      groupId: groupIdOf(given, id),
      type: typeName,
      dataSource,
      createdMs,
      queuedMs: createdMs,
      priority: priorityOf(complete) ?? type.priority,
      status: 'RUNNING',
      runnerStatus: 'WAITING',
      durationMs: -1,
      errorMsg: undefined,
      location: undefined,
    };
    if (!metadata.transaction((tx) => insertTask(tx, task, complete))) throw alreadyExists(id);
    this.#lastPayload = { id, payload: complete };
    this.#pump();
    return id;
  }

  find(taskId: string): TaskRecord | undefined {
    return findTask(this.#parts.metadata, taskId);
  }

  get(taskId: string): TaskRecord {
    const task = this.find(taskId);
    if (!task) throw unknownTask(taskId);
    return task;
  }

  payload(taskId: string): TaskPayload {
    const payload =
      this.#lastPayload?.id === taskId
        ? this.#lastPayload.payload
        : findTaskPayload(this.#parts.metadata, taskId);
    if (!payload) throw unknownTask(taskId);
    this.#lastPayload = { id: taskId, payload };
    return payload;
  }

  /** The reports of a task; the current ones for a running task. Undefined when there are none. */
  reports(taskId: string): Reports | undefined {
    const { [publishedKey]: _, ...kept } = findTaskReports(this.#parts.metadata, taskId) ?? {};
    return (
      this.#running.get(taskId)?.reports?.() ?? (Object.keys(kept).length > 0 ? kept : undefined)
    );
  }

  /** The ids of the segments that a task published. */
  published(taskId: string): readonly string[] {
    this.get(taskId);
    const ids = findTaskReports(this.#parts.metadata, taskId)?.[publishedKey];
    return Array.isArray(ids) ? ids : [];
  }

  log(taskId: string, offset: number): Promise<AsyncIterable<string> | undefined> {
    this.get(taskId);
    return this.#parts.logs.read(taskId, offset, this.dialect.logOffsetUnit);
  }

  /** Stops a task; a task that has ended is unchanged. */
  shutdown(taskId: string, reason = 'Shutdown request from user'): void {
    const { metadata, now } = this.#parts;
    const task = this.get(taskId);
    if (task.status !== 'RUNNING') return;
    const running = this.#running.get(taskId);
    if (this.#subtasks.stop(taskId, reason)) return;
    metadata.transaction((tx) => {
      taskFails(tx, taskId, running ? now() - running.startedMs : 0, reason);
      // A running task releases its locks when it has really stopped
      if (!running) this.lockbox.release(tx, taskId);
    });
    running?.stop.abort(taskStopped(reason));
    if (!running) {
      this.#waiting.explain(task, reason);
      this.#waiting.forget(taskId);
      this.#wake();
    }
    this.#pump();
  }

  /** The current state of the worker: running tasks and used slots. */
  get worker() {
    return {
      enabled: this.#takesTasks,
      runningTasks: [...this.#running.keys(), ...this.#subtasks.ids()],
      slotsUsed: this.#slotsUsed(),
      lastCompletedMs: this.#lastCompletedMs,
    };
  }

  /** Whether the worker accepts new tasks; running tasks finish in any case. */
  set takesTasks(takes: boolean) {
    this.#takesTasks = takes;
    this.#pump();
  }

  /** Retries tasks that the worker was not allowed to run. Call it when that may have changed. */
  reconsider(): void {
    this.#pump();
  }

  /** Resolves when the task has ended, with any outcome; at once for a task that ended earlier. */
  async ended(taskId: string): Promise<TaskRecord> {
    for (;;) {
      const task = this.get(taskId);
      const running = this.#running.get(taskId);
      if (running) await running.done;
      else if (task.status !== 'RUNNING') return task;
      else await new Promise<void>((wake) => this.#endings.add(wake));
    }
  }

  /** Stops running tasks and starts no others. Waiting tasks stay stored for the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    const running = [...this.#running.keys()];
    const ends = running.map((id) => this.#running.get(id)?.done);
    this.#untilStored.close();
    for (const id of running) this.#shutdownAtLast(id);
    await Promise.all(ends);
  }

  // The service ends even when there is no room to record it: the next start records it for running
  // tasks.
  #shutdownAtLast(taskId: string): void {
    try {
      this.shutdown(taskId, stoppedWithService);
    } catch (error) {
      if (!lacksRoom(error)) throw error;
      this.#running.get(taskId)?.stop.abort(taskStopped(stoppedWithService));
    }
  }

  readonly #endings = new Set<() => void>();
  readonly #pumpAgain = () => this.#pump(); // one object, so that the lockbox stores it once

  #pump(): void {
    if (this.#closed || this.#pumpsLater) return;
    try {
      this.#startWhatCan();
    } catch (error) {
      if (!lacksRoom(error)) throw error;
      this.#pumpsLater = true;
      void this.#untilStored.pause().then(() => {
        this.#pumpsLater = false;
        this.#pump();
      });
    }
  }

  #startWhatCan(): void {
    const { metadata, types } = this.#parts;
    const waiting = listTasks(metadata, { status: ['RUNNING'], runnerStatus: ['WAITING'] })
      .filter((task) => !hasStarted(task)) // a started task waits for its locks itself
      .sort(byPriority);
    for (const task of waiting) {
      const wishes = this.#readRequestsOf(task);
      if (!wishes) continue;
      if (wishes.length === 0 || this.lockbox.take(wishes)) taskIsReady(metadata, task.id);
      else this.#waits(task, this.lockbox.inTheWay(wishes));
    }
    for (const task of listTasks(metadata, { status: ['RUNNING'], runnerStatus: ['PENDING'] }).sort(
      byPriority,
    )) {
      const type = types.get(task.type);
      if (!type) continue;
      if (!this.lockbox.holdsAll(metadata, task.id)) this.#queueAgain(task);
      else if (!this.#takesTasks) this.#waiting.explain(task, 'Pending: the worker takes no tasks');
      // The next task must not overtake this one forever
      else if (!this.#startedInSlots(task, type)) return;
    }
  }

  #startedInSlots(task: TaskRecord, type: TaskType): boolean {
    const slots = Math.min(type.slots(this.payload(task.id)), this.capacity);
    const kept = this.#parts.keptFromWorker?.({
      ...task,
      slots,
      slotsOfType: this.#slotsUsed(task.type),
    });
    if (kept !== undefined) {
      this.#waiting.explain(task, `Pending: ${kept}`);
      return true;
    }
    const fits = this.#slotsUsed() + slots <= this.capacity;
    if (fits) this.#start(task, type, slots);
    else
      this.#waiting.explain(
        task,
        `Pending: [${this.#slotsUsed()}] of [${this.capacity}] slots are taken, and this task needs [${slots}]`,
      );
    return fits;
  }

  // A stored task from an earlier version may have a payload that is refused now. It fails without
  // blocking other tasks; the result is then undefined.
  #readRequestsOf(task: TaskRecord): readonly LockRequest[] | undefined {
    try {
      return this.#waiting.requestsOf(task, () => this.payload(task.id));
    } catch (error) {
      if (lacksRoom(error)) throw error;
      if (!(error instanceof Refusal)) logError(error); // stored payloads may be anything
      const reason =
        error instanceof Refusal ? error.message : 'The task as it is stored cannot be read';
      taskFails(this.#parts.metadata, task.id, 0, reason);
      this.#waiting.explain(task, reason);
      this.#waiting.forget(task.id);
      this.#wake();
      return undefined;
    }
  }

  #waits(task: TaskRecord, [lock]: readonly TaskLock[]): void {
    if (lock) this.#waiting.explain(task, describeLock(lock, task));
    this.lockbox.onRelease(this.#pumpAgain);
  }

  // A task of higher priority took the locks before this one began: it can wait again without
  // losing work.
  #queueAgain(task: TaskRecord): void {
    this.#parts.metadata.transaction((tx) => {
      this.lockbox.release(tx, task.id);
      taskWaitsAgain(tx, task.id);
    });
    this.lockbox.onRelease(this.#pumpAgain);
  }

  #start(task: TaskRecord, type: TaskType, slots: number): void {
    const { metadata, location, logs, now } = this.#parts;
    if (!taskStarts(metadata, task.id, location)) return;
    this.#waiting.forget(task.id);
    const running: Running = {
      type: task.type,
      slots,
      startedMs: now(),
      stop: new AbortController(),
      log: logs.open(task.id),
      reports: undefined,
      done: Promise.resolve(),
    };
    this.#running.set(task.id, running);
    running.done = this.#run(task, type, running);
  }

  async #run(task: TaskRecord, type: TaskType, running: Running): Promise<void> {
    const { metadata, now } = this.#parts;
    const { log, stop, startedMs } = running;
    const duration = () => now() - startedMs;
    const payload = this.payload(task.id);
    this.#lastPayload = undefined; // it may be many megabytes
    log.write('INFO', `Running task of type [${task.type}] on datasource [${task.dataSource}]`);
    try {
      await type.run(this.#inside(task, payload, running));
      if (findTask(metadata, task.id)?.status === 'RUNNING')
        metadata.transaction((tx) => this.#succeed(tx, task.id, running));
    } catch (error) {
      const reason = stop.signal.aborted ? stop.signal.reason : withPlace(error, 'staging');
      const message = reason instanceof Error ? reason.message : String(reason);
      const failedMs = duration();
      log.write('ERROR', `Task failed: ${message}`);
      const fail = (tx: Transaction) => {
        taskFails(tx, task.id, failedMs, message);
        this.#keepReports(tx, task.id, running);
      };
      await this.#untilStored.run(() => metadata.transaction(fail));
    }
    log.write(
      'INFO',
      `Task ended with status [${findTask(metadata, task.id)?.status}] after [${duration()}] ms`,
    );
    log.close();
    await this.#untilStored.run(() =>
      metadata.transaction((tx) => this.lockbox.release(tx, task.id)),
    );
    this.#running.delete(task.id);
    this.#lastCompletedMs = now();
    this.lockbox.released();
    this.#wake();
    this.#pump();
  }

  // Wakes callers that wait for the end of a task; each checks its task again.
  #wake(): void {
    for (const wake of this.#endings) wake();
    this.#endings.clear();
  }

  #inside(task: TaskRecord, payload: TaskPayload, running: Running): RunningTask {
    const { log, stop, startedMs } = running;
    return {
      id: task.id,
      groupId: task.groupId,
      dataSource: task.dataSource,
      payload,
      startedMs,
      signal: stop.signal,
      log: (message, level = 'INFO') => log.write(level, message),
      lock: (wishes) => this.#locked(task, running, requestsOf(task, wishes)),
      reportWith: (reports) => {
        running.reports = reports;
      },
      succeed: (tx, published) => this.#succeed(tx, task.id, running, published),
      takeSlots: (wanted) => {
        const taken = this.#takesTasks
          ? Math.max(0, Math.min(wanted, this.capacity - this.#slotsUsed()))
          : 0;
        running.slots += taken;
        return taken;
      },
      startSubtask: (id, type, subPayload) => this.#subtasks.start(task, id, type, subPayload),
    };
  }

  // A task that waits for a lock releases its slots meanwhile: the task that holds the lock may
  // need these slots.
  async #locked(
    task: TaskRecord,
    running: Running,
    requests: readonly LockRequest[],
  ): Promise<TaskLock[]> {
    running.stop.signal.throwIfAborted();
    const locks = this.lockbox.take(requests);
    if (locks) return locks;
    const [lock] = this.lockbox.inTheWay(requests);
    if (lock) running.log.write('INFO', describeLock(lock, task));
    const { slots } = running;
    running.slots = 0;
    const { metadata } = this.#parts;
    await this.#untilStored.run(() => void taskWaitsForLocks(metadata, task.id));
    this.#pump();
    try {
      const locked = await this.lockbox.wait(requests, running.stop.signal);
      await this.#untilStored.run(() => void taskGoesOn(metadata, task.id));
      return locked;
    } finally {
      running.slots += slots;
    }
  }

  #succeed(tx: Transaction, id: string, running: Running, published: readonly string[] = []): void {
    running.stop.signal.throwIfAborted();
    running.log.flush(); // the log must be complete before the task ends
    if (!this.lockbox.holdsAll(tx, id))
      throw new Error('A task of higher priority has taken over the locks of this task');
    if (!taskSucceeds(tx, id, this.#parts.now() - running.startedMs))
      throw new Error(`Task [${id}] is not running any more`);
    // The cleanup from here on needs no locks
    this.lockbox.release(tx, id);
    this.#keepReports(tx, id, running, published);
  }

  #keepReports(
    tx: Transaction,
    id: string,
    running: Running,
    published: readonly string[] = [],
  ): void {
    const reports = {
      ...running.reports?.(),
      ...(published.length > 0 && { [publishedKey]: published }),
    };
    if (Object.keys(reports).length > 0) setTaskReports(tx, id, reports);
  }

  // Slots used by all tasks, or by tasks of one type.
  #slotsUsed(ofType?: string): number {
    return [...this.#running.values()].reduce(
      (sum, { type, slots }) => sum + (ofType === undefined || type === ofType ? slots : 0),
      0,
    );
  }
}

interface Running {
  readonly type: string;
  slots: number;
  readonly startedMs: number;
  readonly stop: AbortController;
  readonly log: TaskLog;
  reports: (() => Reports) | undefined;
  done: Promise<void>;
}

const publishedKey = 'publishedSegments'; // stored with the reports, without being one

const stoppedWithService =
  'The service was stopped while this task was running; submit the task again';

const byPriority = (a: TaskRecord, b: TaskRecord) =>
  b.priority - a.priority || a.createdMs - b.createdMs;
