import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const rows = `SELECT * FROM (VALUES (TIMESTAMP '2021-05-01', 'a', 1), (TIMESTAMP '2021-05-02', 'b, "c"', 2), (TIMESTAMP '2021-05-03', NULL, 3)) AS t("__time", "who", "n")`;
const exporting = (path: string, format = 'CSV', query = rows) =>
  `INSERT INTO EXTERN(local(exportPath => '${path}')) AS ${format} ${query}`;

async function started() {
  const allowed = mkdtempSync(join(tmpdir(), 'export-'));
  onTestFinished(() => rmSync(allowed, { recursive: true, force: true }));
  const { post, get, ended } = api(await startService({ allowedFolders: [allowed] }));
  const task = (query: string, context: object = {}) =>
    post('/svc/v2/sql/task', { query, context });
  return {
    allowed,
    task,
    get,
    async run(query: string, context: object = {}) {
      const { body } = await task(query, context);
      return ended(body.taskId);
    },
    refused: async (query: string) => {
      const { status, body } = await task(query);
      return [status, body.error.errorMessage];
    },
    sql: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
  };
}

test('rows become CSV files with headers, and a manifest that names them', async () => {
  const { allowed, run, get } = await started();
  const path = join(allowed, 'new', 'people');
  const { id, statusCode, dataSource } = await run(exporting(path), {
    rowsPerPage: 2,
    maxNumTasks: 3,
  });
  expect({ statusCode, dataSource }).toEqual({
    statusCode: 'SUCCESS',
    dataSource: '__query_select',
  });
  const names = [`${id}-worker0-partition0.csv`, `${id}-worker1-partition1.csv`];
  expect(readdirSync(path).sort()).toEqual(['_symlink_format_manifest', ...names].sort());
  expect(names.map((name) => readFileSync(join(path, name), 'utf8'))).toEqual([
    '__time,who,n\n2021-05-01T00:00:00.000Z,a,1\n2021-05-02T00:00:00.000Z,"b, ""c""",2\n\n',
    '__time,who,n\n2021-05-03T00:00:00.000Z,,3\n\n',
  ]);
  const manifest = join(path, '_symlink_format_manifest');
  expect(readFileSync(join(manifest, 'manifest'), 'utf8')).toBe(
    names.map((name) => `file:${join(path, name)}\n`).join(''),
  );
  expect(readFileSync(join(manifest, 'druid_export_meta'), 'utf8')).toBe('version: 1\n');
  const { stages, counters } = (await get(`/svc/indexer/v1/task/${id}/reports`)).body
    .multiStageQuery.payload;
  expect(stages[1]).toMatchObject({
    phase: 'RESULTS_COMPLETE',
    workerCount: 2,
    partitionCount: 2,
    definition: { processor: { format: 'csv' } },
  });
  expect([counters[1][0].input0.rows, counters[1][1].input0.rows]).toEqual([[2], [1]]);
  expect((await get(`/svc/indexer/v1/task/${id}`)).body.payload.spec.destination).toEqual({
    type: 'export',
    exportStorageProvider: { type: 'local', exportPath: path },
    resultFormat: 'csv',
  });
});

test('an export as Parquet can be ingested again', async () => {
  const { allowed, run, sql } = await started();
  const path = join(allowed, 'parquet');
  expect(await run(exporting(path, 'PARQUET'))).toMatchObject({ statusCode: 'SUCCESS' });
  const from = `TABLE(EXTERN('{"type":"local","baseDir":"${path}","filter":"*.parquet"}', '{"type":"parquet"}', '[{"name":"__time","type":"long"},{"name":"who","type":"string"},{"name":"n","type":"long"}]'))`;
  await run(
    `INSERT INTO "again" SELECT MILLIS_TO_TIMESTAMP("__time") AS "__time", "who", "n" FROM ${from} PARTITIONED BY DAY`,
  );
  expect(await sql('SELECT * FROM "again"')).toEqual([
    ['2021-05-01T00:00:00.000Z', 'a', 1],
    ['2021-05-02T00:00:00.000Z', 'b, "c"', 2],
    ['2021-05-03T00:00:00.000Z', null, 3],
  ]);
});

test('an export goes to an empty folder only', async () => {
  const { allowed, run } = await started();
  writeFileSync(join(allowed, 'mine.txt'), 'keep me');
  expect((await run(exporting(allowed))).errorMsg).toContain(
    `Found files at provided export destination[${allowed}]. Export is only allowed to an empty path.`,
  );
  expect(readdirSync(allowed)).toEqual(['mine.txt']);
});

test('an export that fails leaves nothing behind', async () => {
  const { allowed, run } = await started();
  const path = join(allowed, 'none');
  const failing = `SELECT 1 / "n" AS "x" FROM (VALUES (1), (0)) AS t("n")`;
  expect(await run(exporting(path, 'CSV', failing))).toMatchObject({ statusCode: 'FAILED' });
  expect(readdirSync(path)).toEqual([]);
});

test('what cannot be exported is refused, and no task comes of it', async () => {
  const { allowed, refused, run, get } = await started();
  const path = join(allowed, 'x');
  expect(await refused(exporting('/etc/x'))).toEqual([
    400,
    'The provided destination [/etc/x] must be below a folder that the service may write to (--allow-dir)',
  ]);
  expect(await refused(exporting(join(allowed, '..', 'x')))).toMatchObject([
    400,
    expect.stringMatching(/must be below a folder/),
  ]);
  expect(await refused(exporting(path, 'ORC'))).toEqual([
    400,
    'Exporting as [ORC] format is not supported: use CSV or PARQUET',
  ]);
  expect(
    await refused(`INSERT INTO EXTERN(s3(bucket => 'b', prefix => 'p')) AS CSV ${rows}`),
  ).toEqual([
    400,
    'The runtime property `svc.export.storage.s3.allowedExportPaths` must be configured for S3 export.',
  ]);
  expect(
    await refused(`INSERT INTO EXTERN(google(bucket => 'b', prefix => 'p')) AS CSV ${rows}`),
  ).toEqual([
    400,
    "Export destination [google] is not available: use [local(exportPath => '...')] or [s3(bucket => '...', prefix => '...')]",
  ]);
  expect(await refused(`INSERT INTO EXTERN(local()) AS CSV ${rows}`)).toEqual([
    400,
    'Export destination [local] needs the property [exportPath]',
  ]);
  expect(
    await refused(
      `REPLACE INTO EXTERN(local(exportPath => '${path}')) AS CSV OVERWRITE ALL ${rows}`,
    ),
  ).toMatchObject([400, expect.any(String)]);
  expect(await refused(`${exporting(path)} PARTITIONED BY ALL`)).toMatchObject([
    400,
    expect.stringMatching(/PARTITIONED BY/),
  ]);
  expect((await get('/svc/indexer/v1/tasks')).body).toEqual([]);
  mkdirSync(join(allowed, 'inside'));
  symlinkSync('/tmp', join(allowed, 'inside', 'out'));
  expect((await run(exporting(join(allowed, 'inside', 'out', 'export-link')))).errorMsg).toContain(
    'is outside of the folders',
  );
});

test('without allowed folders nothing is exported', async () => {
  const { post } = api(await startService());
  const { body } = await post('/svc/v2/sql/task', { query: exporting('/tmp/x') });
  expect(body.error.errorMessage).toBe(
    'The service may not write local files. Start it with --allow-dir to allow a folder for local export',
  );
});
