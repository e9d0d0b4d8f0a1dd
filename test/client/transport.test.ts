import { type AddressInfo, createServer as createSocketServer, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import type { Message } from '../../src/client/message.ts';
import type { Observed } from '../../src/client/observe.ts';
import { connectTo } from '../../src/client/transport.ts';
import { textOfHeader } from '../../src/model/header-text.ts';
import { standIn } from '../support/stand-in.ts';

const message: Message = { method: 'GET', path: '/status', headers: [] };

test('a password reaches the service and nobody else', async () => {
  const service = await standIn((response) =>
    response.writeHead(200, { 'set-cookie': 'session=1', 'x-svc-query-id': 'q1' }).end('{}'),
  );
  const events: Observed[] = [];
  const send = connectTo(service.url.replace('//', '//admin:sesame@'), {
    observe: (event) => events.push(event),
  });
  await (await send(message)).text();
  expect(service.requests[0]?.headers.authorization).toBe('Basic YWRtaW46c2VzYW1l');
  expect(JSON.stringify(events)).not.toMatch(/sesame|YWRtaW46c2VzYW1l|session=1/);
  expect(events).toMatchObject([
    {
      kind: 'request',
      method: 'GET',
      url: `${service.url}/status`,
      attempt: 1,
      headers: { authorization: '<redacted>' },
    },
    {
      kind: 'reply',
      status: 200,
      statusText: 'OK',
      queryId: 'q1',
      headers: { 'set-cookie': '<redacted>' },
    },
  ]);
});

test('a wrong address is refused without its password', () => {
  expect(() => connectTo('ftp://admin:sesame@host')).toThrow(
    'The URL [ftp://host] is not the address of a service',
  );
  expect(() => connectTo('127.0.0.1:8888')).toThrow('is not the address of a service');
});

test('headers carry any text, but no second line', async () => {
  const service = await standIn((response) => response.end());
  const send = connectTo(service.url);
  await send({ ...message, headers: [['X-Svc-Comment', 'Größe: 5 €']] });
  expect(textOfHeader(String(service.requests[0]?.headers['x-svc-comment']))).toBe('Größe: 5 €');
  await expect(
    send({ ...message, headers: [['X-Svc-Comment', 'a\r\nX-Other: b']] }),
  ).rejects.toThrow('The request cannot be sent: invalid x-svc-comment header');
});

test('a path of the address stands before the paths of the API', async () => {
  const service = await standIn((response) => response.end());
  await connectTo(`${service.url}/behind/nginx/`)(message);
  expect(service.requests[0]?.path).toBe('/behind/nginx/status');
});

test('connections are used again', async () => {
  const service = await standIn((response) => response.end('{}'));
  let connections = 0;
  service.server.on('connection', () => connections++);
  const send = connectTo(service.url);
  for (let round = 0; round < 9; round++) await (await send(message)).text();
  expect(connections).toBeLessThan(3);
});

test('a service that does not answer in time is unreachable', async () => {
  const service = await standIn(() => {});
  await expect(connectTo(service.url, { timeoutMs: 300 })(message)).rejects.toMatchObject({
    kind: 'replyTimeout',
    message: `No answer from [${service.url}] within 0.3 s`,
  });
});

test('a service that falls silent within its reply is unreachable', async () => {
  const service = await standIn((response) => response.write('{'));
  const reply = await connectTo(service.url, { timeoutMs: 300 })(message);
  await expect(text(reply.stream)).rejects.toMatchObject({
    kind: 'replyTimeout',
    message: 'The service sent nothing for 0.3 s',
  });
});

test('a service whose reply is not whole in time is unreachable', async () => {
  const service = await standIn((response) => response.write('{'));
  const reply = await connectTo(service.url, { timeoutMs: 300 })(message);
  await expect(reply.text()).rejects.toMatchObject({
    kind: 'replyTimeout',
    message: 'The reply was not complete within 0.3 s',
  });
});

test.each([
  ['text', 'text' as const],
  ['stream', 'stream' as const],
])('a reply that stops in the middle is cut off, read as %s', async (_, way) => {
  const service = await standIn((response) => {
    response.writeHead(200, { 'content-length': '100' });
    response.write('{"a":', () => response.destroy());
  });
  const reply = await connectTo(service.url)(message);
  const reading = way === 'text' ? reply.text() : bytesIn(reply.stream);
  await expect(reading).rejects.toThrow('The service stopped in the middle of its reply');
});

test('compressed replies are read, and those cut off in the middle noticed', async () => {
  const packed = gzipSync('x'.repeat(100_000));
  const service = await standIn((response, _, count) =>
    response
      .writeHead(200, { 'content-encoding': 'gzip' })
      .end(count === 1 ? packed : packed.subarray(0, -12)),
  );
  const send = connectTo(service.url);
  expect(await (await send(message)).text()).toHaveLength(100_000);
  await expect((await send(message)).text()).rejects.toThrow(
    'The service stopped in the middle of its reply',
  );
});

test.each([
  ['gzip', 'The service declares its reply as [gzip], but it is not'],
  ['br', 'The service sent its reply in the encoding [br], which svcctl did not request'],
])('a reply that claims to be %s is not believed', async (encoding, problem) => {
  const service = await standIn((response) =>
    response.writeHead(200, { 'content-encoding': encoding }).end('{"a":1}'),
  );
  await expect((await connectTo(service.url)(message)).text()).rejects.toThrow(problem);
});

test('what is not HTTP is not taken for it', async () => {
  const url = await talking('SSH-2.0-OpenSSH_9.6\r\n');
  await expect(connectTo(url)(message)).rejects.toMatchObject({
    kind: 'protocol',
    message: `The reply from [${url}] is not HTTP`,
  });
});

test('a host without a name is not found', async () => {
  await expect(connectTo('http://nowhere.invalid')(message)).rejects.toMatchObject({ kind: 'dns' });
});

test('a reader that does not read holds the service back', async () => {
  let written = 0;
  const service = await standIn((response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const more = () => {
      while (written < 200e6 && response.write(chunk)) written += chunk.length;
      if (written < 200e6) response.once('drain', more);
      else response.end();
    };
    more();
  });
  const reply = await connectTo(service.url)(message);
  const chunks = reply.stream[Symbol.asyncIterator]();
  await chunks.next();
  await sleep(300);
  expect(written).toBeLessThan(50e6);
  await chunks.return?.();
});

test('leaving ends a call that waits for its connection', async () => {
  const silent = (await talking('')).replace('http:', 'https:'); // the handshake never ends
  const leaving = new AbortController();
  const calling = connectTo(silent, { signal: leaving.signal })(message);
  setTimeout(() => leaving.abort(), 100);
  await expect(calling).rejects.toThrow('Interrupted');
});

test('a connection that is not made in time is given up', async () => {
  const silent = (await talking('')).replace('http:', 'https:');
  await expect(connectTo(silent, { connectTimeoutMs: 200 })(message)).rejects.toMatchObject({
    kind: 'connectTimeout',
    message: `No connection to [${silent}] within 0.2 s`,
  });
});

test('leaving ends a call that waits for its reply, or reads it', async () => {
  const service = await standIn((response, { path }) => {
    if (path === '/status') response.write('{');
  });
  for (const path of ['/never', '/status']) {
    const leaving = new AbortController();
    const send = connectTo(service.url, { signal: leaving.signal });
    setTimeout(() => leaving.abort(), 100);
    await expect(send({ ...message, path }).then((reply) => bytesIn(reply.stream))).rejects.toThrow(
      'Interrupted',
    );
  }
});

test('after leaving, nothing is sent', async () => {
  const service = await standIn((response) => response.end());
  await expect(connectTo(service.url, { signal: AbortSignal.abort() })(message)).rejects.toThrow(
    'Interrupted',
  );
  expect(service.requests).toEqual([]);
});

async function bytesIn(stream: AsyncIterable<Uint8Array>): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return bytes;
}

async function talking(greeting: string): Promise<string> {
  const sockets: Socket[] = [];
  const server = createSocketServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {}).write(greeting);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
