// Configurations and stored data with which the service must not start, or must start all the same.
import { execFileSync } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { startServed } from '../support/served.js';
import { temporaryFolder } from '../support/storage.ts';
import { withUsers } from '../support/users.ts';
import { supervisorOf, taskOf } from './attacks/bodies.ts';
import { noteTest } from './summary.ts';

afterEach(noteTest);

// Each is a mistake of an operator that would leave a door open: the start is refused, and the line
// is named.
test.each([
  ['a typo in the name of a chain', { 'svc.auth.authenticatorChian': '["users"]' }],
  [
    'a typo in an authorizer',
    { 'svc.auth.authorizers': '["roles"]', 'svc.auth.authoriser.roles.type': 'basic' },
  ],
  ['the prefix of another service', { 'druid.auth.authenticatorChain': '["users"]' }],
  [
    'the prefix of another service for an authorizer',
    { 'druid.auth.authorizer.roles.type': 'basic' },
  ],
  ['an escalator with a typo', { 'svc.escalator.tpye': 'basic' }],
  ['TLS that is not enforced', { 'svc.enableTlsPort': 'true', 'svc.tls.port': '8281' }],
  [
    'a key store that is not read',
    {
      'svc.server.https.keyStorePath': '/nowhere',
      'svc.server.https.requireClientCertificate': 'true',
    },
  ],
  ['TLS without a key store', { 'svc.enableTlsPort': 'true', 'svc.enablePlaintextPort': 'false' }],
  [
    'a key store that is not there',
    { 'svc.enableTlsPort': 'true', 'svc.server.https.keyStorePath': '/nowhere.p12' },
  ],
  [
    'a typo in what clients must show',
    { 'svc.enableTlsPort': 'true', 'svc.server.https.requireClientCertficate': 'true' },
  ],
  [
    'clients that nobody vouches for',
    { 'svc.enableTlsPort': 'true', 'svc.server.https.requireClientCertificate': 'true' },
  ],
  ['no port in plain text, and no other', { 'svc.enablePlaintextPort': 'false' }],
  [
    'an LDAP validator',
    { ...withUsers, 'svc.auth.authenticator.users.credentialsValidator.type': 'ldap' },
  ],
  [
    'a restriction of paths',
    {
      ...withUsers,
      'svc.auth.unsecuredPaths': '["/status"]',
      'svc.auth.allowUnauthenticatedHttpOptions': 'maybe',
    },
  ],
  ['a restriction of methods', { ...withUsers, 'svc.auth.allowHttpMethods': '["GET"]' }],
  [
    'an authenticator that is not in the chain',
    { ...withUsers, 'svc.auth.authenticator.other.type': 'basic' },
  ],
  [
    'an unknown property of an authenticator',
    { ...withUsers, 'svc.auth.authenticator.users.maxAttempts': '3' },
  ],
  ['capitals in another place', { 'svc.Auth.authenticatorChain': '["users"]' }],
])('%s stops the start with its line', async (_, properties) => {
  const file = join(await temporaryFolder(), 'runtime.properties');
  const lines = Object.entries(properties).map(([name, value]) => `${name}=${value}\n`);
  await writeFile(file, lines.join(''));
  const started = startServed(['--ephemeral', '--config', file]).then((service) => {
    service.kill();
    return 'it started';
  });
  const refusal = await started.catch((error: Error) => error.message);
  expect(refusal).toMatch(/auth|escalator|tls|https|enablePlaintextPort/i);
  expect(refusal).not.toMatch('it started');
  expect(refusal).not.toMatch(/\n\s+at /);
});

test.each([
  ['a restriction of input sources', { 'svc.auth.enableInputSourceSecurity': 'true' }],
  ['a restriction of contexts', { 'svc.auth.authorizeQueryContextParams': 'true' }],
  ['a restriction of protocols', { 'svc.ingestion.http.allowedProtocols': '["https"]' }],
])('%s is enforced', async (_, more) => {
  const folder = await temporaryFolder();
  const file = join(folder, 'runtime.properties');
  const properties = { ...withUsers, ...more };
  await writeFile(
    file,
    Object.entries(properties)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  const service = await startServed(['--ephemeral', '--config', file]);
  onTestFinished(() => void service.kill());
  const as = async (user: string, path: string, body: unknown) => {
    const reply = await fetch(service.url + path, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(user)}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: reply.status, text: await reply.text() };
  };
  const base = '/svc-ext/basic-security';
  const writer = [
    { resource: { type: 'DATASOURCE', name: 'wiki' }, action: 'WRITE' },
    { resource: { type: 'DATASOURCE', name: 'wiki' }, action: 'READ' },
  ];
  const admin = 'admin:admin-password';
  for (const [path, body] of [
    [`${base}/authentication/db/users/users/writer`],
    [`${base}/authentication/db/users/users/writer/credentials`, { password: 'writer' }],
    [`${base}/authorization/db/roles/users/writer`],
    [`${base}/authorization/db/roles/roles/writer`],
    [`${base}/authorization/db/roles/users/writer/roles/writer`],
    [`${base}/authorization/db/roles/roles/writer/permissions`, writer],
  ] as const)
    expect(await as(admin, path, body ?? {})).toMatchObject({ status: 200 });
  if ('svc.auth.enableInputSourceSecurity' in more) {
    const task = taskOf({
      dataSource: 'wiki',
      inputSource: { type: 'inline', data: '{"t":"2024-01-01"}' },
    });
    expect(await as('writer:writer', '/svc/indexer/v1/task', task)).toMatchObject({ status: 403 });
  } else if ('svc.auth.authorizeQueryContextParams' in more) {
    expect(
      await as('writer:writer', '/svc/v2/sql', { query: 'SELECT 1', context: { timeout: 999 } }),
    ).toMatchObject({ status: 403 });
  } else {
    const task = taskOf({
      dataSource: 'wiki',
      inputSource: { type: 'http', uris: ['http://127.0.0.1:1/a'] },
    });
    expect((await as(admin, '/svc/indexer/v1/task', task)).status).toBe(400);
  }
});

test.each([['/dev/zero'], ['FIFO'], ['/nowhere']])(
  'a stored supervisor whose trust store is %s does not keep the service from starting',
  async (location) => {
    const folder = await temporaryFolder();
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    const fifo = join(folder, 'fifo');
    execFileSync('mkfifo', [fifo]);
    const first = await startServed(['--data-dir', dataDir]);
    onTestFinished(() => void first.kill());
    const spec = supervisorOf({
      'security.protocol': 'SSL',
      'ssl.truststore.type': 'PEM',
      'ssl.truststore.location': location === 'FIFO' ? fifo : location,
    });
    await Promise.race([
      fetch(`${first.url}/svc/indexer/v1/supervisor`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(spec),
      }).catch(() => undefined),
      new Promise((wake) => setTimeout(wake, 3000)),
    ]);
    first.kill();
    await first.ended;
    const again = await startServed(['--data-dir', dataDir]);
    onTestFinished(() => void again.kill());
    const health = await fetch(`${again.url}/status/health`, { signal: AbortSignal.timeout(5000) });
    expect(await health.json()).toBe(true);
    expect(await again.stop()).toMatchObject({ code: 0 });
  },
);
