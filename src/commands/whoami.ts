import type { Context } from '../cli/command.ts';
import { command } from '../cli/command.ts';
import { ServiceError } from '../client/errors.ts';
import { authorization } from '../contract/authorization.ts';
import { datasources } from '../contract/datasources.ts';
import { status } from '../contract/status.ts';
import { inWords } from './permissions/permission.ts';
import { authorizerOf, authorizerOption } from './users/store.ts';

export const whoami = command({
  summary: 'Show who asks, and what they may do',
  description:
    'Roles and permissions are told to those who may read about users (CONFIG READ of security). Others learn what they can see: whether STATE and CONFIG answer, and which datasources.',
  examples: ['svcctl whoami', 'svcctl whoami --output json'],
  endpoints: [authorization.user, authorization.loadStatus, status.get, status.properties, datasources.list],
  options: authorizerOption,
  async run(context, { options }) {
    const { call, out, resolved } = context;
    const user = resolved.settings.user ?? null;
    const seen = {
      state: await allowed(call(status.get)),
      config: await allowed(call(status.properties)),
      datasources: (await call(datasources.list)).map((one) => (typeof one === 'string' ? one : one.name)),
    };
    const given = user === null ? undefined : await rolesOf(context, user, options.authorizer);
    await out.value({ user, url: resolved.settings.url, ...given, sees: seen });
  },
});

async function allowed(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof ServiceError && error.status === 403) return false;
    throw error;
  }
}

// Where nobody is asked who they are, or the caller may not read about users, there is nothing to tell.
async function rolesOf(context: Context, username: string, named: string | undefined) {
  try {
    const authorizer = await authorizerOf(context, named);
    const query = { full: true, simplifyPermissions: true };
    const { roles } = await context.call(authorization.user, { params: { authorizer, username }, query });
    const whole = (roles ?? []).flatMap((role) => (typeof role === 'string' ? [] : role));
    return { roles: whole.map(({ name }) => name), permissions: whole.flatMap(({ permissions }) => permissions ?? []).map(inWords) };
  } catch (error) {
    if (error instanceof ServiceError && [400, 403, 404].includes(error.status)) return undefined;
    throw error;
  }
}
