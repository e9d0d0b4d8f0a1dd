// Asynchronous statements from submission to the last row. The calls check every reply against its
// schema.
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { statements } from '../../../src/contract/statements.ts';
import { tasks } from '../../../src/contract/tasks.ts';
import { callsTo, refusalOf } from '../../support/calls.ts';
import { startService } from '../../support/service.ts';
import { finishedTask } from '../../support/tasks.ts';
import { api } from '../../support/wire.ts';

const path = '/svc/v2/sql/statements';
const numbers = (count: number, table = 't') =>
  `UNNEST(ARRAY[${Array.from({ length: count }, (_, at) => at + 1).join(', ')}]) AS ${table}("n")`;

async function started(settings: Parameters<typeof startService>[0] = {}) {
  const service = await startService(settings);
  const call = callsTo(service, settings.service);
  const wire = api(service);
  return {
    call,
    ...wire,
    async submit(query: string, context: Readonly<Record<string, unknown>> = {}) {
      const reply = await call(statements.submit, {
        body: { query, context: { executionMode: 'ASYNC', ...context } },
      });
      if (!('queryId' in reply)) throw new Error('This is not a statement');
      return reply;
    },
    async ended(queryId: string) {
      let status = await call(statements.status, { params: { queryId } });
      await wire.until(async () => {
        status = await call(statements.status, { params: { queryId } });
        return status.state === 'SUCCESS' || status.state === 'FAILED';
      });
      return status;
    },
    results: async (
      queryId: string,
      query: { page?: number; resultFormat?: string; filename?: string } = {},
    ) => text(await call(statements.results, { params: { queryId }, query })),
  };
}

test('a SELECT runs on its own; its status tells the columns, and when it has ended the first rows', async () => {
  const { submit, ended, call } = await started();
  const query = `SELECT TIMESTAMP '2024-05-01 12:00:00' AS "at", "n", "n" / 2.0 AS half, 'a' AS "word", "n" > 1 AS more FROM ${numbers(3)}`;
  const first = await submit(query);
  expect(first).toMatchObject({ state: 'ACCEPTED', durationMs: -1 }); // also where a slot is free at once
  expect(first.schema?.map(({ name, type, nativeType }) => [name, type, nativeType])).toEqual([
    ['at', 'TIMESTAMP', 'LONG'],
    ['n', 'INTEGER', 'LONG'],
    ['half', 'DECIMAL', 'DOUBLE'],
    ['word', 'CHAR', 'STRING'],
    ['more', 'BOOLEAN', 'LONG'],
  ]);
  const status = await ended(first.queryId);
  expect(status).toMatchObject({
    state: 'SUCCESS',
    schema: first.schema,
    result: { numTotalRows: 3, dataSource: '__query_select' },
  });
  expect(status.result?.sampleRecords).toEqual([
    [1714564800000, 1, 0.5, 'a', 0],
    [1714564800000, 2, 1, 'a', 1],
    [1714564800000, 3, 1.5, 'a', 1],
  ]);
  expect(status.result?.pages).toEqual([
    { id: 0, numRows: 3, sizeInBytes: status.result?.totalSizeInBytes },
  ]);
  expect(status).not.toHaveProperty('stages');
  const detailed = await call(statements.status, {
    params: { queryId: first.queryId },
    query: { detail: true },
  });
  expect(detailed.stages).toMatchObject([{ stageNumber: 0, phase: 'RESULTS_COMPLETE' }]);
  expect(detailed.counters).toMatchObject({ 0: { 0: { output: { type: 'channel', rows: [3] } } } });
  expect(detailed.warnings).toEqual([]);
});

test.each(['svc', 'druid'])(
  'of [%s], rows come in every format, and never with a header',
  async (service) => {
    const { call, ended, results, get } = await started({ service });
    const body = {
      query: `SELECT "n", "n" * 1.0 AS d, 'say "hi", twice' AS s, ARRAY["n", 7] AS l, 9007199254740993 AS big FROM ${numbers(2)}`,
      resultFormat: 'CSV',
      header: true,
      context: { executionMode: 'async', sqlQueryId: 'formats' },
    };
    await call(statements.submit, { body });
    await ended('query-formats');
    const csv =
      '1,1.0,"say ""hi"", twice","[1,7]",9007199254740993\n2,2.0,"say ""hi"", twice","[2,7]",9007199254740993\n\n';
    const arrays = [
      '[1,1.0,"say \\"hi\\", twice","[1,7]",9007199254740993]',
      '[2,2.0,"say \\"hi\\", twice","[2,7]",9007199254740993]',
    ];
    const objects = [
      '{"n":1,"d":1.0,"s":"say \\"hi\\", twice","l":"[1,7]","big":9007199254740993}',
      '{"n":2,"d":2.0,"s":"say \\"hi\\", twice","l":"[2,7]","big":9007199254740993}',
    ];
    // The default is objects in the specification, and the request's own format in the engine.
    expect(await results('query-formats')).toBe(
      service === 'druid' ? csv : `[${objects.join(',')}]\n`,
    );
    expect(await results('query-formats', { resultFormat: 'csv' })).toBe(csv);
    expect(await results('query-formats', { resultFormat: 'array' })).toBe(
      `[${arrays.join(',')}]\n`,
    );
    expect(await results('query-formats', { resultFormat: 'ArrayLines' })).toBe(
      `${arrays.join('\n')}\n\n`,
    );
    expect(await results('query-formats', { resultFormat: 'object' })).toBe(
      `[${objects.join(',')}]\n`,
    );
    expect(await results('query-formats', { resultFormat: 'objectLines' })).toBe(
      `${objects.join('\n')}\n\n`,
    );
    expect((await get(`/${service}/v2/sql/statements/query-formats`)).text).toContain(
      `"sampleRecords":[${arrays.join(',')}]`,
    );
  },
);

test('durable storage divides the rows into pages, which are read one by one or all in order', async () => {
  const { submit, ended, results } = await started();
  const { queryId } = await submit(`SELECT "n" FROM ${numbers(7)} ORDER BY "n" DESC`, {
    selectDestination: 'durableStorage',
    rowsPerPage: 3,
  });
  const { result } = await ended(queryId);
  expect(result?.pages?.map(({ id, numRows }) => [id, numRows])).toEqual([
    [0, 3],
    [1, 3],
    [2, 1],
  ]);
  expect(result?.pages?.reduce((sum, { sizeInBytes }) => sum + Number(sizeInBytes), 0)).toBe(
    result?.totalSizeInBytes,
  );
  expect(await results(queryId, { page: 1, resultFormat: 'array' })).toBe('[[4],[3],[2]]\n');
  expect(await results(queryId, { page: 2, resultFormat: 'array' })).toBe('[[1]]\n');
  expect(await results(queryId, { resultFormat: 'array' })).toBe('[[7],[6],[5],[4],[3],[2],[1]]\n');
  expect(await refusalOf(results(queryId, { page: 3 }))).toEqual([
    400,
    'Invalid page id [3] passed.',
  ]);
});

test('of many rows the report has the first three thousand, and the results have all of them in their order', async () => {
  const { submit, ended, results, call } = await started();
  const query = `SELECT a."n" * 100 + b."n" AS v FROM ${numbers(90, 'a')}, ${numbers(90, 'b')}`;
  const { queryId } = await submit(query);
  const { result } = await ended(queryId);
  expect([result?.numTotalRows, result?.sampleRecords?.length, result?.pages?.length]).toEqual([
    8100, 3000, 1,
  ]);
  const { multiStageQuery } = await call(tasks.reports, { params: { taskId: queryId } });
  expect(multiStageQuery?.payload.results).toMatchObject({
    resultsTruncated: true,
    sqlTypeNames: ['INTEGER'],
  });
  const rows: unknown[] = JSON.parse(await results(queryId, { resultFormat: 'array' }));
  expect(rows).toHaveLength(8100);
  expect(rows.slice(0, 3000)).toEqual(result?.sampleRecords);
});

test('a result without rows is an empty one', async () => {
  const { submit, ended, results } = await started();
  const query = `SELECT "n" FROM ${numbers(2)} WHERE "n" > 5`;
  const [report, durable] = [
    await submit(query),
    await submit(query, { selectDestination: 'durableStorage' }),
  ];
  expect((await ended(report.queryId)).result).toMatchObject({
    numTotalRows: 0,
    sampleRecords: [],
    pages: [{ id: 0, numRows: 0 }],
  });
  expect((await ended(durable.queryId)).result).toMatchObject({
    numTotalRows: 0,
    sampleRecords: [],
    pages: [],
  });
  expect(await results(report.queryId)).toBe('[]\n');
  expect(await results(durable.queryId)).toBe('');
});

test('INSERT and REPLACE tell how many rows they have written, and have none to read', async () => {
  const { submit, ended, results } = await started();
  const { queryId, schema } = await submit(
    `INSERT INTO "made" SELECT TIMESTAMP '2024-05-01' AS "__time", "n" FROM ${numbers(4)} PARTITIONED BY DAY`,
  );
  expect(schema).toBeUndefined();
  expect((await ended(queryId)).result).toEqual({
    numTotalRows: 4,
    totalSizeInBytes: 0,
    dataSource: 'made',
  });
  expect(await results(queryId)).toBe('');
  const { queryId: read } = await submit('SELECT SUM("n") FROM "made"');
  await ended(read);
  expect(await results(read, { resultFormat: 'arrayLines' })).toBe('[10]\n\n');
});

test('what the rules have on no server is still in deep storage, where statements read it', async () => {
  const { submit, ended, results, post } = await started();
  await ended(
    (
      await submit(
        `INSERT INTO "cold" SELECT TIMESTAMP '2024-05-01' AS "__time", "n" FROM ${numbers(4)} PARTITIONED BY DAY`,
      )
    ).queryId,
  );
  await post('/svc/coordinator/v1/rules/cold', [
    { type: 'loadForever', tieredReplicants: {}, useDefaultTierForNull: false },
  ]);
  const query = 'SELECT SUM("n") FROM "cold"';
  expect((await post('/svc/v2/sql', { query })).status).toBe(400);
  const { queryId } = await submit(query);
  await ended(queryId);
  expect(await results(queryId, { resultFormat: 'arrayLines' })).toBe('[10]\n\n');
});

test('[390] with one segment on a Historical a statement is planned, and reads what is only in deep storage, too', async () => {
  const { submit, ended, results, post } = await started();
  const two = `(VALUES (TIMESTAMP '2024-05-01', 1), (TIMESTAMP '2024-05-02', 2)) AS t("day", n)`;
  await ended(
    (
      await submit(
        `INSERT INTO "half" SELECT "day" AS "__time", "n" FROM ${two} PARTITIONED BY DAY`,
      )
    ).queryId,
  );
  await post('/svc/coordinator/v1/rules/half', [
    {
      type: 'loadByInterval',
      interval: '2024-05-01/2024-05-02',
      tieredReplicants: { _default_tier: 1 },
    },
    { type: 'loadForever', tieredReplicants: {}, useDefaultTierForNull: false },
  ]);
  const query = 'SELECT SUM("n") FROM "half"';
  expect(await post('/svc/v2/sql', { query, resultFormat: 'array' })).toMatchObject({
    status: 200,
    body: [[1]],
  });
  const { queryId } = await submit(query);
  await ended(queryId);
  expect(await results(queryId, { resultFormat: 'arrayLines' })).toBe('[3]\n\n');
});

test('a statement that fails says why in its status, and has no results', async () => {
  const { submit, ended, results } = await started();
  const { queryId } = await submit(
    'INSERT INTO "made" SELECT CAST(NULL AS TIMESTAMP) AS "__time", 1 AS "n" PARTITIONED BY DAY',
  );
  const { errorDetails, ...status } = await ended(queryId);
  expect(status).toMatchObject({ queryId, state: 'FAILED' });
  expect(errorDetails).toMatchObject({
    error: 'druidException',
    errorCode: 'InsertTimeNull',
    persona: 'USER',
    category: 'UNCATEGORIZED',
    errorMessage: 'Null timestamp (__time) encountered during INSERT or REPLACE.',
  });
  expect(await refusalOf(results(queryId))).toEqual([
    404,
    `Query[${queryId}] failed. Check the status api for more details.`,
  ]);
});

test('the results of a failed statement are a bad request in the dialect of the real engine', async () => {
  const { submit, ended, results } = await started({ service: 'druid' });
  const { queryId } = await submit(
    'INSERT INTO "made" SELECT CAST(NULL AS TIMESTAMP) AS "__time", 1 AS "n" PARTITIONED BY DAY',
  );
  await ended(queryId);
  expect(await refusalOf(results(queryId))).toEqual([
    400,
    `Query[${queryId}] failed. Check the status api for more details.`,
  ]);
});

test('a statement is cancelled while it runs; then it has failed, and cancelling again does nothing', async () => {
  const { submit, ended, results, send, until, get } = await started();
  const tables = ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => numbers(60, name));
  const { queryId } = await submit(
    `SELECT COUNT(*) FROM ${tables.join(', ')} WHERE a."n" + b."n" + c."n" + d."n" + e."n" + f."n" = 7`,
  );
  await until(async () => (await get(`${path}/${queryId}`)).body.state === 'RUNNING');
  expect(await refusalOf(results(queryId))).toEqual([
    400,
    `Query[${queryId}] is currently in [RUNNING] state. Please wait for it to complete.`,
  ]);
  expect(await send('DELETE', `${path}/${queryId}`)).toMatchObject({ status: 202, text: '' });
  expect((await ended(queryId)).errorDetails).toMatchObject({
    errorCode: 'Canceled',
    errorMessage: 'Query canceled due to task shutdown',
  });
  expect(await send('DELETE', `${path}/${queryId}`)).toMatchObject({ status: 200, text: '' });
});

test('EXPLAIN is answered at once, in the format it asks for', async () => {
  const { post } = await started();
  const context = { executionMode: 'ASYNC' };
  const { status, body } = await post(path, { query: 'EXPLAIN PLAN FOR SELECT 1', context });
  expect([status, Object.keys(body[0])]).toEqual([200, ['PLAN', 'RESOURCES', 'ATTRIBUTES']]);
  const lines = await post(path, {
    query: 'EXPLAIN PLAN FOR SELECT 1',
    context,
    resultFormat: 'csv',
    header: true,
  });
  expect(lines.text).toMatch(/^PLAN,RESOURCES,ATTRIBUTES\n"\[/);
});

test('a file name is offered to browsers', async () => {
  const service = await startService();
  const { post, until, get } = api(service);
  await post(path, { query: 'SELECT 1', context: { executionMode: 'ASYNC', sqlQueryId: 'named' } });
  await until(async () => (await get(`${path}/query-named`)).body.state === 'SUCCESS');
  const reply = await fetch(
    `${service.url}${path}/query-named/results?filename=of%20May.csv&resultFormat=csv`,
  );
  expect([
    reply.headers.get('content-disposition'),
    reply.headers.get('content-type'),
    await reply.text(),
  ]).toEqual(['attachment; filename="of May.csv"', 'text/csv', '1\n\n']);
  const inUnicode = await fetch(
    `${service.url}${path}/query-named/results?filename=Z%C3%BCrich%E2%82%AC.csv&resultFormat=csv`,
  );
  expect(Buffer.from(inUnicode.headers.get('content-disposition') ?? '', 'latin1').toString()).toBe(
    'attachment; filename="Zürich€.csv"',
  );
});

const unknown = (id: string) =>
  `Query [${id}] was not found. The query details are no longer present or might not be of the type [query_controller]. Verify that the id is correct.`;

test('what is not there is refused, and so is what somebody else has submitted', async () => {
  const theirs = {
    type: 'query_controller',
    id: 'query-theirs',
    spec: { context: { __user: 'somebody else' } },
  };
  const other = finishedTask('noop-1');
  const given = [
    finishedTask('query-theirs', { payload: theirs }),
    { ...other, status: { ...other.status, type: 'noop' } },
  ];
  const { call, results, get } = await started({ tasks: given });
  for (const queryId of ['query-none', 'a b', 'noop-1']) {
    const params = { queryId };
    expect(await refusalOf(call(statements.status, { params }))).toEqual([404, unknown(queryId)]);
    expect(await refusalOf(results(queryId))).toEqual([404, unknown(queryId)]);
    expect(await refusalOf(call(statements.cancel, { params }))).toEqual([404, unknown(queryId)]);
  }
  const params = { queryId: 'query-theirs' };
  expect(await refusalOf(call(statements.status, { params }))).toEqual([403, 'Unauthorized']);
  expect(await refusalOf(results('query-theirs'))).toEqual([403, 'Unauthorized']);
  expect(await refusalOf(call(statements.cancel, { params }))).toEqual([403, 'Unauthorized']);
  expect((await get(`${path}/query-theirs`)).body).toMatchObject({
    error: 'druidException',
    errorCode: 'forbidden',
    category: 'FORBIDDEN',
  });
  const druid = await started({ tasks: given, service: 'druid' });
  expect(await druid.call(statements.status, { params })).toMatchObject({ state: 'SUCCESS' }); // where who sees the state sees all statements
});

const contextError = 'Query context parse failed';

test('what cannot be read or planned is refused, each in its own form', async () => {
  const { post, get, call, ended, results } = await started();
  const async = { executionMode: 'ASYNC' };
  const druidException = (errorCode: string, errorMessage: unknown) => ({
    error: 'druidException',
    errorCode,
    errorMessage,
  });
  const named = {
    errorClass: expect.stringMatching(/^org\.apache\.druid\./),
    host: expect.stringMatching(/^127\.0\.0\.1:\d+$/),
  };
  const refused: [Record<string, unknown>, Record<string, unknown>][] = [
    [
      { query: 'SELECT 1' },
      druidException('invalidInput', expect.stringMatching(/^Execution mode is not provided/)),
    ],
    [
      { query: 'SELECT 1', context: null },
      druidException('invalidInput', expect.stringMatching(/^Execution mode is not provided/)),
    ],
    [
      { query: 'SELECT 1', context: { executionMode: 'SYNC' } },
      druidException(
        'invalidInput',
        expect.stringContaining('does not support the provided execution mode [SYNC]'),
      ),
    ],
    [
      { query: 'SELECT 1', context: { executionMode: 'LATER' } },
      { error: contextError, errorMessage: expect.stringContaining('[SYNC,ASYNC]') },
    ],
    [{ query: 'SELECT 1', context: { executionMode: 1 } }, { error: contextError }],
    [
      { query: 'SELECT 1', context: { ...async, selectDestination: 'moon' } },
      { error: contextError },
    ],
    [
      { query: 'SELECT 1', context: { ...async, selectDestination: 'export' } },
      druidException('invalidInput', expect.stringContaining('[taskReport] or [durableStorage]')),
    ],
    [
      { query: 'SELECT 1', context: { ...async, __resultFormat: 'csv' } },
      druidException('invalidInput', 'Query context parameter [__resultFormat] is not allowed'),
    ],
    [{ query: 'SELECT FROM', context: async }, druidException('invalidInput', expect.any(String))],
    [{ query: '', context: async }, druidException('invalidInput', expect.any(String))],
    [
      { query: 'SELECT * FROM "nothing"', context: async },
      druidException('invalidInput', expect.stringContaining("Object 'nothing' not found")),
    ],
    [
      { query: 'SELECT ?', context: async, parameters: [] },
      druidException('invalidInput', expect.any(String)),
    ],
    [
      { query: 'SELECT 1', context: { ...async, maxNumTasks: 1 } },
      druidException('invalidInput', expect.stringContaining('maxNumTasks')),
    ],
    [
      { query: 'INSERT INTO "t" SELECT 1 AS "n"', context: async },
      druidException('invalidInput', expect.stringContaining('PARTITIONED BY')),
    ],
    [{ context: async }, { error: 'Unknown exception' }],
    [{ query: 'SELECT 1', context: async, resultFormat: 'xml' }, { error: 'Unknown exception' }],
    [{ query: 'SELECT 1', context: async, typesHeader: true }, { error: 'Unknown exception' }],
  ];
  for (const [request, expected] of refused) {
    const { status, body } = await post(path, request);
    expect({ request, status, body }).toMatchObject({
      request,
      status: 400,
      body: { ...named, ...expected },
    });
  }
  await call(statements.submit, {
    body: { query: "SET executionMode = 'ASYNC'; SELECT 1", context: { sqlQueryId: 'set' } },
  });
  await ended('query-set');
  const bad: [string, number, string][] = [
    ['page=-1', 400, 'Page cannot be negative. Please pass a positive number.'],
    ['page=1', 400, 'Page number [1] is out of the range of results'],
    ['page=99999999999', 400, 'Page number [99999999999] is out of the range of results'],
    ['resultFormat=xml', 500, 'Failed to handle query [query-set]'],
    ['filename=', 400, 'Filename cannot be empty.'],
    [`filename=${'x'.repeat(256)}`, 400, 'Filename cannot be longer than 255 characters.'],
    [
      'filename=a%07b',
      400,
      'Filename contains invalid characters. (/, \\, :, *, ?, ", <, >, |, \\0, \\n, or \\r)',
    ],
    [
      'filename=a%2Fb',
      400,
      'Filename contains invalid characters. (/, \\, :, *, ?, ", <, >, |, \\0, \\n, or \\r)',
    ],
  ];
  for (const [search, status, message] of bad) {
    const reply = await get(`${path}/query-set/results?${search}`);
    expect([search, reply.status, reply.body.errorMessage]).toEqual([search, status, message]);
  }
  expect((await get(`${path}/query-set/results?page=abc`)).status).toBe(404);
  expect(await results('query-set')).toBe('[{"EXPR$0":1}]\n');
  expect(
    await refusalOf(
      call(statements.submit, {
        body: { query: 'SELECT 1', context: { ...async, sqlQueryId: 'set' } },
      }),
    ),
  ).toEqual([400, 'Task[query-set] already exists']);
});

test('a service without durable storage says so, and runs everything else', async () => {
  const { submit, ended, call } = await started({ durableStorage: false });
  expect(await call(statements.enabled)).toEqual({ enabled: true });
  expect(await refusalOf(submit('SELECT 1', { selectDestination: 'durableStorage' }))).toEqual([
    400,
    expect.stringMatching(/\[durableStorage\], but durable storage is off in this service/),
  ]);
  expect(await ended((await submit('SELECT 1')).queryId)).toMatchObject({ state: 'SUCCESS' });
});
