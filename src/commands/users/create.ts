import { command } from '../../cli/command/command.ts';
import { UsageError } from '../../cli/process/errors.ts';
import { flagOf } from '../../cli/process/flags.ts';
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
} from '../shared/users/store.ts';

export const create = command({
  summary: 'Create a user with password and roles',
  description:
    'With --roles-only the service stores no password: a directory (LDAP) authenticates the user, and the service stores only the roles.',
  examples: [
    'svcctl users create bob --new-password-file password.txt --role readers',
    'svcctl users create robot --without-password',
    'svcctl users create carol --roles-only --role readers',
  ],
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
    withoutPassword: optional(flag, 'Create the user without a password'),
    rolesOnly: optional(
      flag,
      'Create the user in the authorizer only; a directory verifies the password',
    ),
    role: optional(listOf(text), 'Role for the user'),
    ...authenticatorOption,
    ...authorizerOption,
  },
  hints,
  writes: 'change',
  async run(context, { args: { username }, options }) {
    const { call, out, io, ask, dryRun } = context;
    if (options.rolesOnly) refuseCredentials(options);
    const password =
      options.withoutPassword || options.rolesOnly
        ? undefined
        : await newPasswordOf(username, options, io, ask);
    const authenticator = options.rolesOnly
      ? undefined
      : await authenticatorOf(context, options.authenticator);
    const authorizer = await authorizerOf(context, options.authorizer);
    if (authenticator !== undefined)
      await call(authentication.createUser, { params: { authenticator, username } });
    if (authenticator !== undefined && password !== undefined)
      await call(authentication.setPassword, {
        params: { authenticator, username },
        body: { password },
      });
    await call(authorization.createUser, { params: { authorizer, username } });
    for (const role of options.role ?? [])
      await call(authorization.assignRole, { params: { authorizer, username, role } });
    if (dryRun) return;
    out.changed(
      username,
      options.rolesOnly
        ? `User [${username}] is created for roles only, without a password.`
        : `User [${username}] is created.`,
      options.role
        ? commandLine`svcctl users get ${username}`
        : commandLine`svcctl users grant ${username} ROLE`,
    );
  },
});

function refuseCredentials(options: Readonly<Record<string, unknown>>): void {
  const given = Object.keys({
    ...newPasswordOptions,
    withoutPassword: 0,
    ...authenticatorOption,
  }).find((name) => options[name] !== undefined);
  if (given === undefined) return;
  throw new UsageError(
    `${flagOf(given)} and --roles-only cannot be combined`,
    'the service stores no password of a user for roles only',
  );
}
