import { command } from '../../cli/command/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  isSame,
  permissionIn,
  permissionOptions,
  permissionsOf,
} from '../shared/users/permission.ts';
import { authorizerOf, authorizerOption, hints, role, roleNames } from '../shared/users/store.ts';

export const grant = command({
  summary: 'Grant permissions to a role',
  examples: ['svcctl permissions grant readers --type STATE --name STATE --action READ'],
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
    if (before.some((one) => isSame(one, wanted)))
      return out.note(`Role [${role}] allows this already.`);
    await call(authorization.setPermissions, {
      params: { authorizer, role },
      body: [...before, wanted],
    });
    if (!dryRun)
      out.changed(
        role,
        `Role [${role}] allows ${wanted.action} of ${wanted.resource.type} [${wanted.resource.name}].`,
        commandLine`svcctl permissions list ${role}`,
      );
  },
});
