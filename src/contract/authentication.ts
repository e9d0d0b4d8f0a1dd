// Endpoints of basic authenticators: users and passwords.
import { empty, endpoint, json, rows, security } from './endpoint.ts';
import {
  integer,
  listOf,
  mapOf,
  object,
  optional,
  orNull,
  required,
  sometimes,
  text,
  truth,
  type Value,
} from './schema.ts';

export type AuthenticatorUser = Value<typeof user>;
export type CredentialUpdate = Value<typeof credentialUpdate>;

const user = object({
  name: text,
  credentials: sometimes(object({ salt: text, hash: text, iterations: integer })),
});

const credentialUpdate = object({
  password: required(text, 'The new password'),
  iterations: optional(orNull(integer), 'Number of hash iterations'),
});

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

export const authentication = {
  loadStatus: endpoint({
    ...read,
    role: 'any',
    summary: 'Load status of the users of each authenticator',
    refusals: forbidden,
    path: '/svc-ext/basic-security/authentication/loadStatus',
    reply: json(mapOf(truth)),
  }),
  refreshAll: endpoint({
    ...read,
    summary: 'Send the users of all authenticators to all nodes',
    refusals: forbidden,
    path: '/svc-ext/basic-security/authentication/refreshAll',
    reply: empty,
  }),
  userCache: endpoint({
    ...read,
    summary: 'The cached users of a node, in Smile',
    path: '/svc-ext/basic-security/authentication/db/:authenticator/cachedSerializedUserMap',
    reply: { ...rows, contentType: 'application/x-jackson-smile' },
  }),
  users: endpoint({
    ...read,
    summary: 'List the users of an authenticator',
    path: '/svc-ext/basic-security/authentication/db/:authenticator/users',
    reply: json(listOf(text)),
  }),
  user: endpoint({
    ...read,
    summary: 'A user of an authenticator',
    path: '/svc-ext/basic-security/authentication/db/:authenticator/users/:username',
    reply: json(user),
  }),
  createUser: endpoint({
    ...write,
    summary: 'Create a user of an authenticator',
    path: '/svc-ext/basic-security/authentication/db/:authenticator/users/:username',
  }),
  deleteUser: endpoint({
    ...remove,
    summary: 'Delete a user of an authenticator',
    path: '/svc-ext/basic-security/authentication/db/:authenticator/users/:username',
  }),
  setPassword: endpoint({
    ...write,
    summary: 'Set the password of a user',
    idempotent: true,
    path: '/svc-ext/basic-security/authentication/db/:authenticator/users/:username/credentials',
    body: credentialUpdate,
    missing: ['runtimeFailure', 'html'],
    refusals: { ...refusals, runtimeFailure: 'html' },
  }),
};
