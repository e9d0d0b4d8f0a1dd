// The specification on errors, SQL requests, asynchronous statements, tasks and reports (lines 39
// to 117), over HTTP.
import { beforeAll, describe, expect, test } from 'vitest';
import { endless, noop, served } from './served.ts';

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const days = ['01', '02', '03'];

const { get, post, remove, load, ingest, until, ended, rows } = served({ workerCapacity: 6 });
beforeAll(async () => {
  await load('wiki', days);
});

const sql = (query: string, rest: object = {}) => post('/svc/v2/sql', { query, ...rest });
const submit = async (query: string, context: object = {}) =>
  (await post('/svc/v2/sql/statements', { query, context: { executionMode: 'ASYNC', ...context } }))
    .body;

describe('errors', () => {
  test('[48] errorMessage has the details', async () => {
    expect((await sql('SELECT nothing FROM wiki')).body.errorMessage).toContain('nothing');
    expect(
      (await post('/svc/v2/', { queryType: 'nothing', dataSource: 'wiki' })).body.errorMessage,
    ).toContain('nothing');
  });

  test('[51, 54, 55, 56, 57, 58] that of a statement has a summary, a code, a persona, a category, a message and a context', async () => {
    const body = await submit('SELECT nothing FROM wiki');
    expect(body).toMatchObject({
      error: expect.any(String),
      errorCode: expect.any(String),
      persona: 'USER',
      category: 'INVALID_INPUT',
      errorMessage: expect.stringContaining('nothing'),
      context: { sourceType: 'sql' },
    });
  });
});

describe('the SQL request', () => {
  test('[59] query is required', async () => {
    expect((await post('/svc/v2/sql', { resultFormat: 'csv' })).status).toBe(400);
    expect((await sql('SELECT 1')).status).toBe(200);
  });

  test.each(
    Object.entries({
      '[60] object': ['object', '[{"page":"page 01","n":1},{"page":"page 02","n":2}]\n'],
      '[61] array': ['array', '[["page 01",1],["page 02",2]]\n'],
      '[62] objectLines': ['objectLines', '{"page":"page 01","n":1}\n{"page":"page 02","n":2}\n\n'],
      '[63] arrayLines': ['arrayLines', '["page 01",1]\n["page 02",2]\n\n'],
      '[64] csv': ['csv', 'page 01,1\npage 02,2\n\n'],
    }),
  )('resultFormat may be %s', async (_, [resultFormat, text]) => {
    expect(
      (await sql('SELECT page, n FROM wiki ORDER BY __time LIMIT 2', { resultFormat })).text,
    ).toBe(text);
  });

  test('[65] header: the names of the columns are the first row', async () => {
    const query = 'SELECT page, n FROM wiki ORDER BY __time LIMIT 1';
    expect(await rows(query, { header: true })).toEqual([
      ['page', 'n'],
      ['page 01', 1],
    ]);
    expect(await rows(query, { header: false })).toEqual([['page 01', 1]]);
  });

  test('[67, 70] typesHeader and sqlTypesHeader require header', async () => {
    for (const name of ['typesHeader', 'sqlTypesHeader']) {
      expect([name, (await sql('SELECT 1', { [name]: true })).status]).toEqual([name, 400]);
      expect([name, (await sql('SELECT 1', { [name]: true, header: true })).status]).toEqual([
        name,
        200,
      ]);
    }
  });

  test('[68] a complex type is told with its name', async () => {
    const types = await rows('SELECT DS_HLL(page) AS sketch FROM wiki', {
      header: true,
      typesHeader: true,
    });
    expect(types[1]).toEqual(['COMPLEX<HLLSketch>']);
  });

  test('[71] context sqlQueryId', async () => {
    expect(
      (await sql('SELECT 1', { context: { sqlQueryId: 'mine' } })).headers.get(
        'x-svc-sql-query-id',
      ),
    ).toBe('mine');
  });

  test('[72] context time zone', async () => {
    const query = `SELECT TIME_FORMAT(TIMESTAMP '2024-01-01 00:00:00', 'HH:mm') AS t`;
    expect(
      await rows(`SELECT TIME_FORMAT(MIN(__time), 'dd HH:mm') FROM wiki`, {
        context: { sqlTimeZone: 'Asia/Tokyo' },
      }),
    ).toEqual([['01 09:00']]);
    expect(await rows(query)).toEqual([['00:00']]);
  });

  test('[73] context approximation choice', async () => {
    const asked = (useApproximateCountDistinct: boolean) =>
      sql('SELECT SUM(DISTINCT n) AS n FROM wiki', { context: { useApproximateCountDistinct } });
    expect((await asked(false)).body).toEqual([{ n: 6 }]);
    expect((await asked(true)).body.errorMessage).toContain(
      'not supported when useApproximateCountDistinct is enabled',
    );
  });

  test('[74] parameters have a type and a value', async () => {
    const parameters = [
      { type: 'VARCHAR', value: 'page 02' },
      { type: 'BIGINT', value: 1 },
    ];
    expect(await rows('SELECT n FROM wiki WHERE page = ? AND n > ?', { parameters })).toEqual([
      [2],
    ]);
  });
});

describe('an asynchronous statement', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the test is about
  let [first, last]: any[] = [];
  beforeAll(async () => {
    first = await submit('SELECT page, n FROM wiki ORDER BY n');
    await until(
      async () => (await get(`/svc/v2/sql/statements/${first.queryId}`)).body.state === 'SUCCESS',
    );
    last = (await get(`/svc/v2/sql/statements/${first.queryId}`)).body;
  });

  test('[75] queryId', () =>
    expect([first.queryId, last.queryId]).toEqual([expect.stringMatching(/./), first.queryId]));
  test('[76] state', () =>
    expect([first.state, last.state]).toEqual([
      expect.stringMatching(/^(ACCEPTED|RUNNING)$/),
      'SUCCESS',
    ]));
  test('[77] createdAt is an ISO time', () => expect(last.createdAt).toMatch(isoTime));
  test('[78] schema: name, type, nativeType', () =>
    expect(last.schema).toEqual([
      { name: 'page', type: 'VARCHAR', nativeType: 'STRING' },
      { name: 'n', type: 'BIGINT', nativeType: 'LONG' },
    ]));
  test('[79, 359] durationMs is -1 until it has finished', () => {
    expect(first.durationMs).toBe(-1);
    expect(last.durationMs).toBeGreaterThanOrEqual(0);
  });
  test('[80] result only when it is complete', () => {
    expect(first).not.toHaveProperty('result');
    expect(last).toHaveProperty('result');
  });
  test('[81] result numTotalRows', () => expect(last.result.numTotalRows).toBe(3));
  test('[82] result totalSizeInBytes', () =>
    expect(last.result.totalSizeInBytes).toBeGreaterThan(0));
  test('[83] result dataSource', () => expect(last.result.dataSource).toBe('__query_select'));
  test('[84] result sampleRecords', () =>
    expect(last.result.sampleRecords).toEqual([
      ['page 01', 1],
      ['page 02', 2],
      ['page 03', 3],
    ]));
  test('[85] pages: id, numRows, sizeInBytes', () =>
    expect(last.result.pages).toEqual([{ id: 0, numRows: 3, sizeInBytes: expect.any(Number) }]));
});

describe('a task', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the test is about
  let [status, listed, running, pending, payload]: any[] = [];
  let taskId = '';
  beforeAll(async () => {
    taskId = await load('tasks', days);
    status = (await get(`/svc/indexer/v1/task/${taskId}/status`)).body.status;
    listed = (await get('/svc/indexer/v1/tasks')).body.find(
      ({ id }: { id: string }) => id === taskId,
    );
    await post('/svc/indexer/v1/task', noop('runs'));
    await until(
      async () =>
        (await get('/svc/indexer/v1/task/runs/status')).body.status.runnerStatusCode === 'RUNNING',
    );
    running = (await get('/svc/indexer/v1/task/runs/status')).body.status;
    await post(
      `/svc/indexer/v1/worker/${(await get('/svc/indexer/v1/workers')).body[0].worker.host}/disable`,
    );
    await post('/svc/indexer/v1/task', noop('waits'));
    pending = (await get('/svc/indexer/v1/task/waits/status')).body.status;
    await post(
      `/svc/indexer/v1/worker/${(await get('/svc/indexer/v1/workers')).body[0].worker.host}/enable`,
    );
    const spec = {
      dataSchema: {
        dataSource: 'native',
        timestampSpec: { column: 't' },
        dimensionsSpec: {},
        granularitySpec: { segmentGranularity: 'DAY' },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: '{"t":"2024-01-01"}' },
        inputFormat: { type: 'json' },
      },
      tuningConfig: { type: 'index_parallel', maxRowsInMemory: 77 },
    };
    const { body } = await post('/svc/indexer/v1/task', {
      type: 'index_parallel',
      spec,
      context: { note: 'mine' },
    });
    await ended(body.task);
    payload = (await get(`/svc/indexer/v1/task/${body.task}`)).body;
    for (const id of ['runs', 'waits']) await post(`/svc/indexer/v1/task/${id}/shutdown`);
  });

  test('[86] id', () => expect([status.id, listed.id]).toEqual([taskId, taskId]));
  test('[87] groupId', () => expect([status.groupId, running.groupId]).toEqual([taskId, 'runs']));
  test('[88] type', () =>
    expect([status.type, running.type]).toEqual(['query_controller', 'noop']));
  test('[89] createdTime is an ISO time', () => expect(status.createdTime).toMatch(isoTime));
  test('[90] queueInsertionTime is an ISO time', () =>
    expect(listed.queueInsertionTime).toMatch(isoTime));
  test('[92, 93] statusCode and status have the same values', () => {
    expect([status.statusCode, status.status]).toEqual(['SUCCESS', 'SUCCESS']);
    expect([running.statusCode, running.status]).toEqual(['RUNNING', 'RUNNING']);
  });
  test('[94] runnerStatusCode', () =>
    expect([status, running, pending].map(({ runnerStatusCode }) => runnerStatusCode)).toEqual([
      'NONE',
      'RUNNING',
      'PENDING',
    ]));
  test('[95] duration: milliseconds, -1 while it runs or waits', () => {
    expect([running.duration, pending.duration]).toEqual([-1, -1]);
    expect(status.duration).toBeGreaterThan(0);
  });
  test('[96] location: a host, or null', () => {
    expect([running.location.host, pending.location.host]).toEqual([expect.any(String), null]);
  });
  test('[97] location: a port, -1 when there is none', () => {
    expect([running.location.port > 0, pending.location.port]).toEqual([true, -1]);
  });
  test('[99] dataSource', () =>
    expect([status.dataSource, running.dataSource]).toEqual(['tasks', 'naps']));
  test('[100] errorMsg: a text, or null', async () => {
    expect(status.errorMsg).toBeNull();
    await until(
      async () =>
        (await get('/svc/indexer/v1/task/runs/status')).body.status.statusCode === 'FAILED',
    );
    expect((await get('/svc/indexer/v1/task/runs/status')).body.status.errorMsg).toBe(
      'Shutdown request from user',
    );
  });

  test('[101] is shown as task and payload', () =>
    expect(Object.keys(payload).sort()).toEqual(['payload', 'task']));
  test('[102] payload: type, id, groupId', () =>
    expect(payload.payload).toMatchObject({
      type: 'index_parallel',
      id: payload.task,
      groupId: payload.task,
    }));
  test('[103] payload: resource', () =>
    expect(payload.payload.resource).toEqual({
      availabilityGroup: expect.any(String),
      requiredCapacity: expect.any(Number),
    }));
  test('[104] payload: spec with dataSchema, ioConfig, tuningConfig', () =>
    expect(payload.payload.spec).toMatchObject({
      dataSchema: { dataSource: 'native' },
      ioConfig: { inputFormat: { type: 'json' } },
      tuningConfig: { maxRowsInMemory: 77 },
    }));
  test('[105] payload: context', () =>
    expect(payload.payload.context).toMatchObject({ note: 'mine' }));
  test('[106] payload: dataSource', () => expect(payload.payload.dataSource).toBe('native'));
});

describe('the report of a multi-stage query', () => {
  const reportOf = async (taskId: string) =>
    (await get(`/svc/indexer/v1/task/${taskId}/reports`)).body;
  // biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the test is about
  let [report, payload, failed, running, joined, selected]: any[] = [];
  let taskId = '';
  beforeAll(async () => {
    const query = (name: string) =>
      `REPLACE INTO "${name}" OVERWRITE ALL SELECT __time, page, n FROM wiki PARTITIONED BY DAY CLUSTERED BY page`;
    taskId = await ingest(query('reported'), { waitUntilSegmentsLoad: true });
    report = (await reportOf(taskId)).multiStageQuery;
    payload = report.payload;
    const task = async (text: string) =>
      (await post('/svc/v2/sql/task', { query: text })).body.taskId;
    const failing = await task(
      `INSERT INTO "reported" SELECT CAST(NULL AS TIMESTAMP) AS __time, 1 AS n PARTITIONED BY DAY`,
    );
    await ended(failing);
    failed = (await reportOf(failing)).multiStageQuery.payload;
    const slow = await task(endless);
    await until(
      async () =>
        (await reportOf(slow))?.multiStageQuery?.payload.status.workers?.['0']?.[0]?.status ===
        'RUNNING',
    );
    running = (await reportOf(slow)).multiStageQuery.payload;
    await post(`/svc/indexer/v1/task/${slow}/shutdown`);
    const joining = await task(
      'SELECT w.page, v.n FROM wiki AS w JOIN reported AS v ON w.page = v.page',
    );
    await ended(joining);
    joined = (await reportOf(joining)).multiStageQuery.payload;
    const selecting = await task('SELECT page, n FROM wiki ORDER BY n');
    await ended(selecting);
    selected = (await reportOf(selecting)).multiStageQuery.payload;
  });
  const found = (key: string) =>
    [payload, joined]
      .flatMap(({ stages }) => stages)
      .map((stage) => stage[key] ?? stage.definition[key]);

  test('[107] multiStageQuery: type, taskId, payload', () =>
    expect(report).toMatchObject({ type: 'multiStageQuery', taskId, payload: expect.any(Object) }));
  test('[108] status.status', () =>
    expect([payload, running, failed].map(({ status }) => status.status)).toEqual([
      'SUCCESS',
      'RUNNING',
      'FAILED',
    ]));
  test('[109] status.startTime', () => expect(payload.status.startTime).toMatch(isoTime));
  test('[110] status.durationMs', () => expect(payload.status.durationMs).toBeGreaterThan(0));
  test('[111] status.workers: workerId', () =>
    expect(payload.status.workers['0'][0].workerId).toBe(`${taskId}-worker0_0`));
  test('[112] status.workers: status', () =>
    expect([payload, running].map(({ status }) => status.workers['0'][0].status)).toEqual([
      'SUCCESS',
      'RUNNING',
    ]));
  test('[113] status.workers: durationMs, -1 while running', () => {
    expect(running.status.workers['0'][0].durationMs).toBe(-1);
    expect(payload.status.workers['0'][0].durationMs).toBeGreaterThan(0);
  });
  test('[114] status.pendingTasks', () => expect(running.status.pendingTasks).toBe(0));
  test('[115] status.runningTasks is at least one, the controller', () =>
    expect(running.status.runningTasks).toBeGreaterThanOrEqual(1));
  test('[116] status.segmentLoadStatus after segments were published', () => {
    expect(payload.status).toHaveProperty('segmentLoadStatus');
    expect(running.status).not.toHaveProperty('segmentLoadStatus');
    expect(selected.status).not.toHaveProperty('segmentLoadStatus');
  });
  const loadStatus = () => payload.status.segmentLoadStatus;
  test('[117] its state', () => expect(loadStatus().state).toBe('SUCCESS'));
  test('[118] its startTime and duration', () =>
    expect(loadStatus()).toMatchObject({
      startTime: expect.stringMatching(isoTime),
      duration: expect.any(Number),
    }));
  test('[119] its totalSegments', () => expect(loadStatus().totalSegments).toBe(3));
  test('[120] its usedSegments', () => expect(loadStatus().usedSegments).toBe(3));
  test('[121] its precached, on-demand, pending and unknown segments', () =>
    expect(loadStatus()).toMatchObject({
      precachedSegments: 3,
      onDemandSegments: 0,
      pendingSegments: 0,
      unknownSegments: 0,
    }));
  test('[122] its dataSource', () => expect(loadStatus().dataSource).toBe('reported'));
  test('[123] status.errorReport only on error', () => {
    expect(payload.status).not.toHaveProperty('errorReport');
    expect(failed.status).toHaveProperty('errorReport');
  });
  test('[124] errorReport: taskId, host, stageNumber', () =>
    expect(failed.status.errorReport).toMatchObject({
      taskId: expect.any(String),
      host: expect.any(String),
      stageNumber: expect.any(Number),
    }));
  test('[125, 692] errorReport: error.errorCode', () =>
    expect(failed.status.errorReport.error.errorCode).toBe('InsertTimeNull'));
  test('[126] errorReport: error.errorMessage', () =>
    expect(failed.status.errorReport.error.errorMessage).toBe(
      'Null timestamp (__time) encountered during INSERT or REPLACE.',
    ));
  test('[128] stages: stageNumber', () =>
    expect(payload.stages.map(({ stageNumber }: never) => stageNumber)).toEqual([0, 1]));
  test('[129, 365] stages: phase, once started', () => {
    const phases = (of: { stages: { phase?: string }[] }) => of.stages.map(({ phase }) => phase);
    expect(phases(payload)).toEqual(['RESULTS_COMPLETE', 'RESULTS_COMPLETE']);
    expect(phases(failed)).toEqual(['FAILED', undefined]); // the second has never begun
    expect(phases(running)).toContain('READING_INPUT');
  });
  test('[130] stages: workerCount', () => expect(payload.stages[0].workerCount).toBe(1));
  test('[131] stages: partitionCount', () => expect(payload.stages[0].partitionCount).toBe(3));
  test('[132] stages: startTime', () => expect(payload.stages[0].startTime).toMatch(isoTime));
  test('[133] stages: duration', () =>
    expect(payload.stages[0].duration).toBeGreaterThanOrEqual(0));
  test('[134] stages: sort', () => expect(payload.stages[0].sort).toBe(true));
  test('[135] stages: definition.id', () =>
    expect(payload.stages[1].definition.id).toBe(`${taskId}_1`));
  test('[136] stages: definition.input', () =>
    expect(payload.stages[1].definition.input).toEqual([{ type: 'stage', stage: 0 }]));
  test('[137] stages: definition.broadcast only where an input is broadcast', () => {
    expect(
      payload.stages.some(({ definition }: { definition: object }) => 'broadcast' in definition),
    ).toBe(false);
    expect(found('broadcast')).toContainEqual([1]);
  });
  test('[138] stages: definition.processor', () =>
    expect(
      payload.stages.map(
        ({ definition }: { definition: { processor: unknown } }) => definition.processor,
      ),
    ).toMatchObject([{ type: 'scan' }, { type: 'segmentGenerator' }]));
  test('[139] stages: definition.signature', () =>
    expect(payload.stages[0].definition.signature).toContainEqual({
      name: 'page',
      type: 'STRING',
    }));
  test('[140] counters by stage and worker: input, output, shuffle', () =>
    expect(payload.counters['0']['0']).toMatchObject({
      input0: { rows: [3] },
      output: { rows: [3] },
      shuffle: { rows: [1, 1, 1] },
    }));
  test('[141] counters: sortProgress', () =>
    expect(payload.counters['0']['0'].sortProgress).toMatchObject({ progressDigest: 1 }));
  test('[142] counters: segmentGenerationProgress', () =>
    expect(payload.counters['1']['0'].segmentGenerationProgress).toMatchObject({
      rowsProcessed: 3,
      rowsPushed: 3,
    }));
  test('[143] results.results', () =>
    expect(selected.results.results).toEqual([
      ['page 01', 1],
      ['page 02', 2],
      ['page 03', 3],
    ]));
  test('[144] results.resultsTruncated', () =>
    expect(selected.results.resultsTruncated).toBe(false));
  test('[145, 146] the controller has the report, its worker has none', async () => {
    expect((await get(`/svc/indexer/v1/task/${taskId}/reports`)).status).toBe(200);
    expect((await get(`/svc/indexer/v1/task/${taskId}-worker0_0/status`)).body.status.type).toBe(
      'query_worker',
    );
    expect((await get(`/svc/indexer/v1/task/${taskId}-worker0_0/reports`)).status).toBe(404);
  });
});

test('[357, 532] a task of SQL answers with its id, and RUNNING', async () => {
  const { body } = await post('/svc/v2/sql/task', { query: 'SELECT page FROM wiki' });
  expect(body).toEqual({ taskId: expect.stringMatching(/./), state: 'RUNNING' });
  expect((await ended(body.taskId)).type).toBe('query_controller');
});

test('[360, 361] a statement is accepted or running, and then it has succeeded or failed, also when it is cancelled', async () => {
  const stateOf = async (id: string) => (await get(`/svc/v2/sql/statements/${id}`)).body.state;
  const { queryId } = await submit(endless);
  await until(async () => (await stateOf(queryId)) === 'RUNNING');
  await remove(`/svc/v2/sql/statements/${queryId}`);
  await until(async () => (await stateOf(queryId)) === 'FAILED');
  const hosts = (await get('/svc/indexer/v1/workers')).body.map(
    ({ worker }: { worker: { host: string } }) => worker.host,
  );
  await post(`/svc/indexer/v1/worker/${hosts[0]}/disable`);
  const waiting = await submit('SELECT page FROM wiki');
  expect(await stateOf(waiting.queryId)).toBe('ACCEPTED');
  await post(`/svc/indexer/v1/worker/${hosts[0]}/enable`);
  await until(async () => (await stateOf(waiting.queryId)) === 'SUCCESS');
});
