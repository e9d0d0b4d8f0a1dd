import { createServer, request as forward } from 'node:http';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import type { Message } from '../../src/client/message.ts';
import { proxyIn } from '../../src/client/proxy.ts';
import { connectTo } from '../../src/client/transport.ts';
import { certificate, identity } from '../support/certificates.ts';
import { freePort, listening, standIn } from '../support/stand-in.ts';

const message: Message = {
  method: 'POST',
  path: '/status?x=1',
  headers: [['x-svc-author', 'me']],
  body: '{"a":1}',
};

// Knows one more host than the machine does: service.test is this machine.
async function proxyServer(login?: string) {
  const seen: string[] = [];
  const isKnown = (header: string | undefined) =>
    login === undefined || header === `Basic ${Buffer.from(login).toString('base64')}`;
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    if (!isKnown(request.headers['proxy-authorization'])) return response.writeHead(407).end();
    const { port, pathname, search } = new URL(request.url ?? '');
    const { method, headers } = request;
    const onward = forward({ port, path: pathname + search, method, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    request.pipe(onward.on('error', () => response.writeHead(502).end()));
    return;
  });
  server.on('connect', (request, socket, head) => {
    seen.push(`CONNECT ${request.url}`);
    if (!isKnown(request.headers['proxy-authorization']))
      return socket.end('HTTP/1.1 407 Who are you\r\n\r\n');
    const onward = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    socket.on('error', () => onward.destroy());
    return onward.on('error', () => socket.destroy());
  });
  return { port: await listening(server), seen };
}

test('what is not encrypted goes through the proxy of HTTP_PROXY', async () => {
  const service = await standIn((response) => response.end('{}'));
  const proxy = await proxyServer();
  const url = `http://service.test:${service.port}`;
  const reply = await connectTo(url, { env: { HTTP_PROXY: `http://127.0.0.1:${proxy.port}` } })(
    message,
  );
  expect([reply.status, await reply.text()]).toEqual([200, '{}']);
  expect(proxy.seen).toEqual([`POST ${url}/status?x=1`]);
  expect(service.requests).toMatchObject([
    {
      method: 'POST',
      path: '/status?x=1',
      body: '{"a":1}',
      headers: { host: `service.test:${service.port}`, 'x-svc-author': 'me' },
    },
  ]);
});

test('https goes through a tunnel of HTTPS_PROXY, and the certificate is the service’s own', async () => {
  const service = await standIn((response) => response.end('{}'), identity('server'));
  const proxy = await proxyServer();
  const env = { https_proxy: `http://127.0.0.1:${proxy.port}` };
  const url = `https://service.test:${service.port}`;
  const reply = await connectTo(url, { env, tls: { caFile: certificate('authority.pem') } })(
    message,
  );
  expect(await reply.text()).toBe('{}');
  expect(proxy.seen).toEqual([`CONNECT service.test:${service.port}`]);
  await expect(connectTo(url, { env })(message)).rejects.toMatchObject({ kind: 'tls' });
});

test('a proxy is told its own password, and neither it nor the service the other’s', async () => {
  const service = await standIn((response) => response.end('{}'));
  const proxy = await proxyServer('me:open');
  const url = `http://service.test:${service.port}`;
  const env = { http_proxy: `http://me:open@127.0.0.1:${proxy.port}` };
  const reply = await connectTo(url, { env, credentials: { user: 'admin', password: 'sesame' } })(
    message,
  );
  expect(reply.status).toBe(200);
  expect(service.requests[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from('admin:sesame').toString('base64')}`,
  );
});

test.each(['http', 'https'])('a proxy that wants a password says so (%s)', async (scheme) => {
  const proxy = await proxyServer('me:open');
  const address = `http://me:wrong@127.0.0.1:${proxy.port}`;
  const sending = connectTo(`${scheme}://service.test:1`, {
    env: { http_proxy: address, https_proxy: address },
  })(message);
  await expect(sending).rejects.toMatchObject({
    kind: 'proxy',
    message: `The proxy [127.0.0.1:${proxy.port}] refused the connection to [${scheme}://service.test:1] with 407`,
    hint: expect.stringContaining('password'),
  });
});

test('a proxy that is not there is named, not the service', async () => {
  const port = await freePort();
  const sending = connectTo('http://service.test', {
    env: { http_proxy: `http://127.0.0.1:${port}` },
  })(message);
  await expect(sending).rejects.toMatchObject({
    kind: 'proxy',
    message: `The proxy [127.0.0.1:${port}] refused the connection`,
  });
});

test.each([
  ['*', 'http://service.test', false],
  ['service.test', 'http://service.test', false],
  ['.test', 'http://service.test', false],
  ['*.test', 'http://a.service.test', false],
  ['est', 'http://service.test', true],
  ['other, service.test:8888', 'http://service.test:8888', false],
  ['service.test:8888', 'http://service.test:8081', true],
  ['service.test:80', 'http://service.test', false],
  ['::1', 'http://[::1]:8888', false],
  ['[::1]:8888', 'http://[::1]:8888', false],
  ['', 'http://service.test', true],
  ['*', 'https://service.test', false],
])('NO_PROXY=%s and %s', (exceptions, url, isProxied) => {
  const env = { http_proxy: 'proxy:3128', HTTPS_PROXY: 'http://proxy', NO_PROXY: exceptions };
  expect(proxyIn(env, new URL(url)) !== undefined).toBe(isProxied);
});
