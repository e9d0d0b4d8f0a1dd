import { command } from '../../cli/command/command.ts';
import type { Rows } from '../../cli/lists/select.ts';
import { barColumn, columnsAfter } from '../../cli/output/bar-column.ts';
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
  async run(context) {
    const { list, out } = context;
    const fill = barColumn('fill', fillOf, context);
    await out.rows(
      (await list(cluster.servers, { query: { simple: true } })) as Rows<Server>,
      columnsAfter(serverColumns, 'capacity', fill),
    );
  },
});

const fillOf = ({ currSize, maxSize }: Server) =>
  Number(maxSize) > 0 ? Number(currSize) / Number(maxSize) : undefined;
