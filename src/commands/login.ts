import { command } from '../cli/command/command.ts';
import { connectionOf } from '../cli/command/connection.ts';
import { discover } from '../cli/command/discover.ts';
import { UsageError } from '../cli/process/errors.ts';
import { storePassword } from '../cli/profiles/passwords.ts';
import { changeConfig } from '../cli/profiles/profile-store.ts';
import { passwordOf } from '../cli/profiles/secrets.ts';

export const login = command({
  summary: 'Verify and store the user and password of a profile',
  examples: ['svcctl login --user admin --password-file password.txt'],
  async run({ out, io, ask, signal, resolved }) {
    const { profileName, profile, settings } = resolved;
    if (!profile || profileName === undefined)
      throw new UsageError(
        'No profile is in use',
        'svcctl profiles add NAME --url URL --user USER',
      );
    const user = settings.user ?? (await ask.text('User:', '--user'));
    const { password: _, passwordIn: __, ...before } = profile;
    const given = await passwordOf({ ...resolved, profile: before }, io);
    const password =
      given ??
      (await ask.password(
        `Password of ${user}:`,
        '--password-stdin, --password-file or --password-command',
      ));
    const { connect } = connectionOf(resolved, io, {
      checksName: false,
      ask,
      signal,
      credentials: { user, password },
    });
    await discover(await connect(), []);
    const { place, said } = await storePassword(profileName, password, ask);
    await changeConfig(io.env, (config) => ({
      ...config,
      profiles: { ...config.profiles, [profileName]: { ...before, user, ...place } },
    }));
    out.changed(
      profileName,
      `Logged in as user [${user}] in profile [${profileName}]. ${said}`,
      'svcctl whoami',
    );
  },
});
