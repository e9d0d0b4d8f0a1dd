import { isMade } from '../../cli/command/already.ts';
import { command } from '../../cli/command/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  authorizerOf,
  authorizerOption,
  hints,
  role,
  roleNames,
  username,
  usernames,
} from '../shared/users/store.ts';

export const grant = command({
  summary: 'Assign a role to a user',
  examples: ['svcctl users grant ann writers'],
  endpoints: [authorization.assignRole, authorization.loadStatus],
  arguments: { ...username, ...role },
  completers: { username: usernames, role: roleNames },
  options: authorizerOption,
  hints,
  writes: 'change',
  async run(context, { args, options }) {
    const authorizer = await authorizerOf(context, options.authorizer);
    if (
      !(await isMade(context.call(authorization.assignRole, { params: { authorizer, ...args } })))
    )
      return context.out.note(`User [${args.username}] already has role [${args.role}].`);
    if (!context.dryRun)
      context.out.changed(
        args.username,
        `User [${args.username}] has role [${args.role}].`,
        commandLine`svcctl users get ${args.username}`,
      );
  },
});
