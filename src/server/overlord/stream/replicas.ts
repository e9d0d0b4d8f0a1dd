// Replicas of a task group: tasks with one sequence name that read the same records (Druid:
// SeekableStreamSupervisor.TaskGroup). All of them end a sequence at the same offsets, so that the
// first one publishes it, once.
import type { Offsets } from './stream.ts';

/** The end of a sequence, which is the start of the next one. */
export interface Checkpoint {
  readonly end: Offsets;
  readonly isLast: boolean; // the tasks end here
  // Ids of its segments, after a replica has published them
  published: readonly string[] | undefined;
}

/** A task of the group, in the view of the others. */
export interface Replica {
  offsets(): Offsets;
  /** Reports that another replica has made a checkpoint. */
  interrupt(): void;
}

export class ReplicaSet {
  readonly #start: Offsets;
  readonly #replicas = new Set<Replica>();
  readonly #checkpoints: Checkpoint[] = [];

  constructor(start: Offsets) {
    this.#start = start;
  }

  get size(): number {
    return this.#replicas.size;
  }

  /** The number of the sequence that begins at these offsets; undefined without one. */
  sequenceAt(start: Offsets): number | undefined {
    const starts = [
      this.#start,
      ...this.#checkpoints.flatMap(({ end, isLast }) => (isLast ? [] : [end])),
    ];
    const found = starts.findIndex((each) => isSameOffsets(each, start));
    return found < 0 ? undefined : found;
  }

  /** The end of a sequence by its number; undefined while unknown. */
  checkpoint = (sequence: number): Checkpoint | undefined => this.#checkpoints[sequence];

  /**
   * Ends the newest sequence at the position of the replica that has read most; the others are
   * interrupted and read up to there.
   */
  seal(by: Replica, isLast: boolean): void {
    const former = this.#checkpoints.at(-1);
    if (former?.isLast) return;
    const end = new Map(former?.end ?? this.#start);
    for (const replica of this.#replicas)
      for (const [partition, offset] of replica.offsets())
        end.set(partition, Math.max(offset, end.get(partition) ?? 0));
    this.#checkpoints.push({ end, isLast, published: undefined });
    for (const replica of this.#replicas) if (replica !== by) replica.interrupt();
  }

  join(replica: Replica): void {
    this.#replicas.add(replica);
  }

  leave(replica: Replica): void {
    this.#replicas.delete(replica);
  }
}

/** Groups of reading tasks, by sequence name. */
export class ReplicaSets {
  readonly #sets = new Map<string, ReplicaSet>();

  /**
   * The group of a task that begins at these offsets. A task that does not fit the group of its
   * name forms a group of its own.
   */
  join(name: string, start: Offsets, replica: Replica): ReplicaSet {
    const known = this.#sets.get(name);
    const set = known && known.sequenceAt(start) !== undefined ? known : new ReplicaSet(start);
    if (!known) this.#sets.set(name, set);
    set.join(replica);
    return set;
  }

  leave(name: string, set: ReplicaSet, replica: Replica): void {
    set.leave(replica);
    if (set.size === 0 && this.#sets.get(name) === set) this.#sets.delete(name);
  }
}

/** Whether two maps have the same partitions at the same offsets. */
export const isSameOffsets = (a: Offsets, b: Offsets): boolean =>
  a.size === b.size && [...a].every(([partition, offset]) => b.get(partition) === offset);
