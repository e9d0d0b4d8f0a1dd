import { type Completer, command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { barColumn, columnsAfter } from '../../cli/output/bar-column.ts';
import { CommandError } from '../../cli/process/errors.ts';
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
  summary: 'List tiers with their disk use, or the datasources of a tier',
  examples: ['svcctl servers tiers', 'svcctl servers tiers _default_tier --columns datasource'],
  endpoints: [cluster.tiers, cluster.tier],
  arguments: { tier: optional(text, 'Tier whose datasources are listed') },
  completers: {
    tier: (async ({ call }) =>
      (await call(cluster.tiers)) as readonly string[]) satisfies Completer,
  },
  columns,
  async run(context, { args: { tier } }) {
    const { call, out } = context;
    if (tier !== undefined) {
      const names = (await call(cluster.tier, { params: { tier } })) as readonly string[];
      if (names.length === 0) {
        const known = (await call(cluster.tiers)) as readonly string[];
        if (!known.includes(tier))
          throw new CommandError(
            'notFound',
            `Tier [${tier}] does not exist`,
            'svcctl servers tiers lists them',
          );
      }
      return out.rows(
        names.map((datasource): Tier => ({ tier, datasource })),
        columns,
      );
    }
    const found = (await call(cluster.tiers, { query: { simple: true } })) as Readonly<
      Record<string, Size>
    >;
    await out.rows(
      Object.entries(found).map(
        ([name, { currSize, maxSize }]): Tier => ({
          tier: name,
          used: currSize,
          capacity: maxSize,
        }),
      ),
      columnsAfter(columns, 'capacity', barColumn('fill', fillOf, context)),
    );
  },
});

const fillOf = ({ used, capacity }: Tier) =>
  Number(capacity ?? 0) > 0 ? Number(used) / Number(capacity) : undefined;

interface Size {
  readonly currSize: number | bigint;
  readonly maxSize: number | bigint;
}
