import { command } from '../../cli/command/command.ts';
import { authentication } from '../../contract/authentication.ts';
import { authorization } from '../../contract/authorization.ts';
import { oneOf, required } from '../../contract/schema.ts';
import {
  authenticatorOf,
  authenticatorOption,
  authorizerOf,
  authorizerOption,
  hints,
} from '../shared/users/store.ts';

export const cache = command({
  summary: "Print a node's cache of users, roles or group mappings in Smile",
  examples: ['svcctl users cache roles > roles.smile'],
  endpoints: [
    authentication.userCache,
    authorization.userCache,
    authorization.groupMappingCache,
    authentication.loadStatus,
    authorization.loadStatus,
  ],
  arguments: {
    of: required(
      oneOf('passwords', 'roles', 'groups'),
      'Cache to print: users with password hashes, users with roles, or groups',
    ),
  },
  options: { ...authenticatorOption, ...authorizerOption },
  hints,
  async run(context, { args, options }) {
    const { call, out } = context;
    if (args.of === 'passwords') {
      const authenticator = await authenticatorOf(context, options.authenticator);
      return out.text(await call(authentication.userCache, { params: { authenticator } }));
    }
    const params = { authorizer: await authorizerOf(context, options.authorizer) };
    await out.text(
      await (args.of === 'roles'
        ? call(authorization.userCache, { params })
        : call(authorization.groupMappingCache, { params })),
    );
  },
});
