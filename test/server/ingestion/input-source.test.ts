// Files that change under the hands of their reader, and what is fetched: real files, real HTTP.
import { appendFileSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { SpecFields } from '../../../src/server/checks/spec-fields.ts';
import {
  checkInputSource,
  checkUnchanged,
  openInput,
  parseInputSource,
} from '../../../src/server/ingestion/input-source.ts';
import { outsideWith } from '../../support/outside.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'input-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

const opened = (source: object, stagingFolder: string, maxFetchedBytes?: number) =>
  openInput(parseInputSource(new SpecFields({ ...source }, 'inputSource')), {
    outside: outsideWith({ folders: [stagingFolder] }),
    stagingFolder,
    signal: new AbortController().signal,
    ...(maxFetchedBytes !== undefined && { maxFetchedBytes }),
  });

test.each<[string, (file: string) => void, string]>([
  ['grows', (file) => appendFileSync(file, 'more'), 'was changed'],
  ['is written anew', (file) => writeFileSync(file, 'one\n'), 'was changed'],
  ['is removed', (file) => rmSync(file), 'was removed'],
  [
    'is replaced',
    (file) => {
      writeFileSync(`${file}.new`, 'two\n');
      renameSync(`${file}.new`, file);
    },
    'was changed',
  ],
])('a file that %s while it is read is noticed', async (_, change, said) => {
  const path = folder();
  const file = join(path, 'rows.json');
  writeFileSync(file, 'one\n');
  const files = await opened({ type: 'local', files: [file] }, path);
  await checkUnchanged(files);
  untilTimeGoesOn(file);
  change(file);
  await expect(checkUnchanged(files)).rejects.toThrow(`File [${file}] ${said} during reading`);
});

// File systems keep times in steps: what is written within one looks as if nothing had happened.
function untilTimeGoesOn(file: string): void {
  const { mtimeNs } = statSync(file, { bigint: true });
  const other = `${file}.time`;
  do writeFileSync(other, '');
  while (statSync(other, { bigint: true }).mtimeNs <= mtimeNs);
}

async function web(answer: RequestListener): Promise<string> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((wake) => server.once('listening', wake));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('credentials and headers go with a request; a body above the limit, or one cut off, is refused', async () => {
  const seen: (string | undefined)[] = [];
  const url = await web(({ url: path, headers }, reply) => {
    seen.push(headers.authorization, headers['x-key']?.toString());
    if (path !== '/cut') return reply.end('x'.repeat(100));
    reply.writeHead(200, { 'content-length': '1000' });
    return reply.write('x', () => reply.destroy());
  });
  const source = { type: 'http', uris: [`${url}/rows`], requestHeaders: { 'x-key': 'k' } };
  const secret = {
    httpAuthenticationUsername: 'ann',
    httpAuthenticationPassword: { type: 'default', password: 'pass' },
  };
  expect(await opened({ ...source, ...secret }, folder())).toMatchObject([
    { name: `${url}/rows`, sizeBytes: 100 },
  ]);
  expect(seen).toEqual([`Basic ${Buffer.from('ann:pass').toString('base64')}`, 'k']);
  await expect(opened(source, folder(), 99)).rejects.toThrow(
    `Cannot fetch [${url}/rows]: it is larger than [99] bytes`,
  );
  await expect(opened({ type: 'http', uris: [`${url}/cut`] }, folder())).rejects.toThrow(
    `Cannot fetch [${url}/cut]`,
  );
});

test.each<[object, string]>([
  [{ uris: [] }, 'Empty URIs'],
  [{ uris: ['not an address'] }, 'uris[0] is not an address'],
  [{ uris: ['ftp://example.org/x'] }, 'Only [http, https] protocols are allowed'],
  [
    {
      uris: ['http://a'],
      httpAuthenticationUsername: 'a',
      httpAuthenticationPassword: { type: 'environment', variable: 'HOME' },
    },
    'Environment variable [HOME] of the service may not be read by requests. Start the service with --allow-env HOME',
  ],
])('an http source %j is refused', (rest, said) => {
  const source = () => parseInputSource(new SpecFields({ type: 'http', ...rest }, 'inputSource'));
  expect(() => checkInputSource(source(), outsideWith())).toThrow(said);
});
