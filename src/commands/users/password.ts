import { command } from '../../cli/command/command.ts';
import { newPasswordOf } from '../../cli/profiles/secrets.ts';
import { authentication } from '../../contract/authentication.ts';
import { integer, optional } from '../../contract/schema.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  authenticatorOf,
  authenticatorOption,
  hints,
  newPasswordOptions,
  username,
  usernames,
} from '../shared/users/store.ts';

export const password = command({
  summary: 'Set the password of a user',
  examples: ['svcctl users password ann --new-password-file password.txt'],
  endpoints: [authentication.setPassword, authentication.loadStatus],
  arguments: username,
  completers: { username: usernames },
  options: {
    ...newPasswordOptions,
    iterations: optional(integer, 'Number of hash iterations (default 10000)'),
    ...authenticatorOption,
  },
  hints,
  writes: 'change',
  async run(context, { args: { username }, options }) {
    const { call, out, io, ask, dryRun } = context;
    const password = await newPasswordOf(username, options, io, ask);
    const authenticator = await authenticatorOf(context, options.authenticator);
    const { iterations } = options;
    await call(authentication.setPassword, {
      params: { authenticator, username },
      body: { password, ...(iterations !== undefined && { iterations }) },
    });
    if (!dryRun)
      out.changed(
        username,
        `User [${username}] has a new password.`,
        commandLine`svcctl whoami --user ${username}`,
      );
  },
});
