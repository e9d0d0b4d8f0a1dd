import { command } from '../../cli/command.ts';
import { connectionOf } from '../../cli/connection.ts';
import { discover } from '../../cli/discover.ts';
import { readConfig } from '../../cli/profiles.ts';
import { withProfile } from '../../cli/settings.ts';
import { completers, maybeProfileName, profileNamed } from './profile-name.ts';

export const test = command({
  summary: 'Ask the service of a profile for its version',
  examples: ['svcctl profiles test', 'svcctl profiles test local'],
  arguments: maybeProfileName,
  completers,
  async run({ out, io, resolved: chosen, ask, signal }, { args: { name } }) {
    const resolved = name === undefined ? chosen : withProfile(chosen, name, profileNamed(readConfig(io.env), name));
    const { url, service: named } = resolved.settings;
    const { connect } = connectionOf(resolved, io, { ask, signal });
    const { version, service, how } = await discover(await connect(), [named]);
    await out.value({ url, version, service: service ?? named, user: resolved.settings.user });
    if (service !== named)
      out.warn(
        service === undefined ? `Nothing answers below /${named}` : `The service calls itself [${service}] (${how}), not [${named}]`,
      );
  },
});
