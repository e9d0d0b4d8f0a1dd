import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { type FlagName, flagEntries, kebab } from '../../cli/process/flags.ts';
import { readConfig } from '../../cli/profiles/profiles.ts';
import { type Winner, withProfile } from '../../cli/profiles/settings.ts';
import { flag, optional } from '../../contract/schema.ts';
import { completers, maybeProfileName, profileNamed } from './profile-name.ts';

const columns = columnsOf<{ setting: string } & Winner>({
  setting: ({ setting }) => setting,
  value: ({ value }) => String(value),
  source: ({ source }) => source,
  from: ({ from }) => from,
});

export const show = command({
  summary: 'Show a profile, or the source of each setting',
  examples: ['svcctl profiles show --explain', 'svcctl profiles show local'],
  arguments: maybeProfileName,
  options: {
    explain: optional(
      flag,
      'Show the source of each setting: flag, environment, project file, profile or default',
    ),
  },
  completers,
  columns,
  async run({ out, io, resolved: chosen }, { args: { name }, options: { explain } }) {
    const resolved =
      name === undefined
        ? chosen
        : withProfile(chosen, name, profileNamed(readConfig(io.env), name));
    const { profile, profileName, winners } = resolved;
    if (explain || !profile) {
      const settings = flagEntries.flatMap(([setting]: [FlagName, unknown]) => {
        const winner = winners.get(setting);
        return winner ? [{ setting: kebab(setting), ...winner }] : [];
      });
      return out.rows(settings, columns);
    }
    const { password, ...rest } = profile;
    await out.value({
      name: profileName,
      ...rest,
      ...(password !== undefined && { password: '(kept in the profile file)' }),
    });
  },
});
