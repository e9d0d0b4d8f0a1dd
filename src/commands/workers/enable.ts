import { command } from '../../cli/command/command.ts';
import { middleManager } from '../../contract/middle-manager.ts';
import { workers } from '../../contract/workers.ts';
import { completers, hints, host } from './host.ts';

export const enable = command({
  summary: 'Resume assigning tasks to a worker',
  examples: ['svcctl workers enable', 'svcctl workers enable "$(svcctl workers list -o name)"'],
  endpoints: [workers.enable, middleManager.enable],
  arguments: host,
  completers,
  hints,
  writes: 'change',
  async run({ call, out, dryRun }, { args: { host } }) {
    const states =
      host === undefined
        ? await call(middleManager.enable)
        : await call(workers.enable, { params: { host } });
    if (!dryRun)
      for (const name of Object.keys(states))
        out.changed(name, `Worker [${name}] accepts tasks.`, 'svcctl workers list');
  },
});
