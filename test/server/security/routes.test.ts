// The endpoints of basic security through the real client: every reply is checked against its
// schema, every refusal is read.
import { expect, test } from 'vitest';
import { createClient } from '../../../src/client/client.ts';
import { connectTo } from '../../../src/client/transport.ts';
import { authentication } from '../../../src/contract/authentication.ts';
import { authorization } from '../../../src/contract/authorization.ts';
import { formatSmile } from '../../../src/server/security/smile.ts';
import { refusalOf } from '../../support/calls.ts';
import { startGuarded } from '../../support/users.ts';

const credentials = { user: 'admin', password: 'admin-password' };
const authenticator = 'users';
const authorizer = 'roles';

test('users, passwords and what is refused of them', async () => {
  const service = await startGuarded();
  const call = createClient('svc', async () => connectTo(service.url, { retries: 0, credentials }));
  const params = { authenticator, username: 'ann' };
  expect(await call(authentication.loadStatus)).toEqual({ users: true });
  await call(authentication.refreshAll);
  await call(authentication.createUser, { params });
  expect(await call(authentication.user, { params })).toEqual({ name: 'ann', credentials: null });
  await call(authentication.setPassword, { params, body: { password: 'secret', iterations: 3 } });
  const { credentials: kept } = await call(authentication.user, { params });
  // 32 and 64 bytes in base64
  expect([kept?.iterations, kept?.salt.length, kept?.hash.length]).toEqual([3, 44, 88]);
  expect(await call(authentication.users, { params })).toEqual(['admin', 'ann']);
  expect(await refusalOf(call(authentication.createUser, { params }))).toEqual([
    400,
    'User [ann] already exists.',
  ]);
  const tooOften = call(authentication.setPassword, {
    params,
    body: { password: 'secret', iterations: 1e9 },
  });
  expect(await refusalOf(tooOften)).toEqual([
    400,
    'Invalid value for field [iterations]: [1000000000] is not between 1 and 10000000',
  ]);
  const cache = [];
  for await (const bytes of await call(authentication.userCache, { params })) cache.push(...bytes);
  expect(cache.slice(0, 5)).toEqual([0x3a, 0x29, 0x0a, 0x00, 0xfa]);
  await call(authentication.deleteUser, { params });
  const gone = [authentication.user, authentication.deleteUser].map((endpoint) =>
    refusalOf(call(endpoint, { params })),
  );
  for (const refusal of await Promise.all(gone))
    expect(refusal).toEqual([400, 'User [ann] does not exist.']);
  const elsewhere = call(authentication.users, { params: { authenticator: 'nowhere' } });
  expect(await refusalOf(elsewhere)).toEqual([
    400,
    'Basic authenticator with name [nowhere] does not exist.',
  ]);
});

test('roles, group mappings and what is refused of them', async () => {
  const service = await startGuarded();
  const call = createClient('svc', async () => connectTo(service.url, { retries: 0, credentials }));
  const params = { authorizer, username: 'ann', role: 'readers', groupMapping: 'staff' };
  expect(await call(authorization.loadStatus)).toEqual({ roles: true });
  await call(authorization.refreshAll);
  const refused = (asked: Promise<unknown>) =>
    refusalOf(asked).then(([status, message]) => `${status} ${message}`);
  expect(await refused(call(authorization.user, { params }))).toBe(
    '400 User [ann] does not exist.',
  );
  await call(authorization.createUser, { params });
  expect(await refused(call(authorization.createUser, { params }))).toBe(
    '400 User [ann] already exists.',
  );
  for (const endpoint of [
    authorization.assignRole,
    authorization.role,
    authorization.deleteRole,
    authorization.permissions,
  ] as const)
    expect(await refused(call(endpoint, { params }))).toBe('400 Role [readers] does not exist.');
  await call(authorization.createRole, { params });
  expect(await refused(call(authorization.createRole, { params }))).toBe(
    '400 Role [readers] already exists.',
  );
  await call(authorization.assignRole, { params });
  expect(await refused(call(authorization.assignRole, { params }))).toBe(
    '400 User [ann] already has role [readers].',
  );
  expect(await call(authorization.groupMappings, { params })).toEqual([]);
  expect(await refused(call(authorization.groupMapping, { params }))).toBe(
    '400 Group mapping [staff] does not exist.',
  );
  await call(authorization.createGroupMapping, {
    params,
    body: { groupPattern: 'CN=staff', roles: ['readers'] },
  });
  const again = call(authorization.createGroupMapping, {
    params,
    body: { groupPattern: 'CN=staff' },
  });
  expect(await refused(again)).toBe('400 Group mapping [staff] already exists.');
  expect(await refused(call(authorization.assignGroupRole, { params }))).toBe(
    '400 Group mapping [staff] already has role [readers].',
  );
  const readers = { name: 'readers', permissions: [], users: ['ann'], groups: ['staff'] };
  expect(await call(authorization.role, { params, query: { full: true } })).toEqual(readers);
  await call(authorization.unassignGroupRole, { params });
  const none = '400 Group mapping [staff] does not have role [readers].';
  expect(await refused(call(authorization.unassignGroupRole, { params }))).toBe(none);
  await call(authorization.unassignRole, { params });
  expect(await refused(call(authorization.unassignRole, { params }))).toBe(
    '400 User [ann] does not have role [readers].',
  );
  await call(authorization.deleteGroupMapping, { params });
  expect(await refused(call(authorization.deleteGroupMapping, { params }))).toBe(
    '400 Group mapping [staff] does not exist.',
  );
  await call(authorization.deleteRole, { params });
  await call(authorization.deleteUser, { params });
  expect(await refused(call(authorization.deleteUser, { params }))).toBe(
    '400 User [ann] does not exist.',
  );
  expect(await call(authorization.users, { params })).toEqual(['admin', 'svc_system']);
  const elsewhere = call(authorization.roles, { params: { authorizer: 'nowhere' } });
  expect(await refused(elsewhere)).toBe('400 Basic authorizer with name [nowhere] does not exist.');
});

test('Smile is written as its format says', () => {
  const document = formatSmile({
    a: [null, true, false, 1, -1, 10_000, ''],
    über: 'x',
    b: Uint8Array.of(0xff, 0x01),
  });
  expect([...document]).toEqual([
    ...[0x3a, 0x29, 0x0a, 0x00, 0xfa],
    ...[
      0x80, 0x61, 0xf8, 0x21, 0x23, 0x22, 0x24, 0x82, 0x24, 0x81, 0x24, 0x02, 0x38, 0xa0, 0x20,
      0xf9,
    ],
    ...[0x34, 0xc3, 0xbc, 0x62, 0x65, 0x72, 0xfc, 0xe4, 0x78, 0xfc],
    ...[0x80, 0x62, 0xe8, 0x82, 0x7f, 0x40, 0x01],
    0xfb,
  ]);
});
