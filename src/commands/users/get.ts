import { command } from '../../cli/command/command.ts';
import { authentication } from '../../contract/authentication.ts';
import { authorization } from '../../contract/authorization.ts';
import { inWords, isForPeople } from '../shared/users/permission.ts';
import {
  authenticatorOf,
  authenticatorOption,
  authorizerOf,
  authorizerOption,
  hints,
  username,
  usernames,
} from '../shared/users/store.ts';

export const get = command({
  summary: 'Show the roles and permissions of a user',
  examples: ['svcctl users get ann', 'svcctl users get ann --output json'],
  endpoints: [
    authentication.user,
    authentication.users,
    authorization.user,
    authentication.loadStatus,
    authorization.loadStatus,
  ],
  arguments: username,
  completers: { username: usernames },
  options: { ...authenticatorOption, ...authorizerOption },
  hints,
  async run(context, { args: { username }, options }) {
    const { call, out } = context;
    const authenticator = await authenticatorOf(context, options.authenticator);
    const authorizer = await authorizerOf(context, options.authorizer);
    const query = { full: true, simplifyPermissions: true };
    const { roles } = await call(authorization.user, { params: { authorizer, username }, query });
    const comesIn = (await call(authentication.users, { params: { authenticator } })).includes(
      username,
    );
    const own = comesIn
      ? await call(authentication.user, { params: { authenticator, username } })
      : undefined;
    const user = { name: username, password: Boolean(own?.credentials) };
    if (!isForPeople(out)) return out.value({ ...user, roles: roles ?? [] });
    const whole = (roles ?? []).flatMap((role) => (typeof role === 'string' ? [] : role));
    const permissions = whole.flatMap((role) =>
      (role.permissions ?? []).map((one) => `${role.name}: ${inWords(one)}`),
    );
    await out.value({ ...user, roles: whole.map(({ name }) => name), permissions });
  },
});
