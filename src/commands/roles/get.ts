import { command } from '../../cli/command/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { inWords, isForPeople } from '../shared/users/permission.ts';
import { authorizerOf, authorizerOption, hints, role, roleNames } from '../shared/users/store.ts';

export const get = command({
  summary: 'Show the permissions and members of a role',
  examples: ['svcctl roles get readers', 'svcctl roles get readers --output json'],
  endpoints: [authorization.role, authorization.loadStatus],
  arguments: role,
  completers: { role: roleNames },
  options: authorizerOption,
  hints,
  async run(context, { args: { role }, options }) {
    const authorizer = await authorizerOf(context, options.authorizer);
    const { out, call } = context;
    const found = await call(authorization.role, {
      params: { authorizer, role },
      query: { full: true },
    });
    await out.value(
      isForPeople(out) ? { ...found, permissions: found.permissions?.map(inWords) ?? [] } : found,
    );
  },
});
