import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const rows = `{"t":"2021-05-01T00:00:00Z","who":"a","v":1}
{"t":"2021-05-01T01:00:00Z","who":"b","v":2}
{"t":"2021-05-02T00:00:00Z","who":"c","v":3}`;

const extern = (data: string, format: object = { type: 'json' }) => {
  const text = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`;
  const signature = [
    { name: 't', type: 'string' },
    { name: 'who', type: 'string' },
    { name: 'v', type: 'long' },
  ];
  return `TABLE(EXTERN(${text({ type: 'inline', data })}, ${text(format)}, ${text(signature)}))`;
};
const load = (data: string, format?: object) =>
  `SELECT TIME_PARSE("t") AS "__time", "who", "v" FROM ${extern(data, format)}`;

async function started(settings: Parameters<typeof startService>[0] = {}) {
  const { get, post, ended } = api(await startService(settings));
  return {
    get,
    post,
    ended,
    task: (query: string, context: object = {}) => post('/svc/v2/sql/task', { query, context }),
    async ingest(query: string, context: object = {}) {
      const { body } = await post('/svc/v2/sql/task', { query, context });
      return ended(body.taskId);
    },
    rows: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
    report: async (taskId: string) =>
      (await get(`/svc/indexer/v1/task/${taskId}/reports`)).body.multiStageQuery.payload,
  };
}

test('INSERT makes one segment per time chunk, and what it wrote can be read at once', async () => {
  const { ingest, rows: read } = await started();
  expect(await ingest(`INSERT INTO "ingest" ${load(rows)} PARTITIONED BY DAY`)).toMatchObject({
    statusCode: 'SUCCESS',
    type: 'query_controller',
    dataSource: 'ingest',
  });
  expect(await read('SELECT * FROM "ingest" ORDER BY "__time"')).toEqual([
    ['2021-05-01T00:00:00.000Z', 'a', 1],
    ['2021-05-01T01:00:00.000Z', 'b', 2],
    ['2021-05-02T00:00:00.000Z', 'c', 3],
  ]);
  expect(
    await read(
      `SELECT "start", "num_rows" FROM sys.segments WHERE "datasource" = 'ingest' ORDER BY 1`,
    ),
  ).toEqual([
    ['2021-05-01T00:00:00.000Z', 2],
    ['2021-05-02T00:00:00.000Z', 1],
  ]);
});

test('a second INSERT appends partitions; REPLACE WHERE hides what was there and nothing else', async () => {
  const { ingest, rows: read } = await started();
  await ingest(`INSERT INTO "ingest" ${load(rows)} PARTITIONED BY DAY`);
  await ingest(
    `INSERT INTO "ingest" ${load('t,who,v\n2021-05-02T09:00:00Z,csv,7', { type: 'csv', findColumnsFromHeader: true })} PARTITIONED BY DAY`,
  );
  expect(await read('SELECT "who" FROM "ingest" ORDER BY "__time"')).toEqual([
    ['a'],
    ['b'],
    ['c'],
    ['csv'],
  ]);
  const day = `"__time" >= TIMESTAMP '2021-05-01' AND "__time" < TIMESTAMP '2021-05-02'`;
  await ingest(
    `REPLACE INTO "ingest" OVERWRITE WHERE ${day} ${load('{"t":"2021-05-01T05:00:00Z","who":"new","v":10}')} PARTITIONED BY DAY`,
  );
  expect(await read('SELECT "who" FROM "ingest" ORDER BY "__time"')).toEqual([
    ['new'],
    ['c'],
    ['csv'],
  ]);
});

test('REPLACE ALL leaves nothing of the old, not even in chunks for which there is nothing new', async () => {
  const { ingest, rows: read } = await started();
  await ingest(`INSERT INTO "ingest" ${load(rows)} PARTITIONED BY DAY`);
  await ingest(
    `REPLACE INTO "ingest" OVERWRITE ALL ${load('{"t":"2021-05-02T05:00:00Z","who":"new","v":10}')} PARTITIONED BY DAY`,
  );
  expect(await read('SELECT "who" FROM "ingest"')).toEqual([['new']]);
});

test('INSERT finds its place in each chunk that REPLACE ALL has emptied', async () => {
  const { ingest, rows: read } = await started();
  const days = [1, 2, 3].map((day) => `{"t":"2021-05-0${day}","who":"a","v":1}`);
  await ingest(`INSERT INTO wiki ${load(days.join('\n'))} PARTITIONED BY DAY`);
  await ingest(`REPLACE INTO wiki OVERWRITE ALL ${load(days[0] ?? '')} PARTITIONED BY DAY`);
  const insert = await ingest(`INSERT INTO wiki ${load(days[1] ?? '')} PARTITIONED BY DAY`);
  expect(insert.statusCode).toBe('SUCCESS');
  expect(await read('SELECT __time FROM wiki ORDER BY __time')).toEqual([
    ['2021-05-01T00:00:00.000Z'],
    ['2021-05-02T00:00:00.000Z'],
  ]);
});

test('a REPLACE that would write outside of what it overwrites fails and changes nothing', async () => {
  const { ingest, rows: read } = await started();
  await ingest(`INSERT INTO "ingest" ${load(rows)} PARTITIONED BY DAY`);
  const day = `"__time" >= TIMESTAMP '2021-05-01' AND "__time" < TIMESTAMP '2021-05-02'`;
  expect(
    await ingest(`REPLACE INTO "ingest" OVERWRITE WHERE ${day} ${load(rows)} PARTITIONED BY DAY`),
  ).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: expect.stringMatching(/^InsertTimeOutOfBounds: /),
  });
  expect(await read('SELECT COUNT(*) FROM "ingest"')).toEqual([[3]]);
});

test('the report tells stages, counters and workers', async () => {
  const { task, ended, report, get } = await started();
  const { body } = await task(`INSERT INTO "ingest" ${load(rows)} PARTITIONED BY DAY`, {
    waitUntilSegmentsLoad: true,
  });
  await ended(body.taskId);
  const { status, stages, counters } = await report(body.taskId);
  expect(status).toMatchObject({
    status: 'SUCCESS',
    workers: { 0: [{ workerId: `${body.taskId}-worker0_0`, state: 'SUCCESS' }] },
    segmentLoadStatus: { state: 'SUCCESS', totalSegments: 2 },
  });
  expect(stages).toMatchObject([
    {
      stageNumber: 0,
      phase: 'RESULTS_COMPLETE',
      workerCount: 1,
      partitionCount: 2,
      sort: true,
      definition: { id: `${body.taskId}_0` },
    },
    {
      stageNumber: 1,
      phase: 'RESULTS_COMPLETE',
      definition: { processor: { type: 'segmentGenerator' } },
    },
  ]);
  expect(counters).toMatchObject({
    0: {
      0: {
        input0: { type: 'channel', rows: [3], files: [1], totalFiles: [1] },
        output: { rows: [3] },
      },
    },
    1: { 0: { segmentGenerationProgress: { rowsProcessed: 3, rowsPushed: 3 } } },
  });
  expect((await get('/svc/indexer/v1/tasks?type=query_worker')).body).toMatchObject([
    { groupId: body.taskId, statusCode: 'SUCCESS' },
  ]);
});

test('a SELECT as a task has its rows in the report, times as milliseconds', async () => {
  const { ingest, task, ended, report } = await started();
  await ingest(`INSERT INTO "ingest" ${load(rows)} PARTITIONED BY DAY`);
  const { body } = await task(
    'SELECT "__time", "who", "v" > 1 AS "many" FROM "ingest" ORDER BY "__time" LIMIT 2',
  );
  expect(await ended(body.taskId)).toMatchObject({
    dataSource: '__query_select',
    statusCode: 'SUCCESS',
  });
  expect((await report(body.taskId)).results).toMatchObject({
    signature: [
      { name: '__time', type: 'LONG' },
      { name: 'who', type: 'STRING' },
      { name: 'many', type: 'LONG' },
    ],
    results: [
      [1619827200000, 'a', 0],
      [1619830800000, 'b', 1],
    ],
    resultsTruncated: false,
  });
});

test('a task has rows in one form: what asks for another is ignored, or refused by the real engine', async () => {
  const { post, ended } = await started();
  const odd = [
    { resultFormat: 'xml' },
    { typesHeader: true },
    { sqlTypesHeader: true },
    { header: true, resultFormat: 'csv' },
  ];
  for (const fields of odd) {
    const { status, body } = await post('/svc/v2/sql/task', {
      query: 'SELECT 1 AS "n"',
      ...fields,
    });
    expect({ fields, status }).toEqual({ fields, status: 200 });
    expect(await ended(body.taskId)).toMatchObject({ statusCode: 'SUCCESS' });
  }
  const druid = await started({ service: 'druid' });
  const refused = await druid.post('/druid/v2/sql/task', {
    query: 'SELECT 1 AS "n"',
    typesHeader: true,
  });
  expect(refused).toMatchObject({
    status: 400,
    text: expect.stringContaining("Cannot include 'typesHeader' without 'header'"),
  });
});

test('a row without a time fails the task with its code', async () => {
  const { ingest } = await started();
  expect(
    await ingest(`INSERT INTO "ingest" ${load('{"who":"a"}')} PARTITIONED BY DAY`),
  ).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: 'InsertTimeNull: Null timestamp (__time) encountered during INSERT or REPLACE.',
  });
});

test('a row that cannot be read fails the task and names its place; with maxParseExceptions it is a warning', async () => {
  const { task, ended, report, ingest, rows: read } = await started();
  const data = `${rows}\nnot json`;
  const { body } = await task(`INSERT INTO "ingest" ${load(data)} PARTITIONED BY DAY`);
  await ended(body.taskId);
  expect((await report(body.taskId)).status.errorReport.error).toEqual({
    errorCode: 'CannotParseExternalData',
    errorMessage: 'Unable to parse row [not json] (Record: 4, Line: 4)',
  });
  expect(
    await ingest(`INSERT INTO "ingest" ${load(`${data}\nagain}`)} PARTITIONED BY DAY`, {
      maxParseExceptions: 1,
    }),
  ).toMatchObject({
    errorMsg: expect.stringMatching(/^TooManyWarnings/),
  });
  expect(
    await ingest(`INSERT INTO "ingest" ${load(data)} PARTITIONED BY DAY`, {
      maxParseExceptions: 5,
    }),
  ).toMatchObject({
    statusCode: 'SUCCESS',
  });
  expect(await read('SELECT COUNT(*) FROM "ingest"')).toEqual([[3]]);
});

test('CLUSTERED BY strings makes range partitions', async () => {
  const { ingest, get } = await started();
  await ingest(
    `REPLACE INTO "ingest" OVERWRITE ALL ${load(rows)} PARTITIONED BY ALL CLUSTERED BY "who"`,
    { rowsPerSegment: 1 },
  );
  const segments = (await get('/svc/coordinator/v1/metadata/datasources/ingest/segments?full'))
    .body;
  expect(segments.map(({ shardSpec }: { shardSpec: object }) => shardSpec)).toMatchObject([
    {
      type: 'range',
      dimensions: ['who'],
      start: null,
      end: ['b'],
      partitionNum: 0,
      numCorePartitions: 3,
    },
    { type: 'range', start: ['b'], end: ['c'], partitionNum: 1 },
    { type: 'range', start: ['c'], end: null, partitionNum: 2 },
  ]);
});

test('what cannot be planned is refused, and no task comes of it', async () => {
  const { task, get } = await started();
  for (const query of [
    `INSERT INTO "x" ${load(rows)}`,
    `INSERT INTO "x" SELECT * FROM "nothing" PARTITIONED BY ALL`,
    `INSERT INTO "x" SELECT 1 AS "a" FROM ${extern('x', { type: 'nothing' })} PARTITIONED BY ALL`,
  ]) {
    expect(await task(query)).toMatchObject({
      status: 400,
      body: { state: 'FAILED', error: { errorCode: 'invalidInput' } },
    });
  }
  expect(
    await task(`INSERT INTO "x" ${load(rows)} PARTITIONED BY ALL`, { maxNumTasks: 1 }),
  ).toMatchObject({ status: 400 });
  expect(await task('INSERT INTO x')).toMatchObject({
    status: 400,
    body: { error: 'druidException', context: { sourceType: 'sql' } },
  });
  expect((await get('/svc/indexer/v1/tasks')).body).toEqual([]);
});

test('a task tells the segments it has published, where the service keeps them', async () => {
  const { task, ended, get } = await started({
    properties: { 'svc.indexer.auditLog.enabled': 'true' },
  });
  const { body } = await task(`INSERT INTO "ingest" ${load(rows)} PARTITIONED BY DAY`);
  await ended(body.taskId);
  expect((await get(`/svc/indexer/v1/task/${body.taskId}/segments`)).body).toMatchObject([
    {
      dataSource: 'ingest',
      interval: '2021-05-01T00:00:00.000Z/2021-05-02T00:00:00.000Z',
      totalRows: 2,
    },
    { interval: '2021-05-02T00:00:00.000Z/2021-05-03T00:00:00.000Z', totalRows: 1 },
  ]);
  expect(Object.keys((await get(`/svc/indexer/v1/task/${body.taskId}/reports`)).body)).toEqual([
    'multiStageQuery',
    'taskContext',
  ]);
});
