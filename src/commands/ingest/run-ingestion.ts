// Shared end of both ingestion commands: run the statement as a task, print its id, wait if
// requested.
import type { Context } from '../../cli/command/command.ts';
import { type SqlRequest, sql } from '../../contract/sql.ts';
import { waitForData } from '../shared/datasources/wait-for-data.ts';
import { explained } from '../shared/sql/explained.ts';
import { printTaskId } from '../shared/tasks/print-task-id.ts';

/** Hints for a service without SQL tasks. */
export const ingestionHints = {
  lacking:
    'ingestion by SQL needs extension druid-multi-stage-query on the service; without it, svcctl tasks create FILE builds a native batch task',
};

export async function runIngestion(
  context: Context,
  request: SqlRequest,
  wish: Parameters<typeof waitForData>[2],
): Promise<void> {
  const { call, out, dryRun } = context;
  const body = requestToWait(request, wish.wait);
  const reply = await explained(context, request.query, call(sql.task, { body }));
  if (dryRun) return;
  if (!('taskId' in reply)) return out.document(reply); // an EXPLAIN
  await printTaskId(context, reply.taskId);
  await waitForData(context, reply.taskId, wish);
}

/** The request; the real engine then waits itself, and reports the result of the wait. */
export const requestToWait = (request: SqlRequest, wait: string | undefined): SqlRequest =>
  wait === 'queryable'
    ? { ...request, context: { waitUntilSegmentsLoad: true, ...request.context } }
    : request;
