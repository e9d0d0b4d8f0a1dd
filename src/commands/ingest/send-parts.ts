// Ingestion of rows that are too many for a statement: one after the other, the first with REPLACE
// if requested, the others with INSERT.
import type { Context } from '../../cli/command/command.ts';
import { formatDuration } from '../../cli/lists/columns.ts';
import { groupDigits } from '../../cli/output/group-digits.ts';
import type { Progress } from '../../cli/output/progress.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { uptimeMs } from '../../client/uptime.ts';
import { type SqlRequest, sql } from '../../contract/sql.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  leftOf,
  legBeforeLoading,
  type Wish,
  waitForLoading,
} from '../shared/datasources/wait-for-data.ts';
import { explained } from '../shared/sql/explained.ts';
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
  readonly wish: Wish;
}

/**
 * Sends the parts, and waits for each but the last. Throws the failure of a part, after a note
 * about the earlier ones.
 */
export async function sendParts(context: Context, sending: Sending): Promise<void> {
  const { out } = context;
  const { parts, count, rows, submit, wish, dataSource } = sending;
  const startMs = uptimeMs();
  const leg = legBeforeLoading(wish.wait, startMs);
  const line = context.progress(`Datasource [${dataSource}]`, { leg });
  const ids: string[] = [];
  const stored = { rows: 0, isKnown: true };
  let sentRows = 0;
  let endedParts = 0;
  try {
    for await (const part of parts) {
      const at = ids.length;
      const taskId = await submit(part, at);
      ids.push(taskId);
      if (!out.isForPrograms) await printTaskId(context, taskId);
      sentRows += part.rows;
      const progress = () => partOf(line, { at, count, sentRows, rows });
      if (ids.length === count && !wish.wait) break;
      await waitForTask(context, taskId, {
        ...leftOf(wish.maxWait, startMs),
        progress,
        isReported: true,
        isKnown: true,
      });
      endedParts++;
      const counts = await findRowCounts(context, taskId);
      if (counts?.stored === undefined) stored.isKnown = false;
      else stored.rows += counts.stored;
    }
  } catch (error) {
    line.failed();
    if (ids.length > 0)
      out.note(
        `${endedParts} of ${count} parts were stored in datasource [${dataSource}] before this; those after part ${ids.length} were not sent.`,
      );
    throw error;
  }
  const after = formatDuration(uptimeMs() - startMs);
  line.done(
    wish.wait
      ? `Datasource [${dataSource}]: ${groupDigits(rows)} rows ingested in ${count} parts after ${after}`
      : undefined,
  );
  if (out.isForPrograms) await out.value({ task: ids.at(-1), tasks: ids });
  const taskId = ids.at(-1) ?? '';
  if (!wish.wait) {
    const next = commandLine`svcctl tasks wait ${taskId}`;
    return out.changed(ids, `Task [${taskId}] is submitted, the last of ${count} parts.`, next);
  }
  if (stored.isKnown && stored.rows === 0)
    out.warn(rowWarning(`Datasource [${dataSource}]`, noneStored(rows)) ?? '');
  const { wait } = wish;
  const ended = { taskId, dataSource, startMs };
  await waitForLoading(context, ended, { wait, ...leftOf(wish.maxWait, startMs) });
}

const noneStored = (read: number) => ({
  read,
  stored: 0,
  withErrors: undefined,
  unparseable: undefined,
  thrownAway: undefined,
});

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
  context: Pick<Context, 'call' | 'io'>,
  request: SqlRequest,
  wait: Wish['wait'],
): Promise<string> {
  const body = requestToWait(request, wait);
  const reply = await explained(context, request.query, context.call(sql.task, { body }));
  if ('taskId' in reply) return reply.taskId;
  throw new CommandError('failed', 'The service answered an ingestion without a task');
}
