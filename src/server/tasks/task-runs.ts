// The running tasks of the one worker, which share its slots.
import type { TaskRecord } from '../storage/tasks.ts';
import { TaskRun, type TaskRunParts } from './task-run.ts';
import type { TaskType } from './task-type.ts';

interface TaskRunsParts extends TaskRunParts {
  readonly onEnd: () => void; // of a run, when its locks and slots are free
}

export class TaskRuns {
  readonly #parts: TaskRunsParts;
  readonly #runs = new Map<string, TaskRun>(); // by task id
  #lastCompletedMs = 0;

  constructor(parts: TaskRunsParts) {
    this.#parts = parts;
  }

  start(task: TaskRecord, type: TaskType, slots: number): void {
    const run = new TaskRun(this.#parts, task, type, slots);
    this.#runs.set(task.id, run);
    run.start(() => {
      this.#runs.delete(task.id);
      this.#lastCompletedMs = this.#parts.now();
      this.#parts.onEnd();
    });
  }

  find(taskId: string): TaskRun | undefined {
    return this.#runs.get(taskId);
  }

  list(): TaskRun[] {
    return [...this.#runs.values()];
  }

  /** Slots used by all tasks, or by tasks of one type. */
  slotsUsed(ofType?: string): number {
    return this.list()
      .filter(({ task }) => ofType === undefined || task.type === ofType)
      .reduce((sum, { slots }) => sum + slots, 0);
  }

  get lastCompletedMs(): number {
    return this.#lastCompletedMs;
  }
}
