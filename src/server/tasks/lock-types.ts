// Lock type of a task, from its context (Druid: ingestion/concurrent-append-replace; TaskLocks,
// AbstractBatchIndexTask).
import { oneOfNames } from '../checks/context-values.ts';
import { isObject } from '../checks/spec-fields.ts';
import type { TaskLockType } from '../storage/task-locks.ts';

/**
 * The lock type of a native batch task. What only appends may share its chunks, what replaces may
 * not: a type that does not fit is passed over.
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

/** The lock type of an INSERT or REPLACE; what does not go with the statement is refused before. */
export const statementLockType = (context: unknown, replaces: boolean): TaskLockType =>
  isConcurrent(context)
    ? replaces
      ? 'REPLACE'
      : 'APPEND'
    : (lockTypeIn(context) ?? (replaces ? 'EXCLUSIVE' : 'SHARED'));

/**
 * Throws a Refusal for a context that names a lock type there is not (Druid:
 * QueryContexts.getAsEnum, with which tasks read it). To be asked before a task is taken in: of one
 * that is stored already, such a type is passed over.
 */
export function checkLockType(context: unknown): void {
  if (isObject(context)) oneOfNames(context, 'taskLockType', 'TaskLockType', lockTypes);
}

/** The lock type that a context names; undefined when it names none that there is. */
export const lockTypeIn = (context: unknown): TaskLockType | undefined =>
  lockTypes.find((type) => type === String(valueIn(context, 'taskLockType')).toUpperCase());

/** In the order in which the real engine lists them. */
export const lockTypes: readonly TaskLockType[] = ['EXCLUSIVE', 'SHARED', 'REPLACE', 'APPEND'];

/** Whether a context asks for locks with which data can be appended while others are replaced. */
export const isConcurrent = (context: unknown): boolean =>
  isTrue(valueIn(context, 'useConcurrentLocks'));

const isTrue = (value: unknown) => String(value).toLowerCase() === 'true';

const valueIn = (context: unknown, name: string): unknown =>
  isObject(context) ? context[name] : undefined;
