import { type Context, command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { lookups } from '../../contract/lookups.ts';
import { optional, text } from '../../contract/schema.ts';
import { completers, defaultTier, hints } from '../shared/lookups/lookup.ts';
import { noneYet } from './none-yet.ts';

interface Loaded {
  readonly name: string;
  readonly tier: string;
  readonly state: string;
  readonly pending: number;
}

const columns = columnsOf<Loaded>({
  name: ({ name }) => name,
  tier: ({ tier }) => tier,
  state: { value: ({ state }) => state, kind: 'state' },
  pending: { value: ({ pending }) => pending, wide: true },
});

export const status = command({
  summary: 'List the load status of lookups',
  examples: ['svcctl lookups status', 'svcctl lookups status countries'],
  endpoints: [lookups.status, lookups.tierStatus, lookups.lookupStatus],
  arguments: {
    lookup: optional(text, 'Only this lookup, of the tier in --tier (default __default)'),
  },
  options: { tier: optional(text, 'Only lookups of this tier') },
  completers,
  hints,
  columns,
  async run(context, { args: { lookup }, options: { tier } }) {
    const tiers = Object.entries(await statusOf(context, lookup, tier));
    const rows = tiers.flatMap(([tier, ofTier]) =>
      Object.entries(ofTier).map(([name, { loaded, pendingNodes }]) => ({
        name,
        tier,
        state: loaded ? 'loaded' : 'loading',
        pending: pendingNodes?.length ?? 0,
      })),
    );
    await context.out.rows(rows, columns);
  },
});

async function statusOf({ call }: Context, lookup: string | undefined, named: string | undefined) {
  const query = { detailed: true };
  const tier = named ?? defaultTier;
  if (lookup !== undefined)
    return {
      [tier]: { [lookup]: await call(lookups.lookupStatus, { params: { tier, lookup }, query }) },
    };
  if (named !== undefined)
    return { [tier]: await call(lookups.tierStatus, { params: { tier }, query }) };
  return call(lookups.status, { query }).catch(noneYet);
}
