import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Message } from '../../src/client/message.ts';
import type { Observed } from '../../src/client/observe.ts';
import { connectTo } from '../../src/client/transport.ts';
import { certificate, identity } from '../support/certificates.ts';
import { standIn } from '../support/stand-in.ts';

const message: Message = { method: 'GET', path: '/status', headers: [] };
const authority = { caFile: certificate('authority.pem') };

const secured = (name = 'server', options = {}) =>
  standIn((response) => response.end('{}'), { ...identity(name), ...options });

test('a certificate of a known authority is trusted', async () => {
  const service = await secured();
  expect((await connectTo(service.url, { tls: authority })(message)).status).toBe(200);
});

test('a certificate nobody vouches for is not, and the error says what to do', async () => {
  const service = await secured('self-signed');
  await expect(connectTo(service.url)(message)).rejects.toMatchObject({
    kind: 'tls',
    message: `The certificate of [${service.url}] is self-signed`,
    hint: expect.stringContaining('--cacert FILE'),
  });
  const other = await secured();
  await expect(connectTo(other.url)(message)).rejects.toMatchObject({
    message: `The certificate of [${other.url}] was issued by an unknown authority`,
  });
});

test('a certificate for another host is refused, unless that name was asked for', async () => {
  const service = await secured();
  const byName = service.url.replace('127.0.0.1', 'localhost');
  await expect(connectTo(byName, { tls: authority })(message)).rejects.toMatchObject({
    kind: 'tls',
    message: `The certificate of [${byName}] is for another host`,
  });
  const reply = await connectTo(byName, { tls: { ...authority, serverName: 'service.test' } })(
    message,
  );
  expect(reply.status).toBe(200);
});

test('without checks everyone is believed, and a warning says so', async () => {
  const service = await secured('self-signed');
  const events: Observed[] = [];
  const reply = await connectTo(service.url, {
    tls: { insecure: true },
    observe: (event) => events.push(event),
  })(message);
  expect(reply.status).toBe(200);
  expect(events[0]).toEqual({
    kind: 'warning',
    message: `The certificate of [127.0.0.1:${service.port}] is not checked: another server could be answering`,
  });
});

test('a service that asks who we are is shown a certificate', async () => {
  const ca = readFileSync(authority.caFile);
  const service = await secured('server', { requestCert: true, rejectUnauthorized: true, ca });
  // TLS 1.3 tells us only after its handshake, and the connection may be gone by then.
  await expect(
    connectTo(service.url, { tls: authority, retries: 0 })(message),
  ).rejects.toMatchObject({
    kind: expect.stringMatching('tls|reset'),
    hint: 'the service may require a client certificate: set it with --cert FILE and --key FILE (PEM)',
  });
  const tls = {
    ...authority,
    certFile: certificate('client.pem'),
    keyFile: certificate('client.key.pem'),
  };
  expect((await connectTo(service.url, { tls })(message)).status).toBe(200);
});

test('https where http is spoken, and the other way round, are told apart', async () => {
  const plain = await standIn((response) => response.end('{}'));
  const asTls = plain.url.replace('http:', 'https:');
  await expect(connectTo(asTls)(message)).rejects.toMatchObject({
    kind: 'tls',
    message: `The service at [${asTls}] does not use TLS`,
  });
  const service = await secured();
  const asPlain = service.url.replace('https:', 'http:');
  await expect(connectTo(asPlain)(message)).rejects.toMatchObject({
    hint: expect.stringContaining('https://'),
  });
});

test('credentials meant for https do not follow a redirect to http', async () => {
  const plain = await standIn((response) => response.end('{}'));
  const service = await standIn(
    (response) => response.writeHead(307, { location: `${plain.url}/status` }).end(),
    identity('server'),
  );
  const send = connectTo(service.url, {
    tls: authority,
    credentials: { user: 'admin', password: 'sesame' },
  });
  expect((await send(message)).withheld).toBe(true);
  expect(plain.requests[0]?.headers.authorization).toBeUndefined();
});

test('a file that is not a certificate is named', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svcctl-tls-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'ca.pem');
  const connect = (tls: object) => () => connectTo('https://127.0.0.1:1', { tls });
  expect(connect({ caFile: file })).toThrow(`The authority file [${file}] cannot be read: ENOENT`);
  writeFileSync(file, 'hello');
  expect(connect({ caFile: file })).toThrow(`The authority file [${file}] is not a PEM file`);
  expect(connect({ certFile: certificate('client.pem') })).toThrow(
    'A client certificate needs two files: the key is missing',
  );
});
