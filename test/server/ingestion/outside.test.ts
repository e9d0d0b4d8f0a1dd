// Files, addresses and variables that requests may name. Real files, real HTTP.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SpecFields } from '../../../src/server/checks/spec-fields.ts';
import {
  checkInputSource,
  openInput,
  parseInputSource,
} from '../../../src/server/ingestion/input-source.ts';
import { type Outside, outsideOf } from '../../../src/server/ingestion/outside.ts';
import { firstLines } from '../../../src/server/ingestion/text-files.ts';
import { CannotStart } from '../../../src/server/process/cannot-start.ts';
import { Properties } from '../../../src/server/settings/properties.ts';
import { outsideWith } from '../../support/outside.ts';
import { temporaryFolder } from '../../support/storage.ts';

const sourceOf = (source: object) => parseInputSource(new SpecFields({ ...source }, 'inputSource'));
const http = (uri: string, more: object = {}) => ({ type: 'http', uris: [uri], ...more });
const opened = async (source: object, outside: Outside, patienceMs = 5000) =>
  openInput(sourceOf(source), {
    outside,
    stagingFolder: await temporaryFolder(),
    signal: new AbortController().signal,
    patienceMs,
  });

const rules = (properties: Record<string, unknown>, allowedUrls: string[] = []) => {
  const texts = Object.entries(properties).map(([name, value]) => [
    `svc.ingestion.${name}`,
    JSON.stringify(value),
  ]);
  return outsideOf(
    { allowedFolders: [], allowedVariables: [], allowedUrls },
    new Properties('svc', Object.fromEntries(texts)),
  );
};

test.each([
  'http://169.254.169.254/latest/meta-data',
  'https://169.254.0.1:8443/',
  'http://2852039166/',
  'http://0xa9fea9fe/',
  'http://0251.0376.0251.0376/',
  'http://169.254.43518/',
  'http://[::ffff:169.254.169.254]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[::a9fe:a9fe]/',
  'http://[64:ff9b::169.254.169.254]/',
  'http://[2002:a9fe:a9fe::1]/',
  'http://[fe80::1]/',
  'http://[febf::1]/',
  'http://[fd00:ec2::254]/',
])('the link-local address %s is refused however it is written', (uri) => {
  expect(() => checkInputSource(sourceOf(http(uri)), outsideWith())).toThrow('link-local');
});

test.each([
  ['http://a.test/data', 'http://a.test/data', true],
  ['http://a.test/data', 'http://a.test/data/x.json', true],
  ['http://a.test/data/', 'http://a.test/data/x?y=1', true],
  ['http://a.test', 'http://A.test:80/x', true],
  ['http://a.test/data', 'http://a.test/database', false],
  ['http://a.test/data', 'http://a.test/data/../secret', false],
  ['http://a.test/data', 'http://a.test/data/%2e%2e/secret', false],
  ['http://a.test/data', 'http://a.test/data/..%2fsecret', false],
  ['http://a.test/data', 'http://a.test/data\\..\\secret', false],
  ['http://a.test', 'http://a.test.evil.test/', false],
  ['http://a.test', 'http://a.test@evil.test/', false],
  ['http://a.test', 'https://a.test/', false],
  ['http://a.test', 'http://a.test:8080/', false],
])('where only %s is allowed, may %s be read? %s', (allowed, uri, may) => {
  const check = () => checkInputSource(sourceOf(http(uri)), rules({}, [allowed]));
  if (may) expect(check).not.toThrow();
  else expect(check).toThrow('Cannot fetch');
});

test('properties restrict protocols, headers and addresses, and what they cannot mean stops the start', () => {
  const outside = rules({
    'http.allowedProtocols': ['HTTPS'],
    'http.allowedHeaders': ['X-Key'],
    'http.allowedUrls': ['https://a.test'],
  });
  const check = (source: object) => () => checkInputSource(sourceOf(source), outside);
  expect(check(http('https://a.test/x', { requestHeaders: { 'x-KEY': 'k' } }))).not.toThrow();
  expect(check(http('http://a.test/x'))).toThrow('Only [https] protocols are allowed');
  expect(check(http('https://b.test/x'))).toThrow('--allow-url');
  expect(check(http('https://a.test/x', { requestHeaders: { cookie: 'k' } }))).toThrow(
    'Got forbidden header [cookie], allowed headers are only [x-key]',
  );
  expect(check({ type: 'combining', delegates: [http('http://a.test/x')] })).toThrow(
    'Only [https]',
  );
  expect(() => rules({ 'http.allowedProtocols': ['ftp'] })).toThrow(CannotStart);
  expect(() => rules({ 'http.allowedUrls': 'https://a.test' })).toThrow(CannotStart);
  expect(() => rules({}, ['a.test/data'])).toThrow('Allowed address [a.test/data]');
});

test.each(['Host', 'content-length', 'Transfer-Encoding', 'a b', 'x\r\ny'])(
  'header %j cannot be given',
  (name) => {
    expect(() =>
      checkInputSource(
        sourceOf(http('http://a.test', { requestHeaders: { [name]: '1' } })),
        outsideWith(),
      ),
    ).toThrow('Header [');
  },
);

async function web(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  await new Promise((wake) => server.once('listening', wake));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('headers and passwords stay with the origin they were given for', async () => {
  const seen: string[] = [];
  const other = await web(({ headers }, reply) => {
    seen.push(`other ${headers.authorization} ${headers['x-key']} ${headers.cookie}`);
    reply.end('1');
  });
  const first = await web(({ url, headers }, reply) => {
    seen.push(
      `first ${headers.authorization === undefined ? 'nobody' : 'somebody'} ${headers['x-key']}`,
    );
    if (url === '/there') return void reply.writeHead(307, { location: `${other}/x` }).end();
    if (url === '/here') return void reply.writeHead(302, { location: '/x' }).end();
    reply.end('1');
  });
  const secrets = {
    requestHeaders: { 'X-Key': 'k', cookie: 'c' },
    httpAuthenticationUsername: 'ann',
    httpAuthenticationPassword: 'p',
  };
  await opened(http(`${first}/there`, secrets), outsideWith());
  await opened(http(`${first}/here`, secrets), outsideWith());
  expect(seen).toEqual([
    'first somebody k',
    'other undefined undefined undefined',
    'first somebody k',
    'first somebody k',
  ]);
});

test('a redirect obeys the rules of the first address, and there are not many of them', async () => {
  const url = await web(({ url }, reply) => {
    const location = {
      '/metadata': 'http://169.254.169.254/',
      '/file': 'file:///etc/passwd',
      '/user': 'http://a:b@127.0.0.1/',
    }[url ?? ''];
    reply.writeHead(302, { location: location ?? '/again' }).end();
  });
  const fetching = (path: string, outside = outsideWith()) => opened(http(url + path), outside);
  await expect(fetching('/metadata')).rejects.toThrow(
    'it redirects to [http://169.254.169.254/]: it has a link-local address',
  );
  await expect(fetching('/file')).rejects.toThrow(
    'it redirects to [file:///etc/passwd]: Only [http, https] protocols are allowed',
  );
  await expect(fetching('/user')).rejects.toThrow(
    'it redirects to [http://127.0.0.1/]: an address must not contain a user',
  );
  await expect(fetching('/loop')).rejects.toThrow('redirects more than [10] times');
  await expect(fetching('/inside/x', rules({}, [`${url}/inside`]))).rejects.toThrow(
    `it redirects to [${url}/again]`,
  );
});

test('a server that does not answer, or sends a byte now and then, is given up', async () => {
  const url = await web(({ url }, reply) => {
    if (url === '/silent') return;
    const timer = setInterval(() => reply.write('x'), 20);
    reply.on('close', () => clearInterval(timer));
  });
  await expect(opened(http(`${url}/silent`), outsideWith(), 200)).rejects.toThrow(
    'no answer within [200] ms',
  );
  await expect(opened(http(`${url}/drip`), outsideWith(), 300)).rejects.toThrow(
    'less than [1024] bytes within [300] ms',
  );
});

test('local files are regular files below the allowed folders, and not of the service itself', async () => {
  const top = await temporaryFolder();
  const [folder, secret, own] = [join(top, 'in'), join(top, 'secret'), join(top, 'in/own')];
  for (const path of [folder, secret, own]) mkdirSync(path);
  for (const path of [
    join(secret, 'names.json'),
    join(own, 'metadata.sqlite'),
    join(folder, 'a.json'),
  ])
    writeFileSync(path, '{}');
  execFileSync('mkfifo', [join(folder, 'fifo')]);
  symlinkSync(secret, join(folder, 'out'));
  symlinkSync(join(secret, 'names.json'), join(folder, 'link.json'));
  symlinkSync('/dev/zero', join(folder, 'zero'));
  const outside = outsideWith({ folders: [folder], ownFolder: own });
  const reading = (source: object) => opened({ type: 'local', ...source }, outside);
  expect(await reading({ files: [join(folder, 'a.json')] })).toHaveLength(1);
  await expect(reading({ files: [join(folder, 'fifo')] })).rejects.toThrow('it is not a file');
  for (const name of [
    'link.json',
    'out/names.json',
    'own/metadata.sqlite',
    'zero',
    '../secret/names.json',
    '../secret/nothing',
  ])
    await expect(reading({ files: [join(folder, name)] })).rejects.toThrow(
      'is not below a folder that the service may read',
    );
  for (const baseDir of [secret, join(folder, 'out'), own, '/proc/self']) {
    const refused = await reading({ baseDir, filter: '*' }).catch((error: unknown) =>
      String(error),
    );
    expect(refused).toContain('is not below a folder that the service may read');
    expect(refused).not.toContain('names.json');
  }
});

test('a name with the signs of a pattern is that of one file', async () => {
  const folder = await temporaryFolder();
  for (const name of ['a[1].json', 'a1.json', 'b*.json', 'bc.json', 'd?.json'])
    writeFileSync(join(folder, name), name);
  const outside = outsideWith({ folders: [folder] });
  for (const name of ['a[1].json', 'b*.json', 'd?.json']) {
    const [file] = await opened({ type: 'local', files: [join(folder, name)] }, outside);
    expect([
      file?.path.includes('*') || file?.path.includes('['),
      readFileSync(file?.path ?? '', 'utf8'),
    ]).toEqual([false, name]);
  }
});

test.each([
  ['*.json', 'a.json', true],
  ['*', 'a', true],
  ['?.json', 'ab.json', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b', 'a-b-c', false],
  [`${'*a'.repeat(40)}b`, 'a'.repeat(200), false], // a pattern for which a regular expression would search for ever
])('does the filter %s take the file %s? %s', async (filter, name, takes) => {
  const folder = await temporaryFolder();
  writeFileSync(join(folder, name), '1');
  const found = opened(
    { type: 'local', baseDir: folder, filter },
    outsideWith({ folders: [folder] }),
  );
  if (takes) expect(await found).toHaveLength(1);
  else await expect(found).rejects.toThrow('matches the filter');
});

test('lines end as everywhere, and one that does not end is refused', async () => {
  const path = join(await temporaryFolder(), 'lines');
  const lines = async (content: string) => {
    writeFileSync(path, content);
    return firstLines({ name: 'lines', path, sizeBytes: 0 }, 100);
  };
  expect(await lines('a\nb\r\nc\rd\n\ne')).toEqual(['a', 'b', 'c', 'd', '', 'e']);
  const long = 'ü'.repeat(70_000);
  expect(await lines(`${long}\r\n${long}`)).toEqual([long, long]);
  await expect(lines('x'.repeat(34 * 1024 * 1024))).rejects.toThrow(
    'A line of file [lines] is longer than',
  );
});
