import { command } from '../../cli/command/command.ts';
import { lookups } from '../../contract/lookups.ts';
import { completers, defaultTier, hints, lookup, tier } from '../shared/lookups/lookup.ts';

export const get = command({
  summary: 'Print a lookup as JSON',
  examples: ['svcctl lookups get countries', 'svcctl lookups get countries > countries.json'],
  endpoints: [lookups.get],
  arguments: lookup,
  options: tier,
  completers,
  hints,
  async run({ call, out }, { args, options: { tier = defaultTier } }) {
    await out.document(await call(lookups.get, { params: { tier, ...args } }));
  },
});
