import { command } from '../../cli/command/command.ts';
import { answerFlags } from '../../cli/process/flags.ts';
import { changeConfig } from '../../cli/profiles/profile-store.ts';
import { completers, profileName, profileNamed } from './profile-name.ts';

export const use = command({
  summary: 'Set the default profile',
  examples: ['svcctl profiles use local'],
  arguments: profileName,
  completers,
  obeys: answerFlags, // without a profile: it may be the one to be repaired
  async run({ out, io }, { args: { name } }) {
    await changeConfig(io.env, (config) => {
      profileNamed(config, name);
      return { ...config, current: name };
    });
    out.changed(name, `Profile [${name}] is in use.`, 'svcctl profiles test');
  },
});
