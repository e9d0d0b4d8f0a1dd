import { command, optionsFromHeaders } from '../../cli/command/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { lookups } from '../../contract/lookups.ts';
import { anyObject, check, fileName, mapOf, required, type Value } from '../../contract/schema.ts';
import { isObject } from '../../model/difference.ts';
import { formatInstant } from '../../model/instant.ts';
import { faultInFactory, lookupIn } from '../../model/lookup.ts';
import { initializeLookups } from '../shared/lookups/lookup.ts';

export const apply = command({
  summary: 'Create or change many lookups at once, by tier and name',
  examples: [
    `echo '{}' | svcctl lookups apply -`,
    'svcctl lookups apply lookups.json --comment "new towns"',
  ],
  endpoints: [lookups.setAll, lookups.tiers],
  arguments: { file: required(fileName, 'Lookups by tier and name as JSON; - reads stdin') },
  options: optionsFromHeaders(lookups.setAll),
  writes: 'change',
  async run(context, { args: { file }, options }) {
    const { call, out, io, dryRun } = context;
    const body = lookupsIn(await readJson(mapOf(mapOf(anyObject)), file, io), file);
    await initializeLookups(context);
    await call(lookups.setAll, { body, headers: options });
    const names = Object.values(body).flatMap((ofTier) => Object.keys(ofTier));
    if (!dryRun)
      out.changed(
        names,
        `Set ${names.length} ${names.length === 1 ? 'lookup' : 'lookups'}.`,
        'svcctl lookups list',
      );
  },
});

// A lookup may consist of its factory only; its version is then the current time.
function lookupsIn(
  tiers: Readonly<Record<string, Readonly<Record<string, unknown>>>>,
  file: string,
): Value<typeof lookups.setAll.body> {
  const lookupOf = (tier: string, name: string, given: unknown) => {
    const found = lookupIn(given);
    const fault = found
      ? faultInFactory(found.lookupExtractorFactory)
      : 'it has no lookupExtractorFactory, and no type of one';
    if (found && fault === undefined)
      return isObject(given) && 'lookupExtractorFactory' in given
        ? given
        : { version: formatInstant(Date.now()), ...found };
    throw new UsageError(
      `Lookup [${name}] of tier [${tier}] in file [${file}] is not a lookup: ${fault}`,
      'svcctl lookups get shows one',
    );
  };
  const all = Object.entries(tiers).map(([tier, named]) => {
    const ofTier = Object.entries(named).map(
      ([name, given]) => [name, lookupOf(tier, name, given)] as const,
    );
    return [tier, Object.fromEntries(ofTier)] as const;
  });
  return check(lookups.setAll.body, Object.fromEntries(all));
}
