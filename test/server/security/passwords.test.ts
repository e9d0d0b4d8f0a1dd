// Wrong passwords cost the one who sends them, and no one else.
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { addressGroup, BackOff } from '../../../src/server/security/back-off.ts';
import { Derivations } from '../../../src/server/security/derivations.ts';
import { Passwords } from '../../../src/server/security/passwords.ts';
import { UserStore } from '../../../src/server/security/user-store.ts';
import { openMetadata } from '../../../src/server/storage/metadata.ts';
import { addUser, admin, ask, startGuarded } from '../../support/users.ts';

interface Heard {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

/** GET /status with credentials, from an address of this machine. */
const status = (url: string, who: string, localAddress = '127.0.0.1') =>
  new Promise<Heard>((resolve, reject) => {
    const headers = { authorization: `Basic ${Buffer.from(who).toString('base64')}` };
    request(`${url}/status`, { headers, localAddress, agent: false }, (reply) => {
      reply.resume();
      resolve({ status: reply.statusCode ?? 0, retryAfter: reply.headers['retry-after'] });
    })
      .on('error', reject)
      .end();
  });

test('hundreds of wrong passwords are turned away, and others are served meanwhile', async () => {
  const service = await startGuarded({
    properties: { 'svc.auth.authenticator.users.credentialIterations': '200000' },
  });
  expect((await status(service.url, admin)).status).toBe(200); // known from now on
  const wrong = Promise.all(
    Array.from({ length: 300 }, (_, at) => status(service.url, `admin:wrong-${at}`)),
  );
  const others = await Promise.all([
    status(service.url, admin), // without a turn
    status(service.url, admin, '127.0.0.2'), // from another address, with one
    ask(service, undefined, 'GET /status/health'),
  ]);
  expect(others.map((one) => one.status)).toEqual([200, 200, 200]);
  const heard = await wrong;
  const turnedAway = heard.filter((one) => one.status === 429);
  expect(new Set(heard.map((one) => one.status))).toEqual(new Set([401, 429]));
  // Those that ran, waited, and came before the back-off
  expect(heard.length - turnedAway.length).toBeLessThanOrEqual(30);
  for (const { retryAfter } of turnedAway) expect(Number(retryAfter)).toBeGreaterThanOrEqual(1);

  const late = await status(service.url, 'admin:wrong again');
  expect([late.status, Number(late.retryAfter) > 1]).toEqual([429, true]);
  expect((await status(service.url, admin)).status).toBe(200);
  expect((await status(service.url, 'admin:another', '127.0.0.3')).status).toBe(401); // the back-off is of one address
});

test('the same wrong password again is no further attempt', async () => {
  const service = await startGuarded();
  for (let attempt = 0; attempt < 50; attempt++)
    expect((await status(service.url, 'admin:forgotten')).status).toBe(401);
  expect((await status(service.url, 'admin:admin-password')).status).toBe(200);
});

test('a password that was wrong is right once it is set, and the old one is wrong at once', async () => {
  const service = await startGuarded();
  const ann = await addUser(service, 'ann', []);
  expect(
    [await status(service.url, 'ann:new'), await status(service.url, ann)].map((one) => one.status),
  ).toEqual([401, 403]);
  const path = 'POST /svc-ext/basic-security/authentication/db/users/users/ann/credentials';
  expect((await ask(service, admin, path, { password: 'new' })).status).toBe(200);
  expect(
    [await status(service.url, 'ann:new'), await status(service.url, ann)].map((one) => one.status),
  ).toEqual([403, 401]);
  const long = await ask(service, admin, path, { password: 'é'.repeat(600) });
  expect([long.status, long.text]).toEqual([
    400,
    '{"error":"Invalid value for field [password]: it is longer than 1024 bytes"}',
  ]);
  expect((await status(service.url, `ann:${'x'.repeat(20_000)}`)).status).toBe(401);
});

test('a name that is not known takes as many iterations as one that is', async () => {
  const metadata = openMetadata(':memory:');
  const wanted: number[] = [];
  const passwords = Object.assign(new Passwords(), {
    isRight: async (_: unknown, _credentials: unknown, iterations: number) => {
      wanted.push(iterations);
      return false;
    },
  });
  const users = new UserStore(metadata, 'users', 4321, passwords);
  await users.validate({ name: 'nobody', password: 'x', ip: '::1' }, true);
  expect(wanted).toEqual([4321]);
  metadata.close();
});

test('two derive at once, addresses take turns, and few wait', async () => {
  const derivations = new Derivations({ running: 2, waiting: 4, waitingOfAddress: 3 });
  const order: string[] = [];
  const ends: (() => void)[] = [];
  let running = 0;
  let most = 0;
  const start = (address: string, name: string) =>
    derivations.run(address, async () => {
      order.push(name);
      most = Math.max(most, ++running);
      await new Promise<void>((end) => ends.push(end));
      running--;
    });
  const all = [
    start('a', 'a1'),
    start('a', 'a2'),
    start('a', 'a3'),
    start('a', 'a4'),
    start('a', 'a5'),
  ];
  await expect(start('a', 'a6')).rejects.toThrow('Too many passwords are waiting to be checked');
  all.push(start('b', 'b1'));
  await expect(start('c', 'c1')).rejects.toThrow('try again in 1 second');
  while (order.length < all.length || running > 0) {
    ends.shift()?.();
    await new Promise((turn) => setImmediate(turn));
  }
  await Promise.all(all);
  expect([order, most]).toEqual([['a1', 'a2', 'a3', 'b1', 'a4', 'a5'], 2]);
});

test('each wrong password doubles the wait of its address, up to a limit; time forgives', () => {
  let nowMs = 0;
  const limits = { free: 2, firstMs: 1000, longestMs: 4000, forgottenMs: 60_000, addresses: 3 };
  const backOff = new BackOff(() => nowMs, limits);
  const waits = Array.from({ length: 6 }, () => {
    backOff.failed('a');
    return backOff.waitMs('a');
  });
  expect(waits).toEqual([0, 0, 1000, 2000, 4000, 4000]);
  expect(backOff.waitMs('b')).toBe(0);
  nowMs += 3999;
  expect(backOff.waitMs('a')).toBe(1);
  nowMs += 60_000;
  backOff.failed('a');
  expect(backOff.waitMs('a')).toBe(0);
  for (const address of ['a', 'a', 'a', 'b', 'c', 'd']) backOff.failed(address); // more than are remembered
  expect(backOff.waitMs('a')).toBe(0);
});

test.each([
  ['127.0.0.1', '127.0.0.1'],
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
])('address [%s] counts as [%s]', (ip, group) => {
  expect(addressGroup(ip)).toBe(group);
});
