import { command } from '../../cli/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { middleManager } from '../../contract/middle-manager.ts';
import { hints } from './host.ts';

const columns = columnsOf<{ readonly id: string }>({ id: (task) => task.id });

export const tasks = command({
  summary: 'List the tasks that run on the worker at --url',
  description: 'Says on standard error when the worker takes no more tasks. The usual address of a worker is http://HOST:8091.',
  examples: ['svcctl workers tasks'],
  endpoints: [middleManager.tasks, middleManager.enabled],
  hints,
  columns,
  async run({ call, out }) {
    const [ids, states] = await Promise.all([call(middleManager.tasks), call(middleManager.enabled)]);
    for (const [name, isEnabled] of Object.entries(states)) if (!isEnabled) out.note(`Worker [${name}] takes no more tasks.`);
    await out.rows(
      ids.map((id) => ({ id })),
      columns,
    );
  },
});
