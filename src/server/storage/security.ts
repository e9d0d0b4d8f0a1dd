// The tables of basic security: users of authenticators; users, roles and group mappings of
// authorizers.
import type { ResourceAction } from '../../contract/authorization.ts';
import { jsonText, jsonValue, type Transaction } from './metadata.ts';

export interface StoredCredentials {
  readonly salt: string; // base64
  readonly hash: string; // base64
  readonly iterations: number;
}

export interface StoredGroup {
  readonly pattern: string;
  readonly roles: readonly string[];
}

/** The users of an authenticator, by name. */
export const listAuthenticatorUsers = (
  tx: Transaction,
  authenticator: string,
): Map<string, StoredCredentials | undefined> =>
  new Map(
    tx
      .all<{ name: string; credentials: string | null }>(
        'SELECT name, credentials FROM authenticator_users WHERE authenticator = ?',
        authenticator,
      )
      .map(({ name, credentials }) => [
        name,
        credentials === null ? undefined : jsonValue<StoredCredentials>(credentials),
      ]),
  );

export const setAuthenticatorUser = (
  tx: Transaction,
  authenticator: string,
  name: string,
  credentials: StoredCredentials | undefined,
): void =>
  void tx.run(
    'INSERT INTO authenticator_users VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET credentials = excluded.credentials',
    authenticator,
    name,
    jsonText(credentials),
  );

export const deleteAuthenticatorUser = (
  tx: Transaction,
  authenticator: string,
  name: string,
): void =>
  void tx.run(
    'DELETE FROM authenticator_users WHERE authenticator = ? AND name = ?',
    authenticator,
    name,
  );

/** The roles of an authorizer's users, by name. */
export const listAuthorizerUsers = (
  tx: Transaction,
  authorizer: string,
): Map<string, readonly string[]> =>
  new Map(
    tx
      .all<{ name: string; roles: string }>(
        'SELECT name, roles FROM authorizer_users WHERE authorizer = ?',
        authorizer,
      )
      .map(({ name, roles }) => [name, jsonValue<string[]>(roles)]),
  );

export const setAuthorizerUser = (
  tx: Transaction,
  authorizer: string,
  name: string,
  roles: readonly string[],
): void =>
  void tx.run(
    'INSERT INTO authorizer_users VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET roles = excluded.roles',
    authorizer,
    name,
    jsonText(roles),
  );

export const deleteAuthorizerUser = (tx: Transaction, authorizer: string, name: string): void =>
  void tx.run('DELETE FROM authorizer_users WHERE authorizer = ? AND name = ?', authorizer, name);

/** The permissions of an authorizer's roles, by name. */
export const listRoles = (
  tx: Transaction,
  authorizer: string,
): Map<string, readonly ResourceAction[]> =>
  new Map(
    tx
      .all<{ name: string; permissions: string }>(
        'SELECT name, permissions FROM authorizer_roles WHERE authorizer = ?',
        authorizer,
      )
      .map(({ name, permissions }) => [name, jsonValue<ResourceAction[]>(permissions)]),
  );

export const setRole = (
  tx: Transaction,
  authorizer: string,
  name: string,
  permissions: readonly ResourceAction[],
): void =>
  void tx.run(
    'INSERT INTO authorizer_roles VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET permissions = excluded.permissions',
    authorizer,
    name,
    jsonText(permissions),
  );

export const deleteRole = (tx: Transaction, authorizer: string, name: string): void =>
  void tx.run('DELETE FROM authorizer_roles WHERE authorizer = ? AND name = ?', authorizer, name);

/** The group mappings of an authorizer, by name. */
export const listGroups = (tx: Transaction, authorizer: string): Map<string, StoredGroup> =>
  new Map(
    tx
      .all<{ name: string; pattern: string; roles: string }>(
        'SELECT name, pattern, roles FROM authorizer_groups WHERE authorizer = ?',
        authorizer,
      )
      .map(({ name, pattern, roles }) => [name, { pattern, roles: jsonValue<string[]>(roles) }]),
  );

export const setGroup = (
  tx: Transaction,
  authorizer: string,
  name: string,
  { pattern, roles }: StoredGroup,
): void =>
  void tx.run(
    'INSERT INTO authorizer_groups VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET pattern = excluded.pattern, roles = excluded.roles',
    authorizer,
    name,
    pattern,
    jsonText(roles),
  );

export const deleteGroup = (tx: Transaction, authorizer: string, name: string): void =>
  void tx.run('DELETE FROM authorizer_groups WHERE authorizer = ? AND name = ?', authorizer, name);
