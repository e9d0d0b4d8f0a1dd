import { type Context, command } from '../../cli/command/command.ts';
import { type Finding, findingColumns, printFindings } from '../../cli/command/findings.ts';
import { formatDuration } from '../../cli/lists/columns.ts';
import { type TaskStatus, tasks } from '../../contract/tasks.ts';
import { workers } from '../../contract/workers.ts';
import { completers, hints, identified, taskId } from '../shared/tasks/task-id.ts';
import { lockFindings } from './task-locks.ts';
import { queueFindings } from './task-queue.ts';
import { failureOf, lastLineFinding, progressFinding } from './task-reports.ts';

export const task = command({
  summary: 'Explain why a task waits, runs or failed',
  description:
    'Prints one line per link of the chain of causes, with a remedy where one is known; -o json has the numbers behind it.',
  examples: ['svcctl why task ingest-1', 'svcctl why task ingest-1 --output json'],
  endpoints: [
    tasks.status,
    tasks.get,
    tasks.activeLocks,
    tasks.pending,
    tasks.waiting,
    tasks.capacity,
    tasks.reports,
    tasks.log,
    workers.list,
  ],
  arguments: taskId,
  completers,
  ids: { taskId: identified },
  hints,
  columns: findingColumns,
  async run(context, { args }) {
    const { status } = await context.call(tasks.status, { params: args });
    await printFindings(context, [stateOf(status), ...(await causesOf(context, status))]);
  },
});

function stateOf({
  id,
  type,
  dataSource,
  statusCode,
  runnerStatusCode,
  createdTime,
  duration,
  location,
  errorMsg,
}: TaskStatus): Finding {
  const what = `Task [${id}] of type [${type}] for datasource [${dataSource}]`;
  const facts = {
    id,
    type,
    dataSource,
    statusCode,
    runnerStatusCode,
    createdTime,
    duration,
    location,
    errorMsg,
  };
  const age = formatDuration(Math.max(0, Date.now() - Date.parse(createdTime)));
  if (statusCode === 'SUCCESS')
    return {
      check: 'state',
      state: 'ok',
      says: `${what} has succeeded after ${formatDuration(duration)}`,
      facts,
    };
  if (statusCode === 'FAILED')
    return {
      check: 'state',
      state: 'critical',
      says: `${what} has failed after ${formatDuration(duration)}`,
      facts,
    };
  const words = {
    WAITING: 'waits for locks',
    PENDING: 'waits for a slot',
    RUNNING: 'runs',
    NONE: 'is known, but no worker has it',
  }[runnerStatusCode];
  const where = location.host ? ` on [${location.host}:${location.port}]` : '';
  return {
    check: 'state',
    state: runnerStatusCode === 'RUNNING' ? 'ok' : 'warning',
    says: `${what} ${words}${where}, ${age} after it was submitted`,
    facts,
  };
}

async function causesOf(context: Context, status: TaskStatus): Promise<readonly Finding[]> {
  if (status.statusCode === 'FAILED') return failureOf(context, status);
  if (status.statusCode === 'SUCCESS') return progressFinding(context, status);
  if (status.runnerStatusCode === 'WAITING')
    return [...(await lockFindings(context, status)), ...(await queueFindings(context, status))];
  if (status.runnerStatusCode === 'RUNNING')
    return [
      ...(await progressFinding(context, status)),
      ...(await lockFindings(context, status)),
      ...(await lastLineFinding(context, status.id)),
    ];
  return queueFindings(context, status);
}
