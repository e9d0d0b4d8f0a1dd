import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const text = (value: unknown) => `'${JSON.stringify(value)}'`;
const signature = [
  { name: 't', type: 'string' },
  { name: 'who', type: 'string' },
  { name: 'n', type: 'long' },
];
const extern = (source: object, format: object) =>
  `TABLE(EXTERN(${text(source)}, ${text(format)}, ${text(signature)}))`;
const select = (source: object, format: object) =>
  `SELECT "t", "who", "n" FROM ${extern(source, format)} ORDER BY "n"`;
const expected = [
  ['2021-05-01', 'a', 1],
  ['2021-05-02', 'b', 2],
];
const json = '{"t":"2021-05-01","who":"a","n":1}\n{"t":"2021-05-02","who":"b","n":2}\n';
const csv = 't,who,n\n2021-05-01,a,1\n2021-05-02,b,2\n';
const tsv = csv.replaceAll(',', '\t');
const csvFormat = { type: 'csv', findColumnsFromHeader: true };

async function started() {
  const allowed = mkdtempSync(join(tmpdir(), 'inputs-'));
  onTestFinished(() => rmSync(allowed, { recursive: true, force: true }));
  const { get, post, ended } = api(await startService({ allowedFolders: [allowed] }));
  return {
    allowed,
    async read(source: object, format: object) {
      const { body } = await post('/svc/v2/sql/task', { query: select(source, format) });
      const { statusCode, errorMsg } = await ended(body.taskId);
      const { results } = (await get(`/svc/indexer/v1/task/${body.taskId}/reports`)).body
        .multiStageQuery.payload;
      return statusCode === 'SUCCESS' ? results.results : errorMsg;
    },
  };
}

test('JSON, CSV and TSV, given inline', async () => {
  const { read } = await started();
  expect(await read({ type: 'inline', data: json.trim() }, { type: 'json' })).toEqual(expected);
  expect(await read({ type: 'inline', data: csv.trim() }, csvFormat)).toEqual(expected);
  expect(
    await read({ type: 'inline', data: tsv.trim() }, { type: 'tsv', findColumnsFromHeader: true }),
  ).toEqual(expected);
});

test('local files by wildcard and by name, compressed or not', async () => {
  const { allowed, read } = await started();
  mkdirSync(join(allowed, 'deep'));
  writeFileSync(join(allowed, 'deep', 'one.json'), json.split('\n')[0] ?? '');
  writeFileSync(join(allowed, 'deep', 'two.json.gz'), gzipSync(json.split('\n')[1] ?? ''));
  writeFileSync(join(allowed, 'deep', 'other.txt'), 'no rows');
  expect(
    await read({ type: 'local', baseDir: allowed, filter: '*.json*' }, { type: 'json' }),
  ).toEqual(expected);
  const files = ['one.json', 'two.json.gz'].map((name) => join(allowed, 'deep', name));
  expect(await read({ type: 'local', files }, { type: 'json' })).toEqual(expected);
  writeFileSync(join(allowed, 'rows.csv.gz'), gzipSync(csv));
  expect(await read({ type: 'local', files: [join(allowed, 'rows.csv.gz')] }, csvFormat)).toEqual(
    expected,
  );
});

test('files over HTTP, with a password, and an answer that is none', async () => {
  const { read } = await started();
  const server = createServer((request, response) => {
    const isKnown =
      request.headers.authorization === `Basic ${Buffer.from('me:secret').toString('base64')}`;
    if (!isKnown) return response.writeHead(401).end();
    return request.url === '/rows.json.gz'
      ? response.end(gzipSync(json))
      : response.writeHead(404).end();
  });
  await new Promise<void>((open) => server.listen(0, '127.0.0.1', open));
  onTestFinished(() => void server.close());
  const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
  const login = {
    httpAuthenticationUsername: 'me',
    httpAuthenticationPassword: { type: 'default', password: 'secret' },
  };
  expect(
    await read({ type: 'http', uris: [at('/rows.json.gz')], ...login }, { type: 'json' }),
  ).toEqual(expected);
  expect(await read({ type: 'http', uris: [at('/rows.json.gz')] }, { type: 'json' })).toBe(
    `UnknownError: Cannot fetch [${at('/rows.json.gz')}]: the server answered with status [401]`,
  );
  expect(
    await read({ type: 'http', uris: [at('/nothing')], ...login }, { type: 'json' }),
  ).toContain('status [404]');
});

test.each(['bz2', 'xz', 'sz', 'zip'])(
  'a file compressed as %s is refused with what can be read',
  async (ending) => {
    const { allowed, read } = await started();
    const file = join(allowed, `rows.json.${ending}`);
    writeFileSync(file, 'anything');
    expect(await read({ type: 'local', files: [file] }, { type: 'json' })).toBe(
      `UnknownError: Cannot read file [${file}]: it is compressed as [${ending}], and the service reads [gz, zst]. Recompress it with one of these`,
    );
  },
);

test('a gz file that is cut off ends the query', async () => {
  const { allowed, read } = await started();
  const file = join(allowed, 'cut.json.gz');
  writeFileSync(file, gzipSync(json.repeat(1000)).subarray(0, 60));
  expect(await read({ type: 'local', files: [file] }, { type: 'json' })).toMatch(
    /^[A-Z][A-Za-z]+: .*\S/,
  );
});

test('a file outside of the allowed folders is not read', async () => {
  const { read } = await started();
  expect(await read({ type: 'local', files: ['/etc/hosts'] }, { type: 'lines' })).toContain(
    'it is not below a folder that the service may read',
  );
});

test('hundreds of external columns have the values of a few', async () => {
  const { get, post, ended } = api(await startService());
  const numbers = Array.from({ length: 150 }, (_, at) => `n${at}`);
  const words = Array.from({ length: 150 }, (_, at) => `w${at}`);
  const row = {
    ...Object.fromEntries(numbers.map((name, at) => [name, at % 2 ? String(at) : at])),
    ...Object.fromEntries(words.map((name, at) => [name, at % 2 ? `word ${at}` : { at }])),
  };
  const columns = [
    ...numbers.map((name) => ({ name, type: 'long' })),
    ...words.map((name) => ({ name, type: 'string' })),
  ];
  const data = `${JSON.stringify(row)}\n{"n1": "x", "w149": null}`;
  const { body } = await post('/svc/v2/sql/task', {
    query: `SELECT "n0" + "n149", "w0", "w149", "n1" FROM TABLE(EXTERN(${text({ type: 'inline', data })}, '{"type":"json"}', ${text(columns)}))`,
  });
  await ended(body.taskId);
  const { results } = (await get(`/svc/indexer/v1/task/${body.taskId}/reports`)).body
    .multiStageQuery.payload;
  expect(results.results).toEqual([
    [149, '{at=0}', 'word 149', 1],
    [null, null, null, null],
  ]);
});
