// Check of a submitted task, and its first record.
import { checkNameLength } from '../checks/name-length.ts';
import { invalidTaskId, unknownTaskType } from '../checks/refusals.ts';
import type { StoredPayload, TaskRecord } from '../storage/tasks.ts';
import { faultInId, newTaskId } from './task-ids.ts';
import { completePayload, groupIdOf, priorityOf } from './task-payload.ts';
import type { TaskType } from './task-type.ts';

export interface SubmissionParts {
  readonly types: ReadonlyMap<string, TaskType>;
  readonly now: () => number; // milliseconds since 1970
}

/**
 * The record and the complete payload of a submitted task, which waits. Throws a Refusal for an
 * invalid task. `check` may throw for the target datasource.
 */
export function prepareTask(
  { types, now }: SubmissionParts,
  given: StoredPayload,
  check?: (dataSource: string) => void,
): { readonly task: TaskRecord; readonly payload: StoredPayload } {
  const typeName = typeof given.type === 'string' ? given.type : '';
  const type = types.get(typeName);
  if (!type) throw unknownTaskType(given.type, [...types.keys()]);
  const givenId = typeof given.id === 'string' ? given.id : undefined;
  const fault = givenId === undefined ? undefined : faultInId('task ID', givenId);
  if (fault) throw invalidTaskId(typeName, fault);
  const { dataSource, payload: prepared } = type.prepare(given);
  checkNameLength(dataSource, 'dataSource');
  if (typeof given.groupId === 'string') checkNameLength(given.groupId, 'groupId');
  check?.(dataSource);
  const createdMs = now();
  const id = givenId ?? newTaskId(typeName, dataSource, createdMs);
  const payload = completePayload(given, prepared, id);
  const task: TaskRecord = {
    id,
    groupId: groupIdOf(given, id),
    type: typeName,
    dataSource,
    createdMs,
    queuedMs: createdMs,
    priority: priorityOf(payload) ?? type.priority,
    status: 'RUNNING',
    runnerStatus: 'WAITING',
    durationMs: -1,
    errorMsg: undefined,
    location: undefined,
  };
  return { task, payload };
}
