import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { check } from '../../../src/contract/schema.ts';
import { tasks } from '../../../src/contract/tasks.ts';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const text = (value: unknown) => `'${JSON.stringify(value).replaceAll("'", "''")}'`;
const extern = (source: object, format: object = { type: 'json' }, names = ['t', 'who']) =>
  `TABLE(EXTERN(${text(source)}, ${text(format)}, ${text(names.map((name) => ({ name, type: 'string' })))}))`;
const inline = (...rows: object[]) =>
  extern({ type: 'inline', data: rows.map((row) => JSON.stringify(row)).join('\n') });
const load = (from: string, tail = 'PARTITIONED BY DAY') =>
  `INSERT INTO "d" SELECT TIME_PARSE("t") AS "__time", "who" FROM ${from} ${tail}`;

async function started(settings: Parameters<typeof startService>[0] = {}) {
  const { get, post, ended, until } = api(await startService(settings));
  const submit = async (query: string, context: object = {}): Promise<string> =>
    (await post('/svc/v2/sql/task', { query, context })).body.taskId;
  const payload = async (id: string) => {
    const { body } = await get(`/svc/indexer/v1/task/${id}/reports`);
    check(tasks.reports.reply.schema, body);
    return body.multiStageQuery.payload;
  };
  return {
    get,
    post,
    until,
    ended,
    submit,
    payload,
    rows: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
    /**
     * The fault of a statement that fails; its task says the same, and nothing of it is visible.
     */
    async fault(query: string, context: object = {}) {
      const id = await submit(query, context);
      const { statusCode, errorMsg } = await ended(id);
      const { status } = await payload(id);
      const { error } = status.errorReport;
      expect({ statusCode, status: status.status, errorMsg }).toMatchObject({
        statusCode: 'FAILED',
        status: 'FAILED',
        errorMsg: expect.stringContaining(
          `${error.errorCode}: ${error.errorMessage.slice(0, 400)}`,
        ),
      });
      return error;
    },
  };
}

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'faults-'));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

test('a null byte in a text is refused with its place, or removed when removeNullBytes says so', async () => {
  const { fault, submit, ended, rows } = await started();
  const query = load(inline({ t: '2021-05-01', who: 'fine' }, { t: '2021-05-01', who: 'a\0b' }));
  expect(await fault(query)).toMatchObject({
    errorCode: 'InvalidNullByte',
    source: 'external input source: inline',
    rowNumber: 2,
    column: 'who',
    value: 'a\0b',
    position: 2,
  });
  expect(await ended(await submit(query, { removeNullBytes: true }))).toMatchObject({
    statusCode: 'SUCCESS',
  });
  expect(await rows('SELECT "who" FROM "d" GROUP BY 1 ORDER BY 1')).toEqual([['ab'], ['fine']]);
});

test('a row that is larger than a frame', async () => {
  const { fault, submit, ended } = await started();
  const query = load(inline({ t: '2021-05-01', who: 'x'.repeat(5000) }));
  expect(await fault(query, { maxFrameSize: 4000 })).toMatchObject({
    errorCode: 'RowTooLarge',
    maxFrameSize: 4000,
  });
  expect(await ended(await submit(query))).toMatchObject({ statusCode: 'SUCCESS' });
});

test('more segments in a time chunk than maxNumSegments', async () => {
  const { fault } = await started();
  const people = inline(...[1, 2, 3].map((n) => ({ t: '2021-05-01', who: `p${n}` })));
  expect(await fault(load(people), { rowsPerSegment: 1, maxNumSegments: 2 })).toEqual({
    errorCode: 'TooManySegmentsInTimeChunk',
    timeChunk: '2021-05-01T00:00:00.000Z',
    numSegments: 3,
    maxNumSegments: 2,
    segmentGranularity: 'DAY',
    errorMessage:
      'Too many segments requested to be generated in time chunk[2021-05-01T00:00:00.000Z] with granularity[DAY] (requested = [3], maximum = [2]). Please try breaking up your query or change the maximum using the query context parameter[maxNumSegments].',
  });
});

test('too many partitions, time chunks, columns, workers', async () => {
  const { fault } = await started();
  const people = inline(...[1, 2, 3].map((n) => ({ t: '2021-05-01', who: `p${n}` })));
  expect(await fault(load(people), { rowsPerSegment: 1, maxPartitions: 2 })).toMatchObject({
    errorCode: 'TooManyPartitions',
    maxPartitions: 2,
  });
  expect(await fault(load(people), { maxNumTasks: 1002 })).toEqual({
    errorCode: 'TooManyWorkers',
    workers: 1001,
    maxWorkers: 1000,
    errorMessage: 'Too many workers (current = 1001; max = 1000)',
  });
  const minutes = inline(
    ...Array.from({ length: 5001 }, (_, n) => ({
      t: new Date(n * 60_000).toISOString(),
      who: 'a',
    })),
  );
  expect(await fault(load(minutes, "PARTITIONED BY 'PT1M'"))).toMatchObject({
    errorCode: 'TooManyBuckets',
    maxBuckets: 5000,
    errorMessage: expect.stringContaining('(max = 5,000)'),
  });
  const wide = Array.from({ length: 2001 }, (_, n) => `${n} AS "c${n}"`).join(', ');
  expect(await fault(`INSERT INTO "d" SELECT ${wide} PARTITIONED BY ALL`)).toMatchObject({
    errorCode: 'TooManyColumns',
    numColumns: 2001,
  });
});

test('more files than the workers may read', async () => {
  const allowed = folder();
  for (const name of ['a', 'b', 'c'])
    writeFileSync(join(allowed, `${name}.json`), '{"t":"2021-05-01","who":"a"}\n');
  const { fault, submit, ended } = await started({ allowedFolders: [allowed] });
  const query = load(extern({ type: 'local', baseDir: allowed, filter: '*.json' }));
  expect(await fault(query, { maxInputFilesPerWorker: 1 })).toMatchObject({
    errorCode: 'TooManyInputFiles',
    numInputFiles: 3,
    maxInputFiles: 1,
    minNumWorkers: 3,
  });
  expect(
    await ended(await submit(query, { maxInputFilesPerWorker: 1, maxNumTasks: 4 })),
  ).toMatchObject({ statusCode: 'SUCCESS' });
});

test('names that are kept, empty results, rows outside of what is overwritten', async () => {
  const { fault } = await started();
  expect(await fault(`INSERT INTO "d" SELECT 1 AS "__boost" PARTITIONED BY ALL`)).toMatchObject({
    errorCode: 'ColumnNameRestricted',
    columnName: '__boost',
  });
  expect(
    await fault(load(inline({ t: '2021-05-01' }), `WHERE "who" = 'nobody' PARTITIONED BY DAY`), {
      failOnEmptyInsert: true,
    }),
  ).toEqual({
    errorCode: 'InsertCannotBeEmpty',
    dataSource: 'd',
    errorMessage:
      'No rows to insert for dataSource[d]. Set failOnEmptyInsert : false in the query context to allow empty inserts.',
  });
});

test('an INSERT into chunks of another granularity names both', async () => {
  const { fault, submit, ended } = await started();
  await ended(await submit(load(inline({ t: '2021-05-01', who: 'a' }), 'PARTITIONED BY MONTH')));
  expect(await fault(load(inline({ t: '2021-05-03', who: 'b' })))).toMatchObject({
    errorCode: 'InsertCannotAllocateSegment',
    dataSource: 'd',
    interval: '2021-05-03T00:00:00.000Z/2021-05-04T00:00:00.000Z',
    allocatedInterval: '2021-05-01T00:00:00.000Z/2021-06-01T00:00:00.000Z',
  });
  expect(
    await fault(load(inline({ t: '2021-05-03', who: 'b' }), 'PARTITIONED BY YEAR')),
  ).toMatchObject({
    errorCode: 'InsertCannotAllocateSegment',
    allocatedInterval: null,
  });
});

test('a calculation that fails names its column, or says what failed where no column does', async () => {
  const { fault } = await started();
  const query = `INSERT INTO "d" SELECT "who", 1 / CHAR_LENGTH("who") AS "n" FROM ${inline({ who: '' })}`;
  expect(await fault(`${query} PARTITIONED BY ALL`)).toEqual({
    errorCode: 'InvalidField',
    source: 'external input source: inline',
    column: 'n',
    errorMsg: '/ by zero',
    logMsg: expect.any(String),
    errorMessage:
      'Error[/ by zero] while writing a field for source[external input source: inline], column[n].',
  });
  expect(
    await fault('SELECT "n", 1 / ("n" - 1) AS "m" FROM (VALUES (2), (1)) AS t("n")'),
  ).toMatchObject({
    errorCode: 'InvalidField',
    source: 'query',
    column: 'm',
  });
  for (const failing of [
    `INSERT INTO "d" SELECT "who" FROM ${inline({ who: '' })} WHERE 1 / CHAR_LENGTH("who") = 1 PARTITIONED BY ALL`,
    'SELECT SUM(1 / ("n" - 1)) FROM (VALUES (2), (1)) AS t("n")',
  ])
    expect(await fault(failing)).toMatchObject({
      errorCode: 'QueryRuntimeError',
      baseErrorMessage: '/ by zero',
    });
});

test('a window with more rows than maxRowsMaterializedInWindow, in one of its partitions', async () => {
  const { fault, submit, ended, payload } = await started();
  const table = `(VALUES ('a', 1), ('a', 2), ('a', 3), ('b', 4)) AS t("k", "n")`;
  const byKey = `SELECT "k", SUM("n") OVER (PARTITION BY "k" ORDER BY "n") AS "s" FROM ${table}`;
  const whole = `SELECT ROW_NUMBER() OVER () AS "r" FROM ${table}`;
  expect(await fault(byKey, { maxRowsMaterializedInWindow: 2 })).toEqual({
    errorCode: 'TooManyRowsInAWindow',
    numRows: 3,
    maxRows: 2,
    errorMessage: expect.stringMatching(
      /^Too many rows in a window \(requested = 3, max = 2\)\. .* query context param maxRowsMaterializedInWindow/,
    ),
  });
  expect(
    await fault(`SELECT MAX("r") FROM (${whole})`, { maxRowsMaterializedInWindow: 3 }),
  ).toMatchObject({ numRows: 4, maxRows: 3 });
  const id = await submit(byKey, { maxRowsMaterializedInWindow: 3 });
  expect(await ended(id)).toMatchObject({ statusCode: 'SUCCESS' });
  expect((await payload(id)).results.results.sort()).toEqual([
    ['a', 1],
    ['a', 3],
    ['a', 6],
    ['b', 4],
  ]);
  const many = inline(...Array.from({ length: 100_001 }, () => ({ who: 'a' })));
  expect(
    await fault(`SELECT COUNT("r") FROM (SELECT RANK() OVER (ORDER BY "who") AS "r" FROM ${many})`),
  ).toMatchObject({
    numRows: 100_001,
    maxRows: 100_000,
  });
});

const longText = (() => {
  const numbers = `(SELECT * FROM UNNEST(ARRAY[${Array.from({ length: 100 }, (_, index) => index).join(',')}]) AS u(n))`;
  const length = (text: string) =>
    `CHAR_LENGTH(STRING_AGG('${text} text ' || (a."n" * 10000 + b."n" * 100 + c."n"), ',', 1000000000))`;
  return `SELECT ${length('one')} + ${length('two')} + ${length('six')} FROM ${numbers} a, ${numbers} b, ${numbers} c WHERE c."n" < 60`;
})();

test('a query that must have more in memory at once than there is', async () => {
  const { fault, submit, ended } = await started({
    memoryBytes: 64 * 1024 ** 2,
    workerCapacity: 3,
  });
  expect(await fault(longText)).toMatchObject({
    errorCode: 'NotEnoughMemory',
    serverMemory: expect.any(Number),
    usableMemory: 64 * 1024 ** 2,
    serverWorkers: 3,
    serverThreads: expect.any(Number),
    inputWorkers: 1,
    maxConcurrentStages: 1,
    errorMessage: expect.stringMatching(
      /^Not enough memory\. \(total bytes\[[\d,]+\]; usable bytes\[67,108,864\]; input workers\[1\];/,
    ),
  });
  expect(await ended(await submit('SELECT 1'))).toMatchObject({ statusCode: 'SUCCESS' });
});

test('a SELECT that does not fit into the little memory it begins with runs again with more', async () => {
  const { get, submit, ended, payload } = await started();
  const id = await submit(longText);
  expect(await ended(id)).toMatchObject({ statusCode: 'SUCCESS' });
  expect((await payload(id)).results.results).toEqual([[28_599_987]]);
  expect((await get(`/svc/indexer/v1/task/${id}/log`)).text).toContain('runs again with more');
});

test('rows that cannot be read are warnings with file and line, by worker, until there are too many', async () => {
  const allowed = folder();
  const good = '{"t":"2021-05-01","who":"a"}\n';
  writeFileSync(join(allowed, 'a.json'), `${good}oops\n${good}`);
  writeFileSync(join(allowed, 'b.json'), `${good}again}\n`);
  const { fault, submit, ended, payload } = await started({ allowedFolders: [allowed] });
  const query = load(extern({ type: 'local', baseDir: allowed, filter: '*.json' }));
  expect(await fault(query)).toEqual({
    errorCode: 'CannotParseExternalData',
    errorMessage: `Unable to parse row [oops] (Path: ${join(allowed, 'a.json')}, Record: 2, Line: 2)`,
  });
  expect(await fault(query, { maxParseExceptions: 1 })).toMatchObject({
    errorCode: 'TooManyWarnings',
    maxWarnings: 1,
    rootErrorCode: 'CannotParseExternalData',
  });
  const id = await submit(query, { maxParseExceptions: -1, maxNumTasks: 3 });
  expect(await ended(id)).toMatchObject({ statusCode: 'SUCCESS' });
  const { status, counters } = await payload(id);
  expect(
    status.warnings.map(
      ({ taskId, error }: { taskId: string; error: { errorMessage: string } }) => [
        taskId,
        error.errorMessage,
      ],
    ),
  ).toEqual([
    [
      `${id}-worker0_0`,
      `Unable to parse row [oops] (Path: ${join(allowed, 'a.json')}, Record: 2, Line: 2)`,
    ],
    [
      `${id}-worker1_0`,
      `Unable to parse row [again}] (Path: ${join(allowed, 'b.json')}, Record: 2, Line: 2)`,
    ],
  ]);
  expect(counters[0][0].input0).toMatchObject({ rows: [2], files: [1], totalFiles: [1] });
  expect(counters[0][1].input0).toMatchObject({ rows: [1], files: [1], totalFiles: [1] });
});

test('the report of an error of the service has its stack trace, without folders; that of a fault of the data has none', async () => {
  const allowed = folder();
  const { submit, ended, payload } = await started({ allowedFolders: [allowed] });
  const lost = await submit(load(extern({ type: 'local', files: [join(allowed, 'gone.json')] })));
  const timeless = await submit(load(inline({ who: 'a' })));
  const traceOf = async (id: string) => {
    expect(await ended(id)).toMatchObject({ statusCode: 'FAILED' });
    return (await payload(id)).status.errorReport.exceptionStackTrace;
  };
  const trace: string = await traceOf(lost);
  const [head, ...frames] = trace.split('\n');
  expect(head).toMatch(/^\w+: Cannot read file \[.*gone\.json\]/);
  expect(frames.length).toBeGreaterThan(0);
  for (const frame of frames) expect(frame).toMatch(/^\tat [^/\\]+\([^/\\]+:\d+\)$/);
  expect(await traceOf(timeless)).toBeUndefined();
});

test('a file that is not there, and one that vanishes between two attempts', async () => {
  const allowed = folder();
  const { fault, submit, ended, payload } = await started({ allowedFolders: [allowed] });
  const query = load(extern({ type: 'local', files: [join(allowed, 'gone.json')] }));
  expect(await fault(query)).toMatchObject({
    errorCode: 'UnknownError',
    message: `Cannot read file [${join(allowed, 'gone.json')}]: it does not exist, or the service may not read it`,
  });
  const id = await submit(query, { faultTolerance: true });
  expect(await ended(id)).toMatchObject({
    errorMsg: expect.stringMatching(/^TooManyAttemptsForWorker: /),
  });
  const { status } = await payload(id);
  expect(status.errorReport.error).toMatchObject({
    maxPerWorkerRelaunchCount: 2,
    workerNumber: 0,
    rootErrorMessage: expect.stringContaining('gone.json'),
  });
});

test('a file that changes while it is read ends the query, and nothing of it is visible', async () => {
  const allowed = folder();
  const file = join(allowed, 'big.json');
  const line = '{"t":"2021-05-01","who":"somebody with a name"}\n';
  writeFileSync(file, line.repeat(400_000));
  const { submit, ended, payload, until, get } = await started({ allowedFolders: [allowed] });
  const id = await submit(load(extern({ type: 'local', files: [file] })));
  await until(
    async () =>
      (await get(`/svc/indexer/v1/task/${id}/reports`)).body?.multiStageQuery.payload
        .counters[0] !== undefined,
  );
  appendFileSync(file, line);
  truncateSync(file, line.length * 1000);
  expect(await ended(id)).toMatchObject({ statusCode: 'FAILED' });
  expect((await payload(id)).status.errorReport.error).toMatchObject({
    errorCode: 'UnknownError',
    message: expect.stringContaining('big.json'),
  });
  expect((await get('/svc/coordinator/v1/metadata/datasources')).body).toEqual([]);
});

const slow = (() => {
  const numbers = `(SELECT * FROM UNNEST(ARRAY[${Array.from({ length: 100 }, (_, index) => index).join(',')}]) AS u(n))`;
  const names = Array.from({ length: 7 }, (_, index) => `t${index}`);
  return `SELECT COUNT(*) FROM ${names.map((name) => `${numbers} ${name}`).join(', ')} WHERE ${names.map((name) => `${name}."n"`).join(' + ')} = 3`;
})();

test('a worker that is stopped ends the query; with faultTolerance it is launched again, but not for ever', async () => {
  const { submit, ended, payload, post, get, until } = await started();
  const runs = (id: string) =>
    until(
      async () =>
        (await get(`/svc/indexer/v1/task/${id}/status`)).body?.status?.statusCode === 'RUNNING',
    );
  const stop = (id: string) => post(`/svc/indexer/v1/task/${id}/shutdown`, {});
  const once = await submit(slow);
  await runs(`${once}-worker0_0`);
  await stop(`${once}-worker0_0`);
  expect(await ended(once)).toMatchObject({
    errorMsg: `WorkerFailed: Worker task failed: [${once}-worker0_0]: Shutdown request from user`,
  });
  expect(await ended(`${once}-worker0_0`)).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: 'Shutdown request from user',
  });
  const again = await submit(slow, { faultTolerance: true });
  for (const attempt of [0, 1, 2]) {
    await runs(`${again}-worker0_${attempt}`);
    await stop(`${again}-worker0_${attempt}`);
  }
  expect(await ended(again)).toMatchObject({ statusCode: 'FAILED' });
  const { status } = await payload(again);
  expect(status.errorReport.error).toMatchObject({
    errorCode: 'TooManyAttemptsForWorker',
    workerNumber: 0,
    taskId: `${again}-worker0_2`,
  });
  expect(status.workers[0]).toMatchObject(
    [0, 1, 2].map((attempt) => ({ workerId: `${again}-worker0_${attempt}`, state: 'FAILED' })),
  );
  await until(
    async () => (await get('/svc/indexer/v1/totalWorkerCapacity')).body.usedClusterCapacity === 0,
  );
});

test('several workers share the files out, take slots while they work, and give them back', async () => {
  const allowed = folder();
  const line = '{"t":"2021-05-01","who":"somebody with a name"}\n';
  for (const name of ['a', 'b', 'c'])
    writeFileSync(join(allowed, `${name}.json`), line.repeat(100_000));
  const { submit, ended, payload, until, get, rows } = await started({
    allowedFolders: [allowed],
    workerCapacity: 4,
  });
  const query = `REPLACE INTO "d" OVERWRITE ALL SELECT TIME_PARSE("t") AS "__time", "who" FROM ${extern({ type: 'local', baseDir: allowed, filter: '*' })} PARTITIONED BY DAY`;
  const id = await submit(query, { maxNumTasks: 4, rowsPerSegment: 50_000 });
  await until(
    async () => (await get('/svc/indexer/v1/totalWorkerCapacity')).body.usedClusterCapacity === 4,
  );
  const [worker] = (await get('/svc/indexer/v1/workers')).body;
  expect(worker.currCapacityUsed).toBe(4);
  await ended(id);
  await until(
    async () => (await get('/svc/indexer/v1/totalWorkerCapacity')).body.usedClusterCapacity === 0,
  );
  const { status, stages, counters } = await payload(id);
  expect(Object.keys(status.workers)).toEqual(['0', '1', '2']);
  expect(stages).toMatchObject([
    { workerCount: 3, partitionCount: 6 },
    { workerCount: 3, partitionCount: 6 },
  ]);
  const rowsOf = (stage: number, name: string) =>
    [0, 1, 2].map((at) => counters[stage][at][name].rows);
  expect(rowsOf(0, 'input0')).toEqual([[100_000], [100_000], [100_000]]);
  expect(rowsOf(1, 'input0')).toEqual(Array.from({ length: 3 }, () => [50_000, 50_000]));
  expect(counters[1][2].segmentGenerationProgress).toMatchObject({
    rowsProcessed: 100_000,
    rowsPushed: 100_000,
  });
  const workers = (await get('/svc/indexer/v1/tasks?type=query_worker')).body;
  expect(
    workers
      .map(({ id, statusCode }: { id: string; statusCode: string }) => [id, statusCode])
      .sort(),
  ).toEqual([0, 1, 2].map((at) => [`${id}-worker${at}_0`, 'SUCCESS']));
  expect((await get(`/svc/indexer/v1/task/${id}-worker1_0/log`)).text).toContain(
    'Read [100000] rows',
  );
  expect(await rows('SELECT COUNT(*) FROM "d"')).toEqual([[300_000]]);
});

test('with few free slots there are fewer workers, and small files need few with taskAssignment auto', async () => {
  const allowed = folder();
  for (const name of ['a', 'b', 'c'])
    writeFileSync(join(allowed, `${name}.json`), '{"t":"2021-05-01","who":"a"}\n');
  const { submit, ended, payload, rows } = await started({
    allowedFolders: [allowed],
    workerCapacity: 3,
  });
  const query = load(extern({ type: 'local', baseDir: allowed, filter: '*' }));
  const workersOf = async (context: object) => {
    const id = await submit(query, context);
    await ended(id);
    return Object.keys((await payload(id)).status.workers).length;
  };
  expect(await workersOf({ maxNumTasks: 4 })).toBe(2);
  expect(await workersOf({ maxNumTasks: 3, taskAssignment: 'auto' })).toBe(1);
  expect(await rows('SELECT COUNT(*) FROM "d"')).toEqual([[6]]);
});
