import { text as textOf } from 'node:stream/consumers';
import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { cluster } from '../../contract/cluster.ts';

interface Leader {
  readonly role: string;
  readonly address: string;
  readonly leads: boolean; // true for the queried server
}

const columns = columnsOf<Leader>({
  role: ({ role }) => role,
  address: ({ address }) => address,
  leads: ({ leads }) => leads,
});

export const leader = command({
  summary: 'Show the leading Coordinator and Overlord',
  examples: ['svcctl cluster leader', 'svcctl cluster leader --output json'],
  endpoints: [
    cluster.coordinatorLeader,
    cluster.isCoordinatorLeader,
    cluster.overlordLeader,
    cluster.isOverlordLeader,
  ],
  columns,
  async run({ call, out }) {
    const [coordinator, leadsCoordinators, overlord, leadsOverlords] = await Promise.all([
      call(cluster.coordinatorLeader).then(textOf),
      call(cluster.isCoordinatorLeader),
      call(cluster.overlordLeader).then(textOf),
      call(cluster.isOverlordLeader),
    ]);
    const rows = [
      { role: 'coordinator', address: coordinator, leads: leadsCoordinators.leader },
      { role: 'overlord', address: overlord, leads: leadsOverlords.leader },
    ];
    await out.rows(rows, columns);
  },
});
