import { columnsOf } from '../../cli/columns.ts';
import { command } from '../../cli/command.ts';
import { type ClusterNode, cluster } from '../../contract/cluster.ts';
import { optional, text } from '../../contract/schema.ts';

const columns = columnsOf<ClusterNode & { role: string }>({
  host: ({ host }) => host,
  role: ({ role }) => role,
  service: ({ service }) => service,
  port: ({ plaintextPort }) => plaintextPort,
  tlsPort: { value: ({ tlsPort }) => tlsPort, wide: true },
});

export const nodes = command({
  summary: 'List all processes of the cluster by role',
  examples: ['svcctl servers nodes', 'svcctl servers nodes broker --output name'],
  endpoints: [cluster.nodes, cluster.nodesOf],
  arguments: { nodeRole: optional(text, 'Only those of this role: coordinator, overlord, broker, historical, middleManager, router') },
  columns,
  async run({ call, out }, { args: { nodeRole } }) {
    const found =
      nodeRole === undefined ? await call(cluster.nodes) : { [nodeRole]: await call(cluster.nodesOf, { params: { nodeRole } }) };
    await out.rows(
      Object.entries(found).flatMap(([role, nodes]) => nodes.map((node) => ({ ...node, role }))),
      columns,
    );
  },
});
