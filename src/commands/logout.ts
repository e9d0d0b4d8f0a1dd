import { command } from '../cli/command.ts';
import { UsageError } from '../cli/errors.ts';
import { changeConfig } from '../cli/profiles/profile-store.ts';

export const logout = command({
  summary: 'Forget the password of a profile',
  examples: ['svcctl logout'],
  async run({ out, io, resolved: { profileName } }) {
    if (profileName === undefined) throw new UsageError('No profile is in use to log out of', 'svcctl profiles list');
    await (await import('../cli/profiles/keychain.ts')).removeFromKeychain(profileName);
    await changeConfig(io.env, (config) => {
      const { password: _, passwordIn: __, ...rest } = config.profiles[profileName] ?? { url: '', service: '' };
      return { ...config, profiles: { ...config.profiles, [profileName]: rest } };
    });
    out.changed(`The password of profile [${profileName}] is forgotten.`, 'svcctl login');
  },
});
