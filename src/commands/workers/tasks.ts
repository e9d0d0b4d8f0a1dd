import { type Context, command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { middleManager } from '../../contract/middle-manager.ts';
import { workers } from '../../contract/workers.ts';
import { isDisabled } from '../shared/workers/slots.ts';
import { completers, hints, host } from './host.ts';

const columns = columnsOf<{ readonly id: string }>({ id: (task) => task.id });

export const tasks = command({
  summary: 'List the tasks running on a worker',
  description:
    'With a name, the Overlord lists the tasks of that worker. Without a name, the worker at --url is asked, usually http://HOST:8091. A note on standard error says when the worker accepts no more tasks.',
  examples: ['svcctl workers tasks "$(svcctl workers list -o name)"', 'svcctl workers tasks'],
  endpoints: [workers.list, middleManager.tasks, middleManager.enabled],
  arguments: host,
  completers,
  hints,
  columns,
  async run(context, { args: { host } }) {
    const { ids, closed } =
      host === undefined ? await readFromWorker(context) : await readFromOverlord(context, host);
    for (const name of closed) context.out.note(`Worker [${name}] accepts no more tasks.`);
    await context.out.rows(
      ids.map((id) => ({ id })),
      columns,
    );
  },
});

async function readFromWorker({ call }: Context) {
  const [ids, states] = await Promise.all([call(middleManager.tasks), call(middleManager.enabled)]);
  return { ids, closed: Object.keys(states).filter((name) => !states[name]) };
}

async function readFromOverlord({ call }: Context, host: string) {
  const found = (await call(workers.list)).find(({ worker }) => worker.host === host);
  if (!found) throw new CommandError('notFound', `Worker [${host}] does not exist`);
  return { ids: found.runningTasks, closed: isDisabled(found) ? [host] : [] };
}
