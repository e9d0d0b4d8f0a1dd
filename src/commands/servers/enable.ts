import { command } from '../../cli/command.ts';
import { config } from '../../contract/config.ts';
import { setDecommissioning } from './decommissioning.ts';
import { completers, server } from './server-name.ts';

export const enable = command({
  summary: 'Take a server back into service that was drained, or is being drained',
  examples: ['svcctl servers enable "$(svcctl servers list --output name)"'],
  endpoints: [config.get, config.set],
  arguments: server,
  completers,
  writes: 'change',
  async run(context, { args }) {
    const { out, dryRun } = context;
    const isChanged = await setDecommissioning(context, args.server, false);
    if (!isChanged) return out.note(`Server [${args.server}] is not being drained.`);
    if (!dryRun) out.changed(`Server [${args.server}] takes segments again.`, 'svcctl servers list');
  },
});
