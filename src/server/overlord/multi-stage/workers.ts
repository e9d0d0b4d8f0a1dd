// The workers of a query: subtasks of its controller, each with a slot, a row and a log. They share
// one engine, so one works while others wait.

import { tooManyAttempts, workerFailed } from '../../statements/faults.ts';
import type { RunningTask, Subtask } from '../../tasks/task-type.ts';
import type { MultiStageReportBuilder, WorkerReport } from './report.ts';

export class Workers {
  /** Aborted when the task or one of its workers is stopped; the reason states which. */
  readonly signal: AbortSignal;
  readonly #task: RunningTask;
  readonly #report: MultiStageReportBuilder;
  readonly #now: () => number;
  readonly #attempt: number;
  readonly #wantedMs: number;
  #slots: number;
  readonly #running: { readonly subtask: Subtask; readonly shown: WorkerReport }[] = [];
  readonly #stop = new AbortController();

  /** `attempt` counts from 0; `slots` are the worker slots that earlier attempts have left. */
  constructor(
    task: RunningTask,
    report: MultiStageReportBuilder,
    now: () => number,
    attempt: number,
    slots = 1,
  ) {
    this.#task = task;
    this.#report = report;
    this.#now = now;
    this.#attempt = attempt;
    this.#slots = slots;
    this.#wantedMs = now();
    this.signal = AbortSignal.any([task.signal, this.#stop.signal]);
  }

  get count(): number {
    return this.#running.length;
  }

  get slots(): number {
    return this.#slots;
  }

  /**
   * Launches up to `wanted` workers, as far as slots are free; the first one always has a slot.
   * Returns the number of workers.
   */
  launch(wanted: number): number {
    if (wanted > this.#slots) this.#slots += this.#task.takeSlots(wanted - this.#slots);
    while (this.count < Math.min(wanted, this.#slots)) this.#start(this.count);
    return this.count;
  }

  idOf(worker: number): string {
    return this.#running[worker]?.subtask.id ?? this.#task.id;
  }

  log(worker: number, message: string): void {
    this.#running[worker]?.subtask.log(message);
  }

  succeed(): void {
    for (const { subtask, shown } of this.#running) {
      subtask.succeed();
      this.#end(shown, 'SUCCESS');
    }
  }

  fail(message: string): void {
    for (const { subtask, shown } of this.#running) {
      subtask.fail(message);
      this.#end(shown, 'FAILED');
    }
  }

  #start(number: number): void {
    const { id, dataSource } = this.#task;
    const attempt = this.#attempt;
    const subtask = this.#task.startSubtask(`${id}-worker${number}_${attempt}`, 'query_worker', {
      controllerTaskId: id,
      dataSource,
      workerNumber: number,
      retryCount: attempt,
    });
    const pendingMs = this.#now() - this.#wantedMs;
    const shown: WorkerReport = {
      id: subtask.id,
      number,
      startedMs: subtask.startedMs,
      pendingMs,
      state: 'RUNNING',
      endedMs: undefined,
    };
    this.#running.push({ subtask, shown });
    this.#report.workers.push(shown);
    subtask.signal.addEventListener('abort', () => {
      const { reason } = subtask.signal;
      const message = reason instanceof Error ? reason.message : String(reason);
      this.#end(shown, 'FAILED');
      this.#stop.abort(
        attempt < maxRelaunches
          ? workerFailed(subtask.id, message)
          : tooManyAttempts(maxRelaunches, subtask.id, number, message),
      );
    });
  }

  #end(shown: WorkerReport, state: WorkerReport['state']): void {
    if (shown.state !== 'RUNNING') return;
    shown.state = state;
    shown.endedMs = this.#now();
  }
}

/**
 * Limit on relaunches of a worker in fault tolerance mode (Druid: multi-stage-query/reference,
 * "Limits").
 */
export const maxRelaunches = 2;
