// Locks of time chunks. They are rows of the metadata store, so that listed and held locks are the
// same.
import { formatInstant } from '../../model/instant.ts';
import { contains, type Interval, overlaps, sameInterval } from '../../model/interval.ts';
import type { Metadata, Transaction } from '../storage/metadata.ts';
import { listSegments } from '../storage/segments.ts';
import {
  deleteAllTaskLocks,
  deleteTaskLocksOf,
  insertTaskLock,
  listTaskLocks,
  revokeTaskLock,
  type TaskLock,
  type TaskLockType,
} from '../storage/task-locks.ts';

export interface LockRequest {
  readonly taskId: string;
  readonly groupId: string;
  readonly dataSource: string;
  readonly interval: Interval;
  readonly type: TaskLockType;
  readonly priority: number;
}

export class Lockbox {
  readonly #metadata: Metadata;
  readonly #now: () => number;
  readonly #waiting = new Set<() => void>();

  constructor(metadata: Metadata, now: () => number) {
    this.#metadata = metadata;
    this.#now = now;
  }

  /**
   * Takes all of these locks, or none of them: undefined when another task holds one that does not
   * go with them. Locks of a lower priority give way: they are revoked, and their task finds out
   * when it wants to publish (Druid: ingestion/tasks, "Lock priority").
   */
  take(requests: readonly LockRequest[]): TaskLock[] | undefined {
    return this.#metadata.transaction((tx) => {
      const conflicts = requests.flatMap((request) =>
        conflictsOf(tx, request).map((lock) => ({ request, lock })),
      );
      if (conflicts.some(({ request, lock }) => lock.priority >= request.priority))
        return undefined;
      for (const { lock } of conflicts) revokeTaskLock(tx, lock.id);
      return requests.map(
        (request) =>
          heldBy(tx, request) ??
          insertTaskLock(tx, { ...request, version: this.#newVersion(tx, request) }),
      );
    });
  }

  /** The locks of other tasks that keep these from being taken; none when they could be had now. */
  inTheWay(requests: readonly LockRequest[]): TaskLock[] {
    return requests.flatMap((request) =>
      conflictsOf(this.#metadata, request).filter(({ priority }) => priority >= request.priority),
    );
  }

  /**
   * As `take`, but waits until the locks can be had; throws the signal's reason when it is aborted
   * first.
   */
  async wait(requests: readonly LockRequest[], signal: AbortSignal): Promise<TaskLock[]> {
    for (;;) {
      signal.throwIfAborted();
      const locks = this.take(requests);
      if (locks) return locks;
      await this.#released(signal);
    }
  }

  /**
   * Whether a task still has all the locks it took. To be asked in the transaction that publishes.
   */
  holdsAll(tx: Transaction, taskId: string): boolean {
    return listTaskLocks(tx, { taskId }).every((lock) => !lock.revoked);
  }

  /**
   * Gives back all that a task holds. Takes part in the transaction that ends the task; `released`
   * tells the others afterwards.
   */
  release(tx: Transaction, taskId: string): void {
    deleteTaskLocksOf(tx, taskId);
  }

  /**
   * Gives back what tasks of an earlier process held: also those that had ended, but had not given
   * back yet.
   */
  releaseAll(tx: Transaction): void {
    deleteAllTaskLocks(tx);
  }

  /** Locks were given back: who waits may try again. */
  released(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Calls back once, when locks are given back. */
  onRelease(wake: () => void): void {
    this.#waiting.add(wake);
  }

  list(filter: Parameters<typeof listTaskLocks>[1] = {}): TaskLock[] {
    return listTaskLocks(this.#metadata, filter);
  }

  #released(signal: AbortSignal): Promise<void> {
    return new Promise((wake) => {
      const done = () => {
        signal.removeEventListener('abort', done);
        this.#waiting.delete(done);
        wake();
      };
      signal.addEventListener('abort', done, { once: true });
      this.#waiting.add(done);
    });
  }

  // The time, but always newer than what is there: two locks of one millisecond, or a clock set
  // back, must not hide new data behind old.
  #newVersion(tx: Transaction, { dataSource, interval, type }: LockRequest): string {
    if (type === 'APPEND') return formatInstant(0); // whoever appends where nothing is has the same, and whatever replaces it is newer
    const taken = [
      ...listTaskLocks(tx, { dataSource, interval }).map(({ version }) => version),
      ...listSegments(tx, { dataSource, interval, overlapping: true }).map(
        ({ version }) => version,
      ),
    ];
    let now = this.#now();
    for (const version of taken)
      if (version >= formatInstant(now)) now = Math.max(now, Date.parse(version) + 1);
    return formatInstant(now);
  }
}

const conflictsOf = (tx: Transaction, request: LockRequest): TaskLock[] =>
  listTaskLocks(tx, { dataSource: request.dataSource, interval: request.interval }).filter(
    (lock) =>
      !lock.revoked &&
      lock.groupId !== request.groupId &&
      overlaps(lock.interval, request.interval) &&
      !goTogether(lock, request),
  );

const heldBy = (tx: Transaction, request: LockRequest): TaskLock | undefined =>
  listTaskLocks(tx, { taskId: request.taskId, dataSource: request.dataSource }).find(
    (lock) =>
      !lock.revoked && lock.type === request.type && sameInterval(lock.interval, request.interval),
  );

// What only adds goes together, and with one replacement of all it adds to (Druid: TaskLockType).
function goTogether(held: LockRequest | TaskLock, wanted: LockRequest): boolean {
  if (held.type === wanted.type) return held.type === 'SHARED' || held.type === 'APPEND';
  if (held.type === 'REPLACE' && wanted.type === 'APPEND')
    return contains(held.interval, wanted.interval);
  return (
    held.type === 'APPEND' && wanted.type === 'REPLACE' && contains(wanted.interval, held.interval)
  );
}
