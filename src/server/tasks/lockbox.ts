// Locks of time chunks. They are rows of the metadata store, so the listed locks are always the
// held ones.
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
   * Takes all of these locks or none: returns undefined when another task holds a conflicting lock.
   * Locks of a lower priority are revoked; their task notices when it publishes (Druid:
   * ingestion/tasks, "Lock priority").
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
          findHeldLock(tx, request) ??
          insertTaskLock(tx, { ...request, version: this.#newVersion(tx, request) }),
      );
    });
  }

  /**
   * Locks of other tasks that conflict with these requests; empty when the locks are available now.
   */
  inTheWay(requests: readonly LockRequest[]): TaskLock[] {
    return requests.flatMap((request) =>
      conflictsOf(this.#metadata, request).filter(({ priority }) => priority >= request.priority),
    );
  }

  /**
   * Like `take`, but waits until the locks are available. Throws the signal's reason when the
   * signal aborts first.
   */
  async wait(requests: readonly LockRequest[], signal: AbortSignal): Promise<TaskLock[]> {
    for (;;) {
      signal.throwIfAborted();
      const locks = this.take(requests);
      if (locks) return locks;
      await this.#waitForRelease(signal);
    }
  }

  /** Whether a task still has all the locks it took. Call it in the transaction that publishes. */
  holdsAll(tx: Transaction, taskId: string): boolean {
    return listTaskLocks(tx, { taskId }).every((lock) => !lock.revoked);
  }

  /**
   * Releases all locks of a task as part of the transaction that ends the task. Call `released`
   * afterwards to notify waiting tasks.
   */
  release(tx: Transaction, taskId: string): void {
    deleteTaskLocksOf(tx, taskId);
  }

  /**
   * Releases all locks of tasks of an earlier process, including ended tasks that had not released
   * theirs.
   */
  releaseAll(tx: Transaction): void {
    deleteAllTaskLocks(tx);
  }

  /** Notifies waiting tasks that locks were released. */
  notifyWaiting(): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }

  /** Calls back once, when locks are released. */
  onRelease(wake: () => void): void {
    this.#waiting.add(wake);
  }

  list(filter: Parameters<typeof listTaskLocks>[1] = {}): TaskLock[] {
    return listTaskLocks(this.#metadata, filter);
  }

  #waitForRelease(signal: AbortSignal): Promise<void> {
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

  // The current time, but always newer than existing versions. Two locks in one millisecond, or a
  // clock set back, must not hide new data behind old.
  #newVersion(tx: Transaction, { dataSource, interval, type }: LockRequest): string {
    if (type === 'APPEND') return formatInstant(0); // all appends to an empty chunk share it, and any replacement is newer
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

const findHeldLock = (tx: Transaction, request: LockRequest): TaskLock | undefined =>
  listTaskLocks(tx, { taskId: request.taskId, dataSource: request.dataSource }).find(
    (lock) =>
      !lock.revoked && lock.type === request.type && sameInterval(lock.interval, request.interval),
  );

// Appending locks are compatible with each other, and with one replacing lock that covers them
// (Druid: TaskLockType).
function goTogether(held: LockRequest | TaskLock, wanted: LockRequest): boolean {
  if (held.type === wanted.type) return held.type === 'SHARED' || held.type === 'APPEND';
  if (held.type === 'REPLACE' && wanted.type === 'APPEND')
    return contains(held.interval, wanted.interval);
  return (
    held.type === 'APPEND' && wanted.type === 'REPLACE' && contains(wanted.interval, held.interval)
  );
}
