import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { type Lookup, lookups } from '../../contract/lookups.ts';
import { optional, text } from '../../contract/schema.ts';
import { completers } from '../shared/lookups/lookup.ts';
import { noneYet } from './none-yet.ts';

type Named = Lookup & { readonly tier: string; readonly name: string };

const columns = columnsOf<Named>({
  name: ({ name }) => name,
  tier: ({ tier }) => tier,
  version: ({ version }) => version,
  type: ({ lookupExtractorFactory: { type } }) => (typeof type === 'string' ? type : undefined),
});

export const list = command({
  summary: 'List lookups',
  examples: ['svcctl lookups list', 'svcctl lookups list --tier __default --output json'],
  endpoints: [lookups.all, lookups.list],
  options: { tier: optional(text, 'Only lookups of this tier') },
  completers,
  hints: { notFound: 'svcctl lookups list shows those of all tiers' },
  columns,
  async run({ call, out }, { options: { tier } }) {
    const all =
      tier === undefined
        ? await call(lookups.all).catch(noneYet)
        : {
            [tier]: (await call(lookups.list, {
              params: { tier },
              query: { detailed: true },
            })) as Readonly<Record<string, Lookup>>,
          };
    const tiers = Object.entries(all);
    await out.rows(
      tiers.flatMap(([tier, ofTier]) =>
        Object.entries(ofTier).map(([name, lookup]) => ({ tier, name, ...lookup })),
      ),
      columns,
    );
  },
});
