// Servers that call themselves S3 and are not kind, and requests that name what they may not name.
import { readFileSync, writeFileSync } from 'node:fs';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SpecFields } from '../../src/server/checks/spec-fields.ts';
import {
  checkInputSource,
  openInput,
  parseInputSource,
} from '../../src/server/ingestion/input-source.ts';
import { outsideOf } from '../../src/server/ingestion/outside.ts';
import { CannotStart } from '../../src/server/process/cannot-start.ts';
import { S3Client } from '../../src/server/s3/client.ts';
import { endpointAt } from '../../src/server/s3/place.ts';
import { Extensions } from '../../src/server/settings/extensions.ts';
import { Properties } from '../../src/server/settings/properties.ts';
import { temporaryFolder } from '../support/storage.ts';

const secret = 'wJalrXUtnFEMI-a-secret';
const own = { 'svc.s3.accessKey': 'AKIDOWN', 'svc.s3.secretKey': secret };

const outside = (values: Record<string, string> = {}, allowedUrls: string[] = []) => {
  const properties = new Properties('svc', values);
  return outsideOf(
    { allowedFolders: [], allowedVariables: [], allowedUrls },
    properties,
    undefined,
    new Extensions('svc', properties),
  );
};
const sourceOf = (source: object) =>
  parseInputSource(new SpecFields({ type: 's3', ...source }, 'inputSource'));
const opened = async (source: object, around = outside(), more: object = {}) =>
  openInput(sourceOf(source), {
    outside: around,
    stagingFolder: await temporaryFolder(),
    signal: AbortSignal.timeout(60_000),
    ...more,
  });

async function server(answer: RequestListener): Promise<string> {
  const made = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    made.closeAllConnections();
    made.close();
  });
  await new Promise((wake) => made.once('listening', wake));
  return `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
}

async function client(answer: RequestListener, more: object = {}): Promise<S3Client> {
  const endpoint = endpointAt(await server(answer), {
    region: undefined,
    protocol: 'http',
    pathStyle: true,
  });
  if (!endpoint) throw new Error('It is an endpoint');
  return new S3Client({
    endpoint,
    credentials: { accessKey: 'AKIDOWN', secretKey: secret },
    signal: AbortSignal.timeout(60_000),
    patienceMs: 300,
    firstPauseMs: 1,
    maxTries: 3,
    ...more,
  });
}

const place = { bucket: 'logs', key: 'a' };
const page = (inside: string) =>
  `<?xml version="1.0"?><ListBucketResult>${inside}</ListBucketResult>`;
const object = (key: string) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`;

const endless = (head: string, piece: string) => (_: IncomingMessage, reply: ServerResponse) => {
  reply.write(head);
  const more = () => {
    while (!reply.destroyed && reply.write(piece));
  };
  reply.on('drain', more);
  more();
};

test.each<[string, RequestListener, string]>([
  [
    'sends XML without end',
    endless('<ListBucketResult>', object('a').repeat(1000)),
    'the answer is larger than [16777216] bytes',
  ],
  [
    'sends a text without end',
    endless('<ListBucketResult><Contents><Key>', 'x'.repeat(65536)),
    'a text of more than [16384] characters',
  ],
  [
    'nests without end',
    endless('<ListBucketResult>', '<a>'.repeat(1000)),
    'it is nested more than [10] times',
  ],
  [
    'sends entities that grow',
    (_, reply) => reply.end('<!DOCTYPE a [<!ENTITY b "c">]><ListBucketResult/>'),
    'it has a DOCTYPE',
  ],
  [
    'sends a web page',
    (_, reply) => reply.end('<html><body>Welcome</body></html>'),
    'the root is not [ListBucketResult]',
  ],
  ['sends no XML', (_, reply) => reply.end('{}'), 'it is not XML'],
  [
    'sends half of a list',
    (_, reply) => reply.end('<ListBucketResult><IsTruncated>'),
    'it ends too early',
  ],
  ['sends nothing', () => undefined, 'no answer within [300] ms'],
  [
    'sends a byte now and then',
    (_, reply) => void reply.write('<'),
    'less than [1024] bytes within [300] ms',
  ],
  [
    'has pages without end',
    (_, reply) =>
      reply.end(
        page('<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>'),
      ),
    'does not end',
  ],
  [
    'names no next page',
    (_, reply) => reply.end(page('<IsTruncated>true</IsTruncated>')),
    'the list has no token for its next page',
  ],
  [
    'lists other objects',
    (_, reply) => reply.end(page(object('b'))),
    'the server lists objects outside of the prefix',
  ],
  [
    'lists too many',
    (_, reply) => reply.end(page(object('a').repeat(11))),
    'the list has more than [10] objects',
  ],
  [
    'lists an object without size',
    (_, reply) => reply.end(page('<Contents><Key>a</Key></Contents>')),
    'without a key or a size',
  ],
])('a server that %s is not believed', async (_, answer, said) => {
  await expect((await client(answer)).list(place, 10)).rejects.toThrow(said);
});

test('redirects are not followed, wherever they lead', async () => {
  let asked = 0;
  const elsewhere = await server((_, reply) => void reply.end(String(asked++)));
  for (const location of ['http://169.254.169.254/latest/meta-data/', `${elsewhere}/a`]) {
    const s3 = await client((_, reply) => reply.writeHead(307, { location }).end());
    await expect(s3.download(place, '/nowhere', 100)).rejects.toThrow(
      'status [307]: it redirects, and the service does not follow redirects',
    );
  }
  const moved = await client((_, reply) =>
    reply.writeHead(301, { 'x-amz-bucket-region': 'eu-west-1' }).end(),
  );
  await expect(moved.list(place, 1)).rejects.toThrow(
    'the bucket is in region [eu-west-1], not in [us-east-1]',
  );
  expect(asked).toBe(0);
});

test('of what a server says only the code is shown, and of credentials nothing', async () => {
  const fault = `<Error><Code>SignatureDoesNotMatch</Code><Message>${secret}</Message><AWSAccessKeyId>AKIDOWN</AWSAccessKeyId></Error>`;
  const s3 = await client((_, reply) => reply.writeHead(403).end(fault));
  const message = await s3.list(place, 1).catch(String);
  expect(message).toContain('status [403] (SignatureDoesNotMatch): the secret key is wrong');
  expect(message).not.toMatch(/AKID|secret\b.*EMI/);
});

test('what breaks off is asked for again from there, and what fails for a moment is tried again', async () => {
  const content = Buffer.from(Array.from({ length: 100_000 }, (_, at) => at % 251));
  const ranges: unknown[] = [];
  const s3 = await client(
    ({ headers }, reply) => {
      ranges.push(headers.range);
      if (ranges.length === 2)
        return void reply.writeHead(503).end('<Error><Code>SlowDown</Code></Error>');
      const from = Number(/\d+/.exec(headers.range ?? '0')?.[0]);
      const head = {
        etag: '"1"',
        'content-length': content.length - from,
        'content-range': `bytes ${from}-`,
      };
      reply.writeHead(from > 0 ? 206 : 200, head);
      if (from > 0) expect(headers['if-match']).toBe('"1"');
      if (ranges.length > 3) return void reply.end(content.subarray(from));
      reply.write(content.subarray(from, from + 20_000), () =>
        setTimeout(() => reply.destroy(), 50),
      );
    },
    { maxTries: 5 },
  );
  const path = `${await temporaryFolder()}/a`;
  expect(await s3.download(place, path, 1_000_000)).toBe(content.length);
  expect(readFileSync(path).equals(content)).toBe(true);
  expect(ranges[0]).toBeUndefined();
  expect(ranges.at(-1)).toMatch(/^bytes=\d+-$/);
});

test('an object larger than it may be is refused, and not asked for twice', async () => {
  let asked = 0;
  const s3 = await client((_, reply) => {
    asked++;
    endless('', 'x'.repeat(65536))(_, reply);
  });
  await expect(s3.download(place, `${await temporaryFolder()}/a`, 1_000_000)).rejects.toThrow(
    'it is larger than [1000000] bytes',
  );
  expect(asked).toBe(1);
});

test('the credentials of the service go to its own endpoint only', async () => {
  const seen: unknown[] = [];
  const url = await server(({ headers }, reply) => {
    seen.push(headers.authorization);
    reply.end('{}\n');
  });
  await opened({ uris: ['s3://logs/a'] }, outside({ ...own, 'svc.s3.endpoint.url': url }));
  await opened({ uris: ['s3://logs/a'], endpointConfig: { url } }, outside(own));
  await opened(
    { uris: ['s3://logs/a'], endpointConfig: { url } },
    outside({ ...own, 'svc.s3.endpoint.url': url }),
  );
  expect(seen).toEqual([expect.stringContaining('Credential=AKIDOWN/'), undefined, undefined]);
});

test('not even the endpoint of the service is link-local, and no request is made to find out', async () => {
  const reading = opened(
    { uris: ['s3://logs/a'] },
    outside({ ...own, 'svc.s3.endpoint.url': 'http://169.254.1.2' }),
    {
      patienceMs: 100,
    },
  );
  await expect(reading).rejects.toThrow('Cannot read [s3://logs/a]: it has a link-local address');
});

test('session credentials are read from their file each time, and its faults show none of them', async () => {
  const seen: unknown[] = [];
  const url = await server(({ headers }, reply) => {
    seen.push([
      /Credential=(\w+)/.exec(headers.authorization ?? '')?.[1],
      headers['x-amz-security-token'],
    ]);
    reply.end('{}\n');
  });
  const file = join(await temporaryFolder(), 'session');
  const around = outside({ 'svc.s3.fileSessionCredentials': file, 'svc.s3.endpoint.url': url });
  await expect(opened({ uris: ['s3://logs/a'] }, around)).rejects.toThrow(
    'The file of property [svc.s3.fileSessionCredentials] cannot be read',
  );
  for (const name of ['first', 'second']) {
    writeFileSync(file, `accessKey=${name}\nsecretKey=${secret}\nsessionToken=${name}-token\n`);
    await opened({ uris: ['s3://logs/a'] }, around);
  }
  expect(seen).toEqual([
    ['first', 'first-token'],
    ['second', 'second-token'],
  ]);
  writeFileSync(file, `secretKey=${secret}\n`);
  const message = await opened({ uris: ['s3://logs/a'] }, around).catch(String);
  expect(message).toContain('must have lines for [accessKey], [secretKey] and [sessionToken]');
  expect(message).not.toContain(secret);
});

test('an upload that fails with status 200 has failed, and is given up', async () => {
  const asked: string[] = [];
  const s3 = await client(({ method, url = '' }, reply) => {
    asked.push(
      `${method} ${url.includes('partNumber') ? 'part' : url.includes('uploadId') ? 'upload' : 'begin'}`,
    );
    if (method === 'PUT') return void reply.writeHead(200, { etag: '"1"' }).end();
    if (url.includes('uploadId'))
      return void reply.end('<Error><Code>InternalError</Code></Error>');
    return void reply.end(
      '<InitiateMultipartUploadResult><UploadId>7</UploadId></InitiateMultipartUploadResult>',
    );
  });
  const path = join(await temporaryFolder(), 'a');
  writeFileSync(path, 'abc');
  await expect(s3.putInParts(place, path, 3, 2)).rejects.toThrow(
    'Cannot write [s3://logs/a]: the server answered with status [500] (InternalError)',
  );
  expect(asked).toEqual([
    'POST begin',
    'PUT part',
    'PUT part',
    'POST upload',
    'POST upload',
    'POST upload',
    'DELETE upload',
  ]);
});

const keys = { properties: { accessKeyId: 'a', secretAccessKey: 'b' } };

test.each<[string, object, Record<string, string>, string[], string | undefined]>([
  [
    'an endpoint of a request',
    { endpointConfig: { url: 'http://169.254.169.254' } },
    {},
    [],
    'link-local',
  ],
  [
    'an endpoint of a request',
    { endpointConfig: { url: 'http://[::ffff:a9fe:a9fe]' } },
    own,
    [],
    'link-local',
  ],
  [
    'an endpoint of a request',
    { endpointConfig: { url: 'http://a.test' } },
    own,
    ['http://b.test/'],
    'not below an address that the service may fetch',
  ],
  [
    'an endpoint of a request',
    { endpointConfig: { url: 'http://b.test' } },
    own,
    ['http://b.test/'],
    'not below an address that the service may fetch',
  ],
  [
    'a bucket in the path',
    { endpointConfig: { url: 'http://b.test' }, clientConfig: { enablePathStyleAccess: true } },
    own,
    ['http://b.test/logs/'],
    undefined,
  ],
  [
    'AWS, where nothing is said of it',
    keys,
    {},
    ['http://b.test/'],
    'not below an address that the service may fetch',
  ],
  ['AWS, where nothing is said of it', keys, {}, [], undefined],
  ['AWS, which the properties trust', {}, own, ['http://b.test/'], undefined],
  [
    'another protocol',
    { clientConfig: { protocol: 'http' } },
    own,
    [],
    '[clientConfig.protocol] is [http], but the endpoint of the service uses [https]',
  ],
  ['another region', { endpointConfig: { signingRegion: 'eu-west-1' } }, own, [], undefined],
  [
    'a region that is a host',
    { endpointConfig: { signingRegion: 'evil.test/' } },
    own,
    [],
    'is not a region',
  ],
  [
    'a role',
    { properties: { assumeRoleArn: 'arn:aws:iam::1:role/x' } },
    own,
    [],
    '[assumeRoleArn] is not available',
  ],
  [
    'half of credentials',
    { properties: { accessKeyId: 'a' } },
    own,
    [],
    'secretAccessKey cannot be null if accessKeyId is given',
  ],
  [
    'a variable',
    {
      properties: { accessKeyId: 'a', secretAccessKey: { type: 'environment', variable: 'HOME' } },
    },
    own,
    [],
    'Environment variable [HOME] of the service may not be read',
  ],
  [
    'what it was shown',
    { properties: { accessKeyId: 'a', secretAccessKey: '<masked>' } },
    own,
    [],
    'the placeholder that the service shows for a password',
  ],
  ['a proxy', { proxyConfig: { host: 'a' } }, own, [], '[proxyConfig] is not available'],
  [
    'an unknown setting',
    { clientConfig: { maxConnections: 1 } },
    own,
    [],
    '[maxConnections] is not available',
  ],
  [
    'S3 without its extension',
    {},
    { ...own, 'svc.extensions.loadList': '[]' },
    [],
    'Input source [s3] needs extension [svc-s3-extensions]',
  ],
  ['nothing', { uris: [] }, own, [], 'Exactly one of uris, prefixes or objects must be specified'],
  [
    'two ways',
    { prefixes: ['s3://logs/'] },
    own,
    [],
    'Exactly one of uris, prefixes or objects must be specified',
  ],
  [
    'a bucket for an object',
    { uris: ['s3://logs/'] },
    own,
    [],
    'uris[0] names a bucket without an object',
  ],
  [
    'a wrong glob',
    { objectGlob: '{' },
    own,
    [],
    'objectGlob cannot be used: it has a { without a }',
  ],
])('a source that names %s: %j', (_, source, properties, allowed, said) => {
  const check = () =>
    checkInputSource(sourceOf({ uris: ['s3://logs/a'], ...source }), outside(properties, allowed));
  if (said === undefined) check();
  else expect(check).toThrow(said);
});

test.each<[Record<string, string>, string]>([
  [
    { 's3.accessKey': 'a' },
    'Property [svc.s3.accessKey] needs the other credentials property, too',
  ],
  [{ 's3.sessionToken': 'a' }, 'Property [svc.s3.sessionToken] needs [s3.accessKey]'],
  [
    { 's3.endpoint.url': 'http://a/b' },
    'Property [svc.s3.endpoint.url] is [http://a/b], which is not the address of a server',
  ],
  [
    { 's3.protocol': 'ftp' },
    'Property [svc.s3.protocol] is [ftp], which is not one of [http, https]',
  ],
  [{ 's3.endpoint.signingRegion': 'a b' }, 'is not a region'],
  [
    { 'export.storage.s3.allowedExportPaths': '["/tmp"]' },
    'it is not an address like s3://bucket/key',
  ],
  [{ 'export.storage.s3.chunkSize': '1MiB' }, 'it must be >= [5242880] and <= [5368709120]'],
  [{ 'export.storage.s3.maxRetry': '0' }, 'between 1 and 100'],
])('properties %j stop the start', (given, said) => {
  const values = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [`svc.${name}`, value]),
  );
  expect(() => outside(values)).toThrow(CannotStart);
  expect(() => outside(values)).toThrow(said);
});
