// Tasks of the service: accepted, queued, started when locks and slots allow, and ended exactly
// once.
import type { Dialect } from '../../model/dialect.ts';
import { lacksRoom } from '../checks/disk-full.ts';
import { alreadyExists } from '../checks/refusals.ts';
import type { Metadata } from '../storage/metadata.ts';
import { insertTask, listTasks, type StoredPayload, type TaskRecord } from '../storage/tasks.ts';
import { Lockbox } from './lockbox.ts';
import { RetryWhenDiskIsFull } from './retry-when-disk-is-full.ts';
import { StoredTasks } from './stored-tasks.ts';
import { prepareTask } from './submission.ts';
import { Subtasks } from './subtasks.ts';
import { TaskEndings } from './task-endings.ts';
import type { TaskLogs } from './task-logs.ts';
import type { TaskRun } from './task-run.ts';
import { TaskRuns } from './task-runs.ts';
import { TaskStarter, type TaskStarterParts } from './task-starter.ts';
import { hasStarted, taskFails, taskWaitsAgain } from './task-states.ts';
import type { Reports } from './task-type.ts';
import { WaitingTasks } from './waiting-tasks.ts';

export interface TaskQueueParts
  extends Pick<
    TaskStarterParts,
    'metadata' | 'types' | 'capacity' | 'keptFromWorker' | 'location'
  > {
  readonly logs: TaskLogs;
  readonly dialect: Dialect;
  readonly now: () => number; // milliseconds since 1970
}

export class TaskQueue {
  readonly lockbox: Lockbox;
  readonly dialect: Dialect;
  readonly capacity: number;
  readonly #parts: TaskQueueParts;
  readonly #metadata: Metadata;
  readonly #stored: StoredTasks;
  readonly #subtasks: Subtasks;
  readonly #waiting: WaitingTasks;
  readonly #runs: TaskRuns;
  readonly #starter: TaskStarter;
  readonly #endings = new TaskEndings();
  readonly #untilStored = new RetryWhenDiskIsFull();

  constructor(parts: TaskQueueParts) {
    this.#parts = parts;
    this.#metadata = parts.metadata;
    this.dialect = parts.dialect;
    this.capacity = parts.capacity;
    this.lockbox = new Lockbox(parts.metadata, parts.now);
    this.#stored = new StoredTasks(parts.metadata);
    this.#waiting = new WaitingTasks(parts);
    this.#subtasks = new Subtasks({ ...parts, untilStored: this.#untilStored });
    const shared = {
      ...parts,
      lockbox: this.lockbox,
      stored: this.#stored,
      untilStored: this.#untilStored,
    };
    this.#runs = new TaskRuns({
      ...shared,
      subtasks: this.#subtasks,
      freeSlots: () => this.#starter.freeSlots(),
      onSlotsFreed: () => this.#starter.startTasks(),
      onEnd: () => {
        this.lockbox.notifyWaiting();
        this.#endings.notify();
        this.#starter.startTasks();
      },
    });
    this.#starter = new TaskStarter({
      ...shared,
      waiting: this.#waiting,
      runs: this.#runs,
      endings: this.#endings,
    });
  }

  /**
   * Cleans up after an earlier process: tasks that ran become failed, and tasks that waited wait
   * again. Call it once, before tasks are submitted.
   */
  start(): void {
    this.#metadata.transaction((tx) => {
      this.lockbox.releaseAll(tx);
      for (const task of listTasks(tx, { status: ['RUNNING'] })) {
        if (task.runnerStatus === 'RUNNING' || hasStarted(task))
          taskFails(tx, task.id, this.#parts.now() - task.createdMs, stoppedWithService);
        else taskWaitsAgain(tx, task.id);
      }
    });
    this.#starter.startTasks();
  }

  /**
   * Stores a task, queues it and returns its id. The task is on disk when this returns. Throws a
   * Refusal for an invalid task and for an id that is taken. `check` may throw for the target
   * datasource before anything is stored.
   */
  submit(given: StoredPayload, check?: (dataSource: string) => void): string {
    const { task, payload } = prepareTask(this.#parts, given, check);
    if (!this.#metadata.transaction((tx) => insertTask(tx, task, payload)))
      throw alreadyExists(task.id);
    this.#stored.cachePayload(task.id, payload);
    this.#starter.startTasks();
    return task.id;
  }

  find(taskId: string): TaskRecord | undefined {
    return this.#stored.find(taskId);
  }

  get(taskId: string): TaskRecord {
    return this.#stored.get(taskId);
  }

  payload(taskId: string): StoredPayload {
    return this.#stored.payload(taskId);
  }

  /** The reports of a task; the current ones for a running task. Undefined when there are none. */
  reports(taskId: string): Reports | undefined {
    return this.#runs.find(taskId)?.reports() ?? this.#stored.reports(taskId);
  }

  /** The ids of the segments that a task published. */
  listPublished(taskId: string): readonly string[] {
    return this.#stored.listPublished(taskId);
  }

  log(taskId: string, offset: number): Promise<AsyncIterable<string> | undefined> {
    this.get(taskId);
    return this.#parts.logs.read(taskId, offset, this.dialect.logOffsetUnit);
  }

  /** Stops a task; a task that has ended is unchanged. */
  shutdown(taskId: string, reason = 'Shutdown request from user'): void {
    const task = this.get(taskId);
    if (task.status !== 'RUNNING') return;
    const run = this.#runs.find(taskId);
    if (this.#subtasks.stop(taskId, reason)) return;
    this.#metadata.transaction((tx) => {
      taskFails(tx, taskId, run?.durationMs ?? 0, reason);
      // A running task releases its locks when it has really stopped
      if (!run) this.lockbox.release(tx, taskId);
    });
    run?.stop(reason);
    if (!run) {
      this.#waiting.explain(task, reason);
      this.#waiting.forget(taskId);
      this.#endings.notify();
    }
    this.#starter.startTasks();
  }

  /** The current state of the worker: running tasks and used slots. */
  get worker() {
    return {
      enabled: this.#starter.takesTasks,
      runningTasks: [...this.#runs.list().map(({ task }) => task.id), ...this.#subtasks.ids()],
      slotsUsed: this.#runs.slotsUsed(),
      lastCompletedMs: this.#runs.lastCompletedMs,
    };
  }

  /** Whether the worker accepts new tasks; running tasks finish in any case. */
  set takesTasks(takes: boolean) {
    this.#starter.takesTasks = takes;
  }

  /** Retries tasks that the worker was not allowed to run. Call it when that may have changed. */
  reconsider(): void {
    this.#starter.startTasks();
  }

  /** Resolves when the task has ended, with any outcome; at once for a task that ended earlier. */
  async ended(taskId: string): Promise<TaskRecord> {
    for (;;) {
      const task = this.get(taskId);
      const run = this.#runs.find(taskId);
      if (run) await run.ended;
      else if (task.status !== 'RUNNING') return task;
      else await this.#endings.next();
    }
  }

  /** Stops running tasks and starts no others. Waiting tasks stay stored for the next start. */
  async close(): Promise<void> {
    this.#starter.close();
    const runs = this.#runs.list();
    const ends = runs.map(({ ended }) => ended);
    this.#untilStored.close();
    for (const run of runs) this.#shutdownAtLast(run);
    await Promise.all(ends);
  }

  // The service ends even when there is no room to record it: the next start records it for running
  // tasks.
  #shutdownAtLast(run: TaskRun): void {
    try {
      this.shutdown(run.task.id, stoppedWithService);
    } catch (error) {
      if (!lacksRoom(error)) throw error;
      run.stop(stoppedWithService);
    }
  }
}

const stoppedWithService =
  'The service was stopped while this task was running; submit the task again';
