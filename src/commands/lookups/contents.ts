import { command } from '../../cli/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { lookups } from '../../contract/lookups.ts';
import { oneOf, optional } from '../../contract/schema.ts';
import { completers, hints, lookup } from './lookup.ts';

interface Pair {
  readonly key: string;
  readonly value: string | null;
}

const columns = columnsOf<Pair>({ key: ({ key }) => key, value: ({ value }) => value });

export const contents = command({
  summary: 'List what a lookup maps to what, as the Broker has loaded it',
  examples: [
    'svcctl lookups contents countries',
    'svcctl lookups contents countries --output csv',
    'svcctl lookups contents countries --only keys',
  ],
  endpoints: [lookups.contents, lookups.keys, lookups.values, lookups.version],
  arguments: lookup,
  options: { only: optional(oneOf('keys', 'values', 'version'), 'Only this of it, as the Broker prints it') },
  completers,
  hints,
  columns,
  async run({ call, out }, { args, options: { only } }) {
    if (only !== undefined) return out.document(await call(lookups[only], { params: args }));
    const pairs = Object.entries(await call(lookups.contents, { params: args }));
    await out.rows(
      pairs.map(([key, value]) => ({ key, value: value === null ? null : String(value) })),
      columns,
    );
  },
});
