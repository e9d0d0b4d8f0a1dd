// A property about security is obeyed, or it stops the start: a typo must not open a service.
import { expect, test } from 'vitest';
import { startServer } from '../../../src/server/server.ts';
import { linesOfProperties, parseProperties } from '../../../src/server/settings/properties.ts';
import { startService } from '../../support/service.ts';
import { withUsers } from '../../support/users.ts';

const file = (...lines: string[]) =>
  [...Object.entries(withUsers).map(([name, value]) => `${name}=${value}`), ...lines].join('\n');
const starting = (text: string, service = 'svc') =>
  startServer({
    port: 0,
    service,
    properties: parseProperties(text),
    propertyLines: linesOfProperties(text),
  });
const line = Object.keys(withUsers).length + 1; // that stands behind them

test.each([
  [
    'svc.auth.authenticatorChian=["users"]',
    'is unknown',
    'did you mean [svc.auth.authenticatorChain]?',
  ],
  [
    'svc.auth.enableInputSourceSecurty=true',
    'is unknown',
    'did you mean [svc.auth.enableInputSourceSecurity]?',
  ],
  ['svc.Auth.authorizers=["roles"]', 'is unknown', 'did you mean [svc.auth.authorizers]?'],
  ['svc.auth.something=1', 'is unknown'],
  ['svc.auth=x', 'is unknown'],
  ['svc.query.authorization=strict', 'is unknown'],
  ['svc.escalator.typ=basic', 'is unknown', 'did you mean [svc.escalator.type]?'],
  ['svc.ecsalator.type=basic', 'is unknown', 'did you mean [svc.escalator.type]?'],
  [
    'svc.ingestion.http.allowedProtocol=["https"]',
    'is unknown',
    'did you mean [svc.ingestion.http.allowedProtocols]?',
  ],
  [
    'svc.auth.authenticator.users.initialAdminPasword=x',
    'did you mean [svc.auth.authenticator.users.initialAdminPassword]?',
  ],
  [
    'svc.auth.authenticator.user.skipOnFailure=true',
    '[user] is not in property [svc.auth.authenticatorChain]',
    'did you mean [users]?',
  ],
  [
    'svc.auth.authorizer.rolls.type=basic',
    '[rolls] is not in property [svc.auth.authorizers]',
    'did you mean [roles]?',
  ],
  ['svc.auth.authorizer.roles.roleProvider.type=LDAP', 'its value must be one of [metadata, ldap]'],
  [
    'svc.auth.authorizer.roles.roleProvider.groupFilters=["*,dc=x"]',
    'has no effect without',
    'roleProvider.type=ldap',
  ],
  [
    'svc.auth.authenticator.users.credentialsValidator.type=pam',
    'its value must be one of [metadata, ldap]',
  ],
  [
    'svc.auth.authenticator.users.credentialsValidator.url=ldap://directory',
    'has no effect without',
    'credentialsValidator.type=ldap',
  ],
  [
    'svc.auth.authenticator.users.credentialsValidator.baseDN=dc=x',
    'did you mean [svc.auth.authenticator.users.credentialsValidator.baseDn]?',
  ],
  ['svc.auth.basic.ssl.trustStorePath=/x', 'has no effect', 'begins with ldaps:'],
  ['svc.auth.basic.ssl.validateHostnames=false', 'has no effect', 'begins with ldaps:'],
  ['svc.enableTlsPort=maybe', 'is [maybe], which is not one of [true, false]'],
  ['svc.enablePlaintextPort=false', 'closes the only port'],
  ['svc.tlsPort=8281', 'has no effect'],
  ['svc.server.https.keyStorePath=/x', 'has no effect'],
  [
    'svc.server.https.keyStorPath=/x',
    'is unknown',
    'did you mean [svc.server.https.keyStorePath]?',
  ],
  ['svc.client.https.trustStorePath=/x', 'has no effect'],
  ['svc.coordinator.client.tlsCheck=on', 'is unknown'],
  ['svc.sql.enable=false', 'turning off SQL is not supported'],
  ['druid.auth.authenticatorChain=["users"]', 'does not begin with [svc.]', '--service druid'],
  ['druid.server.maxSize=1', 'does not begin with [svc.]'],
  ['svcx.auth.authorizers=["roles"]', 'does not begin with [svc.]'],
  ['auth.authorizers=["roles"]', 'does not begin with [svc.]'],
  ['java.security.auth.login.config=/x', 'does not begin with [svc.]'],
  ['svc.auth.enableInputSourceSecurity=ture', 'is [ture], which is not one of [true, false]'],
  ['svc.auth.authorizeQueryContextParams=yes', 'is [yes], which is not one of [true, false]'],
  ['svc.auth.unsecuredContextKeys=timeout', 'which is not a JSON list of texts'],
  [
    'svc.auth.authenticator.users.credentialIterations=0',
    'is [0], which is not between 1 and 10000000',
  ],
  ['svc.auth.allowUnauthenticatedHttpOptions=maybe', 'its value must be true or false'],
  ['svc.auth.allowHttpMethods=["GET"]', 'is unknown'],
  ['svc.auth.authenticatorChain=[]', 'is an empty list'],
  ['svc.auth.authorizers=["roles", "roles"]', 'names [roles] twice'],
  ['svc.\\u0061uth.x=1', 'Property [svc.auth.x]'],
])('%s stops the start with its line', async (property, ...words) => {
  const failure = await starting(file(property)).then(
    () => 'It has started',
    (error: Error) => error.message,
  );
  for (const word of [`in line [${line}]`, ...words]) expect(failure).toContain(word);
});

test('the line is where a property begins, in a file with comments and continued lines', () => {
  const text =
    '# first\n\nsvc.a=1,\\\n   2\n! third\nsvc.b: x\\\\\nsvc.c d\n  svc.e\\=f = g\nsvc.a=last';
  expect(parseProperties(text)).toEqual({
    'svc.a': 'last',
    'svc.b': 'x\\',
    'svc.c': 'd',
    'svc.e=f': 'g',
  });
  expect(linesOfProperties(text)).toEqual({ 'svc.a': 9, 'svc.b': 6, 'svc.c': 7, 'svc.e=f': 8 });
});

test('users that no chain asks for stop the start', async () => {
  const without = ({ 'svc.auth.authenticatorChain': _, ...rest }: Record<string, string>) => rest;
  await expect(startServer({ port: 0, properties: without(withUsers) })).rejects.toThrow(
    '[users] is not in property [svc.auth.authenticatorChain]',
  );
  const authorizers = {
    'svc.auth.authorizers': '["roles"]',
    'svc.auth.authorizer.roles.type': 'basic',
  };
  await expect(startServer({ port: 0, properties: authorizers })).rejects.toThrow(
    '[svc.auth.authorizers] has no effect without',
  );
  await expect(
    startServer({ port: 0, properties: { 'svc.escalator.type': 'basic' } }),
  ).rejects.toThrow('has no effect without');
});

test('what has nothing to restrict here, and what is not about security, passes', async () => {
  await startService({
    properties: {
      ...withUsers,
      'svc.enableTlsPort': 'false',
      'svc.enablePlaintextPort': 'true',
      'svc.auth.basic.common.pollingPeriod': '60000',
      'svc.auth.authenticator.users.enableCacheNotifications': 'true',
      'svc.auth.authenticator.users.credentialsValidator.type': 'metadata',
      'svc.zk.service.authScheme': 'digest',
      'svc.extensions.loadList': '["svc-basic-security"]',
      'svc.metadata.storage.connector.password': 'x',
      'svc.some.thing.that.is.not.read': '1',
      'java.io.tmpdir': '/tmp',
      'log4j.shutdownHookEnabled': 'true',
    },
  });
});
