import { command } from '../../cli/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { authorizerOf, authorizerOption, hints, role, roleNames } from '../users/store.ts';

export const remove = command({
  summary: 'Delete a role, also from the users and groups that have it',
  examples: ['svcctl roles delete spare --yes'],
  endpoints: [authorization.deleteRole, authorization.role, authorization.loadStatus],
  arguments: role,
  completers: { role: roleNames },
  options: authorizerOption,
  hints,
  writes: 'destroy',
  async run(context, { args: { role }, options }) {
    const { call, confirm, out, dryRun } = context;
    const authorizer = await authorizerOf(context, options.authorizer);
    const { users, groups } = await call(authorization.role, { params: { authorizer, role }, query: { full: true } });
    const what = `Delete role [${role}], which ${users?.length ?? 0} users and ${groups?.length ?? 0} groups have`;
    await confirm({ level: 'change', what, name: role });
    await call(authorization.deleteRole, { params: { authorizer, role } });
    if (!dryRun) out.changed(`Role [${role}] is deleted.`, 'svcctl roles list');
  },
});
