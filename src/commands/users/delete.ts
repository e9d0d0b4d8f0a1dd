import { command } from '../../cli/command/command.ts';
import { authentication } from '../../contract/authentication.ts';
import { authorization } from '../../contract/authorization.ts';
import {
  authenticatorOf,
  authenticatorOption,
  authorizerOf,
  authorizerOption,
  hints,
  username,
  usernames,
} from '../shared/users/store.ts';

export const remove = command({
  summary: 'Delete a user with its credentials and role assignments',
  examples: ['svcctl users delete trial --yes'],
  endpoints: [
    authentication.deleteUser,
    authentication.users,
    authorization.deleteUser,
    authorization.users,
    authentication.loadStatus,
    authorization.loadStatus,
  ],
  arguments: username,
  completers: { username: usernames },
  options: { ...authenticatorOption, ...authorizerOption },
  hints,
  writes: 'destroy',
  async run(context, { args: { username }, options }) {
    const { call, confirm, out, dryRun, settings } = context;
    const authenticator = await authenticatorOf(context, options.authenticator);
    const authorizer = await authorizerOf(context, options.authorizer);
    const known = await call(authorization.users, { params: { authorizer } });
    const hasCredentials = (
      await call(authentication.users, { params: { authenticator } })
    ).includes(username);
    const isSelf = username === settings.user; // perhaps no other user could recreate it
    await confirm({
      level: isSelf ? 'destroy' : 'change',
      what: `Delete user [${username}]${isSelf ? ', your own user: it cannot send further requests' : ''}`,
      name: username,
    });
    // At least one of the two is called, so that the service reports an unknown user.
    if (hasCredentials)
      await call(authentication.deleteUser, { params: { authenticator, username } });
    if (!hasCredentials || known.includes(username))
      await call(authorization.deleteUser, { params: { authorizer, username } });
    if (!dryRun) out.changed(username, `User [${username}] is deleted.`, 'svcctl users list');
  },
});
