// The properties decide who is asked, by whom, and for what.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startServer } from '../../../src/server/server.ts';
import { startService } from '../../support/service.ts';
import {
  addUser,
  admin,
  allow,
  ask,
  permit,
  startGuarded,
  withUsers,
} from '../../support/users.ts';

const status = (service: { url: string }, who: string | undefined) =>
  ask(service, who, 'GET /status').then((heard) => heard.status);

test('a new password counts at once, and so does what a role allows; both outlive the service', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svcctl-users-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true }));
  const service = await startServer({ port: 0, dataDir, properties: withUsers });
  const ann = await addUser(service, 'ann', [allow('READ', 'STATE', 'STATE')]);
  expect(await status(service, ann)).toBe(200);
  expect(await status(service, ann)).toBe(200); // remembered
  await ask(
    service,
    admin,
    'POST /svc-ext/basic-security/authentication/db/users/users/ann/credentials',
    {
      password: 'new:er',
      iterations: 7,
    },
  );
  expect([await status(service, ann), await status(service, 'ann:new:er')]).toEqual([401, 200]);
  await permit(service, 'ann', []);
  expect(await status(service, 'ann:new:er')).toBe(403);
  await service.close();

  const again = await startService({
    dataDir,
    properties: { ...withUsers, 'svc.auth.authenticator.users.initialAdminPassword': 'other' },
  });
  expect([
    await status(again, 'ann:new:er'),
    await status(again, admin),
    await status(again, 'admin:other'),
  ]).toEqual([403, 200, 401]);
  await ask(again, admin, 'DELETE /svc-ext/basic-security/authentication/db/users/users/ann');
  expect(await status(again, 'ann:new:er')).toBe(401);
});

test('names of resources are regular expressions that match as a whole, in linear time', async () => {
  const service = await startGuarded();
  const ann = await addUser(service, 'ann', [
    allow('READ', 'DATASOURCE', '(a+)+b'),
    allow('READ', 'DATASOURCE', 'wiki|news'),
  ]);
  const rules = (name: string) =>
    ask(service, ann, `GET /svc/coordinator/v1/rules/${name}`).then((heard) => heard.status);
  expect(await Promise.all(['aab', 'wiki', 'news', 'wikipedia', 'a', 'aabc'].map(rules))).toEqual([
    200, 200, 200, 403, 403, 403,
  ]);
  expect(await rules('a'.repeat(10_000))).toBe(403); // a matcher that tries everything would never end
  const refused = (name: string) =>
    ask(
      service,
      admin,
      'POST /svc-ext/basic-security/authorization/db/roles/roles/ann/permissions',
      [allow('READ', 'STATE', name)],
    );
  for (const name of ['(', '*', '(a)\\1'])
    expect(await refused(name)).toMatchObject({
      status: 400,
      text: JSON.stringify({
        error: `Invalid permission, resource name regex[${name}] does not compile.`,
      }),
    });
  expect(await rules('wiki')).toBe(200); // nothing has changed
});

test('whom one authenticator does not know, the next may', async () => {
  const service = await startService({
    properties: {
      ...withUsers,
      'svc.auth.authenticatorChain': '["users", "others", "anonymous"]',
      'svc.auth.authenticator.users.skipOnFailure': 'true',
      'svc.auth.authenticator.others.type': 'basic',
      'svc.auth.authenticator.others.initialInternalClientPassword':
        '{"type":"default","password":"inner"}',
      'svc.auth.authenticator.others.authorizerName': 'roles',
      'svc.auth.authenticator.anonymous.type': 'anonymous',
      'svc.auth.authenticator.anonymous.identity': 'guest',
      'svc.auth.authenticator.anonymous.authorizerName': 'readers',
      'svc.auth.authorizers': '["roles", "readers"]',
      'svc.auth.authorizer.readers.type': 'readOnly',
      'svc.escalator.type': 'basic',
      'svc.escalator.internalClientUsername': 'svc_system',
      'svc.escalator.internalClientPassword': 'inner',
      'svc.escalator.authorizerName': 'roles',
    },
  });
  const who = ['svc_system:inner', 'svc_system:wrong', 'admin:wrong', admin, undefined];
  expect(await Promise.all(who.map((one) => status(service, one)))).toEqual([
    200, 401, 401, 200, 200,
  ]);
  expect((await ask(service, undefined, 'POST /svc/coordinator/v1/rules/w', [])).status).toBe(403); // a guest only reads
  expect(
    (await ask(service, undefined, 'GET /svc-ext/basic-security/authentication/loadStatus')).text,
  ).toBe('{"users":true,"others":true}');
});

test('unsecured paths are open to everybody', async () => {
  const service = await startGuarded({
    properties: { 'svc.auth.unsecuredPaths': '["/status", "/svc/coordinator/v1/rules/*"]' },
  });
  const asked = [
    '/status',
    '/status/properties',
    '/svc/coordinator/v1/rules/w',
    '/svc/coordinator/v1/rulesets',
    '/status/health',
  ];
  const heard = await Promise.all(asked.map((path) => ask(service, undefined, `GET ${path}`)));
  expect(heard.map((one) => one.status)).toEqual([200, 401, 200, 401, 200]);
});

test('the first administrator may be another, with a role and groups of their own', async () => {
  const properties = {
    'svc.auth.authorizer.roles.initialAdminUser': 'root',
    'svc.auth.authorizer.roles.initialAdminRole': 'rulers',
    'svc.auth.authorizer.roles.initialAdminGroupMapping': 'CN=rulers,DC=example',
  };
  const service = await startGuarded({ properties });
  const db = 'GET /svc-ext/basic-security/authorization/db/roles';
  expect(JSON.parse((await ask(service, admin, `${db}/users/root`)).text)).toEqual({
    name: 'root',
    roles: ['rulers'],
  });
  expect(
    JSON.parse((await ask(service, admin, `${db}/roles/rulers?simplifyPermissions`)).text)
      .permissions,
  ).toHaveLength(14);
  const mapping = {
    name: 'adminGroupMapping',
    groupPattern: 'CN=rulers,DC=example',
    roles: ['rulers'],
  };
  expect(
    JSON.parse((await ask(service, admin, `${db}/groupMappings/adminGroupMapping`)).text),
  ).toEqual(mapping);
});

test.each([
  [
    { 'svc.auth.authenticatorChain': 'users' },
    'Property [svc.auth.authenticatorChain] is [users], which is not a JSON list of texts',
  ],
  [
    { 'svc.auth.authenticator.users.type': 'kerberos' },
    'which is not one of [basic, anonymous, allowAll]',
  ],
  [{ 'svc.auth.authenticator.users.authorizerName': 'nobody' }, 'which is not one of [roles]'],
  [
    { 'svc.auth.authorizers': '["roles", "more"]' },
    'Property [svc.auth.authorizer.more.type] is missing',
  ],
  [
    {
      'svc.auth.authenticator.users.initialAdminPassword':
        '{"type":"environment","variable":"NOT_SET"}',
    },
    'variable [NOT_SET]',
  ],
  [{ 'svc.escalator.type': 'basic' }, 'Property [svc.escalator.internalClientUsername] is missing'],
])(
  'properties that cannot be obeyed are told before anything is listened to: %o',
  async (properties, sentence) => {
    await expect(
      startServer({ port: 0, properties: { ...withUsers, ...properties } }),
    ).rejects.toThrow(sentence);
  },
);

test('without users only this machine is listened to, unless it is said that everybody may come', async () => {
  await expect(startServer({ port: 0, host: '0.0.0.0' })).rejects.toThrow(
    'Without users, everybody who can reach address [0.0.0.0]',
  );
  await startService({ host: '0.0.0.0', withoutUsers: true });
  await startGuarded({ host: '0.0.0.0' });
});
