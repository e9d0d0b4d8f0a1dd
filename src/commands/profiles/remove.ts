import { command } from '../../cli/command/command.ts';
import { answerFlags } from '../../cli/process/flags.ts';
import { changeConfig } from '../../cli/profiles/profile-store.ts';
import { readConfig } from '../../cli/profiles/profiles.ts';
import { completers, profileName, profileNamed } from './profile-name.ts';

export const remove = command({
  summary: 'Delete a profile and its password',
  examples: ['svcctl profiles remove local --yes'],
  arguments: profileName,
  completers,
  writes: 'change',
  obeys: answerFlags, // without a profile: it may be the one to be repaired
  async run({ out, io, confirm, dryRun }, { args: { name } }) {
    const { passwordIn, protected: isProtected } = profileNamed(readConfig(io.env), name);
    await confirm({
      level: isProtected ? 'destroy' : 'change',
      what: `Remove profile [${name}]`,
      name,
      back: 'The profile is protected',
    });
    if (dryRun) return out.note(`Profile [${name}] would be removed`);
    await changeConfig(io.env, (config) => {
      const { [name]: _, ...profiles } = config.profiles;
      return { current: config.current === name ? undefined : config.current, profiles };
    });
    const failure =
      passwordIn === 'keychain'
        ? await (await import('../../cli/profiles/keychain.ts')).removeFromKeychain(name)
        : undefined;
    if (failure !== undefined)
      out.warn(`its password is still in the keychain, as [svcctl/${name}]: ${failure}`);
    out.changed(name, `Profile [${name}] is removed.`, 'svcctl profiles list');
  },
});
