import { isMade } from '../../cli/command/already.ts';
import { command } from '../../cli/command/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { commandLine } from '../../model/shell-text.ts';
import { authorizerOf, authorizerOption, hints, role, roleNames } from '../shared/users/store.ts';
import { groupMapping, mappingNames } from './group-mapping.ts';

export const grant = command({
  summary: 'Add a role to a group mapping',
  examples: ['svcctl group-mappings grant staff writers'],
  endpoints: [authorization.assignGroupRole, authorization.loadStatus],
  arguments: { ...groupMapping, ...role },
  completers: { groupMapping: mappingNames, role: roleNames },
  options: authorizerOption,
  hints,
  writes: 'change',
  async run(context, { args, options }) {
    const authorizer = await authorizerOf(context, options.authorizer);
    if (
      !(await isMade(
        context.call(authorization.assignGroupRole, { params: { authorizer, ...args } }),
      ))
    )
      return context.out.note(
        `Group mapping [${args.groupMapping}] already grants role [${args.role}].`,
      );
    if (!context.dryRun)
      context.out.changed(
        args.groupMapping,
        `Group mapping [${args.groupMapping}] gives role [${args.role}].`,
        commandLine`svcctl group-mappings get ${args.groupMapping}`,
      );
  },
});
