import { doEach } from '../../cli/command/bulk.ts';
import { type Context, command } from '../../cli/command/command.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { outcomeOf } from '../../cli/process/outcome.ts';
import { native } from '../../contract/native.ts';
import { listOf, required, text } from '../../contract/schema.ts';
import { sql } from '../../contract/sql.ts';
import { tasks } from '../../contract/tasks.ts';
import { commandLine } from '../../model/shell-text.ts';
import { listRunning, runningIds } from './running.ts';

export const kill = command({
  summary: 'Cancel running queries of any kind',
  description:
    'Takes the ids of SQL queries, native queries and SQL tasks. A service that does not list its queries gets the request for each kind in turn.',
  examples: ['svcctl queries kill nightly-report --dry-run'],
  arguments: { ids: required(listOf(text), 'Ids of queries') },
  completers: { ids: runningIds },
  ids: { ids: { what: 'query' } },
  endpoints: [sql.queries, sql.cancel, native.cancel, tasks.shutdown, tasks.running, tasks.status],
  columns: 'dynamic',
  hints: { notFound: 'svcctl queries list shows what runs' },
  writes: 'change',
  async run(context, { args: { ids } }) {
    const { queries } = await listRunning(context);
    const kinds = new Map(queries.map(({ id, kind }) => [id, kind]));
    await doEach(context, ids, {
      act: (id) => cancelOf(context, kinds.get(id), id),
      done: (id) => [
        kinds.has(id)
          ? `Query [${id}] is cancelled.`
          : `The service got the request to cancel query [${id}]. It does not report whether the query was running.`,
      ],
      again: (left) => commandLine`svcctl queries kill ${left}`,
    });
  },
});

async function cancelOf(
  { call, dryRun }: Context,
  kind: 'sql' | 'native' | 'task' | undefined,
  id: string,
): Promise<void> {
  if (kind === 'native') return void (await call(native.cancel, { params: { queryId: id } }));
  if (kind === 'task') return void (await call(tasks.shutdown, { params: { taskId: id } }));
  try {
    await call(sql.cancel, { params: { sqlQueryId: id } });
  } catch (error) {
    if (kind === 'sql' || outcomeOf(error) !== 'notFound') throw error;
    const task = await ifKnown(call(tasks.status, { params: { taskId: id } }));
    if (task?.status.statusCode === 'RUNNING')
      return void (await call(tasks.shutdown, { params: { taskId: id } }));
    if (!dryRun) await call(native.cancel, { params: { queryId: id } });
  }
}
