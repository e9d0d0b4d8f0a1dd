// A disk that fills up during a request: the request fails with a reason, leaves no partial data
// and no files behind, and the service continues to work.
import { existsSync, symlinkSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../support/service.ts';
import { mounts, startOnSmallDisk } from '../support/small-disk.ts';
import { api } from '../support/wire.ts';

const full = (place: string) =>
  `The disk is full: the service cannot write to [${place}] of the data folder. Free some space, and submit the failed requests again`;

async function started(size: string, args: readonly string[] = []) {
  const disk = await startOnSmallDisk(size, args);
  await writeFile(join(disk.folder, 'large.csv'), rows(40_000));
  await writeFile(join(disk.folder, 'small.csv'), rows(10));
  const { post, get, ended, until } = api(disk.service);
  const source = (file: string) => ({ type: 'local', files: [join(disk.folder, file)] });
  const sql = async (query: string) =>
    (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body;
  return {
    ...disk,
    post,
    get,
    until,
    ended,
    sql,
    from: (file: string) =>
      `(SELECT "t", "k", "text" FROM TABLE(EXTERN('${JSON.stringify(source(file))}', '{"type":"csv","columns":["t","k","text"]}')) EXTEND (t VARCHAR, k BIGINT, text VARCHAR))`,
    /** Posts a body and returns the final status of the task that it creates. */
    async run(path: string, body: object) {
      const reply = await post(path, body);
      const id = reply.body?.task ?? reply.body?.taskId ?? reply.body?.queryId;
      if (id === undefined) throw new Error(reply.text);
      return ended(id);
    },
    native: (id: string, file: string) => ({
      type: 'index_parallel',
      id,
      spec: {
        dataSchema: {
          dataSource: 'native',
          timestampSpec: { column: 't', format: 'iso' },
          dimensionsSpec: { dimensions: ['text', { type: 'long', name: 'k' }] },
          granularitySpec: { segmentGranularity: 'DAY', rollup: false },
        },
        ioConfig: {
          type: 'index_parallel',
          inputSource: source(file),
          inputFormat: { type: 'csv', columns: ['t', 'k', 'text'] },
        },
      },
    }),
  };
}

const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => `2024-05-01,${at},${randomText(at)}\n`).join('');

/** 300 characters that do not compress well. */
function randomText(seed: number): string {
  let state = seed + 1;
  return Array.from({ length: 300 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  }).join('');
}

const statements = '/svc/v2/sql/statements';
const tasks = '/svc/indexer/v1/task';
const context = { executionMode: 'ASYNC', selectDestination: 'durableStorage' };

test.skipIf(!mounts)(
  'a statement without room for its rows fails and keeps none; the next one succeeds',
  async () => {
    const { fill, empty, files, run, get, from } = await started('16m');
    await fill(3_000_000);
    const failed = await run(statements, { query: `SELECT * FROM ${from('large.csv')}`, context });
    expect(failed).toMatchObject({
      statusCode: 'FAILED',
      errorMsg: `NotEnoughTemporaryStorageFault: ${full('staging')}`,
    });
    expect((await get(`${statements}/${failed.id}`)).body).toMatchObject({
      state: 'FAILED',
      errorDetails: { errorCode: 'NotEnoughTemporaryStorageFault', errorMessage: full('staging') },
    });
    expect((await get(`${statements}/${failed.id}/results`)).status).not.toBe(200);
    expect([files('staging'), files('results'), files('spill')]).toEqual([[], [], []]);
    await empty();
    const { id, statusCode } = await run(statements, {
      query: `SELECT "k" FROM ${from('small.csv')} ORDER BY "k"`,
      context,
    });
    expect({ statusCode, kept: files('results').length }).toEqual({
      statusCode: 'SUCCESS',
      kept: 1,
    });
    expect(
      (await get(`${statements}/${id}/results?resultFormat=csv`)).text.trim().split('\n'),
    ).toHaveLength(10);
  },
);

test.skipIf(!mounts)('a query without room for its spilled rows fails', async () => {
  const { fill, empty, files, run, post, from } = await started('64m', ['--memory', '500MB']);
  await fill(2_000_000);
  const wide = `SELECT a."k", a."text", b."text" AS "other" FROM ${from('large.csv')} a CROSS JOIN (VALUES (1), (2), (3), (4), (5), (6), (7), (8)) AS n(i) JOIN ${from('large.csv')} b ON a."k" = b."k" ORDER BY b."text", n.i`;
  expect(await run(statements, { query: wide, context })).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: `NotEnoughTemporaryStorageFault: ${full('spill')}`,
  });
  await expect
    .poll(() => [files('staging'), files('results'), files('spill')])
    .toEqual([[], [], []]); // the process has to end
  await empty();
  expect((await post('/svc/v2/sql', { query: 'SELECT 1' })).status).toBe(200);
});

test.skipIf(!mounts)(
  'a native task without room for its segments publishes none, and its report has the reason',
  async () => {
    const { fill, empty, files, run, get, native, sql } = await started('16m');
    expect(await run(tasks, native('first', 'small.csv'))).toMatchObject({ statusCode: 'SUCCESS' });
    await fill(3_000_000);
    expect(await run(tasks, native('large', 'large.csv'))).toMatchObject({
      statusCode: 'FAILED',
      errorMsg: full('staging'),
    });
    const { payload } = (await get(`${tasks}/large/reports`)).body.ingestionStatsAndErrors;
    expect(payload).toMatchObject({ errorMsg: full('staging') });
    expect((await get(`${tasks}/large/log`)).text).toContain(`Task failed: ${full('staging')}`);
    expect(await sql('SELECT COUNT(*) FROM "native"')).toEqual([[10]]); // earlier rows are still readable
    expect({ staging: files('staging'), segments: files('segments').length }).toEqual({
      staging: [],
      segments: 1,
    });
    await empty();
    expect(await run(tasks, native('again', 'large.csv'))).toMatchObject({ statusCode: 'SUCCESS' });
    expect(await sql('SELECT COUNT(*) FROM "native"')).toEqual([[40_000]]);
  },
);

test.skipIf(!mounts)(
  'an export without room leaves no file, and the error names its own folder',
  async () => {
    const { fill, empty, run, disk, from, files } = await started('16m');
    await fill(3_000_000);
    const exportPath = join(disk, 'exported'); // beside the data folder, on the same full disk
    const query = `INSERT INTO EXTERN(local(exportPath => '${exportPath}')) AS CSV SELECT "k", "text" FROM ${from('large.csv')}`;
    expect(await run('/svc/v2/sql/task', { query })).toMatchObject({
      statusCode: 'FAILED',
      errorMsg: `NotEnoughTemporaryStorageFault: The disk is full: the service cannot write to [${exportPath}]. Free some space, and submit the failed requests again`,
    });
    expect(files('../exported')).toEqual([]);
    await empty();
  },
);

test.skipIf(!mounts)(
  'with no room to store how a task ended, it has failed as soon as there is some, and meanwhile the service answers',
  async () => {
    const { fill, empty, get, post, ended, until, service } = await started('16m', [
      '--control-port',
      '0',
    ]);
    const said = service.said();
    await post(tasks, { type: 'noop', id: 'ends', runTime: 3_600_000 });
    await until(
      async () => (await get(`${tasks}/ends/status`)).body.status.runnerStatusCode === 'RUNNING',
    );
    await fill();
    await api({ url: service.control }).post('/clock', { by: 'PT1H' });
    const refused = await post(tasks, { type: 'noop', id: 'refused' });
    expect({ status: refused.status, ...refused.body }).toEqual({
      status: 500,
      error: full('metadata.sqlite'),
    });
    expect((await get(`${tasks}/refused/status`)).status).toBe(404);
    await until(async () => /Task failed/.test((await get(`${tasks}/ends/log`)).text));
    expect((await get(`${tasks}/ends/status`)).body.status.statusCode).toBe('RUNNING');
    expect((await post('/svc/v2/sql', { query: 'SELECT 1', resultFormat: 'array' })).body).toEqual([
      [1],
    ]);
    await empty();
    expect(await ended('ends')).toMatchObject({
      statusCode: 'FAILED',
      errorMsg: full('metadata.sqlite'),
    });
    await until(
      async () => (await get('/svc/indexer/v1/totalWorkerCapacity')).body.usedClusterCapacity === 0,
    );
    await post(tasks, { type: 'noop', id: 'later', runTime: 1 });
    expect(await ended('later')).toMatchObject({ statusCode: 'SUCCESS' });
    expect(service.said()).toBe(said);
  },
);

test.skipIf(!mounts)('a service ends in order while its disk is full', async () => {
  const { fill, post, get, until, service } = await started('16m');
  await post(tasks, { type: 'noop', id: 'runs', runTime: 60_000 });
  await until(
    async () => (await get(`${tasks}/runs/status`)).body.status.runnerStatusCode === 'RUNNING',
  );
  await fill();
  expect(await service.stop()).toMatchObject({ code: 0, said: '' });
});

test.skipIf(!existsSync('/dev/full'))(
  'a task that can not tell what it did in its log has not done it',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'full-log-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const { post, get, ended } = api(await startService({ dataDir: folder }));
    const load = (id: string) => ({
      type: 'index_parallel',
      id,
      spec: {
        dataSchema: {
          dataSource: 'logged',
          timestampSpec: { column: 't' },
          dimensionsSpec: { dimensions: ['k'] },
          granularitySpec: { rollup: false },
        },
        ioConfig: {
          type: 'index_parallel',
          inputSource: { type: 'inline', data: '{"t":"2024-05-01","k":"a"}' },
          inputFormat: { type: 'json' },
        },
      },
    });
    symlinkSync('/dev/full', join(folder, 'task-logs', 'silent.log'));
    expect((await post(tasks, load('silent'))).status).toBe(200);
    expect(await ended('silent')).toMatchObject({
      statusCode: 'FAILED',
      errorMsg: full('task-logs'),
    });
    expect((await get('/svc/coordinator/v1/metadata/datasources')).body).toEqual([]);
    expect([
      await readdir(join(folder, 'staging')),
      await readdir(join(folder, 'segments'), { recursive: true }),
    ]).toEqual([[], expect.not.arrayContaining([expect.stringContaining('.parquet')])]);
    await post(tasks, load('told'));
    expect(await ended('told')).toMatchObject({ statusCode: 'SUCCESS' });
  },
);
