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

export const revoke = command({
  summary: 'Revoke a role from a user',
  examples: ['svcctl users revoke ann trial'],
  endpoints: [authorization.unassignRole, authorization.loadStatus],
  arguments: { ...username, ...role },
  completers: { username: usernames, role: roleNames },
  options: authorizerOption,
  hints,
  writes: 'change',
  async run(context, { args, options }) {
    const authorizer = await authorizerOf(context, options.authorizer);
    await context.call(authorization.unassignRole, { params: { authorizer, ...args } });
    if (!context.dryRun)
      context.out.changed(
        args.username,
        `User [${args.username}] no longer has role [${args.role}].`,
        commandLine`svcctl users get ${args.username}`,
      );
  },
});
