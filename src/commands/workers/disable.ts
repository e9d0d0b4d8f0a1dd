import { command } from '../../cli/command/command.ts';
import { middleManager } from '../../contract/middle-manager.ts';
import { workers } from '../../contract/workers.ts';
import { commandLine } from '../../model/shell-text.ts';
import { completers, hints, host } from './host.ts';

export const disable = command({
  summary: 'Stop assigning tasks to a worker',
  examples: ['svcctl workers disable', 'svcctl workers disable "$(svcctl workers list -o name)"'],
  endpoints: [workers.disable, middleManager.disable],
  arguments: host,
  completers,
  hints,
  writes: 'change',
  async run({ call, out, dryRun }, { args: { host } }) {
    const states =
      host === undefined
        ? await call(middleManager.disable)
        : await call(workers.disable, { params: { host } });
    if (!dryRun)
      for (const name of Object.keys(states))
        out.changed(
          name,
          `Worker [${name}] accepts no more tasks.`,
          commandLine`svcctl workers enable ${name}`,
        );
  },
});
