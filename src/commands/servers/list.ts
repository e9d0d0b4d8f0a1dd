import { command } from '../../cli/command/command.ts';
import type { Rows } from '../../cli/lists/select.ts';
import { cluster, type Server } from '../../contract/cluster.ts';
import { serverColumns } from './columns.ts';

export const list = command({
  summary: 'List data servers with their disk use',
  examples: [
    'svcctl servers list',
    "svcctl servers list --where 'tier = _default_tier' --sort -used",
  ],
  endpoints: [cluster.servers],
  columns: serverColumns,
  async run({ list, out }) {
    await out.rows(
      (await list(cluster.servers, { query: { simple: true } })) as Rows<Server>,
      serverColumns,
    );
  },
});
