// Resubmission of ended tasks: those that cannot run again, and the specification of the others.
import type { Context } from '../../../cli/command/command.ts';
import { CommandError } from '../../../cli/process/errors.ts';
import { sql } from '../../../contract/sql.ts';
import { type TaskPayload, type TaskStatus, tasks } from '../../../contract/tasks.ts';
import { findMaskedPath } from '../../../model/secrets.ts';
import { commandLine } from '../../../model/shell-text.ts';

/** Throws for a task that cannot run again. */
export function refuseUnfit({ id, groupId, type, statusCode }: TaskStatus, payload: object): void {
  if (statusCode === 'RUNNING')
    throw new CommandError(
      'refused',
      `Task [${id}] has not ended: only an ended task can be run again`,
      commandLine`svcctl tasks wait ${id}`,
    );
  if (/^index_(?:kafka|kinesis|rabbit)/.test(type))
    throw new CommandError(
      'refused',
      `Task [${id}] is of type [${type}]: its supervisor starts such tasks itself`,
      'svcctl supervisors list shows the supervisors',
    );
  if (isWorker(type) && groupId !== id)
    throw new CommandError(
      'refused',
      `Task [${id}] is a worker of task [${groupId}] and cannot run alone`,
      commandLine`svcctl tasks retry ${groupId}`,
    );
  const masked = findMaskedPath(payload);
  if (masked !== undefined)
    throw new CommandError(
      'refused',
      `The specification of task [${id}] holds a secret at [${masked}], which the service does not return`,
      `${commandLine`svcctl tasks get ${id}`} > task.json; write the secret into it, then svcctl tasks submit task.json`,
    );
}

const isWorker = (type: string) =>
  type === 'query_worker' || /^(?:single_phase_sub_task|partial_)/.test(type);

/** Submits the specification of an ended task; returns the id of the new one. */
export async function submitAgain(
  { call }: Pick<Context, 'call'>,
  payload: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  if (typeof payload.sqlQuery !== 'string')
    return (await call(tasks.submit, { body: withoutId(payload) })).task;
  const reply = await call(sql.task, { body: statementIn(payload, payload.sqlQuery) });
  return 'taskId' in reply ? reply.taskId : undefined;
}

// A task that chose its own group, or a lock's group, is in the group of its old id no more.
function withoutId({
  id,
  groupId,
  resource: _,
  ...payload
}: Readonly<Record<string, unknown>>): TaskPayload {
  return {
    ...payload,
    type: String(payload.type),
    ...(groupId !== id && typeof groupId === 'string' && { groupId }),
  };
}

// The planner adds these parameters itself.
const addedByPlanner = [
  'queryId',
  'sqlQueryId',
  'sqlStringifyArrays',
  'sqlInsertSegmentGranularity',
  'sqlReplaceTimeChunks',
  '__user',
  '__resultFormat',
];

function statementIn(payload: Readonly<Record<string, unknown>>, query: string) {
  const { sqlQueryContext, parameters } = payload;
  const context = Object.entries(
    typeof sqlQueryContext === 'object' && sqlQueryContext !== null ? sqlQueryContext : {},
  ).filter(([name]) => !addedByPlanner.includes(name));
  return {
    query,
    context: Object.fromEntries(context),
    ...(Array.isArray(parameters) && parameters.length > 0 && { parameters }),
  };
}
