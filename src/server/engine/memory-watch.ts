// Memory of the service and its child processes together. Memory that DuckDB does not account for,
// such as growing texts, shows in the memory of its process.
import { privateBytesOf } from './process-memory.ts';
import { OutOfMemory } from './refusals.ts';

/** A child process of the service. */
export interface WatchedProcess {
  readonly memoryBytes: number; // 0 once it has ended
  kill(reason: unknown): void;
}

export class MemoryWatch {
  readonly #limitBytes: number;
  readonly #baseBytes = ownBytes(); // of the service's own process before any query
  // Of each child process before its first work
  readonly #childBaseBytes = new WeakMap<WatchedProcess, number>();
  readonly #atWork = new Map<WatchedProcess, boolean>();
  #timer: NodeJS.Timeout | undefined;

  /** `limitBytes` covers the growth of the service's own process and of all child processes. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  /** Watches a process: above the limit, idle processes end first, and then the largest one. */
  watch(process: WatchedProcess, isAtWork: boolean): void {
    this.#atWork.set(process, isAtWork);
    if (!this.#childBaseBytes.has(process))
      this.#childBaseBytes.set(process, Math.min(process.memoryBytes, largestBaseBytes));
    this.#timer ??= setInterval(() => this.#keepLimit(), watchMs).unref();
  }

  /** Stops watching a process. */
  forget(process: WatchedProcess): void {
    this.#atWork.delete(process);
    if (this.#atWork.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #keepLimit(): void {
    const sizes = [...this.#atWork].map(([process, isAtWork]) => ({
      process,
      isAtWork,
      bytes: Math.max(0, process.memoryBytes - (this.#childBaseBytes.get(process) ?? 0)),
    }));
    const all = sizes.reduce(
      (sum, { bytes }) => sum + bytes,
      Math.max(0, ownBytes() - this.#baseBytes),
    );
    if (all <= this.#limitBytes) return;
    const idle = sizes.filter(({ isAtWork }) => !isAtWork);
    const ending = idle.length > 0 ? idle : [sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a))];
    for (const { process } of ending) {
      this.forget(process);
      process.kill(new OutOfMemory('memory'));
    }
  }
}

const largestBaseBytes = 64 * 1024 ** 2; // of Node.js and DuckDB without data

const ownBytes = () => privateBytesOf('self') ?? process.memoryUsage.rss();

const watchMs = 20;
