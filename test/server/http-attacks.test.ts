// Requests whose end two readers could see at different places, methods that no endpoint has, and
// connections without end: over sockets.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../support/service.ts';

/** Sends bytes and reads until the service closes the connection. */
async function talk(url: string, bytes: string | Buffer): Promise<string> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setTimeout(30_000, () =>
    socket.destroy(new Error('It stayed open')),
  );
  socket.on('error', () => {}).write(bytes);
  let heard = '';
  for await (const chunk of socket.setEncoding('latin1')) heard += chunk;
  return heard;
}

const post = (headers: readonly string[], body: string) =>
  [
    'POST /svc/v2/sql HTTP/1.1',
    'Host: localhost',
    'Content-Type: text/plain',
    ...headers,
    '',
    body,
  ].join('\r\n');
const hidden = 'GET /status/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';

test.each([
  [
    'both a length and chunks',
    post(['Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${hidden}`),
  ],
  [
    'chunks and a length',
    post(['Transfer-Encoding: chunked', 'Content-Length: 4'], `0\r\n\r\n${hidden}`),
  ],
  ['two lengths', post(['Content-Length: 0', 'Content-Length: 8'], hidden)],
  ['a list of lengths', post(['Content-Length: 0, 8'], hidden)],
  ['a length with a sign', post(['Content-Length: +0'], hidden)],
  ['a negative length', post(['Content-Length: -1'], hidden)],
  ['a length in hexadecimal', post(['Content-Length: 0x8'], hidden)],
  ['a length beyond 64 bits', post(['Content-Length: 99999999999999999999999'], hidden)],
  ['a coding that is none', post(['Transfer-Encoding: xchunked'], `0\r\n\r\n${hidden}`)],
  [
    'chunked, but not as the last coding',
    post(['Transfer-Encoding: chunked, identity'], `0\r\n\r\n${hidden}`),
  ],
  ['a blank before the colon', post(['Transfer-Encoding : chunked'], `0\r\n\r\n${hidden}`)],
  ['a folded header', post(['X: a', ' Transfer-Encoding: chunked'], hidden)],
  [
    'a bare line feed in a header',
    post(['X: a\nTransfer-Encoding: chunked'], `0\r\n\r\n${hidden}`),
  ],
  ['a bare carriage return in a header', post(['X: a\rContent-Length: 1'], hidden)],
  ['a NUL in a header', post(['X: a\0b'], hidden)],
  ['a chunk size that is none', post(['Transfer-Encoding: chunked'], `zz\r\n\r\n${hidden}`)],
  [
    'a chunk longer than its size',
    post(['Transfer-Encoding: chunked'], `1\r\nSELECT 1\r\n0\r\n\r\n${hidden}`),
  ],
  [
    'a chunk size beyond 64 bits',
    post(['Transfer-Encoding: chunked'], `ffffffffffffffffff\r\nS\r\n0\r\n\r\n${hidden}`),
  ],
  [
    'a chunk that ends in a line feed alone',
    post(['Transfer-Encoding: chunked'], `8\nSELECT 1\n0\n\n${hidden}`),
  ],
  ['HTTP/2 without a warning', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['another version', 'GET /status/health HTTP/1.2\r\nHost: localhost\r\n\r\n'],
  ['a blank in the path', 'GET /status /health HTTP/1.1\r\nHost: localhost\r\n\r\n'],
])('%s: one refusal, and nothing of what follows is answered', async (_, bytes) => {
  const { url } = await startService();
  const heard = await talk(url, bytes);
  const statuses = [...heard.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map(([, status]) => Number(status));
  expect(statuses.every((status) => status >= 400 && status < 500)).toBe(true);
  expect(statuses.length).toBeLessThanOrEqual(1);
  expect(heard).not.toContain('\r\n\r\ntrue');
  expect((await fetch(`${url}/status/health`)).status).toBe(200);
});

test.each([
  ['OPTIONS', '/svc/v2/sql', 405],
  ['OPTIONS', '*', 404],
  ['TRACE', '/status/health', 405],
  ['PUT', '/status/health', 405],
  ['PATCH', '/svc/coordinator/v1/rules/w', 405],
  ['PROPFIND', '/status', 405],
])('%s %s is not answered', async (method, path, status) => {
  const { url } = await startService();
  const heard = await talk(
    url,
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nX-Secret: echo\r\nConnection: close\r\n\r\n`,
  );
  expect(heard.slice(9, 12)).toBe(String(status));
  expect(heard).not.toContain('echo');
});

test('CONNECT and Upgrade make no tunnel', async () => {
  const { url } = await startService();
  expect(await talk(url, 'CONNECT localhost:22 HTTP/1.1\r\nHost: localhost:22\r\n\r\n')).toBe('');
  const heard = await talk(
    url,
    'GET /status/health HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n',
  );
  expect(heard.slice(9, 12)).toBe('200');
});

test('a small packed body that unpacks to hundreds of megabytes is refused while it is unpacked', async () => {
  const { url } = await startService();
  const bomb = gzipSync(Buffer.alloc(300 * 1024 * 1024, ' '));
  const before = process.memoryUsage.rss();
  for (const path of ['/svc/v2/sql', '/svc/indexer/v1/task']) {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect([
      path,
      (await fetch(url + path, { method: 'POST', headers, body: bomb })).status,
    ]).toEqual([path, 413]);
  }
  expect(process.memoryUsage.rss() - before).toBeLessThan(150 * 1024 * 1024);
});

test('connections that say nothing, or little, are closed, and others are answered meanwhile', async () => {
  const { url } = await startService({ limits: { headersMs: 1000 } });
  const port = Number(new URL(url).port);
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
  const closed = Array.from({ length: 500 }, async (_, at) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
    if (at % 2 === 0) socket.write('GET /status/health HTTP/1.1\r\nHost: localhost\r\nX: ');
    socket.resume();
    await once(socket, 'close');
  });
  expect(await (await fetch(`${url}/status/health`)).text()).toBe('true');
  await Promise.all(closed);
});

test('hundreds of requests at once on one connection are answered in their order', async () => {
  const { url } = await startService();
  const one = 'GET /status/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
  const heard = await talk(url, one.repeat(999) + hidden);
  expect(heard.match(/^HTTP\/1\.1 200/gm)?.length).toBe(1000);
});

test('who sends thousands of requests at once lets others have their turn, and has all replies in order', async () => {
  const { url } = await startService();
  const paths = Array.from({ length: 3000 }, (_, at) =>
    at % 2 === 0 ? '/status/health' : '/status/properties/none',
  );
  const lines = paths.map((path) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`).join('');
  let isOver = false;
  const all = talk(url, lines.replace(/\r\n\r\n$/, '\r\nConnection: close\r\n\r\n')).finally(() => {
    isOver = true;
  });
  let served = 0;
  while (!isOver) {
    await fetch(`${url}/status/health`);
    served++;
  }
  const statuses = [...(await all).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status);
  expect(statuses).toEqual(paths.map((path) => (path === '/status/health' ? '200' : '404')));
  expect(served).toBeGreaterThan(20);
});
