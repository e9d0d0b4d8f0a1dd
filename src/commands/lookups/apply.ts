import { command, optionsFromHeaders } from '../../cli/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { lookups } from '../../contract/lookups.ts';
import { fileName, required } from '../../contract/schema.ts';
import { initializeLookups } from './lookup.ts';

export const apply = command({
  summary: 'Create or change many lookups at once, by tier and name',
  examples: [`echo '{}' | svcctl lookups apply -`, 'svcctl lookups apply lookups.json --comment "new towns"'],
  endpoints: [lookups.setAll, lookups.tiers],
  arguments: { file: required(fileName, 'Lookups by tier and name as JSON; - is stdin') },
  options: optionsFromHeaders(lookups.setAll),
  writes: 'change',
  async run(context, { args: { file }, options }) {
    const { call, out, io, dryRun } = context;
    const body = await readJson(lookups.setAll.body, file, io);
    await initializeLookups(context);
    await call(lookups.setAll, { body, headers: options });
    const names = Object.values(body).flatMap((ofTier) => Object.keys(ofTier));
    if (!dryRun) out.changed(names, `Set ${names.length} ${names.length === 1 ? 'lookup' : 'lookups'}.`, 'svcctl lookups list');
  },
});
