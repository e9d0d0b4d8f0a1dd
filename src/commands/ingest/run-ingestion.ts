// Shared end of both ingestion commands: run the statement as a task, print its id, wait if
// requested.
import type { Context } from '../../cli/command/command.ts';
import { uptimeMs } from '../../client/uptime.ts';
import { oneOf, optional, seconds } from '../../contract/schema.ts';
import { type SqlRequest, sql } from '../../contract/sql.ts';
import { commandLine } from '../../model/shell-text.ts';
import { quotedName } from '../../model/sql-text.ts';
import { waitUntilQueryable } from '../shared/datasources/wait-until-queryable.ts';
import { printTaskId } from '../shared/tasks/print-task-id.ts';
import { waitForTask } from '../shared/tasks/wait-for-task.ts';

export const waitOptions = {
  wait: optional(
    oneOf('ended', 'queryable'),
    'Wait for the task, or until its data is queryable; the exit code tells the result',
  ),
  maxWait: optional(seconds, 'With --wait: timeout in seconds'),
};

export const bareWait = { wait: 'ended' };

interface Wish {
  readonly wait?: 'ended' | 'queryable';
  readonly maxWait?: number;
}

export async function runIngestion(
  context: Context,
  request: SqlRequest,
  { wait, maxWait }: Wish,
): Promise<void> {
  const { call, out, dryRun } = context;
  const isQueryable = wait === 'queryable';
  // The real engine then waits itself, and reports the result of the wait.
  const body = isQueryable
    ? { ...request, context: { waitUntilSegmentsLoad: true, ...request.context } }
    : request;
  const reply = await call(sql.task, { body });
  if (dryRun) return;
  if (!('taskId' in reply)) return out.document(reply); // an EXPLAIN
  await printTaskId(context, reply.taskId);
  if (!wait)
    return out.changed(
      reply.taskId,
      `Task [${reply.taskId}] is submitted.`,
      commandLine`svcctl tasks wait ${reply.taskId}`,
    );
  const start = uptimeMs();
  const { dataSource } = await waitForTask(context, reply.taskId, { maxWait, isKnown: true });
  const left =
    maxWait === undefined ? undefined : Math.max(0, maxWait - (uptimeMs() - start) / 1000);
  if (isQueryable) await waitUntilQueryable(context, dataSource, left);
  out.note(
    `next: ${isQueryable ? commandLine`svcctl sql ${`SELECT * FROM ${quotedName(dataSource)} LIMIT 5`}` : commandLine`svcctl tasks report ${reply.taskId}`}`,
  );
}
