// Selection of the user store. A service may have several, each named in its properties.
import type { Command, Context } from '../../../cli/command/command.ts';
import { UsageError } from '../../../cli/process/errors.ts';
import { authentication } from '../../../contract/authentication.ts';
import { authorization } from '../../../contract/authorization.ts';
import { fileName, flag, optional, required, text } from '../../../contract/schema.ts';

export const authenticatorOption = {
  authenticator: optional(text, 'Name of the authenticator, if there are several'),
};
export const authorizerOption = {
  authorizer: optional(text, 'Name of the authorizer, if there are several'),
};

export const newPasswordOptions = {
  newPasswordStdin: optional(flag, 'Read the new password from stdin'),
  newPasswordFile: optional(fileName, 'Read the new password from this file'),
  newPasswordCommand: optional(text, "Read the new password from this command's output"),
};

export const username = { username: required(text, 'Name of the user') };
export const role = { role: required(text, 'Name of the role') };

const elsewhere =
  'a service has users only with basic security, and its Coordinator manages them: --url with its own address, or with /proxy/coordinator after that of the Router';

export const hints = {
  notFound: elsewhere,
  lacking: elsewhere,
  unknownName: 'svcctl users list, roles list and group-mappings list show all of them',
} as const satisfies Command['hints'];

type Calls = Pick<Context, 'call'>;

/** The named authenticator, or the only one. */
export const authenticatorOf = async (
  { call }: Calls,
  named: string | undefined,
): Promise<string> =>
  named ?? theOnly('authenticator', Object.keys(await call(authentication.loadStatus)));

/** The named authorizer, or the only one. */
export const authorizerOf = async ({ call }: Calls, named: string | undefined): Promise<string> =>
  named ?? theOnly('authorizer', Object.keys(await call(authorization.loadStatus)));

function theOnly(what: string, names: readonly string[]): string {
  const [only, ...others] = names;
  if (only === undefined)
    throw new UsageError(
      `The service has no basic ${what}`,
      'svcctl cluster properties --where \'name ~ "auth"\' shows how it authenticates users',
    );
  if (others.length > 0)
    throw new UsageError(
      `The service has several basic ${what}s`,
      `--${what} with one of: ${names.join(', ')}`,
    );
  return only;
}

/** User names for completion. */
export const usernames: NonNullable<NonNullable<Command['completers']>[string]> = async (context) =>
  context.call(authorization.users, {
    params: { authorizer: await authorizerOf(context, undefined) },
  });
export const roleNames: NonNullable<NonNullable<Command['completers']>[string]> = async (context) =>
  context.call(authorization.roles, {
    params: { authorizer: await authorizerOf(context, undefined) },
  });
