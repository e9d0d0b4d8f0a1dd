import { command, optionsFromHeaders } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { lookups } from '../../contract/lookups.ts';
import { flag, optional, text } from '../../contract/schema.ts';
import { completers, defaultTier, hints, tier } from '../shared/lookups/lookup.ts';

export const remove = command({
  summary: 'Delete a lookup or all lookups of a tier',
  examples: [
    'svcctl lookups delete trial --yes',
    'svcctl lookups delete --all --tier cold --confirm cold',
  ],
  endpoints: [lookups.remove, lookups.removeTier],
  arguments: { lookup: optional(text, 'Name of the lookup') },
  options: {
    ...tier,
    all: optional(flag, 'All lookups of the tier'),
    ...optionsFromHeaders(lookups.remove),
  },
  completers,
  chosenUnless: { lookup: ['all'] },
  hints,
  writes: 'destroy',
  async run(
    { call, confirm, out, dryRun },
    { args: { lookup }, options: { tier = defaultTier, all, ...headers } },
  ) {
    if ((lookup === undefined) !== (all === true))
      throw new UsageError(
        'Name either a lookup or --all',
        'svcctl lookups list shows their names',
      );
    if (lookup === undefined) {
      await confirm({
        level: 'destroy',
        what: `Delete all lookups of tier [${tier}]`,
        name: tier,
        back: 'svcctl undo takes it back',
      });
      await call(lookups.removeTier, { params: { tier }, headers });
      if (!dryRun)
        out.changed(tier, `Tier [${tier}] no longer has lookups.`, 'svcctl lookups list');
      return;
    }
    await confirm({
      level: 'change',
      what: `Delete lookup [${lookup}]: queries that use it will fail`,
      name: lookup,
    });
    await call(lookups.remove, { params: { tier, lookup }, headers });
    if (!dryRun) out.changed(lookup, `Lookup [${lookup}] is deleted.`, 'svcctl lookups list');
  },
});
