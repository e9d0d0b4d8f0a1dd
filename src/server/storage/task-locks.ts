// Table of task locks. The lockbox decides which locks are compatible.
import type { Interval } from '../../model/interval.ts';
import type { Transaction } from './metadata.ts';

export type TaskLockType = 'EXCLUSIVE' | 'SHARED' | 'REPLACE' | 'APPEND';

export interface TaskLock {
  readonly id: number;
  readonly taskId: string;
  readonly groupId: string;
  readonly dataSource: string;
  readonly interval: Interval;
  readonly version: string;
  readonly type: TaskLockType;
  readonly priority: number;
  readonly revoked: boolean;
}

/** Adds a lock and returns it with its number. */
export function insertTaskLock(tx: Transaction, lock: Omit<TaskLock, 'id' | 'revoked'>): TaskLock {
  const row = tx.get<{ id: number }>(
    `INSERT INTO task_locks (task_id, group_id, datasource, start_ms, end_ms, version, type, priority)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    lock.taskId,
    lock.groupId,
    lock.dataSource,
    lock.interval.start,
    lock.interval.end,
    lock.version,
    lock.type,
    lock.priority,
  );
  return { ...lock, id: row?.id ?? 0, revoked: false };
}

/**
 * Locks in the order they were taken; limited to one task, or to the locks of one datasource that
 * overlap an interval.
 */
export function listTaskLocks(
  tx: Transaction,
  filter: { taskId?: string; dataSource?: string; interval?: Interval } = {},
): TaskLock[] {
  const { taskId, dataSource, interval } = filter;
  return tx
    .all<TaskLockRow>(
      `SELECT * FROM task_locks WHERE (?1 IS NULL OR task_id = ?1) AND (?2 IS NULL OR datasource = ?2)
       AND (?3 IS NULL OR start_ms < ?4 AND end_ms > ?3) ORDER BY id`,
      taskId ?? null,
      dataSource ?? null,
      interval?.start ?? null,
      interval?.end ?? null,
    )
    .map(lockOf);
}

export const revokeTaskLock = (tx: Transaction, id: number): boolean =>
  tx.run('UPDATE task_locks SET revoked = 1 WHERE id = ?', id) === 1;

/** Releases all locks of a task; returns how many there were. */
export const deleteTaskLocksOf = (tx: Transaction, taskId: string): number =>
  tx.run('DELETE FROM task_locks WHERE task_id = ?', taskId);

export const deleteAllTaskLocks = (tx: Transaction): number => tx.run('DELETE FROM task_locks');

interface TaskLockRow {
  readonly id: number;
  readonly task_id: string;
  readonly group_id: string;
  readonly datasource: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly version: string;
  readonly type: TaskLockType;
  readonly priority: number;
  readonly revoked: number;
}

const lockOf = (row: TaskLockRow): TaskLock => ({
  id: row.id,
  taskId: row.task_id,
  groupId: row.group_id,
  dataSource: row.datasource,
  interval: { start: row.start_ms, end: row.end_ms },
  version: row.version,
  type: row.type,
  priority: row.priority,
  revoked: row.revoked === 1,
});
