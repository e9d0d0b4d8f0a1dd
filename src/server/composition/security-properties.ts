// Start-up check of security properties. Ignoring one silently would leave open what the operator
// meant to close.
import { keystrokes, nearest } from '../../model/nearest.ts';
import { CannotStart } from '../process/cannot-start.ts';
import { namePlace, Properties, type PropertyLines } from '../settings/properties.ts';
import { namesOfClientTls, namesOfServerTls } from '../tls/names.ts';

/**
 * Checks all names about security, and all names with the prefix of another service. Throws
 * CannotStart for the first that is unknown, unsupported, or without effect; `lines` are line
 * numbers of the file, for the message.
 */
export function checkSecurityProperties(
  service: string,
  values: Readonly<Record<string, string>>,
  lines: PropertyLines,
): void {
  const properties = new Properties(service, values, lines);
  const parts: Parts = {
    authenticator: properties.texts('auth.authenticatorChain', []),
    authorizer: properties.texts('auth.authorizers', []),
  };
  checkLists(service, properties, parts, lines);
  for (const [full, value] of Object.entries(values)) {
    const place = namePlace(full, lines);
    if (!full.startsWith(`${service}.`)) checkForeign(service, full, place);
    else checkName(service, full.slice(service.length + 1), value.trim(), place, parts);
  }
  checkChain(service, properties, parts, lines);
  checkDirectories(service, properties, parts, values, lines);
}

interface Parts {
  readonly authenticator: readonly string[];
  readonly authorizer: readonly string[];
}

// Returns the fault of a value, or undefined.
type Rule = (value: string) => string | undefined;
const any: Rule = () => undefined;
const only =
  (obeyed: string, sentence: string): Rule =>
  (value) =>
    value.toLowerCase() === obeyed ? undefined : sentence;
const never =
  (sentence: string): Rule =>
  () =>
    sentence;

const truth: Rule = (value) =>
  /^(true|false)$/i.test(value) ? undefined : 'its value must be true or false';

const oneOf =
  (...known: readonly string[]): Rule =>
  (value) =>
    known.includes(value) ? undefined : `its value must be one of [${known.join(', ')}]`;
const atOnce = 'changes of users take effect at once and cannot be delayed; remove the property';

// Names without the service's prefix. Names in this table that are not read elsewhere have nothing
// to restrict here, or only affect speed.
const rules: Readonly<Record<string, Rule>> = {
  'auth.authenticatorChain': any,
  'auth.authorizers': any,
  'auth.unsecuredPaths': any,
  'auth.allowUnauthenticatedHttpOptions': truth, // OPTIONS requests are never answered
  'auth.enableInputSourceSecurity': any,
  'auth.authorizeQueryContextParams': any,
  'auth.unsecuredContextKeys': any,
  'auth.securedContextKeys': any,
  'auth.basic.common.pollingPeriod': any, // a single process has no copies of the users
  'auth.basic.common.maxRandomDelay': any,
  'auth.basic.common.maxSyncRetries': any,
  'auth.basic.common.cacheDirectory': any,
  ...Object.fromEntries(namesOfClientTls.map((name) => [`auth.basic.ssl.${name}`, any])), // src/server/tls reads their values
  'escalator.type': any,
  'escalator.internalClientUsername': any,
  'escalator.internalClientPassword': any,
  'escalator.authorizerName': any,
  'sql.planner.authorizeSystemTablesDirectly': any,
  'ingestion.http.allowedProtocols': any,
  'ingestion.http.allowedHeaders': any,
  'zk.service.authScheme': any, // there is no ZooKeeper
  'emitter.http.basicAuthentication': any, // and no emitter
  enableTlsPort: any, // src/server/tls reads the values of these
  enablePlaintextPort: any,
  tlsPort: any,
  ...Object.fromEntries(namesOfServerTls.map((name) => [`server.https.${name}`, any])),
  ...Object.fromEntries(namesOfClientTls.map((name) => [`client.https.${name}`, any])),
  'server.http.contentSecurityPolicy': never(
    'only the default policy is supported; remove the property',
  ),
  'server.http.errorResponseTransform.strategy': only(
    'none',
    'hiding error messages is not supported; remove the property',
  ),
  'sql.enable': only('true', 'turning off SQL is not supported; remove the property'),
  'sql.http.enable': only('true', 'turning off SQL is not supported; remove the property'),
};

// Names after auth.authenticator.NAME. and auth.authorizer.NAME.
const rulesOfParts: Readonly<Record<keyof Parts, Readonly<Record<string, Rule>>>> = {
  authenticator: {
    type: any,
    authorizerName: any,
    identity: any,
    skipOnFailure: any,
    initialAdminPassword: any,
    initialInternalClientPassword: any,
    credentialIterations: any,
    enableCacheNotifications: only('true', atOnce),
    cacheNotificationTimeout: any,
    'credentialsValidator.type': oneOf('metadata', 'ldap'),
    'credentialsValidator.url': any,
    'credentialsValidator.bindUser': any,
    'credentialsValidator.bindPassword': any,
    'credentialsValidator.baseDn': any,
    'credentialsValidator.userSearch': any,
    'credentialsValidator.userAttribute': any,
    'credentialsValidator.groupFilters': any,
    'credentialsValidator.credentialIterations': any, // passwords of a directory are not stored, so none is hashed
    'credentialsValidator.credentialVerifyDuration': any,
    'credentialsValidator.credentialMaxDuration': any,
    'credentialsValidator.credentialCacheSize': any,
  },
  authorizer: {
    type: any,
    initialAdminUser: any,
    initialAdminRole: any,
    initialAdminGroupMapping: any,
    enableCacheNotifications: only('true', atOnce),
    cacheNotificationTimeout: any,
    'roleProvider.type': oneOf('metadata', 'ldap'),
    'roleProvider.groupFilters': any,
  },
};

const listOf = {
  authenticator: 'auth.authenticatorChain',
  authorizer: 'auth.authorizers',
} as const;

function checkName(
  service: string,
  name: string,
  value: string,
  place: string,
  parts: Parts,
): void {
  const rule = Object.hasOwn(rules, name) ? rules[name] : ruleOfPart(service, name, place, parts);
  if (rule) {
    const sentence = rule(value);
    if (sentence !== undefined) throw new CannotStart(`${place} is not supported: ${sentence}`);
    return;
  }
  const known = Object.keys(rules);
  const isTypo = known.some((one) => keystrokes(name.toLowerCase(), one.toLowerCase()) <= 2);
  if (!isTypo && !isAboutSecurity(name)) return;
  const meant = nearest(name, known);
  throw unknownName(place, meant && `${service}.${meant}`);
}

function ruleOfPart(service: string, name: string, place: string, parts: Parts): Rule | undefined {
  const [, kind, part = '', rest = ''] =
    /^auth\.(authenticator|authorizer)\.([^.]+)\.(.+)$/.exec(name) ?? [];
  if (kind !== 'authenticator' && kind !== 'authorizer') return undefined;
  if (!parts[kind].includes(part)) {
    const meant = nearest(part, parts[kind]);
    throw new CannotStart(
      `${place} has no effect: [${part}] is not in property [${service}.${listOf[kind]}]${meant === undefined ? '' : `; did you mean [${meant}]?`}`,
    );
  }
  const known = rulesOfParts[kind];
  const rule = Object.hasOwn(known, rest) ? known[rest] : undefined;
  if (rule) return rule;
  const meant = nearest(rest, Object.keys(known));
  throw unknownName(place, meant && `${service}.auth.${kind}.${part}.${meant}`);
}

const unknownName = (place: string, meant: string | undefined) =>
  new CannotStart(
    `${place} is unknown; security properties are never ignored${meant === undefined ? '' : `; did you mean [${meant}]?`}`,
  );

const isAboutSecurity = (name: string) => /auth|escalator|tls|https/i.test(name);

/**
 * Whether `name`, without the service's prefix, is checked here: it takes effect, has nothing to
 * restrict here, or prevents the start.
 */
export const isChecked = (name: string): boolean =>
  Object.hasOwn(rules, name) || isAboutSecurity(name);

// The real engine's virtual machine and its libraries read these from the same file.
const ofTheMachine = /^(com|file|hadoop|io|java|javax|jdk|log4j|log4j2|net|org|sun|user)\./;

function checkForeign(service: string, name: string, place: string): void {
  if (ofTheMachine.test(name) && !isAboutSecurity(name)) return;
  const [other = ''] = name.split('.', 1);
  throw new CannotStart(
    `${place} does not begin with [${service}.], the prefix of this service; rename it, or start the service with --service ${other}`,
  );
}

function checkLists(
  service: string,
  properties: Properties,
  { authenticator, authorizer }: Parts,
  lines: PropertyLines,
): void {
  for (const [name, list] of Object.entries({
    'auth.authenticatorChain': authenticator,
    'auth.authorizers': authorizer,
  })) {
    if (properties.text(name) !== undefined && list.length === 0)
      throw new CannotStart(
        `${namePlace(`${service}.${name}`, lines)} is an empty list; name at least one`,
      );
    const twice = list.find((one, at) => list.indexOf(one) !== at);
    if (twice !== undefined)
      throw new CannotStart(`${namePlace(`${service}.${name}`, lines)} names [${twice}] twice`);
  }
}

// Without a chain of authenticators, every caller is accepted as [allowAll], and other user
// settings have no effect.
function checkChain(
  service: string,
  properties: Properties,
  { authenticator, authorizer }: Parts,
  lines: PropertyLines,
): void {
  if (authenticator.length > 0) return;
  const idle = [
    ...(authorizer.some((name) => name !== 'allowAll') ? ['auth.authorizers'] : []),
    ...((properties.text('escalator.type') ?? 'noop') === 'noop' ? [] : ['escalator.type']),
  ];
  for (const name of idle)
    throw new CannotStart(
      `${namePlace(`${service}.${name}`, lines)} has no effect without property [${service}.auth.authenticatorChain], which lists the authenticators`,
    );
}

// If a configured directory were not used, the users of the store would be accepted instead.
function checkDirectories(
  service: string,
  properties: Properties,
  { authenticator, authorizer }: Parts,
  values: Readonly<Record<string, string>>,
  lines: PropertyLines,
): void {
  const prefixes = [
    ...authenticator.map((name) => `auth.authenticator.${name}.credentialsValidator.`),
    ...authorizer.map((name) => `auth.authorizer.${name}.roleProvider.`),
  ];
  for (const prefix of prefixes) {
    if (properties.text(`${prefix}type`) === 'ldap') continue;
    const idle = Object.keys(values).find(
      (name) => name.startsWith(`${service}.${prefix}`) && name !== `${service}.${prefix}type`,
    );
    if (idle !== undefined)
      throw new CannotStart(
        `${namePlace(idle, lines)} has no effect without property [${service}.${prefix}type=ldap]`,
      );
  }
  const isSecure = authenticator.some((name) =>
    /^\s*ldaps:/i.test(
      properties.text(`auth.authenticator.${name}.credentialsValidator.url`) ?? '',
    ),
  );
  const idle = Object.keys(values).find((name) => name.startsWith(`${service}.auth.basic.ssl.`));
  if (idle !== undefined && !isSecure)
    throw new CannotStart(
      `${namePlace(idle, lines)} has no effect: no property [credentialsValidator.url] begins with ldaps:`,
    );
}
