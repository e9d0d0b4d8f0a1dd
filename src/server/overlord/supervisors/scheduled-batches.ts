// Scheduler for the statements of scheduled_batch supervisors. Runs missed while the service was
// down are skipped.
import { formatInstant } from '../../../model/instant.ts';
import type { Clock } from '../../process/clock.ts';
import { logEvent } from '../../process/log.ts';
import type { Metadata } from '../../storage/metadata.ts';
import { findTask } from '../../storage/tasks.ts';
import type { ScheduledBatchSpec } from './scheduled-batch-spec.ts';
import type { KnownSupervisor } from './supervisors.ts';

export interface ScheduledBatchesParts {
  readonly metadata: Metadata;
  readonly clock: Pick<Clock, 'now' | 'every'>;
  readonly list: () => readonly KnownSupervisor[];
  /** Starts the statement of a supervisor as a task; returns the id of the task. */
  readonly submit: (spec: ScheduledBatchSpec, signal: AbortSignal) => Promise<string>;
}

interface Plan {
  readonly spec: ScheduledBatchSpec;
  nextMs: number | undefined;
}

interface Runs {
  lastMs: number | undefined;
  taskIds: readonly string[]; // newest last
}

export class ScheduledBatches {
  readonly #parts: ScheduledBatchesParts;
  readonly #plans = new Map<string, Plan>();
  readonly #runs = new Map<string, Runs>();
  readonly #closing = new AbortController();
  #stop: (() => void) | undefined;

  constructor(parts: ScheduledBatchesParts) {
    this.#parts = parts;
  }

  start(): void {
    this.look();
    this.#stop ??= this.#parts.clock.every(500, () => this.look());
  }

  close(): void {
    this.#closing.abort();
    this.#stop?.();
  }

  /** Starts due statements, and schedules new and changed supervisors. */
  look(): void {
    if (this.#closing.signal.aborted) return;
    const nowMs = this.#parts.clock.now();
    const specs = this.#parts
      .list()
      .flatMap(({ spec }) => (spec.type === 'scheduled_batch' && !spec.suspended ? [spec] : []));
    const ids = new Set(specs.map(({ id }) => id));
    for (const id of this.#plans.keys()) if (!ids.has(id)) this.#plans.delete(id);
    for (const spec of specs) {
      const plan = this.#plans.get(spec.id);
      if (plan?.spec !== spec)
        this.#plans.set(spec.id, { spec, nextMs: spec.schedule.nextAfter(nowMs) });
      else if (plan.nextMs !== undefined && plan.nextMs <= nowMs) {
        // Several missed times result in one run
        plan.nextMs = spec.schedule.nextAfter(nowMs);
        void this.#run(spec, nowMs);
      }
    }
  }

  /** The supervisor's data for its status. */
  snapshot({ id }: ScheduledBatchSpec) {
    const plan = this.#plans.get(id);
    const { lastMs, taskIds = [] } = this.#runs.get(id) ?? {};
    const tasks = taskIds.flatMap((taskId) => findTask(this.#parts.metadata, taskId) ?? []);
    const listBatches = (isActive: boolean) =>
      Object.fromEntries(
        tasks
          .filter(({ status }) => (status === 'RUNNING') === isActive)
          .map(({ id: taskId, status, durationMs, errorMsg = null }) => [
            taskId,
            { id: taskId, status, duration: durationMs, errorMsg },
          ]),
      );
    const nextMs = plan?.nextMs;
    return {
      supervisorId: id,
      status: plan ? 'SCHEDULER_RUNNING' : 'SCHEDULER_SHUTDOWN',
      lastTaskSubmittedTime: lastMs === undefined ? null : formatInstant(lastMs),
      nextTaskSubmissionTime: nextMs === undefined ? null : formatInstant(nextMs),
      timeUntilNextTaskSubmission:
        nextMs === undefined ? null : `PT${Math.max(0, nextMs - this.#parts.clock.now()) / 1000}S`,
      activeTasks: listBatches(true),
      completedTasks: listBatches(false),
    };
  }

  async #run(spec: ScheduledBatchSpec, nowMs: number): Promise<void> {
    const { id } = spec;
    try {
      const taskId = await this.#parts.submit(spec, this.#closing.signal);
      const { taskIds = [] } = this.#runs.get(id) ?? {};
      this.#runs.set(id, { lastMs: nowMs, taskIds: [...taskIds, taskId].slice(-mostTasks) });
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      logEvent('A scheduled statement cannot be started', {
        id,
        reason: error instanceof Error ? error.message : String(error),
      });
    }
  }
}

const mostTasks = 20; // in a status
