// Retries for writes that must succeed, while the disk is full.
import { lacksRoom } from '../checks/disk-full.ts';

export class RetryWhenDiskIsFull {
  readonly #waiting = new Set<() => void>(); // waiting retries; `close` wakes them early
  #isClosed = false;

  /**
   * Runs `work` at once if there is room, and resolves when it is done. After `close`, the work is
   * not done. Throws, or rejects with, errors other than a full disk.
   */
  run(work: () => void): Promise<void> {
    if (this.#isDone(work)) return Promise.resolve();
    return this.#again(work);
  }

  /** Resolves when it is time to retry a write that found no room. */
  async pause(): Promise<void> {
    if (this.#isClosed) return;
    await new Promise<void>((wake) => {
      const end = () => {
        clearTimeout(timer);
        this.#waiting.delete(end);
        wake();
      };
      const timer = setTimeout(end, againMs);
      this.#waiting.add(end);
    });
  }

  /** Stops all retries. */
  close(): void {
    this.#isClosed = true;
    for (const end of this.#waiting) end();
  }

  async #again(work: () => void): Promise<void> {
    do await this.pause();
    while (!this.#isClosed && !this.#isDone(work));
  }

  #isDone(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (!lacksRoom(error)) throw error;
      return false;
    }
  }
}

const againMs = 500;
