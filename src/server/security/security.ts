// Basic security as configured (the specification, "Authentication"): authenticators, users and
// permissions.
import { resourceTypes } from '../../contract/authorization.ts';
import { type Endpoint, type Permission, wordsFor } from '../../contract/endpoint.ts';
import { Refusal } from '../checks/refusals.ts';
import { forbidden, mustBeAllowed } from '../handlers/permissions.ts';
import { Answered, type Caller, type SecurityHandlers } from '../handlers/routes.ts';
import type { AuthenticationRequest, Guard } from '../http/guard.ts';
import type { Route } from '../http/router.ts';
import { logError } from '../process/log.ts';
import type { Properties } from '../settings/properties.ts';
import type { Metadata } from '../storage/metadata.ts';
import { clientTlsIn } from '../tls/client-tls.ts';
import {
  type Authenticated,
  type Authenticator,
  authenticate,
  basicAuthenticator,
  everybody,
} from './authenticators.ts';
import { BackOff } from './back-off.ts';
import { directoryUsersIn, groupFiltersIn } from './directory-settings.ts';
import { filters } from './filters.ts';
import { Notice } from './notice.ts';
import { defaultIterations, mostIterations, Passwords } from './passwords.ts';
import { authenticationFailed } from './refusals.ts';
import { type GroupSettings, RoleStore } from './role-store.ts';
import { authenticationRoutes, authorizationRoutes, usersElsewhere } from './routes.ts';
import { type ManagedUsers, UserStore } from './user-store.ts';

export interface Security {
  readonly guard: Guard;
  readonly handlers: SecurityHandlers;
}

export interface SecurityParts {
  readonly service: string;
  readonly metadata: Metadata;
  readonly properties: Properties;
  readonly dataSourceOfTask: (taskId: string) => string | undefined;
  // Empty for a supervisor that never existed
  readonly dataSourcesOfSupervisor: (supervisorId: string) => readonly string[];
}

type May = (who: Authenticated, ...asked: Parameters<Caller['may']>) => boolean;

/**
 * Security as configured, with its initial users and roles. Throws CannotStart for invalid
 * properties.
 */
export async function createSecurity(parts: SecurityParts): Promise<Security> {
  const { metadata, properties, service } = parts;
  const authorizers = new Map<string, RoleStore>();
  const deciding = new Map<string, May>();
  for (const name of properties.texts('auth.authorizers', ['allowAll'])) {
    const prefix = `auth.authorizer.${name}`;
    const type = name === 'allowAll' ? name : properties.getText(`${prefix}.type`);
    if (type === 'allowAll') deciding.set(name, () => true);
    else if (type === 'readOnly')
      deciding.set(name, (_who, _type, _name, action) => action === 'READ');
    else if (type === 'basic') {
      const store = new RoleStore(metadata, name, groupSettingsIn(properties, prefix));
      makeFirstRoles(store, service, properties, prefix);
      authorizers.set(name, store);
      deciding.set(name, (who, type, resource, action) => store.may(who, type, resource, action));
    } else throw properties.unknown(`${prefix}.type`, type, ['basic', 'allowAll', 'readOnly']);
  }
  const authorizerOf = (prefix: string) => {
    const name = properties.getText(`${prefix}.authorizerName`);
    if (!deciding.has(name))
      throw properties.unknown(`${prefix}.authorizerName`, name, [...deciding.keys()]);
    return name;
  };

  const now = () => performance.now();
  const backOff = new BackOff(now);
  const passwords = new Passwords(now, backOff);
  const tls = clientTlsIn(properties, 'auth.basic.ssl', Date.now());
  const authenticators = new Map<string, ManagedUsers>();
  const chain: Authenticator[] = [];
  for (const name of properties.texts('auth.authenticatorChain', ['allowAll'])) {
    const prefix = `auth.authenticator.${name}`;
    const type = name === 'allowAll' ? name : properties.getText(`${prefix}.type`);
    if (type === 'allowAll') {
      deciding.set('allowAll', () => true);
      chain.push(everybody('allowAll', 'allowAll'));
    } else if (type === 'anonymous') {
      chain.push(
        everybody(properties.text(`${prefix}.identity`) ?? 'defaultUser', authorizerOf(prefix)),
      );
    } else if (type === 'basic') {
      const validator = properties.text(`${prefix}.credentialsValidator.type`) ?? 'metadata';
      const settings = {
        authorizer: authorizerOf(prefix),
        skipOnFailure: properties.truth(`${prefix}.skipOnFailure`, false),
      };
      if (validator === 'ldap') {
        const users = await directoryUsersIn(properties, prefix, tls, backOff);
        authenticators.set(
          name,
          usersElsewhere(name, () => users.forget()),
        );
        chain.push(basicAuthenticator(users, settings));
      } else if (validator === 'metadata') {
        const users = new UserStore(metadata, name, iterationsIn(properties, prefix), passwords);
        await makeFirstUsers(users, service, properties, prefix);
        authenticators.set(name, users);
        chain.push(basicAuthenticator(users, settings));
      } else
        throw properties.unknown(`${prefix}.credentialsValidator.type`, validator, [
          'metadata',
          'ldap',
        ]);
    } else throw properties.unknown(`${prefix}.type`, type, ['basic', 'anonymous', 'allowAll']);
  }
  checkEscalator(properties, chain, [...deciding.keys()]);
  return {
    guard: guardOf(parts, chain, deciding),
    handlers: {
      authentication: authenticationRoutes(authenticators),
      authorization: authorizationRoutes(authorizers),
    },
  };
}

function iterationsIn(properties: Properties, prefix: string): number {
  const name = `${prefix}.credentialIterations`;
  const iterations = properties.integer(name, defaultIterations);
  if (iterations < 1 || iterations > mostIterations)
    throw properties.outside(name, 1, mostIterations);
  return iterations;
}

function groupSettingsIn(properties: Properties, prefix: string): GroupSettings | undefined {
  const type = properties.text(`${prefix}.roleProvider.type`) ?? 'metadata';
  if (type === 'metadata') return undefined;
  if (type !== 'ldap')
    throw properties.unknown(`${prefix}.roleProvider.type`, type, ['metadata', 'ldap']);
  return { filters: groupFiltersIn(properties, `${prefix}.roleProvider.groupFilters`) };
}

// Calls between the roles stay in this process and need no credentials, but a configured escalator
// must be complete.
function checkEscalator(
  properties: Properties,
  chain: readonly Authenticator[],
  authorizers: readonly string[],
): void {
  const type = properties.text('escalator.type') ?? 'noop';
  if (type === 'noop') return;
  if (type !== 'basic') throw properties.unknown('escalator.type', type, ['noop', 'basic']);
  const user = properties.getText('escalator.internalClientUsername');
  properties.getText('escalator.internalClientPassword');
  const password = properties.password('escalator.internalClientPassword') ?? '';
  const authorizer = properties.getText('escalator.authorizerName');
  if (!authorizers.includes(authorizer))
    throw properties.unknown('escalator.authorizerName', authorizer, authorizers);
  void checkInternalClient(properties, chain, user, password);
}

// The service itself does not need this account, so it starts in any case, also while a directory
// is unavailable: the log contains the problem for other tools.
async function checkInternalClient(
  properties: Properties,
  chain: readonly Authenticator[],
  user: string,
  password: string,
): Promise<void> {
  const authorization = basicHeader(user, password);
  const isRefused = await authenticate(chain, { authorization, ip: 'properties' }).then(
    ({ isAnonymous }) => isAnonymous && chain.some(({ challenge }) => challenge !== undefined),
    (error: unknown) => error instanceof Refusal && error.category === 'unauthorized',
  );
  if (!isRefused) return;
  const { message } = properties.wrong(
    'escalator.internalClientPassword',
    `is not the password of user [${user}] of property escalator.internalClientUsername: no authenticator in the chain accepts both`,
  );
  logError(new Notice(message));
}

const basicHeader = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

async function makeFirstUsers(
  users: UserStore,
  service: string,
  properties: Properties,
  prefix: string,
): Promise<void> {
  const first = {
    admin: 'initialAdminPassword',
    [`${service}_system`]: 'initialInternalClientPassword',
  };
  for (const [name, property] of Object.entries(first)) {
    const password = properties.password(`${prefix}.${property}`);
    if (password === undefined || users.all.has(name)) continue;
    users.create(name);
    await users.setPassword({ name, password, ip: 'properties' });
  }
}

// Roles with all permissions, and their users: the administrator and the service itself, with
// additions from the properties.
function makeFirstRoles(
  store: RoleStore,
  service: string,
  properties: Properties,
  prefix: string,
): void {
  const role = properties.text(`${prefix}.initialAdminRole`);
  const user = properties.text(`${prefix}.initialAdminUser`);
  const groups = properties.text(`${prefix}.initialAdminGroupMapping`);
  const internal = `${service}_system`;
  const almighty = resourceTypes.flatMap((type) =>
    (['READ', 'WRITE'] as const).map((action) => ({ resource: { name: '.*', type }, action })),
  );
  for (const name of ['admin', internal, ...(role === undefined ? [] : [role])]) {
    if (store.roles.has(name)) continue;
    store.createRole(name);
    store.setPermissions(name, almighty);
  }
  const users = new Map([
    ['admin', 'admin'],
    [internal, internal],
  ]);
  if (user !== undefined) users.set(user, role ?? 'admin');
  for (const [name, own] of users) {
    if (store.users.has(name)) continue;
    store.createUser(name);
    store.assign(name, own);
  }
  if (groups !== undefined && !store.groups.has('adminGroupMapping'))
    store.createGroup('adminGroupMapping', { pattern: groups, roles: [role ?? 'admin'] });
}

function guardOf(
  parts: SecurityParts,
  chain: readonly Authenticator[],
  deciding: ReadonlyMap<string, May>,
): Guard {
  const isUnsecured = unsecuredPaths(parts.properties.texts('auth.unsecuredPaths', []));
  const takesAnonymous = chain.some(({ challenge }) => challenge === undefined);
  const identify = async (authorization: string | undefined, ip: string): Promise<Caller> => {
    const who = await authenticate(chain, { authorization, ip });
    const { identity, authorizer, isAnonymous } = who;
    return {
      identity,
      ip,
      isAnonymous,
      may: (type, name, action) => deciding.get(authorizer)?.(who, type, name, action) ?? false,
    };
  };
  return {
    requiresCredentials: chain.some(({ challenge }) => challenge !== undefined),
    async authenticate({ path, endpoint, authorization, ip }: AuthenticationRequest) {
      const isOpen = endpoint?.permission === 'open';
      if (isOpen || isUnsecured(path))
        return { identity: 'allowAll', ip, isAnonymous: !isOpen, may: () => true };
      // The user in a body may be absent, where anonymous access is allowed.
      if (endpoint?.permission === 'connection')
        return { identity: '', ip, isAnonymous: takesAnonymous, may: () => false };
      return identify(authorization, ip);
    },
    async logIn({ user, password, ip }) {
      if (user?.includes(':')) throw authenticationFailed(); // a header cannot contain it
      return identify(
        user === undefined || password === undefined ? undefined : basicHeader(user, password),
        ip,
      );
    },
    authorize({ endpoint, params }, search, caller) {
      for (const [type, name, action] of resourcesOf(endpoint, params, search, parts))
        mustBeAllowed(caller, [{ type, name, action }]);
    },
    filterReply({ endpoint }, _request, reply, { may }) {
      if (endpoint.permission !== 'filtered') return reply;
      const filter = filters.get(endpoint);
      if (!filter) throw forbidden(`No filter for ${wordsFor(endpoint.permission)}`);
      const view = {
        reads: (name: string) => may('DATASOURCE', name, 'READ'),
        dataSourcesOf: parts.dataSourcesOfSupervisor,
      };
      const filterBody = (body: unknown) =>
        (filter as (body: unknown, seen: typeof view) => unknown)(body, view);
      return reply instanceof Answered
        ? new Answered(filterBody(reply.body), reply.head)
        : filterBody(reply);
    },
  };
}

type Needed = readonly [
  type: 'CONFIG' | 'DATASOURCE' | 'STATE',
  name: string,
  action: 'READ' | 'WRITE',
];

// Resources in the path. A task or supervisor that does not exist needs no protection: the handler
// refuses it.
function resourcesOf(
  { permission }: Endpoint,
  params: Route['params'],
  search: URLSearchParams,
  parts: SecurityParts,
): readonly Needed[] {
  if (permission === 'filtered')
    return search.getAll('datasource').map((name) => ['DATASOURCE', name, 'READ'] as const);
  if (typeof permission === 'string') return [];
  if ('name' in permission) return [[permission.resource, permission.name, permission.action]];
  return namesIn(permission, params[permission.param] ?? '', parts).map(
    (name) => ['DATASOURCE', name, permission.action] as const,
  );
}

function namesIn(
  { of }: Exclude<Permission, string | { name: string }>,
  value: string,
  parts: SecurityParts,
): readonly string[] {
  if (of === 'path') return [value];
  if (of === 'supervisor') return parts.dataSourcesOfSupervisor(value);
  const dataSource = parts.dataSourceOfTask(value);
  return dataSource === undefined ? [] : [dataSource];
}

/**
 * Unprotected paths: literal paths, or prefixes that end with `/*` (Java Servlet Specification,
 * section 12.2).
 */
function unsecuredPaths(patterns: readonly string[]): (path: string) => boolean {
  return (path) =>
    patterns.some((pattern) =>
      pattern.endsWith('/*')
        ? path === pattern.slice(0, -2) || path.startsWith(pattern.slice(0, -1))
        : path === pattern,
    );
}
