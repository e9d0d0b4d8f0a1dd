import { command } from '../../cli/command/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { columns, permissionsOf } from '../shared/users/permission.ts';
import { authorizerOf, authorizerOption, hints, role, roleNames } from '../shared/users/store.ts';

export const list = command({
  summary: 'List the permissions of a role',
  examples: [
    'svcctl permissions list readers',
    'svcctl permissions list readers --output json > permissions.json',
  ],
  endpoints: [authorization.permissions, authorization.loadStatus],
  arguments: role,
  completers: { role: roleNames },
  options: authorizerOption,
  columns,
  hints,
  async run(context, { args: { role }, options }) {
    const authorizer = await authorizerOf(context, options.authorizer);
    await context.out.rows(await permissionsOf(context, { authorizer, role }), columns);
  },
});
