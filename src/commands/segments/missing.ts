import { command, optionsFromQuery } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { cluster } from '../../contract/cluster.ts';

interface Missing {
  readonly tier: string;
  readonly datasource: string;
  readonly copies: number;
}

const columns = columnsOf<Missing>({
  datasource: (row) => row.datasource,
  tier: (row) => row.tier,
  copies: (row) => row.copies,
});

const { computeUsingClusterView } = optionsFromQuery(cluster.loadStatus);

export const missing = command({
  summary: 'List datasources with missing segment replicas',
  examples: [
    'svcctl segments missing',
    'svcctl segments missing --compute-using-cluster-view --output json',
  ],
  endpoints: [cluster.loadStatus],
  options: { computeUsingClusterView },
  columns,
  async run({ call, out }, { options }) {
    const tiers = await call(cluster.loadStatus, { query: { ...options, full: true } });
    const rows = Object.entries(tiers).flatMap(([tier, counts]) =>
      Object.entries(typeof counts === 'number' ? {} : counts).map(([datasource, copies]) => ({
        tier,
        datasource,
        copies,
      })),
    );
    await out.rows(
      rows.filter(({ copies }) => copies > 0),
      columns,
    );
  },
});
