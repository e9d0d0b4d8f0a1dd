import { command } from '../../cli/command/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { authorizerOf, authorizerOption, hints, role, roleNames } from '../shared/users/store.ts';

export const remove = command({
  summary: 'Delete a role and its assignments',
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
    const { users, groups } = await call(authorization.role, {
      params: { authorizer, role },
      query: { full: true },
    });
    const what = `Delete role [${role}], which ${countNames(users, 'user')} and ${countNames(groups, 'group')} have`;
    await confirm({ level: 'change', what, name: role });
    await call(authorization.deleteRole, { params: { authorizer, role } });
    if (!dryRun) out.changed(role, `Role [${role}] is deleted.`, 'svcctl roles list');
  },
});

const countNames = (names: readonly string[] | null | undefined, one: string) =>
  `${names?.length ?? 0} ${names?.length === 1 ? one : `${one}s`}`;
