import { command } from '../../cli/command.ts';
import { newPasswordOf } from '../../cli/profiles/secrets.ts';
import { authentication } from '../../contract/authentication.ts';
import { authorization } from '../../contract/authorization.ts';
import { flag, listOf, optional, text } from '../../contract/schema.ts';
import { commandLine } from '../../model/shell-text.ts';
import {
  authenticatorOf,
  authenticatorOption,
  authorizerOf,
  authorizerOption,
  hints,
  newPasswordOptions,
  roleNames,
  username,
} from './store.ts';

export const create = command({
  summary: 'Create a user with a password and roles',
  examples: ['svcctl users create bob --new-password-file password.txt --role readers', 'svcctl users create robot --without-password'],
  endpoints: [
    authentication.createUser,
    authentication.setPassword,
    authorization.createUser,
    authorization.assignRole,
    authentication.loadStatus,
    authorization.loadStatus,
  ],
  arguments: username,
  completers: { role: roleNames },
  options: {
    ...newPasswordOptions,
    withoutPassword: optional(flag, 'Set none: the user cannot come in yet'),
    role: optional(listOf(text), 'A role that the user gets'),
    ...authenticatorOption,
    ...authorizerOption,
  },
  hints,
  writes: 'change',
  async run(context, { args: { username }, options }) {
    const { call, out, io, ask, dryRun } = context;
    const password = options.withoutPassword ? undefined : await newPasswordOf(username, options, io, ask);
    const authenticator = await authenticatorOf(context, options.authenticator);
    const authorizer = await authorizerOf(context, options.authorizer);
    await call(authentication.createUser, { params: { authenticator, username } });
    if (password !== undefined) await call(authentication.setPassword, { params: { authenticator, username }, body: { password } });
    await call(authorization.createUser, { params: { authorizer, username } });
    for (const role of options.role ?? []) await call(authorization.assignRole, { params: { authorizer, username, role } });
    if (dryRun) return;
    out.changed(
      username,
      `User [${username}] is created.`,
      options.role ? commandLine`svcctl users get ${username}` : commandLine`svcctl users grant ${username} ROLE`,
    );
  },
});
