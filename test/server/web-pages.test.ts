// Requests that a browser sends for a web page: DNS rebinding, form posts, scripts of other sites.
// Over sockets, because no client lies about Host.
import { connect } from 'node:net';
import { hostname, networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { startServer } from '../../src/server/server.ts';
import { startService } from '../support/service.ts';
import { admin, ask, startGuarded, withGuests } from '../support/users.ts';

/** Sends a request with exactly these headers, and returns its status and body. */
async function send(
  url: string,
  line: string,
  headers: readonly string[],
  body = '',
): Promise<{ status: number; text: string }> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setTimeout(20_000, () =>
    socket.destroy(new Error('No reply')),
  );
  const length = body === '' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  socket.write([line, ...headers, ...length, 'Connection: close', '', body].join('\r\n'));
  let heard = '';
  for await (const chunk of socket.setEncoding('utf8')) heard += chunk;
  const [head = '', rest = ''] = heard.split('\r\n\r\n');
  const isChunked = /^transfer-encoding: chunked/im.test(head);
  return {
    status: Number(heard.slice(9, 12)),
    text: isChunked ? (rest.split('\r\n')[1] ?? '') : rest,
  };
}

const health = 'GET /status/health HTTP/1.1';
const post = 'POST /svc/v2/sql HTTP/1.1';
const statusOf = async (url: string, ...headers: string[]) =>
  (await send(url, health, headers)).status;

test.each([
  'localhost',
  'localhost:8888',
  'LocalHost.:80',
  'console.localhost:3000',
  '127.0.0.1',
  '127.9.8.7:1',
  '127.1', // curl sends what it is told
  '[::1]:8888',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]:8888',
])('a service without users answers at [%s]', async (host) => {
  const { url } = await startService();
  expect(await send(url, health, [`Host: ${host}`])).toEqual({ status: 200, text: 'true' });
});

test.each([
  'evil.example',
  'evil.example:8888',
  'localhost.evil.example',
  'evillocalhost',
  'localhost@evil.example',
  'evil.example#localhost',
  '127.0.0.1.evil.example',
  '128.0.0.1',
  '0.0.0.0:8888',
  '[::2]',
  '[::ffff:10.0.0.1]',
  'localhost..',
  'a b',
  '%6cocalhost',
  ':8888',
  '[::1',
])('a service without users refuses Host [%s], and says why', async (host) => {
  const { url } = await startService();
  const { status, text } = await send(url, health, [`Host: ${host}`]);
  expect(status).toBe(403);
  expect(JSON.parse(text).error).toBe(
    `Host [${host}] is not an address of this service. Without users, the service answers only at its own addresses, to keep web pages out. Start it with --allow-host NAME to allow another name`,
  );
});

test('HTTP/1.0 needs no Host; two of them are not one', async () => {
  const { url } = await startService();
  expect((await send(url, 'GET /status/health HTTP/1.0', [])).status).toBe(200);
  expect((await send(url, 'GET /status/health HTTP/1.0', ['Host: evil.example'])).status).toBe(403);
  expect((await send(url, health, [])).status).toBe(400);
  for (const second of ['Host: evil.example', 'host: localhost'])
    expect(await send(url, health, ['Host: localhost', second])).toMatchObject({
      status: 400,
      text: '{"error":"The request has more than one Host header"}',
    });
});

test('a request target may be a whole URL, whose host counts, too', async () => {
  const { url } = await startService();
  const whole = (authority: string, host: string) =>
    send(url, `GET http://${authority}/status/health HTTP/1.1`, [`Host: ${host}`]);
  expect(await whole('localhost:8888', 'localhost:8888')).toEqual({ status: 200, text: 'true' });
  expect((await whole('evil.example', 'localhost')).status).toBe(403);
  expect((await whole('localhost', 'evil.example')).status).toBe(403);
  expect((await whole('evil.example@localhost', 'localhost')).status).toBe(403);
  expect((await send(url, 'GET http://localhost?a HTTP/1.1', ['Host: localhost'])).status).toBe(
    404,
  );
});

const page = [
  ['Origin: http://evil.example'],
  ['Origin: null'],
  ['Origin: https://localhost.evil.example'],
  ['Origin: http://localhost, http://evil.example'],
  ['Origin: http://localhost:1', 'Origin: http://evil.example'],
  ['Origin: chrome-extension://abcdefgh'],
  ['Origin: file://'],
  ['Sec-Fetch-Site: cross-site'],
  ['Sec-Fetch-Site: Cross-Site'],
  ['Sec-Fetch-Site: same-site'], // another port of this machine
  ['Sec-Fetch-Site: same-site', 'Origin: http://localhost:3000'],
  ['Sec-Fetch-Site: same-origin', 'Sec-Fetch-Site: cross-site'],
  ['Sec-Fetch-Site: same-origin', 'Origin: http://evil.example'],
  ['Sec-Fetch-Site: cross-site', 'Sec-Fetch-Mode: no-cors', 'Origin: http://evil.example'],
];

test.each(page)('a web page of another site is refused: %s %s', async (...headers) => {
  const { url } = await startService();
  for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
    const body = type === 'application/json' ? '{"query":"SELECT 1"}' : 'SELECT 1';
    const { status, text } = await send(
      url,
      post,
      ['Host: localhost', `Content-Type: ${type}`, ...headers],
      body,
    );
    expect([headers, status, JSON.parse(text).error]).toEqual([
      headers,
      403,
      expect.stringMatching(/[Ww]eb page.*--allow-origin ORIGIN/),
    ]);
  }
  const terminateAll = 'POST /svc/indexer/v1/supervisor/terminateAll HTTP/1.1';
  expect(
    (await send(url, terminateAll, ['Host: localhost', 'Content-Length: 0', ...headers])).status,
  ).toBe(403);
  expect(await statusOf(url, 'Host: localhost', ...headers)).toBe(403);
  expect(
    (await send(url, 'OPTIONS /svc/v2/sql HTTP/1.1', ['Host: localhost', ...headers])).status,
  ).toBe(403);
  const guarded = await startGuarded();
  const credentials = `Authorization: Basic ${Buffer.from(admin).toString('base64')}`;
  const withCredentials = await send(guarded.url, 'GET /status HTTP/1.1', [
    'Host: localhost',
    credentials,
    ...headers,
  ]);
  // A browser's own word that the page is the service's counts where credentials are asked for: a
  // proxy in front may change Host.
  expect(withCredentials.status).toBe(
    headers.join() === 'Sec-Fetch-Site: same-origin,Origin: http://evil.example' ? 200 : 403,
  );
});

test.each([
  ['Sec-Fetch-Site: none'],
  ['Sec-Fetch-Site: same-origin', 'Origin: http://localhost:8888'],
  ['Origin: http://LOCALHOST:8888'],
  ['Sec-Fetch-Site: same-origin', 'Origin: http://localhost:18081'], // the web console behind the proxy of its developers
  ['Origin: https://[::1]:8443'],
])(
  'the own pages, and those behind a proxy on this machine, are answered: %s %s',
  async (...headers) => {
    const { url } = await startService();
    expect(await statusOf(url, 'Host: localhost:8888', ...headers)).toBe(200);
  },
);

test('the operator allows further names and origins', async () => {
  const { url } = await startService({
    allowedHosts: ['analytics.example', '[2001:DB8::1]', '10.1.2.3'],
    allowedOrigins: ['https://Console.example:443/', 'null'],
  });
  for (const host of [
    'Analytics.Example:80',
    'analytics.example.',
    '[2001:db8:0::1]:8888',
    '10.1.2.3',
  ])
    expect([host, await statusOf(url, `Host: ${host}`)]).toEqual([host, 200]);
  expect(await statusOf(url, 'Host: analytics.example', 'Origin: https://analytics.example')).toBe(
    200,
  ); // its proxy ends TLS
  expect(
    await statusOf(url, 'Host: analytics.example', 'Origin: http://analytics.example:3000'),
  ).toBe(403);
  expect(await statusOf(url, 'Host: www.analytics.example')).toBe(403);
  for (const origin of ['https://console.example', 'null'])
    expect([
      origin,
      await statusOf(url, 'Host: localhost', `Origin: ${origin}`, 'Sec-Fetch-Site: cross-site'),
    ]).toEqual([origin, 200]);
  expect(await statusOf(url, 'Host: localhost', 'Origin: https://console.example:8443')).toBe(403);
  expect(await statusOf(url, 'Host: evil.example', 'Origin: https://console.example')).toBe(403);
});

test.each([
  [
    { allowedHosts: ['analytics.example:8888'] },
    'Host [analytics.example:8888] is not a name or an address without a port',
  ],
  [{ allowedHosts: ['http://analytics.example'] }, 'Host [http://analytics.example] is not a name'],
  [{ allowedHosts: [''] }, 'Host [] is not a name'],
  [{ allowedHosts: ['*** '] }, 'is not a name'],
  [
    { allowedOrigins: ['console.example'] },
    'Origin [console.example] is not the scheme, name and port of web pages',
  ],
  [
    { allowedOrigins: ['https://console.example/path'] },
    'Origin [https://console.example/path] is not the scheme',
  ],
  [{ allowedOrigins: ['*'] }, 'Origin [*] is not the scheme'],
])('malformed names stop the start: %o', async (settings, sentence) => {
  await expect(startServer({ port: 0, ...settings })).rejects.toThrow(sentence);
});

test('where all addresses are listened to, those of the machine are the own ones', async () => {
  const { url } = await startService({ host: '0.0.0.0', withoutUsers: true });
  const addresses = Object.values(networkInterfaces()).flatMap((all) => all ?? []);
  for (const { address, family } of addresses.filter(({ address }) => !address.startsWith('fe80')))
    expect([
      address,
      await statusOf(url, `Host: ${family === 'IPv6' ? `[${address}]` : address}:8888`),
    ]).toEqual([address, 200]);
  expect(await statusOf(url, `Host: ${hostname()}`)).toBe(200);
  expect(await statusOf(url, 'Host: 0.0.0.0:8888')).toBe(200); // what the service shows as its address
  expect(await statusOf(url, 'Host: 203.0.113.9')).toBe(403);
  expect(await statusOf(url, 'Host: evil.example')).toBe(403);
  const here = await startService();
  expect(await statusOf(here.url, 'Host: 203.0.113.9')).toBe(403);
});

test('with users any name is right for those who have credentials, and only the own ones for those who need none', async () => {
  const guarded = await startGuarded({
    properties: { 'svc.auth.unsecuredPaths': '["/status/selfDiscovered"]' },
  });
  const credentials = `Authorization: Basic ${Buffer.from(admin).toString('base64')}`;
  const status = async (url: string, path: string, ...headers: string[]) =>
    (await send(url, `GET ${path} HTTP/1.1`, headers)).status;
  expect(await status(guarded.url, '/status', 'Host: analytics.example', credentials)).toBe(200);
  expect(await status(guarded.url, '/status', 'Host: evil.example')).toBe(401);
  expect(await status(guarded.url, '/status/health', 'Host: balancer.example')).toBe(200); // which everybody may ask for
  expect(await status(guarded.url, '/status/selfDiscovered', 'Host: evil.example')).toBe(403);
  expect(await status(guarded.url, '/status/selfDiscovered', 'Host: localhost')).toBe(200);
  const guests = await startService({ properties: withGuests });
  expect(await status(guests.url, '/status', 'Host: evil.example')).toBe(403);
  expect(await status(guests.url, '/status', 'Host: evil.example', credentials)).toBe(200);
  expect(await status(guests.url, '/status', 'Host: localhost')).toBe(200);
});

test('all ports, and the control interface, refuse web pages', async () => {
  const service = await startService({ rolePorts: true, controlPort: 0 });
  const control = service.controlUrl ?? '';
  for (const url of [...service.urls.values()])
    for (const header of ['Host: evil.example', 'Host: localhost\r\nOrigin: http://evil.example'])
      expect([url, header, (await send(url, 'GET /status HTTP/1.1', [header])).status]).toEqual([
        url,
        header,
        403,
      ]);
  const clock = (...headers: string[]) =>
    send(control, 'POST /clock/advance HTTP/1.1', headers, '{"by":"P1D"}');
  for (const headers of [
    ['Host: evil.example'],
    ['Host: localhost', 'Origin: http://evil.example'],
    ['Host: localhost', 'Origin: http://localhost:3000'],
    ['Host: localhost', 'Origin: null'],
    ['Host: localhost', 'Sec-Fetch-Site: cross-site'],
    ['Host: localhost', 'Sec-Fetch-Site: same-site'],
  ])
    expect([headers, (await clock(...headers)).status]).toEqual([headers, 403]);
  expect((await clock('Host: localhost')).status).not.toBe(403);
  expect((await ask(service, undefined, 'GET /status')).status).toBe(200);
  const allowed = await startService({ controlPort: 0, allowedOrigins: ['http://localhost:3000'] });
  const snapshots = await send(allowed.controlUrl ?? '', 'GET /snapshots HTTP/1.1', [
    'Host: localhost',
    'Origin: http://localhost:3000',
  ]);
  expect(snapshots.status).toBe(200);
});
