import { command, optionsFromHeaders } from '../../cli/command/command.ts';
import { readInput, readJson } from '../../cli/input/read-json.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { lookups } from '../../contract/lookups.ts';
import { anyObject, fileName, optional, text } from '../../contract/schema.ts';
import { formatInstant } from '../../model/instant.ts';
import { faultInFactory, faultInMap, type LookupDocument, lookupIn } from '../../model/lookup.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  completers,
  defaultTier,
  initializeLookups,
  lookup,
  tier,
} from '../shared/lookups/lookup.ts';
import { pairsIn } from './pairs.ts';

export const set = command({
  summary: 'Create or change a lookup',
  description:
    'Keys of --csv must differ, unless their values are the same. With --csv, --key and --value also name the columns; beside --cert, --key is the private key of the certificate. The file holds the lookup with its lookupExtractorFactory, the factory alone, or only the pairs: {"fr": "France"}. The new version is the current time unless --as names another; it must be greater than the old version.',
  examples: [
    `echo '{"fr": "France", "de": "Germany"}' | svcctl lookups set countries --file -`,
    'svcctl lookups set countries --csv countries.csv --key-column code --value-column name',
    'svcctl lookups set countries --file countries.json',
  ],
  endpoints: [lookups.set, lookups.tiers, lookups.setAll],
  arguments: lookup,
  completers,
  shorts: { file: 'f' },
  formerly: { keyColumn: { name: 'key', without: 'cert' }, valueColumn: { name: 'value' } },
  needs: { keyColumn: 'csv', valueColumn: 'csv' },
  options: {
    file: optional(fileName, 'Lookup as JSON; - reads stdin'),
    csv: optional(fileName, 'Pairs as delimited text with a header, instead; - reads stdin'),
    keyColumn: optional(text, 'With --csv: column of the keys (default: the first)'),
    valueColumn: optional(text, 'With --csv: column of the values (default: the second)'),
    as: optional(text, 'Version of the lookup'),
    ...tier,
    ...optionsFromHeaders(lookups.set),
  },
  writes: 'change',
  async run(
    context,
    {
      args,
      options: {
        file,
        csv,
        keyColumn,
        valueColumn,
        as: version = formatInstant(Date.now()),
        tier = defaultTier,
        ...headers
      },
    },
  ) {
    const { call, out, io, dryRun } = context;
    if ((file === undefined) === (csv === undefined))
      throw new UsageError(
        'Give the lookup either with --file or with --csv',
        'svcctl lookups set countries --csv countries.csv --key-column code --value-column name',
      );
    const { lookupExtractorFactory } =
      csv === undefined
        ? lookupOrPairs(await readJson(anyObject, file ?? '-', io), file ?? '-')
        : pairsIn(await readInput(csv, io), csv, { keyColumn, valueColumn });
    await initializeLookups(context);
    await call(lookups.set, {
      params: { tier, ...args },
      body: { version, lookupExtractorFactory },
      headers,
    });
    if (!dryRun)
      out.changed(
        args.lookup,
        `Lookup [${args.lookup}] is set, version [${version}].`,
        commandLine`svcctl lookups contents ${args.lookup}`,
      );
  },
});

// The file holds a lookup in one of its forms, or only its pairs.
function lookupOrPairs(given: Readonly<Record<string, unknown>>, file: string): LookupDocument {
  const found = lookupIn(given);
  const fault = found ? faultInFactory(found.lookupExtractorFactory) : faultInPairs(given);
  if (fault === undefined) return found ?? { lookupExtractorFactory: { type: 'map', map: given } };
  throw new UsageError(
    `File [${file}] does not hold a lookup: ${fault}`,
    'examples: {"fr": "France"}, or {"type": "map", "map": {"fr": "France"}}',
  );
}

function faultInPairs(given: Readonly<Record<string, unknown>>): string | undefined {
  if ('lookupExtractorFactory' in given) return 'its lookupExtractorFactory is not an object';
  const hasType = typeof given.type === 'string' && faultInMap(given) !== undefined;
  return hasType ? faultInFactory(given) : faultInMap(given);
}
