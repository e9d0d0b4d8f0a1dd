// Endpoints of basic authorizers: users, roles, permissions and group mappings.
import { empty, endpoint, json, rows, security } from './endpoint.ts';
import {
  either,
  flag,
  listOf,
  mapOf,
  object,
  oneOf,
  optional,
  orNull,
  required,
  sometimes,
  text,
  truth,
  type Value,
} from './schema.ts';

export type ResourceAction = Value<typeof resourceAction>;
export type RolePermission = Value<typeof permission>;
export type AuthorizerRole = Value<typeof role>;
export type AuthorizerUser = Value<typeof user>;
export type GroupMapping = Value<typeof groupMapping>;

/** Resource types of permissions in Druid; extensions may add other types. */
export const resourceTypes = [
  'DATASOURCE',
  'VIEW',
  'CONFIG',
  'STATE',
  'SYSTEM_TABLE',
  'QUERY_CONTEXT',
  'EXTERNAL',
] as const;

const resourceAction = object({
  resource: object({
    name: required(text, 'A regular expression for names'),
    type: required(
      text,
      'DATASOURCE, STATE, CONFIG, VIEW, SYSTEM_TABLE, QUERY_CONTEXT or EXTERNAL',
    ),
  }),
  action: oneOf('READ', 'WRITE'),
});

// The first form is the stored one, the second the one with simplifyPermissions.
const permission = either(
  object({ resourceAction, resourceNamePattern: sometimes(text) }),
  resourceAction,
);

const role = object({
  name: text,
  permissions: sometimes(listOf(permission)),
  users: sometimes(listOf(text)),
  groups: sometimes(listOf(text)),
});

const roles = listOf(either(text, role));
const user = object({ name: text, roles: sometimes(roles) });
const groupMapping = object({ name: text, groupPattern: sometimes(text), roles: sometimes(roles) });

const groupMappingUpdate = object({
  name: optional(orNull(text), 'Ignored: the name in the path applies'),
  groupPattern: required(text, 'Group pattern: a distinguished name that may begin or end with *'),
  roles: optional(orNull(listOf(text)), 'Roles of its members'),
});

const full = optional(flag, 'With permissions');
const simplifyPermissions = optional(flag, 'With full: permissions as they were given');

const forbidden = { forbidden: 'accessCheckText' } as const;
const refusals = { ...forbidden, invalidInput: 'simpleMap' } as const;
const read = {
  role: 'coordinator',
  method: 'GET',
  permission: security('READ'),
  refusals,
} as const;
const write = {
  role: 'coordinator',
  method: 'POST',
  reply: empty,
  permission: security('WRITE'),
  refusals,
} as const;
const remove = { ...write, method: 'DELETE' } as const;

const cache = { ...rows, contentType: 'application/x-jackson-smile' } as const;

export const authorization = {
  loadStatus: endpoint({
    ...read,
    role: 'any',
    summary: 'Load status of the users and roles of each authorizer',
    refusals: forbidden,
    path: '/svc-ext/basic-security/authorization/loadStatus',
    reply: json(mapOf(truth)),
  }),
  refreshAll: endpoint({
    ...read,
    summary: 'Send the users and roles of all authorizers to all nodes',
    refusals: forbidden,
    path: '/svc-ext/basic-security/authorization/refreshAll',
    reply: empty,
  }),
  userCache: endpoint({
    ...read,
    summary: 'The cached users and roles of a node, in Smile',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/cachedSerializedUserMap',
    reply: cache,
  }),
  groupMappingCache: endpoint({
    ...read,
    summary: 'The cached group mappings and roles of a node, in Smile',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/cachedSerializedGroupMappingMap',
    reply: cache,
  }),
  users: endpoint({
    ...read,
    summary: 'List the users of an authorizer',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/users',
    reply: json(listOf(text)),
  }),
  user: endpoint({
    ...read,
    summary: 'The roles of a user',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/users/:username',
    query: { full, simplifyPermissions },
    reply: json(user),
  }),
  createUser: endpoint({
    ...write,
    summary: 'Create a user of an authorizer',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/users/:username',
  }),
  deleteUser: endpoint({
    ...remove,
    summary: 'Delete a user of an authorizer',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/users/:username',
  }),
  assignRole: endpoint({
    ...write,
    summary: 'Assign a role to a user',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/users/:username/roles/:role',
  }),
  unassignRole: endpoint({
    ...remove,
    summary: 'Revoke a role from a user',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/users/:username/roles/:role',
  }),
  roles: endpoint({
    ...read,
    summary: 'List roles',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/roles',
    reply: json(listOf(text)),
  }),
  role: endpoint({
    ...read,
    summary: 'A role and its permissions',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/roles/:role',
    query: { full: optional(flag, 'With the users and groups that have it'), simplifyPermissions },
    reply: json(role),
  }),
  createRole: endpoint({
    ...write,
    summary: 'Create a role',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/roles/:role',
  }),
  deleteRole: endpoint({
    ...remove,
    summary: 'Delete a role and its assignments',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/roles/:role',
  }),
  permissions: endpoint({
    ...read,
    summary: 'The permissions of a role',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/roles/:role/permissions',
    reply: json(listOf(permission)),
  }),
  setPermissions: endpoint({
    ...write,
    summary: 'Replace the permissions of a role',
    idempotent: true,
    path: '/svc-ext/basic-security/authorization/db/:authorizer/roles/:role/permissions',
    body: orNull(listOf(resourceAction)), // null removes all
    invalid: (field) => (field.endsWith('resource') ? ['runtimeFailure', 'html'] : 'invalidInput'),
    refusals: { ...refusals, runtimeFailure: 'html' },
  }),
  groupMappings: endpoint({
    ...read,
    summary: 'List the group mappings',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/groupMappings',
    reply: json(listOf(text)),
  }),
  groupMapping: endpoint({
    ...read,
    summary: 'A group mapping: which groups get which roles',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/groupMappings/:groupMapping',
    query: { full, simplifyPermissions },
    reply: json(groupMapping),
  }),
  createGroupMapping: endpoint({
    ...write,
    summary: 'Create a group mapping',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/groupMappings/:groupMapping',
    body: groupMappingUpdate,
    missing: ['runtimeFailure', 'html'],
    refusals: { ...refusals, runtimeFailure: 'html' },
  }),
  deleteGroupMapping: endpoint({
    ...remove,
    summary: 'Delete a group mapping',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/groupMappings/:groupMapping',
  }),
  assignGroupRole: endpoint({
    ...write,
    summary: 'Add a role to a group mapping',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/groupMappings/:groupMapping/roles/:role',
  }),
  unassignGroupRole: endpoint({
    ...remove,
    summary: 'Remove a role from a group mapping',
    path: '/svc-ext/basic-security/authorization/db/:authorizer/groupMappings/:groupMapping/roles/:role',
  }),
};
