// Notification of callers that wait for the end of a task.

export class TaskEndings {
  readonly #waiting = new Set<() => void>();

  /** Resolves when a task, any task, ends. Each caller then checks its own task again. */
  next(): Promise<void> {
    return new Promise((wake) => this.#waiting.add(wake));
  }

  /** Notifies the callers that a task ended. */
  notify(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
