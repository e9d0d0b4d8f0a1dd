// Ingestion of rows that are too many for a statement: one after the other, the first with REPLACE
// if requested, the others with INSERT.
import type { Context } from '../../cli/command/command.ts';
import { formatDuration } from '../../cli/lists/columns.ts';
import type { Progress } from '../../cli/output/progress.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { uptimeMs } from '../../client/uptime.ts';
import { type SqlRequest, sql } from '../../contract/sql.ts';
import { waitForData } from '../shared/datasources/wait-for-data.ts';
import { printTaskId } from '../shared/tasks/print-task-id.ts';
import { rowWarning } from '../shared/tasks/row-counts.ts';
import { findRowCounts, waitForTask } from '../shared/tasks/wait-for-task.ts';
import type { Part } from './parts.ts';
import { requestToWait } from './run-ingestion.ts';

interface Sending {
  readonly dataSource: string;
  readonly parts: AsyncIterable<Part>;
  readonly count: number; // of the parts
  readonly rows: number; // of all parts
  /** Sends the statement of a part; resolves to its task. */
  readonly submit: (part: Part, at: number) => Promise<string>;
  readonly wish: Parameters<typeof waitForData>[2];
}

/**
 * Sends the parts, and waits for each but the last. Throws the failure of a part, after a note about
 * the earlier ones.
 */
export async function sendParts(context: Context, sending: Sending): Promise<void> {
  const { out } = context;
  const { parts, count, rows, submit, wish, dataSource } = sending;
  const line = context.progress(`Datasource [${dataSource}]`);
  const startMs = uptimeMs();
  const ids: string[] = [];
  const stored = { rows: 0, isKnown: true };
  let sentRows = 0;
  let ended = 0;
  try {
    for await (const part of parts) {
      const at = ids.length;
      const taskId = await submit(part, at);
      ids.push(taskId);
      if (!out.isForPrograms) await printTaskId(context, taskId);
      const how = { progress: () => partOf(line, { at, count, sentRows, rows }), isReported: true };
      sentRows += part.rows;
      const isLast = ids.length === count;
      if (!isLast)
        await waitForTask(context, taskId, {
          ...how,
          ...left(wish.maxWait, startMs),
          isKnown: true,
        });
      else if (wish.wait)
        await waitForData(context, taskId, { ...wish, ...left(wish.maxWait, startMs) }, how);
      else break;
      ended++;
      const counts = await findRowCounts(context, taskId);
      if (counts?.stored === undefined) stored.isKnown = false;
      else stored.rows += counts.stored;
    }
  } catch (error) {
    line.failed();
    if (ids.length > 0)
      out.note(
        `${ended} of ${count} parts were stored in datasource [${dataSource}] before this; those after part ${ids.length} were not sent.`,
      );
    throw error;
  }
  line.done(
    wish.wait
      ? `Datasource [${dataSource}]: ${rows} rows ingested in ${count} parts after ${formatDuration(uptimeMs() - startMs)}`
      : undefined,
  );
  if (out.isForPrograms) await out.value({ task: ids.at(-1), tasks: ids });
  if (!wish.wait)
    out.changed(
      ids,
      `Task [${ids.at(-1)}] is submitted: the last of ${count} parts.`,
      `svcctl tasks wait ${ids.at(-1)}`,
    );
  else if (stored.isKnown && stored.rows === 0)
    out.warn(rowWarning(`Datasource [${dataSource}]`, noneStored(rows)) ?? '');
}

const noneStored = (read: number) => ({
  read,
  stored: 0,
  withErrors: undefined,
  unparseable: undefined,
  thrownAway: undefined,
});

const left = (maxWait: number | undefined, startMs: number) =>
  maxWait === undefined ? {} : { maxWait: Math.max(0, maxWait - (uptimeMs() - startMs) / 1000) };

interface Place {
  readonly at: number;
  readonly count: number;
  readonly sentRows: number; // of the parts before
  readonly rows: number;
}

// The progress of one part, as a share of all.
function partOf(line: Progress, { at, count, sentRows, rows }: Place): Progress {
  return {
    update: (state) =>
      line.update({
        stage: `part ${at + 1} of ${count}: ${state.stage ?? 'submitted'}`,
        rows: sentRows,
        fraction: rows === 0 ? 0 : (at + (state.fraction ?? 0)) / count,
      }),
    done: () => {},
    failed: () => {},
  };
}

/** Submits a statement; resolves to the id of its task. `wait`: what the command waits for. */
export async function submitStatement(
  { call }: Pick<Context, 'call'>,
  request: SqlRequest,
  wait: Sending['wish']['wait'],
): Promise<string> {
  const reply = await call(sql.task, { body: requestToWait(request, wait) });
  if ('taskId' in reply) return reply.taskId;
  throw new CommandError('failed', 'The service answered an ingestion without a task');
}
