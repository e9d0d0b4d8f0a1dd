import type { Context } from '../cli/command/command.ts';
import { command } from '../cli/command/command.ts';
import { ServiceError } from '../client/errors.ts';
import { authorization } from '../contract/authorization.ts';
import { datasources } from '../contract/datasources.ts';
import { status } from '../contract/status.ts';
import { inWords } from './shared/users/permission.ts';
import { authorizerOf, authorizerOption } from './shared/users/store.ts';

export const whoami = command({
  summary: 'Show the current user and permissions',
  description:
    "Roles and permissions are shown to users who may read the list of users (CONFIG READ of security). Others see what they can access: whether STATE and CONFIG answer, and which datasources. Roles that come from groups of a directory (LDAP) are not shown, because the service does not report a user's groups.",
  examples: ['svcctl whoami', 'svcctl whoami --output json'],
  endpoints: [
    authorization.user,
    authorization.groupMappings,
    authorization.loadStatus,
    status.get,
    status.properties,
    datasources.list,
  ],
  options: authorizerOption,
  async run(context, { options }) {
    const { call, out, resolved } = context;
    const user = resolved.settings.user ?? null;
    const seen = {
      state: await isAllowed(call(status.get)),
      config: await isAllowed(call(status.properties)),
      datasources: (await call(datasources.list)).map((one) =>
        typeof one === 'string' ? one : one.name,
      ),
    };
    const authorizer =
      user === null ? undefined : await ifTold(authorizerOf(context, options.authorizer));
    const given =
      user === null || authorizer === undefined
        ? undefined
        : await rolesOf(context, user, authorizer);
    await out.value({ user, url: resolved.settings.url, ...given?.shown, sees: seen });
    if (given?.hasGroups)
      out.note(
        'Roles from directory groups are not shown, because the service does not report the groups of a user. See svcctl group-mappings list.',
      );
  },
});

async function isAllowed(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 403) return false;
    throw error;
  }
}

// Without authorization, or without permission to read users, roles are unknown. Users of a
// directory may get roles only from groups.
async function rolesOf({ call }: Context, username: string, authorizer: string) {
  const query = { full: true, simplifyPermissions: true };
  const [own, groups] = await Promise.all([
    ifTold(call(authorization.user, { params: { authorizer, username }, query })),
    ifTold(call(authorization.groupMappings, { params: { authorizer } })),
  ]);
  const whole = (own?.roles ?? []).flatMap((role) => (typeof role === 'string' ? [] : role));
  const shown = own && {
    roles: whole.map(({ name }) => name),
    permissions: whole.flatMap(({ permissions }) => permissions ?? []).map(inWords),
  };
  return { shown, hasGroups: groups !== undefined && groups.length > 0 };
}

async function ifTold<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof ServiceError && [400, 403, 404].includes(error.status)) return undefined;
    throw error;
  }
}
