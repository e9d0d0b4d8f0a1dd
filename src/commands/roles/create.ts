import { command } from '../../cli/command/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { commandLine } from '../../model/shell-text.ts';
import { authorizerOf, authorizerOption, hints, role } from '../shared/users/store.ts';

export const create = command({
  summary: 'Create a role without permissions',
  examples: ['svcctl roles create analysts'],
  endpoints: [authorization.createRole, authorization.loadStatus],
  arguments: role,
  options: authorizerOption,
  hints,
  writes: 'change',
  async run(context, { args: { role }, options }) {
    const authorizer = await authorizerOf(context, options.authorizer);
    await context.call(authorization.createRole, { params: { authorizer, role } });
    if (!context.dryRun)
      context.out.changed(
        role,
        `Role [${role}] is created.`,
        commandLine`svcctl permissions grant ${role} --type DATASOURCE --name '.*' --action READ`,
      );
  },
});
