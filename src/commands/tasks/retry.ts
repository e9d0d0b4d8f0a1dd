import { type Context, command } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { sql } from '../../contract/sql.ts';
import { type TaskPayload, type TaskStatus, tasks } from '../../contract/tasks.ts';
import { commandLine } from '../../model/shell-text.ts';
import { bareWait, waitForData, waitOptions } from '../shared/datasources/wait-for-data.ts';
import { printTaskId } from '../shared/tasks/print-task-id.ts';
import { completers, hints, identified, taskId } from '../shared/tasks/task-id.ts';

export const retry = command({
  summary: 'Submit an ended task again and print the new id',
  description:
    'The new task has the specification of the old one and an id of its own. An SQL statement is planned again, so it sees the tables of now. A task that succeeded is run again only after confirmation.',
  examples: ['svcctl tasks retry ingest-2 --dry-run'],
  endpoints: [tasks.status, tasks.get, tasks.submit, sql.task],
  arguments: taskId,
  options: waitOptions,
  bare: bareWait,
  needs: { maxWait: 'wait' },
  completers,
  ids: { taskId: identified },
  hints,
  writes: 'change',
  async run(context, { args, options }) {
    const { call, confirm, dryRun } = context;
    const { status } = await call(tasks.status, { params: args });
    const { payload } = await call(tasks.get, { params: args });
    await refuseUnfit(status, payload);
    if (status.statusCode === 'SUCCESS')
      await confirm({
        level: 'change',
        what: `Task [${status.id}] succeeded. Run it again`,
        name: status.id,
        back: 'the data that it writes stays',
      });
    const id = await submitAgain(context, payload);
    if (dryRun || id === undefined) return;
    await printTaskId(context, id);
    await waitForData(context, id, options);
  },
});

async function refuseUnfit(
  { id, groupId, type, statusCode }: TaskStatus,
  payload: object,
): Promise<void> {
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
  const { findMaskedPath } = await import('../../model/secrets.ts');
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

async function submitAgain(
  { call }: Context,
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
