// Users, roles with their permissions, and group mappings of one basic authorizer. Changes take
// effect at once.
import type { ResourceAction } from '../../contract/authorization.ts';
import { compilePattern, type Matches } from '../checks/patterns.ts';
import type { Metadata } from '../storage/metadata.ts';
import {
  deleteAuthorizerUser,
  deleteGroup,
  deleteRole,
  listAuthorizerUsers,
  listGroups,
  listRoles,
  type StoredGroup,
  setAuthorizerUser,
  setGroup,
  setRole,
} from '../storage/security.ts';
import { type Dn, type GroupPattern, parseGroupPattern } from './dn.ts';
import {
  badGroupPattern,
  badPattern,
  groupHasNoRole,
  groupHasRole,
  knownGroup,
  knownRole,
  knownUser,
  unknownGroup,
  unknownRole,
  unknownUser,
  userHasNoRole,
  userHasRole,
} from './refusals.ts';

/** Roles of users by their groups in a directory (Druid: LDAPRoleProvider). */
export interface GroupSettings {
  readonly filters: readonly GroupPattern[] | undefined; // groups that count; all by default
}

export class RoleStore {
  readonly #metadata: Metadata;
  readonly #authorizer: string;
  readonly #users: Map<string, readonly string[]>;
  readonly #roles: Map<string, readonly ResourceAction[]>;
  readonly #groups: Map<string, StoredGroup>;
  readonly #patterns = new Map<string, Matches>();
  readonly #byGroups: GroupSettings | undefined;
  #rolesOfGroups = new WeakMap<readonly Dn[], readonly string[]>();

  /** With `byGroups`, group mappings assign roles, and their patterns must be valid. */
  constructor(metadata: Metadata, authorizer: string, byGroups?: GroupSettings) {
    this.#byGroups = byGroups;
    this.#metadata = metadata;
    this.#authorizer = authorizer;
    this.#users = listAuthorizerUsers(metadata, authorizer);
    this.#roles = listRoles(metadata, authorizer);
    this.#groups = listGroups(metadata, authorizer);
  }

  get users(): ReadonlyMap<string, readonly string[]> {
    return this.#users;
  }
  get roles(): ReadonlyMap<string, readonly ResourceAction[]> {
    return this.#roles;
  }
  get groups(): ReadonlyMap<string, StoredGroup> {
    return this.#groups;
  }

  /**
   * Whether a user in these groups has a permission: one of their roles must have a permission of
   * the same type and action whose pattern matches the whole name.
   */
  may(
    { identity, groups = [] }: { identity: string; groups?: readonly Dn[] },
    type: string,
    name: string,
    action: string,
  ): boolean {
    return [...this.rolesOf(identity), ...this.#findRolesOf(groups)].some((role) =>
      this.#roles
        .get(role)
        ?.some(
          (permission) =>
            permission.action === action &&
            permission.resource.type === type &&
            this.#matches(permission.resource.name, name),
        ),
    );
  }

  rolesOf = (user: string): readonly string[] => this.#users.get(user) ?? [];

  /** The names of a user's roles. Refuses an unknown user. */
  user(name: string): readonly string[] {
    const roles = this.#users.get(name);
    if (!roles) throw unknownUser(name);
    return roles;
  }

  /** Refuses a name that is taken. */
  createUser(name: string): void {
    if (this.#users.has(name)) throw knownUser(name);
    this.#setUser(name, []);
  }

  /** Refuses an unknown user. */
  deleteUser(name: string): void {
    this.user(name);
    deleteAuthorizerUser(this.#metadata, this.#authorizer, name);
    this.#users.delete(name);
  }

  /** Refuses an unknown user or role, and a role that the user has. */
  assign(user: string, role: string): void {
    const roles = this.user(user);
    this.role(role);
    if (roles.includes(role)) throw userHasRole(user, role);
    this.#setUser(user, [...roles, role]);
  }

  /** Refuses an unknown user or role, and a role that the user does not have. */
  unassign(user: string, role: string): void {
    const roles = this.user(user);
    this.role(role);
    if (!roles.includes(role)) throw userHasNoRole(user, role);
    this.#setUser(user, without(roles, role));
  }

  /** The permissions of a role. Refuses an unknown one. */
  role(name: string): readonly ResourceAction[] {
    const permissions = this.#roles.get(name);
    if (!permissions) throw unknownRole(name);
    return permissions;
  }

  /** Refuses a name that is taken. */
  createRole(name: string): void {
    if (this.#roles.has(name)) throw knownRole(name);
    this.#setRole(name, []);
  }

  /** Deletes a role, and removes it from users and groups. Refuses an unknown one. */
  deleteRole(name: string): void {
    this.role(name);
    const users = [...this.#users].filter(([, roles]) => roles.includes(name));
    const groups = [...this.#groups].filter(([, { roles }]) => roles.includes(name));
    this.#metadata.transaction((tx) => {
      deleteRole(tx, this.#authorizer, name);
      for (const [user, roles] of users)
        setAuthorizerUser(tx, this.#authorizer, user, without(roles, name));
      for (const [group, { pattern, roles }] of groups)
        setGroup(tx, this.#authorizer, group, { pattern, roles: without(roles, name) });
    });
    this.#roles.delete(name);
    for (const [user, roles] of users) this.#users.set(user, without(roles, name));
    for (const [group, { pattern, roles }] of groups)
      this.#groups.set(group, { pattern, roles: without(roles, name) });
    this.#rolesOfGroups = new WeakMap();
  }

  /**
   * Replaces the permissions of a role. Refuses an unknown role, and a name that is not a valid
   * regular expression.
   */
  setPermissions(role: string, permissions: readonly ResourceAction[]): void {
    this.role(role);
    for (const { resource } of permissions)
      if (!this.#compile(resource.name)) throw badPattern(resource.name);
    this.#setRole(role, permissions);
  }

  /** Refuses an unknown group mapping. */
  group(name: string): StoredGroup {
    const group = this.#groups.get(name);
    if (!group) throw unknownGroup(name);
    return group;
  }

  /** Refuses a name that is taken. */
  createGroup(name: string, group: StoredGroup): void {
    if (this.#groups.has(name)) throw knownGroup(name);
    if (this.#byGroups && !parseGroupPattern(group.pattern)) throw badGroupPattern(group.pattern);
    this.#setGroup(name, { ...group, roles: [...new Set(group.roles)] });
  }

  /** Refuses an unknown group mapping. */
  deleteGroup(name: string): void {
    this.group(name);
    deleteGroup(this.#metadata, this.#authorizer, name);
    this.#groups.delete(name);
    this.#rolesOfGroups = new WeakMap();
  }

  /** Refuses an unknown group mapping or role, and a role that the mapping has. */
  assignGroup(name: string, role: string): void {
    const { pattern, roles } = this.group(name);
    this.role(role);
    if (roles.includes(role)) throw groupHasRole(name, role);
    this.#setGroup(name, { pattern, roles: [...roles, role] });
  }

  /** Refuses an unknown group mapping or role, and a role that the mapping does not have. */
  unassignGroup(name: string, role: string): void {
    const { pattern, roles } = this.group(name);
    this.role(role);
    if (!roles.includes(role)) throw groupHasNoRole(name, role);
    this.#setGroup(name, { pattern, roles: without(roles, role) });
  }

  #matches(pattern: string, name: string): boolean {
    return this.#compile(pattern)?.(name) ?? false;
  }

  #compile(pattern: string): Matches | undefined {
    const known = this.#patterns.get(pattern);
    if (known) return known;
    const compiled = compilePattern(pattern);
    if (this.#patterns.size >= mostPatterns) this.#patterns.clear();
    if (compiled) this.#patterns.set(pattern, compiled);
    return compiled;
  }

  #setUser(name: string, roles: readonly string[]): void {
    setAuthorizerUser(this.#metadata, this.#authorizer, name, roles);
    this.#users.set(name, roles);
  }

  #setRole(name: string, permissions: readonly ResourceAction[]): void {
    setRole(this.#metadata, this.#authorizer, name, permissions);
    this.#roles.set(name, permissions);
  }

  #setGroup(name: string, group: StoredGroup): void {
    setGroup(this.#metadata, this.#authorizer, name, group);
    this.#groups.set(name, group);
    this.#rolesOfGroups = new WeakMap();
  }

  // Cached logins share lists of groups, which are looked up again and again.
  #findRolesOf(groups: readonly Dn[]): readonly string[] {
    if (!this.#byGroups || groups.length === 0) return [];
    const known = this.#rolesOfGroups.get(groups);
    if (known) return known;
    const { filters } = this.#byGroups;
    const counting = filters
      ? groups.filter((group) => filters.some((matches) => matches(group)))
      : groups;
    const roles = [...this.#groups.values()].flatMap(({ pattern, roles: given }) => {
      // An old mapping, created without a directory, may hold any text
      const matches = parseGroupPattern(pattern);
      return matches && counting.some(matches) ? given : [];
    });
    this.#rolesOfGroups.set(groups, roles);
    return roles;
  }
}

const mostPatterns = 10_000;

const without = (names: readonly string[], name: string) => names.filter((each) => each !== name);
