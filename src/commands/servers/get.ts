import { command } from '../../cli/command.ts';
import { cluster } from '../../contract/cluster.ts';
import { completers, hints, server } from './server-name.ts';

export const get = command({
  summary: 'Show a server: its tier, and how full it is',
  examples: ['svcctl servers get "$(svcctl servers list --output name)"'],
  endpoints: [cluster.server],
  arguments: server,
  completers,
  hints,
  async run({ call, out }, { args }) {
    await out.value(await call(cluster.server, { params: args, query: { simple: true } }));
  },
});
