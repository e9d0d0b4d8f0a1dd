// Numbers of new partitions: given to nobody else while they are not committed.
import { chunkKey, type Segment } from '../../model/segment.ts';
import type { Transaction } from './metadata.ts';
import { nextPartitionNum } from './segments.ts';

/** Chunks in which numbers are given but not yet settled, shared by all that publish. */
export type Promised = Map<string, { readonly next: number; readonly pending: number }>;

/** The numbers that one publication is given. */
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

  /** The publication is over, well or not. */
  settle(): void {
    for (const key of this.#given.splice(0)) {
      const promised = this.#promised.get(key);
      if (!promised || promised.pending === 1) this.#promised.delete(key);
      else this.#promised.set(key, { ...promised, pending: promised.pending - 1 });
    }
  }
}
