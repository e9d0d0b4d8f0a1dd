// Fields of every task payload.
import type { StoredPayload } from '../storage/tasks.ts';

/**
 * A payload with the fields that every task has (the real engine adds the same fields to the
 * context). `payload` is the completed payload from the task's type.
 */
export function completePayload(
  given: StoredPayload,
  payload: StoredPayload,
  id: string,
): StoredPayload {
  const context = typeof given.context === 'object' ? given.context : {};
  const resource =
    typeof given.resource === 'object' && given.resource !== null
      ? given.resource
      : { availabilityGroup: id, requiredCapacity: 1 };
  return {
    type: given.type,
    id,
    groupId: groupIdOf(given, id),
    resource,
    ...payload,
    context: { forceTimeChunkLock: true, useLineageBasedSegmentAllocation: true, ...context },
  };
}

/** The group of a task; a task without a group is a group of its own. */
export const groupIdOf = ({ groupId }: StoredPayload, id: string): string =>
  typeof groupId === 'string' ? groupId : id;

/** The priority in the context; undefined when there is none. */
export function priorityOf({ context }: StoredPayload): number | undefined {
  const priority =
    typeof context === 'object' && context !== null && 'priority' in context
      ? Number(context.priority ?? Number.NaN)
      : Number.NaN;
  return Number.isSafeInteger(priority) ? priority : undefined;
}
