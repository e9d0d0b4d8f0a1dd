import { command } from '../../cli/command/command.ts';
import { CommandError } from '../../cli/process/errors.ts';
import { authorization } from '../../contract/authorization.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  isSame,
  permissionIn,
  permissionOptions,
  permissionsOf,
} from '../shared/users/permission.ts';
import { authorizerOf, authorizerOption, hints, role, roleNames } from '../shared/users/store.ts';

export const revoke = command({
  summary: 'Revoke permissions from a role',
  examples: ["svcctl permissions revoke readers --type DATASOURCE --name 'trial.*' --action READ"],
  endpoints: [authorization.permissions, authorization.setPermissions, authorization.loadStatus],
  arguments: role,
  completers: { role: roleNames },
  options: { ...permissionOptions, ...authorizerOption },
  hints,
  writes: 'change',
  async run(context, { args: { role }, options }) {
    const { call, out, dryRun } = context;
    const wanted = permissionIn(options);
    const authorizer = await authorizerOf(context, options.authorizer);
    const before = await permissionsOf(context, { authorizer, role });
    const after = before.filter((one) => !isSame(one, wanted));
    if (after.length === before.length)
      throw new CommandError(
        'notFound',
        `Role [${role}] has no such permission`,
        commandLine`svcctl permissions list ${role}`,
      );
    await call(authorization.setPermissions, { params: { authorizer, role }, body: after });
    if (!dryRun)
      out.changed(
        role,
        `Role [${role}] no longer allows ${wanted.action} of ${wanted.resource.type} [${wanted.resource.name}].`,
        commandLine`svcctl permissions list ${role}`,
      );
  },
});
