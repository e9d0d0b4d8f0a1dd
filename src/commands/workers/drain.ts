import { command } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { flag, optional, required, seconds, text } from '../../contract/schema.ts';
import { tasks } from '../../contract/tasks.ts';
import { workers } from '../../contract/workers.ts';
import { commandLine } from '../../model/shell-text.ts';
import { slotsOf } from '../shared/workers/slots.ts';
import { completers, hints } from './host.ts';
import { waitUntilIdle } from './wait-until-idle.ts';

export const drain = command({
  summary: 'Stop assigning tasks to a worker and wait for its running tasks',
  description:
    'Shows first what the worker runs and which workers take tasks instead. Progress is on standard error. Ctrl-C stops waiting; the worker still takes no tasks.',
  examples: ['svcctl workers drain "$(svcctl workers list --output name)" --then-enable --dry-run'],
  endpoints: [workers.list, workers.disable, workers.enable, tasks.status],
  arguments: { host: required(text, 'Worker as host:port') },
  options: {
    noWait: optional(flag, 'Return without waiting for running tasks'),
    thenEnable: optional(flag, 'Enable the worker again once it is idle'),
    maxWait: optional(seconds, 'Timeout in seconds'),
  },
  completers,
  hints,
  writes: 'change',
  async run(context, { args: { host }, options: { noWait, thenEnable, maxWait } }) {
    const { call, confirm, dryRun, out } = context;
    const listed = await call(workers.list);
    const own = listed.find(({ worker }) => worker.host === host);
    if (!own) throw new CommandError('notFound', `Worker [${host}] does not exist`);
    const others = slotsOf(listed.filter((one) => one !== own));
    const running = own.runningTasks.length;
    out.note(
      `Worker [${host}] runs ${running} ${running === 1 ? 'task' : 'tasks'}; ${others.taking.length} other ${others.taking.length === 1 ? 'worker takes' : 'workers take'} tasks, with ${others.free} free ${others.free === 1 ? 'slot' : 'slots'}`,
    );
    if (others.taking.length === 0)
      out.warn('No other worker takes tasks: new ones wait until this one is enabled again');
    await confirm({ level: 'change', what: `Drain worker [${host}]`, name: host });
    await call(workers.disable, { params: { host } });
    if (dryRun) return;
    out.changed(
      host,
      `Worker [${host}] accepts no more tasks.`,
      noWait ? `svcctl workers list --watch` : undefined,
    );
    if (noWait) return;
    await waitUntilIdle(context, host, maxWait);
    if (!thenEnable)
      return out.changed(
        host,
        `Worker [${host}] can be removed.`,
        commandLine`svcctl workers enable ${host}`,
      );
    await call(workers.enable, { params: { host } });
    out.changed(host, `Worker [${host}] accepts tasks again.`);
  },
});
