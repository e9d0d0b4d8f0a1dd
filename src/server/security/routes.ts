// Endpoints of basic security (the specification, "Security management"): users and passwords,
// roles and permissions, group mappings.
import type { ResourceAction } from '../../contract/authorization.ts';
import type { Routes } from '../handlers/routes.ts';
import type { StoredCredentials } from '../storage/security.ts';
import { unknownAuthenticator, unknownAuthorizer, usersInDirectory } from './refusals.ts';
import type { RoleStore } from './role-store.ts';
import { formatSmile } from './smile.ts';
import type { ManagedUsers } from './user-store.ts';

/**
 * Handlers for the users of basic authenticators, by name; without authenticators, each refuses the
 * name.
 */
export function authenticationRoutes(
  stores: ReadonlyMap<string, ManagedUsers>,
): Routes<'authentication'> {
  const users = ({ authenticator }: { authenticator: string }) =>
    stores.get(authenticator) ?? fail(unknownAuthenticator(authenticator));
  return {
    loadStatus: () => load(stores),
    refreshAll() {
      // All roles share one process, so no other one needs a notification
      for (const { forget } of stores.values()) forget?.();
    },
    userCache: ({ params }) => [
      formatSmile(
        Object.fromEntries([...users(params).all].map(([name, own]) => [name, cache(name, own)])),
      ),
    ],
    users: ({ params }) => [...users(params).all.keys()],
    user: ({ params }) => ({
      name: params.username,
      credentials: copyCredentials(users(params).get(params.username)),
    }),
    createUser: ({ params }) => users(params).create(params.username),
    deleteUser: ({ params }) => users(params).delete(params.username),
    setPassword: ({
      params: { username: name, ...params },
      body: { password, iterations },
      caller: { ip },
    }) => users(params).setPassword({ name, password, ip }, iterations ?? undefined),
  };
}

/**
 * Handlers for users, roles and group mappings of basic authorizers, by name; without authorizers,
 * each refuses the name.
 */
export function authorizationRoutes(
  stores: ReadonlyMap<string, RoleStore>,
): Routes<'authorization'> {
  const store = ({ authorizer }: { authorizer: string }) =>
    stores.get(authorizer) ?? fail(unknownAuthorizer(authorizer));
  return {
    loadStatus: () => load(stores),
    refreshAll: () => undefined,
    userCache: ({ params }) => {
      const { users, roles } = store(params);
      const userMap = Object.fromEntries(
        [...users].map(([name, own]) => [name, { name, roles: own }]),
      );
      return [formatSmile({ userMap, roleMap: roleCacheOf(roles) })];
    },
    groupMappingCache: ({ params }) => {
      const { groups, roles } = store(params);
      const groupMappingMap = Object.fromEntries(
        [...groups].map(([name, { pattern, roles: own }]) => [
          name,
          { name, groupPattern: pattern, roles: own },
        ]),
      );
      return [formatSmile({ groupMappingMap, roleMap: roleCacheOf(roles) })];
    },
    users: ({ params }) => [...store(params).users.keys()],
    user({ params, query }) {
      const roles = store(params).user(params.username);
      return {
        name: params.username,
        roles: query.full ? describe(store(params), roles, query) : [...roles],
      };
    },
    createUser: ({ params }) => store(params).createUser(params.username),
    deleteUser: ({ params }) => store(params).deleteUser(params.username),
    assignRole: ({ params }) => store(params).assign(params.username, params.role),
    unassignRole: ({ params }) => store(params).unassign(params.username, params.role),
    roles: ({ params }) => [...store(params).roles.keys()],
    role({ params, query }) {
      const { users, groups } = store(params);
      const own = store(params).role(params.role);
      const having = [...users]
        .filter(([, roles]) => roles.includes(params.role))
        .map(([name]) => name);
      if (query.simplifyPermissions)
        return {
          name: params.role,
          users: query.full ? having : null,
          permissions: own.map(simple),
        };
      const mapped = [...groups]
        .filter(([, { roles }]) => roles.includes(params.role))
        .map(([name]) => name);
      return {
        name: params.role,
        ...(query.full && { users: having, groups: mapped }),
        permissions: own.map(toStoredPermission),
      };
    },
    createRole: ({ params }) => store(params).createRole(params.role),
    deleteRole: ({ params }) => store(params).deleteRole(params.role),
    permissions: ({ params }) => store(params).role(params.role).map(toStoredPermission),
    setPermissions: ({ params, body }) =>
      store(params).setPermissions(params.role, (body ?? []).map(simple)),
    groupMappings: ({ params }) => [...store(params).groups.keys()],
    groupMapping({ params, query }) {
      const { pattern, roles } = store(params).group(params.groupMapping);
      if (query.full)
        return { name: params.groupMapping, roles: describe(store(params), roles, query) };
      return { name: params.groupMapping, groupPattern: pattern, roles: [...roles] };
    },
    createGroupMapping: ({ params, body }) =>
      store(params).createGroup(params.groupMapping, {
        pattern: body.groupPattern,
        roles: body.roles ?? [],
      }),
    deleteGroupMapping: ({ params }) => store(params).deleteGroup(params.groupMapping),
    assignGroupRole: ({ params }) => store(params).assignGroup(params.groupMapping, params.role),
    unassignGroupRole: ({ params }) =>
      store(params).unassignGroup(params.groupMapping, params.role),
  };
}

/**
 * Endpoints of an authenticator with users in a directory: they list no users, and refuse to create
 * one.
 */
export function usersElsewhere(authenticator: string, forget: () => void): ManagedUsers {
  const refuse = () => fail(usersInDirectory(authenticator));
  return {
    all: new Map(),
    get: refuse,
    create: refuse,
    delete: refuse,
    setPassword: async () => refuse(),
    forget,
  };
}

function fail(refusal: Error): never {
  throw refusal;
}

const load = (stores: ReadonlyMap<string, unknown>) =>
  Object.fromEntries([...stores.keys()].map((name) => [name, true]));
const copyCredentials = (credentials: StoredCredentials | undefined) =>
  credentials ? { ...credentials } : null;

const simple = ({ resource: { name, type }, action }: ResourceAction): ResourceAction => ({
  resource: { name, type },
  action,
});
const toStoredPermission = (permission: ResourceAction) => ({
  resourceAction: simple(permission),
  resourceNamePattern: permission.resource.name,
});

// A deleted or unknown role is skipped.
const describe = (
  store: RoleStore,
  names: readonly string[],
  { simplifyPermissions }: { simplifyPermissions?: boolean },
) =>
  names.flatMap((name) => {
    const permissions = store.roles.get(name);
    if (!permissions) return [];
    return [
      simplifyPermissions
        ? { name, users: null, permissions: permissions.map(simple) }
        : { name, permissions: permissions.map(toStoredPermission) },
    ];
  });

const cache = (name: string, own: StoredCredentials | undefined) => ({
  name,
  credentials: own
    ? {
        salt: Buffer.from(own.salt, 'base64'),
        hash: Buffer.from(own.hash, 'base64'),
        iterations: own.iterations,
      }
    : null,
});
const roleCacheOf = (roles: ReadonlyMap<string, readonly ResourceAction[]>) =>
  Object.fromEntries(
    [...roles].map(([name, permissions]) => [
      name,
      { name, permissions: permissions.map(toStoredPermission) },
    ]),
  );
