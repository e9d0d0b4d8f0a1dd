// `profiles test`: what stands between a profile and its service, each against something that
// really behaves so.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { certificate, identity, pem } from '../support/certificates.ts';
import { runCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { freePort, standIn } from '../support/stand-in.ts';

interface Found {
  readonly check: string;
  readonly state: string;
  readonly says: string;
  readonly remedy?: string;
}

/** Tests the only profile, [it]; the last finding is the one that matters. */
async function tested(
  profile: object,
  env: Record<string, string> = {},
  line = 'profiles test -o json',
) {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-tested-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'svcctl'), { mode: 0o700 });
  const config = {
    current: 'it',
    profiles: { it: { service: 'svc', connectTimeout: 2, timeout: 2, ...profile } },
  };
  writeFileSync(join(folder, 'svcctl', 'config.json'), JSON.stringify(config), { mode: 0o600 });
  const { stdout, stderr, code } = await runCli({ url: '' }, line, {
    env: { XDG_CONFIG_HOME: folder, ...env },
  });
  const findings: Found[] = stdout === '' ? [] : JSON.parse(stdout);
  return { findings, last: findings.at(-1), code, stderr };
}

async function tcp(listen: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => listen(socket.on('error', () => {})));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const aService = (
  name: string,
  paths: Record<string, unknown> = {},
  tls?: Parameters<typeof standIn>[1],
) =>
  standIn((response, { path }) => {
    const answers: Record<string, unknown> = {
      '/status': { version: '30.0.0' },
      '/status/selfDiscovered/status': { selfDiscovered: true },
    };
    for (const [tail, body] of Object.entries(paths)) answers[`/${name}${tail}`] = body;
    if (path in answers) response.end(JSON.stringify(answers[path]));
    else response.writeHead(404).end();
  }, tls);

const router = {
  '/router/v1/brokers': { 'x/broker': ['b:8082'] },
  '/coordinator/v1/isLeader': { leader: true },
};

test('all is well: each step says so, on a terminal in sentences', async () => {
  const { url } = await aService('svc', router);
  const { findings, code } = await tested({ url });
  expect({ code, checks: findings.map(({ check, state }) => [check, state]) }).toEqual({
    code: 0,
    checks: ['connection', 'status', 'service name', 'role'].map((check) => [check, 'ok']),
  });
  const { stdout } = await runCli({ url }, 'profiles test', { tty: true, cols: 80 });
  expect(stdout).toMatch(/role +This is a Router, which forwards to all other servers\./);
});

test('a host that nobody knows, a port at which nobody listens, a silence', async () => {
  expect(await tested({ url: 'http://no-such-host.invalid:8888' })).toMatchObject({
    code: 6,
    last: {
      check: 'host name',
      state: 'critical',
      remedy: 'svcctl profiles set it url=http://HOST:8888',
    },
  });
  const url = `http://127.0.0.1:${await freePort()}`;
  expect(await tested({ url })).toMatchObject({
    code: 6,
    stderr: '',
    last: {
      check: 'connection',
      says: expect.stringMatching(`^No service listens at \\[${url}\\]`),
      remedy: expect.stringContaining('url=http://127.0.0.1:PORT'),
    },
  });
  const silent = await standIn(() => {});
  expect(await tested({ url: silent.url, timeout: 0.3 })).toMatchObject({
    code: 6,
    last: {
      check: 'answer',
      says: expect.stringContaining('No answer from'),
      remedy: 'svcctl profiles set it timeout=1',
    },
  });
});

test('a certificate that nobody signed, that is old, that is for another host', async () => {
  const selfSigned = await aService('svc', router, identity('self-signed'));
  expect(await tested({ url: selfSigned.url })).toMatchObject({
    code: 6,
    last: {
      check: 'certificate',
      says: expect.stringMatching(/is self-signed\. It is for \[.*valid until \d{4}-/),
      remedy: 'svcctl profiles set it cacert=FILE',
    },
  });
  const expired = await aService('svc', router, identity('expired'));
  expect(await tested({ url: expired.url, cacert: certificate('expired.pem') })).toMatchObject({
    code: 6,
    last: {
      check: 'certificate',
      says: expect.stringMatching(/has expired\..* valid until 2021-01-01\.$/),
    },
  });
  const other = await aService('svc', router, identity('other-host'));
  expect(await tested({ url: other.url, cacert: certificate('other-host.pem') })).toMatchObject({
    code: 6,
    last: {
      check: 'certificate',
      says: expect.stringContaining('It is for [other.test]'),
      remedy: `svcctl profiles set it url=https://other.test:${other.port}`,
    },
  });
});

test('TLS material in the profile: believed, shown, and warned about when nothing is checked', async () => {
  const secured = await aService('svc', router, identity('server'));
  const { findings, code } = await tested({
    url: secured.url,
    cacert: certificate('authority.pem'),
  });
  expect({ code, certificate: findings[1] }).toMatchObject({
    code: 0,
    certificate: {
      state: 'ok',
      says: expect.stringContaining('signed by [svcctl test authority]'),
    },
  });
  const insecure = await tested({ url: secured.url, insecure: true });
  expect({ code: insecure.code, certificate: insecure.findings[1] }).toMatchObject({
    code: 0,
    certificate: { state: 'warning', remedy: 'svcctl profiles set it insecure=false' },
  });
  const wantsOurs = await aService('svc', router, {
    ...identity('server'),
    requestCert: true,
    rejectUnauthorized: true,
    ca: pem('authority.pem'),
  });
  const profile = { url: wantsOurs.url, cacert: certificate('authority.pem') };
  expect(await tested(profile)).toMatchObject({
    code: 6,
    last: {
      check: 'client certificate',
      says: expect.stringContaining('may require a client certificate'),
      remedy: 'svcctl profiles set it cert=FILE key=FILE',
    },
  });
  expect(
    await tested({
      ...profile,
      cert: certificate('client.pem'),
      key: certificate('client.key.pem'),
    }),
  ).toMatchObject({ code: 0 });
});

test('https where http is spoken, and the other way round; the password does not go out in clear text', async () => {
  const plain = await aService('svc', router);
  const asTls = plain.url.replace('http:', 'https:');
  expect(
    await tested({ url: asTls, user: 'me', password: 'secret', passwordIn: 'file' }),
  ).toMatchObject({
    code: 6,
    last: { check: 'tls', remedy: `svcctl profiles set it url=${plain.url}` },
  });
  expect(plain.requests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  const secured = await aService('svc', router, identity('server'));
  expect(await tested({ url: secured.url.replace('https:', 'http:') })).toMatchObject({
    code: 6,
    last: { check: 'tls', remedy: `svcctl profiles set it url=${secured.url}` },
  });
});

test('a proxy that is away, that wants a login, that finds no way', async () => {
  const away = `127.0.0.1:${await freePort()}`;
  expect(await tested({ url: 'http://service.test:8888' }, { http_proxy: away })).toMatchObject({
    code: 6,
    last: {
      check: 'proxy',
      says: `The proxy [${away}] refused the connection.`,
      remedy: 'export no_proxy=service.test',
    },
  });
  for (const [status, says, remedy] of [
    [407, 'refused the connection to [http://service.test:8888] with 407', 'NAME:PASSWORD@'],
    [502, '502', 'export no_proxy=service.test'],
  ] as const) {
    const proxy = await standIn((response) => response.writeHead(status).end());
    expect(
      await tested({ url: 'http://service.test:8888' }, { http_proxy: proxy.url }),
    ).toMatchObject({
      code: 6,
      last: {
        check: 'proxy',
        says: expect.stringContaining(says),
        remedy: expect.stringContaining(remedy),
      },
    });
  }
});

test('one who is not known, or not allowed, is told how to come in', async () => {
  const strict = await standIn((response, { headers }) => {
    if (headers.authorization === undefined)
      response.writeHead(401, { 'www-authenticate': 'Negotiate' }).end();
    else
      response
        .writeHead(headers.authorization.includes('b3BlbjpzZXNhbWU=') ? 403 : 401)
        .end('{"error":"no"}');
  });
  expect(await tested({ url: strict.url })).toMatchObject({
    code: 4,
    last: {
      check: 'login',
      says: expect.stringMatching(/none is set\. It requires \[Negotiate\]/),
      remedy: 'svcctl login --profile it --user USER',
    },
  });
  const known = { url: strict.url, user: 'open', password: 'sesame', passwordIn: 'file' };
  expect(await tested({ ...known, password: 'wrong' })).toMatchObject({
    code: 4,
    last: {
      says: 'The service rejected user [open] with the password from the profile file (401).',
      remedy: 'svcctl login --profile it --user open',
    },
  });
  expect(await tested(known)).toMatchObject({
    code: 4,
    last: { says: expect.stringContaining('lacks the permission to read its state (403)') },
  });
});

test('a password is found where the profile, a file, a command or the environment has it, and it is said where', async () => {
  const { url } = await aService('svc', router);
  const login = async (profile: object, env?: Record<string, string>) => {
    const { findings } = await tested({ url, user: 'me', ...profile }, env);
    return findings.find(({ check }) => check === 'login')?.says;
  };
  expect(await login({ password: 'x', passwordIn: 'file' })).toBe(
    'User [me] is known; the password comes from the profile file.',
  );
  expect(await login({ passwordCommand: 'echo x' })).toBe(
    'User [me] is known; the password comes from the command [echo x].',
  );
  expect(await login({ password: 'x', passwordIn: 'file' }, { SVCCTL_PASSWORD: 'y' })).toContain(
    'from the variable SVCCTL_PASSWORD.',
  );
});

test('another name than the profile says is found out, and the command that sets it', async () => {
  const olap = await standIn((response, { path }) => {
    const answers: Record<string, object> = {
      '/status': { version: '1' },
      '/status/properties': { 'olap.host': 'x' },
      '/olap/router/v1/brokers': {},
      '/olap/coordinator/v1/isLeader': { leader: true },
      '/olap/broker/v1/loadstatus': { inventoryInitialized: true },
    };
    response.writeHead(path in answers ? 200 : 404).end(JSON.stringify(answers[path]));
  });
  const { findings, code } = await tested({ url: olap.url });
  expect({ code, named: findings.find(({ check }) => check === 'service name') }).toMatchObject({
    code: 1,
    named: {
      state: 'critical',
      says: 'The service does not answer below /svc: the service calls itself [olap].',
      remedy: 'svcctl profiles set it service=olap',
    },
  });
  const nameless = await aService('other', router);
  expect(await tested({ url: nameless.url })).toMatchObject({
    code: 1,
    last: { check: 'service name', remedy: 'svcctl profiles set it service=NAME' },
  });
});

test('a port of another role is told by name, and where the Router is', async () => {
  const service = await startService({ rolePorts: true });
  const expected = {
    coordinator: 'a Coordinator and an Overlord',
    broker: 'a Broker',
    historical: 'a Historical',
    middleManager: 'a MiddleManager',
  };
  for (const [role, url] of service.urls) {
    const name = Reflect.get(expected, role) ?? expected.coordinator;
    const { last, code } = await tested({ url });
    expect({ role, code, last }).toMatchObject({
      code: 1,
      last: {
        check: 'role',
        says: `This is ${name}, which answers only its own endpoints. Use the Router instead: it is at [${service.url}].`,
        remedy: `svcctl profiles set it url=${service.url}`,
      },
    });
  }
  expect(await tested({ url: service.url })).toMatchObject({
    code: 0,
    last: { check: 'role', state: 'ok' },
  });
  const proxyless = await aService('svc', { '/router/v1/brokers': { 'x/broker': ['b:8082'] } });
  expect(await tested({ url: proxyless.url })).toMatchObject({
    last: {
      state: 'warning',
      remedy: expect.stringContaining('svc.router.managementProxy.enabled=true'),
    },
  });
});

test('another program is named as far as it says its name', async () => {
  const page = await standIn((response) =>
    response
      .writeHead(200, { server: 'nginx/1.25', 'content-type': 'text/html' })
      .end('<html><title>Welcome</title></html>'),
  );
  expect(await tested({ url: page.url })).toMatchObject({
    code: 1,
    last: {
      check: 'status',
      says: expect.stringMatching(
        /Another program answers at .* \(nginx\/1\.25\): \/status says 200 OK, a web page: Welcome/,
      ),
    },
  });
  const other = await standIn((response) => response.end('{"tagline":"You know, for search"}'));
  expect(await tested({ url: other.url })).toMatchObject({
    code: 1,
    last: { says: expect.stringContaining('You know, for search') },
  });
  const mail = await tcp((socket) => socket.end('220 mail.test ESMTP\r\n'));
  expect(await tested({ url: mail })).toMatchObject({
    code: 6,
    last: {
      check: 'protocol',
      says: expect.stringContaining('The program at this port is not a web server.'),
    },
  });
  expect((await tested({ url: 'ftp://x' })).code).toBe(2);
});

test('a profile that is named is tested as it is; a variable that comes before it is named', async () => {
  const { url } = await aService('svc', router);
  const [here, nowhere] = [url, `http://127.0.0.1:${await freePort()}`];
  const named = await tested({ url: here }, { SVCCTL_URL: nowhere }, 'profiles test it -o json');
  expect(named.findings[0]).toEqual({
    check: 'environment',
    state: 'note',
    says: 'SVCCTL_URL is set: other commands use it instead of the setting of profile [it].',
    remedy: 'unset SVCCTL_URL',
  });
  expect(named).toMatchObject({ code: 0, last: { check: 'role', state: 'ok' } });
  const inUse = await tested({ url: nowhere }, { SVCCTL_URL: here });
  expect(inUse.findings[0]?.says).toBe(
    'SVCCTL_URL is set and is tested instead of the setting of profile [it].',
  );
  expect(inUse.code).toBe(0);
  expect(
    (
      await tested(
        { url: here },
        { SVCCTL_URL: nowhere },
        `profiles test it -o json --url ${nowhere}`,
      )
    ).code,
  ).toBe(6);
});
