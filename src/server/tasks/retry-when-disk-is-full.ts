// Retries writes that must succeed while the disk is full.
import { lacksRoom } from '../checks/disk-full.ts';

export class RetryWhenDiskIsFull {
  readonly #waiting = new Set<() => void>(); // who tries again, sooner when this is closed
  #isClosed = false;

  /**
   * Does the work at once if there is room, and resolves when it is done; when `close` comes first,
   * it stays undone. Throws, or rejects with, errors other than a full disk.
   */
  run(work: () => void): Promise<void> {
    if (this.#isDone(work)) return Promise.resolve();
    return this.#again(work);
  }

  /** Resolves when it is time to try again what found no room. */
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

  /** Nothing is tried again from here on. */
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
