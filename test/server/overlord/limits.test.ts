import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { dialectOf } from '../../../src/model/dialect.ts';
import { Engine } from '../../../src/server/engine/engine.ts';
import { createTaskQueue } from '../../../src/server/overlord/task-types.ts';
import { Planner } from '../../../src/server/planning/planner.ts';
import { Clock } from '../../../src/server/process/clock.ts';
import { RealtimeRows } from '../../../src/server/segments/realtime-rows.ts';
import { listSegments } from '../../../src/server/storage/segments.ts';
import { openStorage } from '../../../src/server/storage/storage.ts';
import { outsideWith } from '../../support/outside.ts';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

test('a running query is stopped with its task', async () => {
  const { post, get, until, ended } = api(await startService());
  const numbers = `(SELECT * FROM UNNEST(ARRAY[${Array.from({ length: 100 }, (_, index) => index).join(',')}]) AS u(n))`;
  const query = `SELECT COUNT(*) FROM ${Array.from({ length: 7 }, (_, index) => `${numbers} t${index}`).join(', ')} WHERE ${Array.from({ length: 7 }, (_, index) => `t${index}."n"`).join(' + ')} = 3`;
  const { body } = await post('/svc/v2/sql/task', { query });
  await until(
    async () =>
      (await get(`/svc/indexer/v1/task/${body.taskId}/status`)).body.status.runnerStatusCode ===
      'RUNNING',
  );
  await post(`/svc/indexer/v1/task/${body.taskId}/shutdown`, {});
  expect(await ended(body.taskId)).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: 'Shutdown request from user',
  });
  await until(
    async () => (await get('/svc/indexer/v1/totalWorkerCapacity')).body.usedClusterCapacity === 0,
  );
  const { body: reports } = await get(`/svc/indexer/v1/task/${body.taskId}/reports`);
  expect(reports.multiStageQuery.payload.status.errorReport.error).toMatchObject({
    errorCode: 'Canceled',
    reason: 'TASK_SHUTDOWN',
  });
});

test('without room on disk a task fails with a reason, publishes nothing, and the next one runs', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'full-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(
    join(folder, 'rows.csv'),
    Array.from({ length: 200_000 }, (_, row) => `2022-03-01,${'x'.repeat(100)}${row}\n`).join(''),
  );
  const storage = openStorage(join(folder, 'data'));
  const engine = new Engine({
    allowedFolders: [folder],
    spillFolder: storage.folder.spill,
    processMemoryBytes: 60_000_000,
    maxSpillBytes: 1_000_000,
    threads: 1,
  });
  const catalog = () => ({ findTable: () => undefined, findLookup: () => undefined });
  const settings = {
    storage,
    engine,
    outside: outsideWith({ folders: [folder] }),
    dialect: dialectOf('svc'),
    capacity: 1,
    host: 'localhost',
    place: { plain: 0, tls: -1 },
    planner: new Planner({ heapBytes: 256 * 1024 ** 2, memory: engine.memory }),
    catalog,
    streamTasks: new Map(),
  };
  const queue = createTaskQueue({
    ...settings,
    realtime: new RealtimeRows(),
    streamTasks: new Map(),
    rules: { withDefaults: () => [] },
    clock: new Clock(),
  });
  onTestFinished(async () => {
    await queue.close();
    await engine.close();
    await storage.close();
  });
  const task = (inputSource: object) => ({
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'd',
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: { dimensions: ['k'] },
        granularitySpec: { rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource,
        inputFormat: { type: 'csv', columns: ['t', 'k'] },
      },
    },
  });
  const full = await queue.ended(
    queue.submit(task({ type: 'local', files: [join(folder, 'rows.csv')] })),
  );
  expect(full).toMatchObject({
    status: 'FAILED',
    errorMsg: expect.stringContaining('Not enough memory or disk space'),
  });
  const source = JSON.stringify({ type: 'local', files: [join(folder, 'rows.csv')] });
  const statement = `INSERT INTO "d" SELECT TIME_PARSE("t") AS "__time", "k" FROM TABLE(EXTERN('${source}', '{"type":"csv","columns":["t","k"]}')) (t VARCHAR, k VARCHAR) PARTITIONED BY DAY`;
  const sql = {
    type: 'query_controller',
    id: 'query-full',
    dataSource: 'd',
    sqlQuery: statement,
    sqlQueryContext: {},
    parameters: [],
  };
  expect(await queue.ended(queue.submit(sql))).toMatchObject({
    status: 'FAILED',
    errorMsg: expect.stringMatching(
      /^NotEnoughTemporaryStorageFault: Not enough memory or disk space/,
    ),
  });
  expect(readdirSync(storage.folder.staging)).toEqual([]);
  expect(listSegments(storage.metadata)).toEqual([]);
  expect(
    await queue.ended(queue.submit(task({ type: 'inline', data: '2022-03-01,a' }))),
  ).toMatchObject({ status: 'SUCCESS' });
  expect(listSegments(storage.metadata)).toMatchObject([{ numRows: 1 }]);
});
