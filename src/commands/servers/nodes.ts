import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
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
  summary: 'List all cluster nodes by role',
  examples: ['svcctl servers nodes', 'svcctl servers nodes broker --output name'],
  endpoints: [cluster.nodes, cluster.nodesOf],
  arguments: {
    nodeRole: optional(
      text,
      'Only nodes of this role: coordinator, overlord, broker, historical, middleManager, router',
    ),
  },
  columns,
  async run({ call, out }, { args: { nodeRole } }) {
    const ofRole =
      nodeRole === undefined ? [] : await call(cluster.nodesOf, { params: { nodeRole } });
    // Some versions of the real engine always return an empty list for a single role.
    const found =
      nodeRole !== undefined && ofRole.length > 0
        ? { [nodeRole]: ofRole }
        : await call(cluster.nodes);
    await out.rows(
      Object.entries(found)
        .filter(([role]) => nodeRole === undefined || role === nodeRole)
        .flatMap(([role, nodes]) => nodes.map((node) => ({ ...node, role }))),
      columns,
    );
  },
});
