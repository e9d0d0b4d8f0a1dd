import { columnsOf } from '../../cli/columns.ts';
import { command } from '../../cli/command.ts';
import { type Lookup, lookups } from '../../contract/lookups.ts';
import { noneYet } from './none-yet.ts';

type Named = Lookup & { readonly tier: string; readonly name: string };

const columns = columnsOf<Named>({
  name: ({ name }) => name,
  tier: ({ tier }) => tier,
  version: ({ version }) => version,
  type: ({ lookupExtractorFactory: { type } }) => (typeof type === 'string' ? type : undefined),
});

export const list = command({
  summary: 'List the lookups of all tiers',
  examples: ['svcctl lookups list', 'svcctl lookups list --where tier=__default --output json'],
  endpoints: [lookups.all],
  columns,
  async run({ call, out }) {
    const tiers = Object.entries(await call(lookups.all).catch(noneYet));
    await out.rows(
      tiers.flatMap(([tier, ofTier]) => Object.entries(ofTier).map(([name, lookup]) => ({ tier, name, ...lookup }))),
      columns,
    );
  },
});
