import { command } from '../../cli/command/command.ts';
import { cluster } from '../../contract/cluster.ts';
import { config } from '../../contract/config.ts';
import { setDecommissioning } from './decommissioning.ts';
import { completers, hints, server } from './server-name.ts';

export const enable = command({
  summary: 'Return a drained server to service',
  examples: ['svcctl servers enable "$(svcctl servers list --output name)"'],
  endpoints: [config.get, config.set, cluster.server],
  arguments: server,
  completers,
  hints,
  writes: 'change',
  async run(context, { args }) {
    const { call, out, dryRun } = context;
    const isChanged = await setDecommissioning(context, args.server, false);
    if (!isChanged) {
      // A server removed while it was drained does not exist, either
      await call(cluster.server, { params: args, query: { simple: true } });
      return out.note(`Server [${args.server}] is not being drained.`);
    }
    if (!dryRun)
      out.changed(
        args.server,
        `Server [${args.server}] receives segments again.`,
        'svcctl servers list',
      );
  },
});
