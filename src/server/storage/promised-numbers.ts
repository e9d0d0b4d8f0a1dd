// Numbers of new partitions, reserved until they are committed.
import { chunkKey, type Segment } from '../../model/segment.ts';
import type { Transaction } from './metadata.ts';
import { nextPartitionNum } from './segments.ts';

/** Chunks with reserved, uncommitted numbers, shared by all publications. */
export type Promised = Map<string, { readonly next: number; readonly pending: number }>;

/** The numbers reserved for one publication. */
export class PromisedNumbers {
  readonly #promised: Promised;
  readonly #metadata: Transaction;
  readonly #given: string[] = []; // keys of `promised`, one for each number

  constructor(promised: Promised, metadata: Transaction) {
    this.#promised = promised;
    this.#metadata = metadata;
  }

  next(segment: Omit<Segment, 'partitionNum'>): number {
    const key = `${segment.dataSource} ${chunkKey(segment)}`;
    const promised = this.#promised.get(key);
    const number = Math.max(promised?.next ?? 0, nextPartitionNum(this.#metadata, segment));
    this.#promised.set(key, { next: number + 1, pending: (promised?.pending ?? 0) + 1 });
    this.#given.push(key);
    return number;
  }

  /** Releases the numbers when the publication has ended, with or without success. */
  settle(): void {
    for (const key of this.#given.splice(0)) {
      const promised = this.#promised.get(key);
      if (!promised || promised.pending === 1) this.#promised.delete(key);
      else this.#promised.set(key, { ...promised, pending: promised.pending - 1 });
    }
  }
}
