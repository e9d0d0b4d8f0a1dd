import { columnsOf } from '../../cli/columns.ts';
import { command } from '../../cli/command.ts';
import { lookups } from '../../contract/lookups.ts';

interface Node {
  readonly node: string;
  readonly tier: string;
  readonly state: Readonly<Record<string, unknown>>;
}

const namesIn = (part: unknown) => (typeof part === 'object' && part !== null ? Object.keys(part).join(' ') : undefined);

const columns = columnsOf<Node>({
  node: ({ node }) => node,
  tier: ({ tier }) => tier,
  lookups: ({ state }) => namesIn(state.current),
  toLoad: ({ state }) => namesIn(state.toLoad),
  toDrop: ({ state }) => (Array.isArray(state.toDrop) ? state.toDrop.join(' ') : undefined),
});

export const nodes = command({
  summary: 'List the nodes and which lookups each has',
  examples: ['svcctl lookups nodes', 'svcctl lookups nodes --output json'],
  endpoints: [lookups.nodeStatus],
  columns,
  async run({ call, out }) {
    const tiers = Object.entries(await call(lookups.nodeStatus, { query: { discover: true } }));
    await out.rows(
      tiers.flatMap(([tier, ofTier]) => Object.entries(ofTier).map(([node, state]) => ({ node, tier, state }))),
      columns,
    );
  },
});
