import { columnsOf } from '../../cli/columns.ts';
import { command } from '../../cli/command.ts';
import { lookups } from '../../contract/lookups.ts';
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
  summary: 'List whether the lookups are loaded everywhere',
  examples: ['svcctl lookups status', 'svcctl lookups status --where state=loading'],
  endpoints: [lookups.status],
  columns,
  async run({ call, out }) {
    const tiers = Object.entries(await call(lookups.status, { query: { detailed: true } }).catch(noneYet));
    const rows = tiers.flatMap(([tier, ofTier]) =>
      Object.entries(ofTier).map(([name, { loaded, pendingNodes }]) => ({
        name,
        tier,
        state: loaded ? 'loaded' : 'loading',
        pending: pendingNodes?.length ?? 0,
      })),
    );
    await out.rows(rows, columns);
  },
});
