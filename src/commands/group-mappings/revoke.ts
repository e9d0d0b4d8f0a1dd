import { command } from '../../cli/command/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { commandLine } from '../../model/shell-text.ts';
import { authorizerOf, authorizerOption, hints, role, roleNames } from '../shared/users/store.ts';
import { groupMapping, mappingNames } from './group-mapping.ts';

export const revoke = command({
  summary: 'Remove a role from a group mapping',
  examples: ['svcctl group-mappings revoke staff trial'],
  endpoints: [authorization.unassignGroupRole, authorization.loadStatus],
  arguments: { ...groupMapping, ...role },
  completers: { groupMapping: mappingNames, role: roleNames },
  options: authorizerOption,
  hints,
  writes: 'change',
  async run(context, { args, options }) {
    const authorizer = await authorizerOf(context, options.authorizer);
    await context.call(authorization.unassignGroupRole, { params: { authorizer, ...args } });
    if (!context.dryRun)
      context.out.changed(
        args.groupMapping,
        `Group mapping [${args.groupMapping}] no longer grants role [${args.role}].`,
        commandLine`svcctl group-mappings get ${args.groupMapping}`,
      );
  },
});
