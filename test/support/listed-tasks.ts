import type { SupervisorStatus } from '../../src/contract/supervisors.ts';

type SupervisorPayload = SupervisorStatus['payload'];
type ListedTask = NonNullable<SupervisorPayload['publishingTasks']>[number];

/**
 * The tasks that the status of a supervisor of a stream lists; that of a schedule has them by their
 * ids.
 */
export const listedTasks = (tasks: SupervisorPayload['activeTasks']): readonly ListedTask[] =>
  Array.isArray(tasks) ? tasks : [];
