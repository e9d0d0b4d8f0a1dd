import { command } from '../../cli/command/command.ts';
import { cluster } from '../../contract/cluster.ts';
import { completers, hints, server } from './server-name.ts';

export const get = command({
  summary: 'Show tier and disk use of a server',
  examples: ['svcctl servers get "$(svcctl servers list --output name)"'],
  endpoints: [cluster.server],
  arguments: server,
  completers,
  hints,
  async run({ call, out }, { args }) {
    await out.value(await call(cluster.server, { params: args, query: { simple: true } }));
  },
});
