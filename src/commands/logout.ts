import { command } from '../cli/command/command.ts';
import { CommandError, UsageError } from '../cli/process/errors.ts';
import { answerFlags } from '../cli/process/flags.ts';
import { changeConfig } from '../cli/profiles/profile-store.ts';

export const logout = command({
  summary: 'Delete the stored password of a profile',
  examples: ['svcctl logout'],
  obeys: [...answerFlags, 'profile'],
  async run({ out, io, resolved: { profileName, profile } }) {
    if (profileName === undefined || !profile)
      throw new UsageError('No profile is in use', 'svcctl profiles list');
    const failure =
      profile.passwordIn === 'keychain'
        ? await (await import('../cli/profiles/keychain.ts')).removeFromKeychain(profileName)
        : undefined;
    if (failure !== undefined)
      throw new CommandError(
        'failed',
        `The password of profile [${profileName}] is still in the keychain: ${failure}`,
        'unlock it, and log out again',
      );
    await changeConfig(io.env, (config) => {
      const {
        password: _,
        passwordIn: __,
        ...rest
      } = config.profiles[profileName] ?? { url: '', service: '' };
      return { ...config, profiles: { ...config.profiles, [profileName]: rest } };
    });
    out.changed(
      profileName,
      `The password of profile [${profileName}] is deleted.`,
      'svcctl login',
    );
  },
});
