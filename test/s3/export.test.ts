// Exports to a real S3 server, and to servers that fail.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { S3Client } from '../../src/server/s3/client.ts';
import { endpointAt } from '../../src/server/s3/place.ts';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/storage.ts';
import { api } from '../support/wire.ts';
import { motoIsMissing, type S3Server, startS3 } from './moto.ts';

const missing = motoIsMissing();
if (missing !== undefined) console.warn(`SKIPPED: exports to a real S3 server, because ${missing}`);

const ends: (() => void)[] = [];
let s3: S3Server;

beforeAll(async () => {
  if (missing !== undefined) return;
  s3 = await startS3((end) => ends.push(end));
  await s3.bucket('out');
  await s3.believe();
});
afterAll(() => {
  for (const end of ends) end();
});

const rows = `SELECT * FROM (VALUES ('a', 1), ('b', 2), ('c', 3)) AS t("who", "n")`;
const exporting = (prefix: string, format = 'CSV', bucket = 'out') =>
  `INSERT INTO EXTERN(s3(bucket => '${bucket}', prefix => '${prefix}')) AS ${format} ${rows}`;

async function started(url: string, more: Record<string, string> = {}) {
  const properties = {
    'svc.s3.accessKey': missing === undefined ? s3.user.accessKeyId : 'a',
    'svc.s3.secretKey': missing === undefined ? s3.user.secretAccessKey : 'b',
    'svc.s3.endpoint.url': url,
    'svc.export.storage.s3.allowedExportPaths': '["s3://out/exports/", "s3://logs"]',
    'svc.export.storage.s3.maxRetry': '2',
    ...more,
  };
  const { post, get, ended } = api(await startService({ properties }));
  return {
    post,
    get,
    async run(query: string, context: object = {}) {
      const { body } = await post('/svc/v2/sql/task', { query, context });
      return ended(body.taskId);
    },
    refused: async (query: string) => {
      const { status, body } = await post('/svc/v2/sql/task', { query });
      return [status, body.error.errorMessage];
    },
    sql: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
  };
}

test.skipIf(missing !== undefined)(
  'rows become objects, and a manifest that names them; no file is left',
  async () => {
    const temp = mkdtempSync(join(tmpdir(), 'export-s3-'));
    onTestFinished(() => rmSync(temp, { recursive: true, force: true }));
    const { run, get } = await started(s3.url, { 'svc.export.storage.s3.tempLocalDir': temp });
    const { id, statusCode } = await run(exporting('/exports/a day/'), {
      rowsPerPage: 2,
      maxNumTasks: 3,
    });
    expect(statusCode).toBe('SUCCESS');
    const names = [`${id}-worker0-partition0.csv`, `${id}-worker1-partition1.csv`];
    const manifest = 'exports/a day/_symlink_format_manifest';
    expect(await s3.keys('out')).toEqual([
      `${manifest}/druid_export_meta`,
      `${manifest}/manifest`,
      ...names.map((name) => `exports/a day/${name}`),
    ]);
    expect(await s3.text(`out/exports/a%20day/${names[0]}`)).toBe('who,n\na,1\nb,2\n\n');
    expect(await s3.text(`out/${manifest}/manifest`)).toBe(
      names.map((name) => `s3://out/exports/a%20day/${name}\n`).join(''),
    );
    expect(await s3.text(`out/${manifest}/druid_export_meta`)).toBe('version: 1\n');
    expect(readdirSync(temp)).toEqual([]);
    expect((await get(`/svc/indexer/v1/task/${id}`)).body.payload.spec.destination).toEqual({
      type: 'export',
      exportStorageProvider: { type: 's3', bucket: 'out', prefix: '/exports/a day/' },
      resultFormat: 'csv',
    });
    expect((await run(exporting('exports/a day'))).errorMsg).toContain(
      'Found files at provided export destination[s3://out/exports/a%20day]. Export is only allowed to an empty path.',
    );
  },
);

test.skipIf(missing !== undefined)('an export as Parquet can be ingested again', async () => {
  const { run, sql } = await started(s3.url);
  expect(await run(exporting('exports/parquet', 'PARQUET'))).toMatchObject({
    statusCode: 'SUCCESS',
  });
  const source = '{"type":"s3","prefixes":["s3://out/exports/parquet/"],"objectGlob":"**.parquet"}';
  const from = `TABLE(EXTERN('${source}', '{"type":"parquet"}')) EXTEND ("who" VARCHAR, "n" BIGINT)`;
  await run(
    `INSERT INTO "again" SELECT TIMESTAMP '2021-05-01' AS "__time", "who", "n" FROM ${from} PARTITIONED BY DAY`,
  );
  expect(await sql('SELECT "who", "n" FROM "again"')).toEqual([
    ['a', 1],
    ['b', 2],
    ['c', 3],
  ]);
});

test.skipIf(missing !== undefined)('a large file is sent in parts', async () => {
  const folder = await temporaryFolder();
  const { writeFileSync } = await import('node:fs');
  const content = 'x'.repeat(5 * 1024 ** 2) + 'y'.repeat(1000);
  writeFileSync(join(folder, 'large'), content);
  const endpoint = endpointAt(s3.url, { region: undefined, protocol: 'http', pathStyle: true });
  if (!endpoint) throw new Error('It is an endpoint');
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = s3.user;
  const client = new S3Client({
    endpoint,
    credentials: { accessKey, secretKey },
    signal: AbortSignal.timeout(60_000),
  });
  await client.putInParts(
    { bucket: 'out', key: 'large/object' },
    join(folder, 'large'),
    content.length,
    5 * 1024 ** 2,
  );
  expect(await s3.text('out/large/object')).toBe(content);
});

test('what is not allowed is refused, and no task comes of it', async () => {
  const { refused, get } = await started('http://127.0.0.1:1');
  const fault = (path: string) =>
    `None of the allowed prefixes matched the input path [${path}]. Please reach out to the cluster admin for the whitelisted paths for export. The paths are controlled via the property \`svc.export.storage.s3.allowedExportPaths\`.`;
  expect(await refused(exporting('else/where'))).toEqual([400, fault('s3://out/else/where')]);
  expect(await refused(exporting('exports2'))).toEqual([400, fault('s3://out/exports2')]);
  expect(await refused(exporting('exports', 'CSV', 'other'))).toEqual([
    400,
    fault('s3://other/exports'),
  ]);
  expect((await refused(exporting('exports/../else')))[1]).toContain(
    'its key has a part [.] or [..]',
  );
  expect((await refused(exporting('///')))[1]).toContain('needs a [prefix] with more than slashes');
  expect((await refused(`INSERT INTO EXTERN(s3(bucket => 'out')) AS CSV ${rows}`))[1]).toBe(
    'Export destination [s3] needs the property [prefix]',
  );
  const role = `INSERT INTO EXTERN(s3(bucket => 'out', prefix => 'exports', assumeRoleArn => 'arn')) AS CSV ${rows}`;
  expect((await refused(role))[1]).toBe(
    'Export destination [s3] has no property [assumeRoleArn]: known are [bucket, prefix] only',
  );
  expect((await get('/svc/indexer/v1/tasks')).body).toEqual([]);
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

test('what was sent is removed when the rest cannot be sent, and the manifest never comes', async () => {
  const asked: string[] = [];
  const url = await server(({ method, url: path = '' }, reply) => {
    asked.push(`${method} ${path.replace(/\?.*|query-[\w-]+(?=-worker)/g, '')}`);
    if (method === 'GET') return void reply.end('<ListBucketResult></ListBucketResult>');
    return void reply.writeHead(path.includes('partition1') && method === 'PUT' ? 403 : 200).end();
  });
  const { run } = await started(url);
  const { statusCode, errorMsg } = await run(exporting('exports/x'), { rowsPerPage: 2 });
  expect(statusCode).toBe('FAILED');
  expect(errorMsg).toMatch(
    /Cannot write \[s3:\/\/out\/exports\/x\/.*-partition1.csv\]: the server answered with status \[403\]: the credentials do not/,
  );
  expect(asked.map((line) => line.replace(/\/out\/exports\/x\/.*-worker/, ' worker'))).toEqual([
    'GET /out/',
    'GET /out/',
    'PUT  worker0-partition0.csv',
    'PUT  worker0-partition1.csv',
    'DELETE  worker0-partition1.csv',
    'DELETE  worker0-partition0.csv',
  ]);
});
