import { command } from '../../cli/command/command.ts';
import { ifKnown } from '../../cli/command/if-known.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { isTable, shareColumn } from '../../cli/output/bar-column.ts';
import { type DatasourceSummary, datasources } from '../../contract/datasources.ts';
import { checkKnown } from '../shared/datasources/known-datasource.ts';
import { completers, dataSource, hints } from './datasource-name.ts';

interface Tier {
  readonly tier: string;
  readonly segments?: number;
  readonly size?: number | bigint;
}

const columns = columnsOf<Tier>({ tier: ({ tier }) => tier });

const sizeColumns = columnsOf<Tier>({
  segments: ({ segments }) => segments,
  size: { value: ({ size }) => size, kind: 'bytes' },
});

export const tiers = command({
  summary: 'List the tiers that hold a datasource',
  examples: ['svcctl datasources tiers wikipedia'],
  endpoints: [datasources.tiers, datasources.get],
  arguments: dataSource,
  completers,
  hints,
  columns,
  async run(context, { args }) {
    const { call, out } = context;
    const found = (await call(datasources.tiers, { params: args })) ?? [];
    if (found.length === 0) await checkKnown(context, args.dataSource);
    const names = found.map((tier): Tier => ({ tier }));
    if (!isTable(context)) return out.rows(names, columns);
    // Sizes are a second request, for people only.
    const rows = withSizes(names, await ifKnown(call(datasources.get, { params: args })));
    const share = shareColumn(rows, ({ size }) => size, context);
    await out.rows(rows, [...columns, ...sizeColumns, ...share]);
  },
});

function withSizes(rows: readonly Tier[], answer: object | undefined): readonly Tier[] {
  if (!answer || !('tiers' in answer)) return rows;
  const tiers = answer.tiers as DatasourceSummary['tiers'];
  return rows.map(({ tier }) => {
    const known = tiers[tier];
    return { tier, ...(known && { segments: known.segmentCount, size: known.size }) };
  });
}
