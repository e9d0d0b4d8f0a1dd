import { command, optionsFromHeaders } from '../../cli/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { lookups } from '../../contract/lookups.ts';
import { required, text } from '../../contract/schema.ts';
import { initializeLookups } from './lookup.ts';

export const apply = command({
  summary: 'Create or change many lookups at once, by tier and name',
  examples: [`echo '{}' | svcctl lookups apply -`, 'svcctl lookups apply lookups.json --comment "new towns"'],
  endpoints: [lookups.setAll, lookups.tiers],
  arguments: { file: required(text, 'Lookups by tier and name as JSON; - is stdin') },
  options: optionsFromHeaders(lookups.setAll),
  writes: 'change',
  async run(context, { args: { file }, options }) {
    const { call, out, io, dryRun } = context;
    const body = await readJson(lookups.setAll.body, file, io);
    await initializeLookups(context);
    await call(lookups.setAll, { body, headers: options });
    const count = Object.values(body).reduce((sum, ofTier) => sum + Object.keys(ofTier).length, 0);
    if (!dryRun) out.changed(`Set ${count} ${count === 1 ? 'lookup' : 'lookups'}.`, 'svcctl lookups list');
  },
});
