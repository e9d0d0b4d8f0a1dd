import { type Context, command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { lookups } from '../../contract/lookups.ts';
import { optional, text } from '../../contract/schema.ts';
import { completers, defaultTier } from '../shared/lookups/lookup.ts';

interface Node {
  readonly node: string;
  readonly tier: string;
  readonly state: Readonly<Record<string, unknown>>;
}

const namesIn = (part: unknown) =>
  typeof part === 'object' && part !== null ? Object.keys(part).join(' ') : undefined;

const columns = columnsOf<Node>({
  node: ({ node }) => node,
  tier: ({ tier }) => tier,
  lookups: ({ state }) => namesIn(state.current),
  toLoad: ({ state }) => namesIn(state.toLoad),
  toDrop: ({ state }) => (Array.isArray(state.toDrop) ? state.toDrop.join(' ') : undefined),
});

export const nodes = command({
  summary: 'List nodes with the lookups that each has loaded',
  examples: ['svcctl lookups nodes', 'svcctl lookups nodes --output json'],
  endpoints: [lookups.nodeStatus, lookups.tierNodeStatus, lookups.oneNodeStatus],
  arguments: {
    node: optional(text, 'Only this node, as HOST:PORT, of the tier in --tier (default __default)'),
  },
  options: { tier: optional(text, 'Only lookups of this tier') },
  completers,
  hints: { notFound: 'svcctl lookups nodes shows those of all tiers' },
  columns,
  async run(context, { args, options }) {
    const tiers = Object.entries(await statusOf(context, args.node, options.tier));
    await context.out.rows(
      tiers.flatMap(([tier, ofTier]) =>
        Object.entries(ofTier).map(([node, state]) => ({ node, tier, state })),
      ),
      columns,
    );
  },
});

async function statusOf({ call }: Context, node: string | undefined, named: string | undefined) {
  const tier = named ?? defaultTier;
  if (node !== undefined)
    return { [tier]: { [node]: await call(lookups.oneNodeStatus, { params: { tier, node } }) } };
  if (named !== undefined)
    return { [tier]: await call(lookups.tierNodeStatus, { params: { tier } }) };
  return call(lookups.nodeStatus, { query: { discover: true } });
}
