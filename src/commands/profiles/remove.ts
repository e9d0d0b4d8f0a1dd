import { command } from '../../cli/command.ts';
import { changeConfig } from '../../cli/profiles/profile-store.ts';
import { readConfig } from '../../cli/profiles/profiles.ts';
import { completers, profileName, profileNamed } from './profile-name.ts';

export const remove = command({
  summary: 'Forget a profile and its password',
  examples: ['svcctl profiles remove local --yes'],
  arguments: profileName,
  completers,
  writes: 'change',
  async run({ out, io, confirm, dryRun }, { args: { name } }) {
    profileNamed(readConfig(io.env), name);
    await confirm({ level: 'change', what: `Remove profile [${name}]`, name });
    if (dryRun) return out.note(`Profile [${name}] would be removed`);
    await changeConfig(io.env, (config) => {
      const { [name]: _, ...profiles } = config.profiles;
      return { current: config.current === name ? undefined : config.current, profiles };
    });
    await (await import('../../cli/profiles/keychain.ts')).removeFromKeychain(name);
    out.changed(`Profile [${name}] is removed.`, 'svcctl profiles list');
  },
});
