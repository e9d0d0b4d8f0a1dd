import { command } from '../../cli/command/command.ts';
import { columnsOf } from '../../cli/lists/columns.ts';
import { authentication } from '../../contract/authentication.ts';
import { authorization } from '../../contract/authorization.ts';
import { flag, optional } from '../../contract/schema.ts';
import {
  authenticatorOf,
  authenticatorOption,
  authorizerOf,
  authorizerOption,
  hints,
} from '../shared/users/store.ts';

interface User {
  readonly name: string;
  readonly authenticated: boolean;
  readonly authorized: boolean;
  readonly roles: readonly string[] | undefined;
}

const columns = columnsOf<User>({
  name: ({ name }) => name,
  authenticated: ({ authenticated }) => authenticated,
  authorized: ({ authorized }) => authorized,
  roles: ({ roles }) => roles?.join(' '),
});
const withoutRoles = columns.filter(({ name }) => name !== 'roles');

export const list = command({
  summary: 'List users',
  examples: ['svcctl users list', 'svcctl users list --roles --where roles~admin'],
  endpoints: [
    authentication.users,
    authorization.users,
    authorization.user,
    authentication.loadStatus,
    authorization.loadStatus,
  ],
  options: {
    ...authenticatorOption,
    ...authorizerOption,
    roles: optional(flag, 'Also show the roles of each user'),
  },
  columns,
  hints,
  async run(context, { options }) {
    const { call, out, settings } = context;
    const named = [settings.columns, settings.where, settings.sort].some(
      (said) => said !== undefined && /\broles\b/.test(said),
    );
    const wantsRoles = options.roles === true || out.format === 'wide' || named; // each takes a request of its own
    const authenticator = await authenticatorOf(context, options.authenticator);
    const authorizer = await authorizerOf(context, options.authorizer);
    const coming = new Set(await call(authentication.users, { params: { authenticator } }));
    const known = new Set(await call(authorization.users, { params: { authorizer } }));
    const rolesOf = async (username: string) => {
      const { roles } = await call(authorization.user, { params: { authorizer, username } });
      return (roles ?? []).map((role) => (typeof role === 'string' ? role : role.name));
    };
    const rows: User[] = [];
    for (const name of [...new Set([...coming, ...known])].sort())
      rows.push({
        name,
        authenticated: coming.has(name),
        authorized: known.has(name),
        roles: wantsRoles && known.has(name) ? await rolesOf(name) : undefined,
      });
    await out.rows(rows, wantsRoles ? columns : withoutRoles);
  },
});
