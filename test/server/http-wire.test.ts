// The front of the service against callers that are slow, broken, huge or rude: over sockets, byte
// for byte.
import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { areas } from '../../src/contract/index.ts';
import { Admission } from '../../src/server/engine/admission.ts';
import { JsonPieces } from '../../src/server/handlers/json-pieces.ts';
import type { SomeHandlers } from '../../src/server/handlers/routes.ts';
import { openDoor } from '../../src/server/http/guard.ts';
import { defaultLimits, type Limits } from '../../src/server/http/limits.ts';
import { listen } from '../../src/server/http/listener.ts';
import { createRouter, withProxy } from '../../src/server/http/router.ts';
import { createWebCheck } from '../../src/server/http/web-check.ts';
import { expectInternalErrors } from '../support/no-internal-errors.ts';
import { startService } from '../support/service.ts';

const health: SomeHandlers = { status: { health: () => true } };

// Without a handler a path does not exist.
const inert: SomeHandlers = Object.fromEntries(
  Object.entries(areas).map(([area, endpoints]) => [
    area,
    Object.fromEntries(Object.keys(endpoints).map((name) => [name, () => undefined])),
  ]),
);

async function opened(
  handlers: SomeHandlers,
  limits: Partial<Limits> = {},
  role: 'broker' | 'router' = 'router',
) {
  const router = createRouter('svc', { ...inert, ...handlers }, () => true);
  const listener = await listen(withProxy('svc', router, router), {
    ...defaultLimits,
    guard: openDoor,
    web: createWebCheck({ host: '127.0.0.1', allowedHosts: [], allowedOrigins: [] }),
    largeBodies: new Admission(1, Number.POSITIVE_INFINITY),
    ...limits,
    service: 'svc',
    host: '127.0.0.1',
    port: 0,
    role,
  });
  onTestFinished(() => listener.close());
  return listener;
}

/** Sends bytes and reads until the other side closes, a minute at most. */
async function talk(port: number, bytes: string | Buffer, { end = false } = {}): Promise<string> {
  const socket = connect(port, '127.0.0.1').setTimeout(60_000, () =>
    socket.destroy(new Error('The connection stayed open')),
  );
  socket.write(bytes);
  if (end) socket.end();
  let heard = '';
  for await (const chunk of socket.setEncoding('latin1')) heard += chunk;
  return heard;
}

const get = (path: string, ...headers: string[]) =>
  [`GET ${path} HTTP/1.1`, 'Host: localhost', ...headers, 'Connection: close', '', ''].join('\r\n');
const statusOf = (reply: string) => Number(reply.slice(9, 12));
const bodyOf = (reply: string) => reply.slice(reply.indexOf('\r\n\r\n') + 4);

test.each([
  ['no HTTP at all', 'hello\r\n\r\n', 400, 'The request cannot be read as HTTP/1.1'],
  ['headers of 100 kB', get('/status/health', `X: ${'x'.repeat(100_000)}`), 431, ''], // in several pieces: it might have been a HEAD
  [
    'a path of 10,000 characters',
    get(`/svc/coordinator/v1/datasources/${'x'.repeat(10_000)}`),
    400,
    'Limit [pathNameLength] exceeded',
  ],
  [
    'a NUL in the path',
    get('/svc/coordinator/v1/datasources/a%00b'),
    400,
    'The path is not percent-encoded UTF-8 text',
  ],
  [
    'an invalid percent-encoding',
    get('/svc/coordinator/v1/datasources/a%zz'),
    400,
    'The path is not percent-encoded UTF-8 text',
  ],
  [
    'bytes that are no UTF-8',
    get('/svc/coordinator/v1/datasources/%ff%fe'),
    400,
    'The path is not percent-encoded UTF-8 text',
  ],
  ['dots in the path', get('/svc/../../etc/passwd'), 404, 'does not exist on this port'],
  [
    'encoded dots in an id',
    get('/svc/indexer/v1/task/..%2F..%2Fmetadata.sqlite/log'),
    404,
    'Cannot find any task with id',
  ],
  ['an encoded slash in a name', get('/svc/coordinator/v1/rules/a%2Fb'), 200, '[]'],
  ['a double slash', get('//status'), 404, 'does not exist on this port'],
  [
    'an unknown method',
    get('/status').replace('GET', 'BREW'),
    400,
    'The request cannot be read as HTTP/1.1',
  ],
  [
    'a length that is none',
    'POST /svc/v2/sql HTTP/1.1\r\nHost: localhost\r\nContent-Length: many\r\n\r\n',
    400,
    'cannot be read as HTTP/1.1',
  ],
  [
    'two lengths that disagree',
    'POST /svc/v2/sql HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    400,
    'HTTP/1.1',
  ],
])('%s', async (_, bytes, status, words) => {
  const { url } = await startService();
  const reply = await talk(Number(new URL(url).port), bytes);
  expect(statusOf(reply)).toBe(status);
  expect(bodyOf(reply)).toContain(words);
  expect(reply).not.toContain('.ts:'); // no stack
  expect((await fetch(`${url}/status/health`)).status).toBe(200);
});

test.each(['identity', 'gzip'])(
  'large bodies take turns, and small ones pass them: content-encoding %s',
  async (encoding) => {
    const begun: string[] = [];
    const replies: (() => void)[] = [];
    const submit = ({ body }: { readonly body: Readonly<Record<string, unknown>> }) => {
      begun.push(String(body.id));
      return new Promise<{ task: string }>((resolve) =>
        replies.push(() => resolve({ task: String(body.id) })),
      );
    };
    const { url } = await opened({ tasks: { submit } });
    const send = async (id: string, length: number) => {
      const text = JSON.stringify({ type: 'noop', id, padding: 'x'.repeat(length) });
      const body = encoding === 'gzip' ? gzipSync(text) : text;
      const headers = {
        'content-type': 'application/json',
        ...(encoding === 'gzip' && { 'content-encoding': encoding }),
      };
      const reply = await fetch(`${url}/svc/indexer/v1/task`, { method: 'POST', headers, body });
      return reply.json();
    };
    const large = [send('first', 1_100_000), send('second', 1_100_000)];
    await vi.waitFor(() => expect(begun).toHaveLength(1));
    const small = send('small', 10);
    await vi.waitFor(() => expect(begun).toContain('small'));
    expect(begun).toHaveLength(2);
    for (const reply of replies.splice(0)) reply();
    await vi.waitFor(() => expect(begun).toHaveLength(3));
    for (const reply of replies) reply();
    expect(await Promise.all([...large, small])).toEqual([
      { task: 'first' },
      { task: 'second' },
      { task: 'small' },
    ]);
  },
);

test('HEAD is answered nowhere, and a wrong method hears which ones are right', async () => {
  const { port } = await opened(health);
  const head = await talk(port, get('/status/health').replace('GET', 'HEAD'));
  expect([statusOf(head), bodyOf(head)]).toEqual([405, '']);
  const wrong = await talk(port, get('/svc/indexer/v1/task/a/status').replace('GET', 'DELETE'));
  expect(statusOf(wrong)).toBe(405);
  expect(wrong).toMatch(/^allow: GET\r$/im);
  expect(statusOf(await talk(port, get('/svc/v2/nothing')))).toBe(405);
  expect(statusOf(await talk(port, get('/svc/v2/nothing').replace('GET', 'POST')))).toBe(400);
  expect(statusOf(await talk(port, get('/svc/v2/sql/nothing').replace('GET', 'POST')))).toBe(405);
});

test('a HEAD with headers of 100 kB is refused without a body, which its reader would take for something else', async () => {
  const { port } = await opened(health);
  const reply = await talk(
    port,
    get('/status/health', `X: ${'x'.repeat(100_000)}`).replace('GET', 'HEAD'),
  );
  expect(statusOf(reply)).toBe(431);
  expect(reply).toContain('Content-Length: 0');
  expect(bodyOf(reply)).toBe('');
});

test('a HEAD that cannot be read is refused without a body', async () => {
  const { port } = await opened(health);
  const reply = await talk(port, Buffer.from(get('/status/\xf0').replace('GET', 'HEAD'), 'latin1'));
  expect([statusOf(reply), bodyOf(reply)]).toEqual([400, '']);
});

test('the Router forwards what it is asked to, and says what it does not forward', async () => {
  const { url } = await opened(health);
  const ask = async (path: string) => {
    const reply = await fetch(url + path);
    return [reply.status, await reply.text()];
  };
  expect(await ask('/proxy/coordinator/status/health')).toEqual([200, 'true']);
  expect(await ask('/proxy/Overlord/status/health')).toEqual([200, 'true']);
  expect(await ask('/proxy/broker/status/health')).toEqual([
    400,
    '{"error":"Unsupported proxy destination[/proxy/broker/status/health]"}',
  ]);
  expect((await ask('/proxy/coordinator'))[0]).toBe(404);
});

test('headers that never end are given up, and so is a body that never comes', async () => {
  const said = vi.spyOn(console, 'error');
  const { port, url } = await opened(health, { headersMs: 200, requestMs: 300 });
  const [headers, body] = await Promise.all([
    talk(port, 'GET /status/health HTTP/1.1\r\nHost: localhost\r\nX-Slow: '),
    talk(
      port,
      'POST /svc/coordinator/v1/rules/w HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n[',
    ),
  ]);
  expect([statusOf(headers), statusOf(body)]).toEqual([408, 408]);
  expect(bodyOf(body)).toBe('{"error":"The request was not complete within 0.3 seconds"}');
  expect((await fetch(`${url}/status/health`)).status).toBe(200);
  expect(said).not.toHaveBeenCalled();
  said.mockRestore();
});

test('a caller who leaves in the middle of a body is not a fault of the service', async () => {
  const said = vi.spyOn(console, 'error');
  const { port, url } = await opened({ ...health, rules: { set: () => undefined } });
  const socket = connect(port, '127.0.0.1');
  socket.write(
    'POST /svc/coordinator/v1/rules/w HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n[',
  );
  await once(socket, 'connect');
  socket.destroy();
  await once(socket, 'close');
  expect((await fetch(`${url}/status/health`)).status).toBe(200);
  expect(said).not.toHaveBeenCalled();
  said.mockRestore();
});

test('a body that is announced as too large is refused before it is sent', async () => {
  const { port } = await opened(health, { maxBodyBytes: 1000 });
  const asking = request({
    port,
    method: 'POST',
    path: '/svc/coordinator/v1/rules/w',
    headers: {
      'content-type': 'application/json',
      'content-length': 100_000_000,
      expect: '100-continue',
    },
  });
  asking.flushHeaders();
  const outcome = await Promise.race([
    once(asking, 'continue').then(() => 'continue'),
    once(asking, 'response'),
  ]);
  asking.destroy();
  expect(outcome).toEqual([expect.objectContaining({ statusCode: 413 })]);
});

test('a body of 100 MB is refused while it is sent, and memory stays flat', async () => {
  const { url } = await opened(health);
  const before = process.memoryUsage.rss();
  const chunk = Buffer.alloc(1024 * 1024, '[');
  const body = (async function* () {
    for (let sent = 0; sent < 100; sent++) yield chunk;
  })();
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    duplex: 'half',
  };
  const reply = await fetch(`${url}/svc/coordinator/v1/rules/w`, init as unknown as RequestInit);
  expect([reply.status, await reply.json()]).toEqual([
    413,
    { error: 'The request body is larger than 16777216 bytes' },
  ]);
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
});

test('a body is read a thousand lists deep and no deeper, and what cannot be shown by itself is shown all the same', async () => {
  const { url } = await startService();
  const asked = async (path: string, body: string) => {
    const reply = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return [reply.status, await reply.text()];
  };
  const nested = (depth: number) =>
    `{"queryType":"segmentMetadata","dataSource":"a","analysisTypes":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;
  expect(await asked('/svc/v2/', nested(1001))).toEqual([
    400,
    expect.stringContaining('nested more than 1000 levels'),
  ]);
  expect(await asked('/svc/v2/', nested(1000))).toEqual([
    400,
    expect.stringContaining('A text is expected'),
  ]);
  const shadowed =
    '{"queryType":"segmentMetadata","dataSource":"a","analysisTypes":[{"toString":1}]}';
  expect(await asked('/svc/v2/', shadowed)).toEqual([
    400,
    expect.stringContaining('A text is expected, not [[object Object]]'),
  ]);
});

test('a body that is not UTF-8 is no JSON', async () => {
  const { url } = await opened(health);
  const reply = await fetch(`${url}/svc/coordinator/v1/rules/w`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]),
  });
  expect([reply.status, await reply.text()]).toEqual([
    400,
    '{"error":"The request body is not JSON: it is not UTF-8"}',
  ]);
});

test('a packed body is unpacked, and is refused when it is broken, cut off or too large in the end', async () => {
  const { url } = await startService();
  const asked = async (path: string, body: Buffer, encoding = 'gzip') => {
    const headers = { 'content-type': 'application/json', 'content-encoding': encoding };
    const reply = await fetch(url + path, { method: 'POST', headers, body });
    return [reply.status, await reply.text()];
  };
  const query = gzipSync('{"query":"SELECT 1 AS a"}');
  expect(await asked('/svc/v2/sql', query)).toEqual([200, '[{"a":1}]\n']);
  expect(await asked('/svc/v2/sql', query, 'GZIP')).toEqual([200, '[{"a":1}]\n']);
  expect(
    await asked('/svc/coordinator/v1/rules/packed', gzipSync('[{"type":"loadForever"}]')),
  ).toEqual([200, '']);
  expect(await asked('/svc/v2/sql', query.subarray(0, 20))).toEqual([
    400,
    expect.stringContaining('The request body is not gzip'),
  ]);
  expect(await asked('/svc/v2/sql', Buffer.from('{"query":"SELECT 1"}'))).toEqual([
    400,
    expect.stringContaining('is not gzip'),
  ]);
  const bomb = gzipSync(Buffer.alloc(defaultLimits.maxBodyBytes + 1, ' '));
  expect(bomb.length).toBeLessThan(100_000);
  expect(await asked('/svc/v2/sql', bomb)).toEqual([
    413,
    expect.stringContaining('larger than 16777216 bytes'),
  ]);
  expect(await asked('/svc/v2/sql', query)).toEqual([200, '[{"a":1}]\n']);
});

test('a handler without an answer is given up, and hears of it', async () => {
  let wasTold = false;
  const handlers: SomeHandlers = {
    status: {
      health: ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => {
            wasTold = true;
            reject(signal.reason);
          }),
        ),
    },
  };
  const { url } = await opened(handlers, { handlerMs: 50 });
  const reply = await fetch(`${url}/status/health`);
  expect([reply.status, await reply.text()]).toEqual([
    504,
    '{"error":"The service did not answer within 0.05 seconds"}',
  ]);
  expect(wasTold).toBe(true);
});

test('large replies are packed for those who can read it, small ones have their length', async () => {
  const handlers: SomeHandlers = {
    tasks: { log: ({ params: { taskId } }) => ['line\n'.repeat(Number(taskId))] },
  };
  const { port } = await opened(handlers, { packsForLoopback: true });
  const ask = (lines: number, encodings: string) =>
    new Promise<{ headers: Record<string, unknown>; body: Buffer }>((resolve, reject) => {
      request(
        {
          port,
          path: `/svc/indexer/v1/task/${lines}/log`,
          headers: { 'accept-encoding': encodings },
        },
        async (reply) => {
          const chunks: Buffer[] = [];
          for await (const chunk of reply) chunks.push(chunk);
          resolve({ headers: reply.headers, body: Buffer.concat(chunks) });
        },
      )
        .on('error', reject)
        .end();
    });
  const packed = await ask(100_000, 'br, gzip;q=0.5');
  expect(packed.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'Accept-Encoding' });
  expect(packed.body.length).toBeLessThan(50_000);
  expect(gunzipSync(packed.body).toString()).toBe('line\n'.repeat(100_000));
  expect((await ask(100_000, 'gzip;q=0')).body.length).toBe(500_000);
  expect((await ask(2, 'gzip')).headers).toMatchObject({ 'content-length': '10' });
  expect((await ask(2, 'gzip')).headers).not.toHaveProperty('content-encoding');
});

test('a reader who stops reading is given up, and the source is closed', async () => {
  let isClosed = false;
  const endless = async function* () {
    try {
      for (;;) yield 'x'.repeat(65_536);
    } finally {
      isClosed = true;
    }
  };
  const { port } = await opened({ tasks: { log: () => endless() } }, { stalledMs: 300 });
  const socket = connect(port, '127.0.0.1');
  socket.write(get('/svc/indexer/v1/task/a/log'));
  await once(socket, 'readable');
  await expect.poll(() => isClosed).toBe(true);
  socket.destroy();
});

test('a long list leaves others their turn between two of its pieces', async () => {
  let turn = 0;
  const counting = () => {
    turn++;
    again = setImmediate(counting);
  };
  let again = setImmediate(counting);
  onTestFinished(() => clearImmediate(again));
  const madeIn: number[] = [];
  const items = function* () {
    for (let at = 0; at < 200; at++) {
      madeIn.push(turn);
      yield `"${'x'.repeat(65_536)}"`; // a piece by itself
    }
  };
  const { port } = await opened({
    tasks: { list: () => JsonPieces.list(items(), (text) => text) },
  });
  const reply = await (await fetch(`http://127.0.0.1:${port}/svc/indexer/v1/tasks`)).json();
  expect(reply).toHaveLength(200);
  expect(new Set(madeIn)).toHaveProperty('size', 200);
});

test('a long list is made as it is read, and who stops reading has it made no further', async () => {
  let made = 0;
  let isClosed = false;
  const endless = function* () {
    try {
      for (; ; made++) yield `"${'x'.repeat(65_536)}"`;
    } finally {
      isClosed = true;
    }
  };
  const { port } = await opened(
    { tasks: { list: () => JsonPieces.list(endless(), (text) => text) } },
    { stalledMs: 300 },
  );
  const socket = connect(port, '127.0.0.1');
  socket.write(get('/svc/indexer/v1/tasks'));
  await once(socket, 'readable');
  await expect.poll(() => isClosed).toBe(true);
  expect(made).toBeLessThan(1000); // what the sockets hold is a few MB
  socket.destroy();
});

test('a long list that breaks off has no end', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  onTestFinished(() => log.mockRestore());
  const breaking = function* () {
    for (let at = 0; at < 20; at++) yield `"${'x'.repeat(65_536)}"`;
    throw new Error('The store is gone');
  };
  const { port } = await opened({
    tasks: { list: () => JsonPieces.list(breaking(), (text) => text) },
  });
  const reply = await fetch(`http://127.0.0.1:${port}/svc/indexer/v1/tasks`);
  expect(reply.status).toBe(200);
  await expect(reply.text()).rejects.toThrow('terminated');
  expect(log).toHaveBeenCalledWith(
    'Internal error:',
    expect.objectContaining({ message: 'The store is gone' }),
  );
  expectInternalErrors(1);
});

test('everything but POST forbids caches and frames', async () => {
  const { url } = await opened({ ...health, rules: { set: () => undefined } });
  const { headers } = await fetch(`${url}/status/health`);
  expect(headers.get('cache-control')).toBe('no-cache, no-store, max-age=0');
  expect(headers.get('content-security-policy')).toBe("frame-ancestors 'none'");
  const posted = await fetch(`${url}/svc/coordinator/v1/rules/w`, { method: 'POST' });
  expect(posted.headers.get('cache-control')).toBeNull();
});

test('only the Broker says after the rows that they are all', async () => {
  const rows = { sql: { query: () => ['[]\n'] } };
  const sql =
    'POST /svc/v2/sql HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 8\r\n\r\nSELECT 1';
  const fromBroker = await talk((await opened(rows, {}, 'broker')).port, sql);
  expect(fromBroker).toMatch(/^trailer: X-Svc-Response-Complete\r$/im);
  expect(fromBroker).toMatch(/\r\n0\r\nX-Svc-Response-Complete: true\r\n\r\n$/);
  expect(await talk((await opened(rows)).port, sql)).toMatch(
    /content-length: 3\r\n.*\r\n\r\n\[\]\n$/is,
  );
});

test('closing finishes the reply under way, and takes no new request', async () => {
  let answer: ((health: boolean) => void) | undefined;
  const health = () =>
    new Promise<boolean>((settle) => {
      answer = settle;
    });
  const { url, close } = await opened({ status: { health } });
  const reply = fetch(`${url}/status/health`);
  await expect.poll(() => answer).toBeDefined();
  const closed = close();
  await expect(fetch(`${url}/status/health`)).rejects.toThrow();
  answer?.(true);
  expect(await (await reply).text()).toBe('true');
  await closed;
});

test.each([
  ['before its first bytes', 0, 504],
  ['behind a few of them', 1, 504],
  ['in the middle of a long answer', 1000, 200],
])(
  'an answer of another role that stops %s is given up by the Router after its read timeout, and by no other port',
  async (_, count, status) => {
    let isGivenUp = false;
    async function* stopping(signal: AbortSignal) {
      for (let at = 0; at < count; at++) yield '[1234567890123456789012345]\n';
      await new Promise<void>((resolve) =>
        signal.addEventListener('abort', () => resolve(), { once: true }),
      );
      isGivenUp = true;
    }
    const handlers = {
      native: { query: ({ signal }: { signal: AbortSignal }) => stopping(signal) },
    };
    const body = '{"queryType":"scan","dataSource":"t"}';
    const post = [
      'POST /svc/v2/ HTTP/1.1',
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${body.length}`,
      '',
      body,
    ];
    const router = await opened(handlers, { routerReadMs: 300 });
    const reply = await talk(
      router.port,
      post.join('\r\n').replace('Host: localhost', 'Host: localhost\r\nConnection: close'),
    );
    expect(statusOf(reply)).toBe(status);
    if (status === 504) expect(reply).toContain('property [svc.router.http.readTimeout]');
    else expect(reply).not.toMatch(/\r\n0\r\n\r\n$/); // cut off, not ended
    await expect.poll(() => isGivenUp).toBe(true);
    const broker = await opened(handlers, { routerReadMs: 300 }, 'broker');
    const waiting = fetch(`${broker.url}/svc/v2/`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
      signal: AbortSignal.timeout(1000),
    });
    await expect(waiting.then((answered) => answered.text())).rejects.toThrow(/timeout|terminated/);
  },
);

test('text after the body is ignored where the service is named druid, and refused elsewhere', async () => {
  const body = '{"query":"SELECT 1 AS a"} trailing';
  const statusOf = async (service: string) => {
    const { url } = await startService({ service });
    const headers = { 'content-type': 'application/json' };
    return (await fetch(`${url}/${service}/v2/sql`, { method: 'POST', headers, body })).status;
  };
  expect(await statusOf('druid')).toBe(200);
  expect(await statusOf('svc')).toBe(400);
});
