import { command } from '../../cli/command/command.ts';
import { authorization } from '../../contract/authorization.ts';
import { listOf, optional, required, text } from '../../contract/schema.ts';
import { commandLine } from '../../model/shell-text.ts';
import { authorizerOf, authorizerOption, hints, roleNames } from '../shared/users/store.ts';
import { groupMapping } from './group-mapping.ts';

export const create = command({
  summary: 'Map directory groups to roles',
  examples: [
    `svcctl group-mappings create admins --pattern 'CN=admins,OU=groups,DC=example,DC=org' --role admin`,
  ],
  endpoints: [authorization.createGroupMapping, authorization.loadStatus],
  arguments: groupMapping,
  completers: { role: roleNames },
  options: {
    pattern: required(text, 'Group pattern: a distinguished name that may begin or end with *'),
    role: optional(listOf(text), 'Role for the members'),
    ...authorizerOption,
  },
  hints,
  writes: 'change',
  async run(
    context,
    { args: { groupMapping }, options: { pattern, role: roles = [], ...options } },
  ) {
    const authorizer = await authorizerOf(context, options.authorizer);
    const body = { name: groupMapping, groupPattern: pattern, roles };
    await context.call(authorization.createGroupMapping, {
      params: { authorizer, groupMapping },
      body,
    });
    if (!context.dryRun)
      context.out.changed(
        groupMapping,
        `Group mapping [${groupMapping}] is created.`,
        commandLine`svcctl group-mappings get ${groupMapping}`,
      );
  },
});
