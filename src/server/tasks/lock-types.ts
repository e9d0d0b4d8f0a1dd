// Lock type of a task, from its context (Druid: ingestion/concurrent-append-replace; TaskLocks,
// AbstractBatchIndexTask).
import { oneOfNames } from '../checks/context-values.ts';
import { isObject } from '../checks/spec-fields.ts';
import type { TaskLockType } from '../storage/task-locks.ts';

/**
 * The lock type of a native batch task. Appending tasks may share their chunks, replacing tasks may
 * not. A type that does not fit is ignored.
 */
export function batchLockType(context: unknown, appends: boolean): TaskLockType {
  if (isConcurrent(context)) return appends ? 'APPEND' : 'REPLACE';
  const type = appendLockType(context);
  const fits = appends ? type !== 'REPLACE' : type === 'REPLACE';
  return fits ? type : 'EXCLUSIVE';
}

/** The lock type of a task that reads a stream. */
export function appendLockType(context: unknown): TaskLockType {
  if (isConcurrent(context)) return 'APPEND';
  return (
    lockTypeIn(context) ?? (isTrue(valueIn(context, 'useSharedLock')) ? 'SHARED' : 'EXCLUSIVE')
  );
}

/** The lock type of a task that deletes unused segments. */
export const killLockType = (context: unknown): TaskLockType =>
  isConcurrent(context) ? 'REPLACE' : (lockTypeIn(context) ?? 'EXCLUSIVE');

/**
 * The lock type of an INSERT or REPLACE. Types that do not fit the statement are refused earlier.
 */
export const statementLockType = (context: unknown, replaces: boolean): TaskLockType =>
  isConcurrent(context)
    ? replaces
      ? 'REPLACE'
      : 'APPEND'
    : (lockTypeIn(context) ?? (replaces ? 'EXCLUSIVE' : 'SHARED'));

/**
 * Throws a Refusal for a context with an unknown lock type (Druid: QueryContexts.getAsEnum, with
 * which tasks read it). Call it before a task is accepted: in stored tasks, an unknown type is
 * ignored.
 */
export function checkLockType(context: unknown): void {
  if (isObject(context)) oneOfNames(context, 'taskLockType', 'TaskLockType', lockTypes);
}

/** The lock type that a context names; undefined for a missing or unknown type. */
export const lockTypeIn = (context: unknown): TaskLockType | undefined =>
  lockTypes.find((type) => type === String(valueIn(context, 'taskLockType')).toUpperCase());

/** In the order in which the real engine lists them. */
export const lockTypes: readonly TaskLockType[] = ['EXCLUSIVE', 'SHARED', 'REPLACE', 'APPEND'];

/** Whether a context requests locks that allow appending while other tasks replace data. */
export const isConcurrent = (context: unknown): boolean =>
  isTrue(valueIn(context, 'useConcurrentLocks'));

const isTrue = (value: unknown) => String(value).toLowerCase() === 'true';

const valueIn = (context: unknown, name: string): unknown =>
  isObject(context) ? context[name] : undefined;
