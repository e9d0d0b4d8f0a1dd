import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { datasources } from '../../contract/datasources.ts';
import { checkKnown } from '../shared/datasources/known-datasource.ts';
import { completers, dataSource, hints } from './datasource-name.ts';

const columns = columnsOf<{ tier: string }>({ tier: ({ tier }) => tier });

export const tiers = command({
  summary: 'List the tiers that hold a datasource',
  examples: ['svcctl datasources tiers wikipedia'],
  endpoints: [datasources.tiers],
  arguments: dataSource,
  completers,
  hints,
  columns,
  async run(context, { args }) {
    const { call, out } = context;
    const found = (await call(datasources.tiers, { params: args })) ?? [];
    if (found.length === 0) await checkKnown(context, args.dataSource);
    await out.rows(
      found.map((tier) => ({ tier })),
      columns,
    );
  },
});
