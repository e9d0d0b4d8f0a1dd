// Resident memory of the service and its child processes together. Memory that DuckDB does not
// account for, such as growing texts, shows in the memory of its process.
import { programBytes, residentBytesOf } from './process-memory.ts';
import { OutOfMemory } from './refusals.ts';

/** A child process of the service. */
export interface WatchedProcess {
  readonly memoryBytes: number; // 0 once it has ended
  kill(reason: unknown): void;
}

export class MemoryWatch {
  readonly #limitBytes: number;
  readonly #atWork = new Map<WatchedProcess, boolean>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * `limitBytes` covers all processes together, beyond what the service holds now and what one
   * child process needs without data: many processes do not extend it.
   */
  constructor(limitBytes: number) {
    this.#limitBytes = ownBytes() + programBytes + limitBytes;
  }

  /** Watches a process: above the limit, idle processes end first, and then the largest one. */
  watch(process: WatchedProcess, isAtWork: boolean): void {
    this.#atWork.set(process, isAtWork);
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
      bytes: process.memoryBytes,
    }));
    const all = sizes.reduce((sum, { bytes }) => sum + bytes, ownBytes());
    if (all <= this.#limitBytes) return;
    const idle = sizes.filter(({ isAtWork }) => !isAtWork);
    const ending = idle.length > 0 ? idle : [sizes.reduce((a, b) => (b.bytes > a.bytes ? b : a))];
    for (const { process } of ending) {
      this.forget(process);
      process.kill(new OutOfMemory('memory'));
    }
  }
}

const ownBytes = () => residentBytesOf('self') ?? process.memoryUsage.rss();

const watchMs = 20;
