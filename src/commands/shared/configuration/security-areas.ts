// Users, roles and group mappings as configuration areas. Passwords are not exported; set the
// password of a new user separately.
import { authentication } from '../../../contract/authentication.ts';
import { authorization, type ResourceAction } from '../../../contract/authorization.ts';
import {
  check,
  listOf,
  object,
  oneOf,
  sometimes,
  text,
  truth,
  type Value,
} from '../../../contract/schema.ts';
import { checkSpelling, permissionsOf } from '../users/permission.ts';
import type { Area, Cluster } from './area.ts';

const permission = object({ type: text, name: text, action: oneOf('READ', 'WRITE') });
const role = object({ permissions: sometimes(listOf(permission)) });
const user = object({ authenticated: sometimes(truth), roles: sometimes(listOf(text)) });
const mapping = object({ groupPattern: text, roles: sometimes(listOf(text)) });

// The service creates these itself and is inaccessible without them.
const isBuiltIn = (name: string) => name === 'admin' || name.endsWith('_system');

/** Roles with their permissions. */
export const rolesArea: Area = {
  name: 'roles',
  endpoints: [authorization.loadStatus, authorization.roles, authorization.permissions],
  writes: [authorization.createRole, authorization.setPermissions, authorization.deleteRole],
  read: async (cluster) => {
    const authorizer = await cluster.authorizer();
    return eachOf(
      await cluster.call(authorization.roles, { params: { authorizer } }),
      async (name) => {
        const permissions = await permissionsOf(cluster, { authorizer, role: name });
        return {
          permissions: permissions.map(({ resource, action }) => ({
            type: resource.type,
            name: resource.name,
            action,
          })),
        };
      },
    );
  },
  schema: () => role,
  normal: (document) => {
    const { permissions } = check(role, document);
    return { permissions: [...(permissions ?? [])].sort(byText) };
  },
  check: (document) => checkSpelling((check(role, document).permissions ?? []).map(asAction)),
  set: async (cluster, name, { document, live }) => {
    const params = { authorizer: await cluster.authorizer(), role: name };
    if (live === undefined) await cluster.call(authorization.createRole, { params });
    await cluster.call(authorization.setPermissions, {
      params,
      body: (check(role, document).permissions ?? []).map(asAction),
    });
  },
  remove: async (cluster, name) =>
    cluster.call(authorization.deleteRole, {
      params: { authorizer: await cluster.authorizer(), role: name },
    }),
  stays: isBuiltIn,
};

/** Users and their roles. */
export const usersArea: Area = {
  name: 'users',
  endpoints: [
    authentication.loadStatus,
    authentication.users,
    authorization.users,
    authorization.user,
  ],
  writes: [
    authentication.createUser,
    authentication.deleteUser,
    authorization.createUser,
    authorization.deleteUser,
    authorization.assignRole,
    authorization.unassignRole,
  ],
  read: async (cluster) => {
    const [authorizer, authenticator] = [await cluster.authorizer(), await cluster.authenticator()];
    const coming = new Set(await cluster.call(authentication.users, { params: { authenticator } }));
    const known = new Set(await cluster.call(authorization.users, { params: { authorizer } }));
    return eachOf([...new Set([...coming, ...known])], async (name) => ({
      authenticated: coming.has(name),
      ...(known.has(name) && { roles: await rolesOf(cluster, authorizer, name) }),
    }));
  },
  schema: () => user,
  normal: (document) => {
    const { authenticated, roles } = check(user, document);
    return { authenticated: authenticated ?? true, roles: [...(roles ?? [])].sort() };
  },
  check: (document) => void check(user, document),
  set: async (cluster, username, { document, live }) => {
    const [wanted, has] = [
      check(user, document),
      live === undefined ? undefined : check(user, live),
    ];
    const [authorizer, authenticator] = [await cluster.authorizer(), await cluster.authenticator()];
    const comesIn = wanted.authenticated ?? true;
    if (comesIn && !has?.authenticated)
      await cluster.call(authentication.createUser, { params: { authenticator, username } });
    if (!has?.roles)
      await cluster.call(authorization.createUser, { params: { authorizer, username } });
    const [before, after] = [has?.roles ?? [], wanted.roles ?? []];
    for (const role of after.filter((name) => !before.includes(name)))
      await cluster.call(authorization.assignRole, { params: { authorizer, username, role } });
    for (const role of before.filter((name) => !after.includes(name)))
      await cluster.call(authorization.unassignRole, { params: { authorizer, username, role } });
    if (!comesIn && has?.authenticated)
      await cluster.call(authentication.deleteUser, { params: { authenticator, username } });
  },
  remove: async (cluster, username, live) => {
    const { authenticated, roles } = check(user, live);
    if (authenticated)
      await cluster.call(authentication.deleteUser, {
        params: { authenticator: await cluster.authenticator(), username },
      });
    if (roles)
      await cluster.call(authorization.deleteUser, {
        params: { authorizer: await cluster.authorizer(), username },
      });
  },
  stays: isBuiltIn,
  isLostWhenRemoved: true,
};

/** Group mappings: roles of directory groups. */
export const groupMappingsArea: Area = {
  name: 'group-mappings',
  endpoints: [authorization.groupMappings, authorization.groupMapping],
  writes: [
    authorization.createGroupMapping,
    authorization.deleteGroupMapping,
    authorization.assignGroupRole,
    authorization.unassignGroupRole,
  ],
  read: async (cluster) => {
    const authorizer = await cluster.authorizer();
    return eachOf(
      await cluster.call(authorization.groupMappings, { params: { authorizer } }),
      async (groupMapping) => {
        const { groupPattern, roles } = await cluster.call(authorization.groupMapping, {
          params: { authorizer, groupMapping },
        });
        return { groupPattern, roles: namesIn(roles) };
      },
    );
  },
  schema: () => mapping,
  normal: (document) => {
    const { groupPattern, roles } = check(mapping, document);
    return { groupPattern, roles: [...(roles ?? [])].sort() };
  },
  check: (document) => void check(mapping, document),
  set: async (cluster, groupMapping, { document, live }) => {
    const [wanted, has] = [
      check(mapping, document),
      live === undefined ? undefined : check(mapping, live),
    ];
    const authorizer = await cluster.authorizer();
    const roles = [...(wanted.roles ?? [])];
    if (has?.groupPattern !== wanted.groupPattern) {
      // A pattern cannot be changed: the mapping is recreated.
      if (has)
        await cluster.call(authorization.deleteGroupMapping, {
          params: { authorizer, groupMapping },
        });
      const body = { name: groupMapping, groupPattern: wanted.groupPattern, roles };
      await cluster.call(authorization.createGroupMapping, {
        params: { authorizer, groupMapping },
        body,
      });
      return;
    }
    const before = has.roles ?? [];
    for (const role of roles.filter((name) => !before.includes(name)))
      await cluster.call(authorization.assignGroupRole, {
        params: { authorizer, groupMapping, role },
      });
    for (const role of before.filter((name) => !roles.includes(name)))
      await cluster.call(authorization.unassignGroupRole, {
        params: { authorizer, groupMapping, role },
      });
  },
  remove: async (cluster, groupMapping) =>
    cluster.call(authorization.deleteGroupMapping, {
      params: { authorizer: await cluster.authorizer(), groupMapping },
    }),
};

async function eachOf<T>(
  names: readonly string[],
  read: (name: string) => Promise<T>,
): Promise<ReadonlyMap<string, T>> {
  const found = new Map<string, T>();
  for (const name of [...names].sort()) found.set(name, await read(name));
  return found;
}

const rolesOf = async ({ call }: Cluster, authorizer: string, username: string) =>
  namesIn((await call(authorization.user, { params: { authorizer, username } })).roles);

const namesIn = (
  roles: readonly (string | { readonly name: string })[] | null | undefined,
): string[] => (roles ?? []).map((role) => (typeof role === 'string' ? role : role.name)).sort();

const asAction = ({ type, name, action }: Value<typeof permission>): ResourceAction => ({
  resource: { type, name },
  action,
});

const byText = (one: Value<typeof permission>, other: Value<typeof permission>) => {
  const [left, right] = [one, other].map(({ type, name, action }) => `${type} ${name} ${action}`);
  return String(left) < String(right) ? -1 : Number(left !== right);
};
