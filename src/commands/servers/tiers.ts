import { command } from '../../cli/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { cluster } from '../../contract/cluster.ts';
import { optional, text } from '../../contract/schema.ts';

interface Tier {
  readonly tier: string;
  readonly used?: number | bigint;
  readonly capacity?: number | bigint;
  readonly datasource?: string;
}

const columns = columnsOf<Tier>({
  tier: (row) => row.tier,
  used: { value: (row) => row.used, kind: 'bytes' },
  capacity: { value: (row) => row.capacity, kind: 'bytes' },
  datasource: { value: (row) => row.datasource, wide: true },
});

export const tiers = command({
  summary: 'List the tiers and how full they are, or the datasources that a tier has',
  examples: ['svcctl servers tiers', 'svcctl servers tiers _default_tier --columns datasource'],
  endpoints: [cluster.tiers, cluster.tier],
  arguments: { tier: optional(text, 'A tier: its datasources') },
  columns,
  async run({ call, out }, { args: { tier } }) {
    if (tier !== undefined) {
      const names = (await call(cluster.tier, { params: { tier } })) as readonly string[];
      return out.rows(
        names.map((datasource): Tier => ({ tier, datasource })),
        columns,
      );
    }
    const found = (await call(cluster.tiers, { query: { simple: true } })) as Readonly<Record<string, Size>>;
    await out.rows(
      Object.entries(found).map(([name, { currSize, maxSize }]): Tier => ({ tier: name, used: currSize, capacity: maxSize })),
      columns,
    );
  },
});

interface Size {
  readonly currSize: number | bigint;
  readonly maxSize: number | bigint;
}
