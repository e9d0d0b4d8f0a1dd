// A directory that is away, slow, wrong or hostile: nobody gets in by it, others are served
// meanwhile, and the log says why.
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { DirectoryFailure, directoryAt } from '../../src/server/security/ldap.ts';
import { certificate } from '../support/certificates.ts';
import { startService } from '../support/service.ts';
import { ask } from '../support/users.ts';
import { baseDn, directoryIsMissing, reader, startDirectory, userEntry } from './slapd.ts';
import { status, withDirectory } from './with-directory.ts';

const away = '{"error":"The LDAP directory cannot be reached now; try again in 5 seconds"}';

/** What the log says while the test runs. */
function watchLog(): () => string {
  let text = '';
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  onTestFinished(() => spy.mockRestore());
  return () => text;
}

const withStore = (properties: Record<string, string>): Record<string, string> => ({
  ...properties,
  'svc.auth.authenticatorChain': '["directory", "users"]',
  'svc.auth.authenticator.directory.skipOnFailure': 'true',
  'svc.auth.authenticator.users.type': 'basic',
  'svc.auth.authenticator.users.initialAdminPassword': 'admin-password',
  'svc.auth.authenticator.users.authorizerName': 'roles',
});

describe.skipIf(directoryIsMissing() !== undefined)('a directory in trouble', () => {
  test('while it is away, only those whom it has let in before are served, and it is asked again when it is back', async () => {
    const directory = await startDirectory();
    const service = await startService({ properties: withDirectory(directory) });
    expect(await status(service, 'root:root-password')).toBe(200);
    await directory.stop();
    const log = watchLog();
    expect(await status(service, 'root:root-password')).toBe(200);
    const reply = await fetch(`${service.url}/status`, {
      headers: { authorization: `Basic ${btoa('ann:ann-password')}` },
    });
    expect([reply.status, reply.headers.get('retry-after'), await reply.text()]).toEqual([
      503,
      '5',
      away,
    ]);
    expect(await status(service, 'root:wrong')).toBe(503); // it alone could tell
    expect(log().match(/cannot be reached: connect ECONNREFUSED/g)).toHaveLength(1);
    expect(log()).not.toContain('    at ');
    await directory.start();
    for (let at = 0; at < 60 && (await status(service, 'ann:ann-password')) === 503; at++)
      await sleep(100);
    expect(await status(service, 'ann:ann-password')).toBe(403);
  });

  test('while it is away, users of the store come in where it may be passed over, and nobody else', async () => {
    watchLog();
    const service = await startService({
      properties: withStore(withDirectory({ url: 'ldap://127.0.0.1:9' })),
    });
    const heard = [];
    for (const who of ['admin:admin-password', 'admin:wrong', 'ann:ann-password', 'ann:wrong'])
      heard.push(await status(service, who));
    expect(heard).toEqual([200, 503, 503, 503]); // 401 would tell which names the store has
  });

  test('one that accepts and never answers holds up nobody else, and its callers for ten seconds at most', async () => {
    const directory = await startDirectory();
    const service = await startService({ properties: withStore(withDirectory(directory)) });
    expect(await status(service, 'root:root-password')).toBe(200);
    directory.hold();
    const log = watchLog();
    const beginMs = performance.now();
    const callers = Array.from({ length: 40 }, (_, at) => status(service, `user${at}:x`));
    await sleep(200);
    const meanwhileMs = performance.now();
    expect([
      await status(service, 'root:root-password'),
      (await ask(service, undefined, 'GET /status/health')).status,
    ]).toEqual([200, 200]);
    expect(performance.now() - meanwhileMs).toBeLessThan(1000);
    const heard = await Promise.all(callers);
    expect(performance.now() - beginMs).toBeLessThan(11_000);
    expect([...new Set(heard)].sort()).toEqual([429, 503]); // few may wait for one address
    directory.goOn();
    expect(log()).toContain('cannot be reached');
  });

  test('four connections at once, and none that stays', async () => {
    let [open, most, all] = [0, 0, 0];
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      all++;
      sockets.add(socket);
      most = Math.max(most, ++open);
      socket.on('error', () => undefined).on('close', () => open--);
      setTimeout(() => socket.destroy(), 100);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    watchLog();
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const service = await startService({
      properties: withDirectory({ url: `ldap://127.0.0.1:${port}` }),
    });
    const heard = await Promise.all(
      Array.from({ length: 18 }, (_, at) => status(service, `user${at}:x`)),
    );
    expect(new Set(heard)).toEqual(new Set([503]));
    expect([most, all]).toEqual([4, 4]); // those who waited are not made to wait for it, too
    expect(open).toBe(0);
  });

  test.each([
    [
      'a wrong password of its account',
      { bindPassword: 'wrong' },
      `refuses bindUser [${reader.user}] or its password`,
    ],
    [
      'a base that is not there',
      { baseDn: `ou=nowhere,${baseDn}` },
      `has no entry [ou=nowhere,${baseDn}]`,
    ],
    [
      'a base that another has',
      { baseDn: `ou=elsewhere,${baseDn}` },
      `does not hold entry [ou=elsewhere,${baseDn}]`,
    ],
    [
      'an address that is nobody',
      { url: 'ldap://directory.invalid:389' },
      'cannot be reached: getaddrinfo',
    ],
  ])('%s: nobody gets in, and the log names it, without passwords', async (_, more, words) => {
    const directory = await startDirectory({
      ldif: `dn: ou=elsewhere,${baseDn}\nobjectClass: referral\nobjectClass: extensibleObject\nou: elsewhere\nref: ldap://127.0.0.1:9/ou=elsewhere,dc=other\n`,
    });
    const service = await startService({ properties: withDirectory(directory, more) });
    const log = watchLog();
    expect([await status(service, 'ann:ann-password'), await status(service, 'root:')]).toEqual([
      503, 401,
    ]);
    expect(log()).toContain(words);
    expect(log()).not.toContain(reader.password);
    expect(log()).not.toContain('ann-password');
  });

  test('references to other directories are passed over', async () => {
    const directory = await startDirectory({
      ldif: `dn: ou=elsewhere,${baseDn}\nobjectClass: referral\nobjectClass: extensibleObject\nou: elsewhere\nref: ldap://127.0.0.1:9/ou=elsewhere,dc=other\n`,
    });
    const service = await startService({ properties: withDirectory(directory) });
    expect([await status(service, 'ann:ann-password'), await status(service, 'nobody:x')]).toEqual([
      403, 401,
    ]);
  });

  test('over TLS its certificate must be of a trusted authority, and name its host', async () => {
    const trusted = {
      'svc.auth.basic.ssl.trustStorePath': certificate('authority.pem'),
      'svc.auth.basic.ssl.protocol': 'TLS',
    };
    const log = watchLog();
    for (const [server, more, heard] of [
      ['server', trusted, 403],
      ['server', {}, 503], // the authority of the tests is none that Node knows
      ['other-host', trusted, 503],
      ['self-signed', trusted, 503],
      ['expired', trusted, 503],
    ] as const) {
      const directory = await startDirectory({ server });
      const service = await startService({
        properties: withDirectory({ url: directory.secureUrl }, more),
      });
      expect([server, await status(service, 'ann:ann-password')]).toEqual([server, heard]);
    }
    expect(log().match(/cannot be reached: /g)).toHaveLength(4);
  });

  test('a password that changes counts ten seconds later at the latest; the old one as long as it is remembered', async () => {
    const directory = await startDirectory();
    const times = { credentialVerifyDuration: '2', credentialMaxDuration: '3' };
    const service = await startService({ properties: withDirectory(directory, times) });
    expect(await status(service, 'ann:ann-password')).toBe(403);
    directory.change(
      `dn: uid=ann,ou=people,${baseDn}\nchangetype: modify\nreplace: userPassword\nuserPassword: new\n`,
    );
    expect([
      await status(service, 'ann:ann-password'),
      await status(service, 'bob:bob-password'),
    ]).toEqual([403, 403]);
    await sleep(2100);
    expect(await status(service, 'ann:ann-password')).toBe(401);
    expect(await status(service, 'ann:new')).toBe(403);
  });
});

describe.skipIf(directoryIsMissing() !== undefined)('who is locked', () => {
  test('in the directory is out at once when an administrator says so', async () => {
    const directory = await startDirectory();
    const service = await startService({ properties: withDirectory(directory) });
    expect([
      await status(service, 'ann:ann-password'),
      await status(service, 'joe:joe-password'),
    ]).toEqual([403, 401]);
    directory.change(
      `dn: uid=ann,ou=people,${baseDn}\nchangetype: delete\n\n${userEntry('joe').replace('\n', '\nchangetype: add\n')}`,
    );
    expect([
      await status(service, 'ann:ann-password'),
      await status(service, 'joe:joe-password'),
    ]).toEqual([403, 401]); // remembered
    expect(
      (
        await ask(
          service,
          'root:root-password',
          'GET /svc-ext/basic-security/authentication/refreshAll',
        )
      ).status,
    ).toBe(200);
    expect([
      await status(service, 'ann:ann-password'),
      await status(service, 'joe:joe-password'),
    ]).toEqual([401, 403]);
  });
});

describe('a hostile directory', () => {
  const message = (id: number, ...body: readonly number[]) =>
    Buffer.from([0x30, body.length + 3, 0x02, 0x01, id, ...body]);
  const success = (operation: number) => [operation, 7, 0x0a, 1, 0, 4, 0, 4, 0];

  async function askOf(answer: (id: number, socket: Socket) => void, replyBytes = 1 << 20) {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('data', (chunk) => answer(chunk[4] ?? 0, socket));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const asking = directoryAt(
      {
        url: `ldap://127.0.0.1:${port}`,
        account: { user: 'cn=x', password: 'y' },
        baseDn,
        userSearch: '(uid=%s)',
        userAttribute: 'uid',
        tls: undefined,
      },
      { connectMs: 500, replyMs: 500, wholeMs: 1000, replyBytes },
    );
    return asking('ann', 'x').then(String, (error: unknown) => {
      expect(error).toBeInstanceOf(DirectoryFailure);
      return error instanceof Error ? error.message : '';
    });
  }

  test.each<[string, (id: number, socket: Socket) => void, string]>([
    [
      'many small messages, which nest where they are read',
      (_, socket) => socket.write(Buffer.concat(Array(200_000).fill(message(0x63, 0x73, 0)))),
      'its reply',
    ],
    [
      'a reply without an end',
      (_, socket) =>
        socket.write(
          Buffer.concat([Buffer.from([0x30, 0x84, 0x7f, 0xff, 0xff, 0xff]), Buffer.alloc(3 << 20)]),
        ),
      'longer than',
    ],
    ['no answer', () => undefined, 'no reply within 0.5 s'],
    [
      'something that is not an LDAP',
      (_, socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n'),
      'cannot be reached',
    ],
    ['the end of the connection', (_, socket) => socket.destroy(), 'it closed the connection'],
    [
      'byte after byte',
      (_, socket) => void setInterval(() => socket.write(Buffer.from([0x30])), 50).unref(),
      'cannot be reached',
    ],
    [
      'an entry without a name, which would make everybody somebody',
      (id, socket) => {
        if (id === 2) return void socket.write(message(id, ...success(0x61)));
        socket.write(
          Buffer.concat([message(id, 0x64, 4, 4, 0, 0x30, 0), message(id, ...success(0x65))]),
        );
      },
      'an entry without a distinguished name',
    ],
  ])('%s: the service goes on', async (_, answer, words) => {
    expect(await askOf(answer)).toContain(words);
  });
});
