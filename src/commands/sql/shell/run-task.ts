// INSERT and REPLACE in the shell: they run as tasks, with progress, until their data is queryable.
// Ctrl-C cancels the task.
import type { Context } from '../../../cli/command/command.ts';
import { UsageError } from '../../../cli/process/errors.ts';
import { sql } from '../../../contract/sql.ts';
import { tasks } from '../../../contract/tasks.ts';
import { untilQueryable } from '../../shared/datasources/wait-until-queryable.ts';
import { withRowWithoutTime } from '../../shared/sql/row-without-time.ts';
import { withoutComments } from '../../shared/sql/statement-parts.ts';
import { untilEnded } from '../../shared/tasks/wait-for-task.ts';
import { cancellable } from './run-query.ts';
import type { ShellSession } from './session.ts';

/** Whether a statement runs as a task: INSERT, REPLACE, and the plan of one. */
export const isForTask = (statement: string): boolean =>
  /^\s*(?:EXPLAIN\s+PLAN\s+FOR\s+)?(?:INSERT|REPLACE)\s+INTO\b/i.test(withoutComments(statement));

/** Runs such a statement. Throws the service's refusal, and Interrupted after Ctrl-C. */
export async function runTask(
  session: ShellSession,
  query: string,
  { out, progress, signal }: Pick<Context, 'out' | 'progress' | 'signal'>,
  { file, pages = true }: { readonly file?: string; readonly pages?: boolean } = {},
): Promise<void> {
  if (file !== undefined)
    throw new UsageError('INSERT and REPLACE have no rows for a file', 'end the statement with ;');
  if (!pages) throw new UsageError('\\watch repeats queries, not INSERT and REPLACE');
  const { call, context, parameters } = session;
  const submitted = call(sql.task, {
    body: {
      query,
      context: { waitUntilSegmentsLoad: true, ...Object.fromEntries(context) },
      ...(parameters.length > 0 && { parameters }),
    },
  });
  const cancel = async () => {
    const reply = await submitted;
    if ('taskId' in reply)
      await session.callAtTheEnd(tasks.shutdown, { params: { taskId: reply.taskId } });
  };
  await cancellable(session, cancel, async () => {
    const reply = await submitted;
    if (!('taskId' in reply)) return out.document(reply);
    const waiting = { call, out, progress, signal };
    const { dataSource } = await untilEnded(waiting, reply.taskId, { isKnown: true }).catch(
      async (error: unknown) => {
        throw await withRowWithoutTime(waiting, { query, parameters }, error);
      },
    );
    await untilQueryable(waiting, dataSource);
  });
}
