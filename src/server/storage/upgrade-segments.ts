// Segments that were appended during another task's replacement: they survive it (Druid:
// ingestion/concurrent-append-replace).
import { formatInterval } from '../../model/interval.ts';
import type { Transaction } from './metadata.ts';
import { listSegments, type SegmentRecord } from './segments.ts';
import { listTaskLocks } from './task-locks.ts';

/**
 * Records appended segments for the tasks that hold a REPLACE lock over them. Call it in the
 * transaction that publishes them. Throws where such a lock covers a segment only in part, because
 * the replacement would hide rows of the segment.
 */
export function noteAppended(tx: Transaction, appended: readonly SegmentRecord[]): void {
  for (const { dataSource, interval, id } of appended) {
    for (const lock of listTaskLocks(tx, { dataSource, interval })) {
      if (lock.type !== 'REPLACE' || lock.revoked) continue;
      if (lock.interval.start > interval.start || lock.interval.end < interval.end) {
        throw new Error(
          `Cannot append to interval [${formatInterval(interval)}]: task [${lock.taskId}] is replacing a part of it, [${formatInterval(lock.interval)}]`,
        );
      }
      tx.run('INSERT INTO upgrade_segments VALUES (?, ?) ON CONFLICT DO NOTHING', lock.id, id);
    }
  }
}

/**
 * The used segments that were appended since a task took its REPLACE locks, in the order of
 * `listSegments`.
 */
export function segmentsToUpgrade(tx: Transaction, taskId: string): SegmentRecord[] {
  const ids = tx
    .all<{ segment_id: string }>(
      'SELECT segment_id FROM upgrade_segments WHERE lock_id IN (SELECT id FROM task_locks WHERE task_id = ? AND revoked = 0)',
      taskId,
    )
    .map((row) => row.segment_id);
  return ids.length === 0 ? [] : listSegments(tx, { ids, used: true });
}

/**
 * Forgets segments appended so far: the task has just read the existing segments and will replace
 * all of them.
 */
export const forgetUpgrades = (tx: Transaction, taskId: string): number =>
  tx.run(
    'DELETE FROM upgrade_segments WHERE lock_id IN (SELECT id FROM task_locks WHERE task_id = ?)',
    taskId,
  );
