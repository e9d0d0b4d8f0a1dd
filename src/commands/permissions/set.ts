import { command } from '../../cli/command/command.ts';
import { readJson } from '../../cli/input/read-json.ts';
import { authorization, type ResourceAction } from '../../contract/authorization.ts';
import { fileName, listOf, required } from '../../contract/schema.ts';
import { commandLine } from '../../model/shell-text.ts';
import { checkTypes, extensionTypesOption } from '../shared/users/permission.ts';
import { authorizerOf, authorizerOption, hints, role, roleNames } from '../shared/users/store.ts';

export const set = command({
  summary: 'Replace all permissions of a role',
  examples: [
    'svcctl permissions set readers --file permissions.json',
    `echo '[{"resource": {"name": ".*", "type": "DATASOURCE"}, "action": "READ"}]' | svcctl permissions set readers --file -`,
  ],
  endpoints: [authorization.setPermissions, authorization.loadStatus],
  arguments: role,
  completers: { role: roleNames },
  shorts: { file: 'f' },
  options: {
    file: required(fileName, 'Permissions as a JSON list; - reads stdin'),
    ...extensionTypesOption,
    ...authorizerOption,
  },
  hints,
  writes: 'change',
  async run(context, { args: { role }, options }) {
    const { call, confirm, out, io, dryRun } = context;
    const body: ResourceAction[] = await readJson(
      listOf(authorization.setPermissions.body.wrapped.item),
      options.file,
      io,
    );
    checkTypes(body, options.extensionType);
    const authorizer = await authorizerOf(context, options.authorizer);
    if (body.length === 0)
      await confirm({
        level: 'change',
        what: `Remove all permissions of role [${role}]`,
        name: role,
      });
    await call(authorization.setPermissions, { params: { authorizer, role }, body });
    if (!dryRun)
      out.changed(
        role,
        `Role [${role}] has ${body.length} permissions.`,
        commandLine`svcctl permissions list ${role}`,
      );
  },
});
