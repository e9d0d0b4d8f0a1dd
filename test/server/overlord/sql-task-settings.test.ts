import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const values = (rows: string) => `SELECT * FROM (VALUES ${rows}) AS t(__time, who)`;
const insert = `INSERT INTO "d" SELECT TIMESTAMP '2021-05-01' AS "__time", 'a' AS "who" PARTITIONED BY DAY`;

async function started(settings: Parameters<typeof startService>[0] = {}) {
  const { get, post, ended } = api(await startService(settings));
  const task = (query: string, context: object = {}) =>
    post('/svc/v2/sql/task', { query, context });
  return {
    get,
    task,
    async ingest(query: string, context: object = {}) {
      const { body } = await task(query, context);
      return ended(body.taskId);
    },
    rows: async (query: string) =>
      (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body,
    payload: async (taskId: string) =>
      (await get(`/svc/indexer/v1/task/${taskId}/reports`)).body.multiStageQuery.payload,
    segments: async () =>
      (await get('/svc/coordinator/v1/metadata/datasources/d/segments?full')).body,
  };
}

test.each([
  [{ maxNumTasks: 'many' }, 'Expected key [maxNumTasks] to be in integer format, but got [many]'],
  [{ maxNumTasks: 2.5 }, 'Expected key [maxNumTasks] to be in integer format, but got [2.5]'],
  [{ rowsPerSegment: [] }, 'Expected key [rowsPerSegment] to be in integer format, but got [[]]'],
  [
    { failOnEmptyInsert: 'maybe' },
    'Expected key [failOnEmptyInsert] to be in boolean format, but got [maybe]',
  ],
  [
    { finalizeAggregations: 1 },
    'Expected key [finalizeAggregations] to be in boolean format, but got [1]',
  ],
  [
    { taskAssignment: 'some' },
    'Expected key [taskAssignment] to be referring to one of the values [MAX,AUTO] of enum [WorkerAssignmentStrategy], but got [some]',
  ],
  [
    { arrayIngestMode: 'list' },
    'Expected key [arrayIngestMode] to be referring to one of the values [NONE,ARRAY,MVD] of enum [ArrayIngestMode], but got [list]',
  ],
  [
    { clusterStatisticsMergeMode: 'x' },
    'Expected key [clusterStatisticsMergeMode] to be referring to one of the values [SEQUENTIAL,PARALLEL,AUTO] of enum [ClusterStatisticsMergeMode], but got [x]',
  ],
  [
    { includeSegmentSource: 'all' },
    'Expected key [includeSegmentSource] to be referring to one of the values [NONE,REALTIME] of enum [SegmentSource], but got [all]',
  ],
  [{ maxThreads: 'all' }, 'Expected key [maxThreads] to be in integer format, but got [all]'],
  [
    { maxRowsMaterializedInWindow: 'all' },
    'Expected key [maxRowsMaterializedInWindow] to be in integer format, but got [all]',
  ],
  [
    { useAutoColumnSchemas: 'x' },
    'Expected key [useAutoColumnSchemas] to be in boolean format, but got [x]',
  ],
  [
    { sqlJoinAlgorithm: 'hash' },
    'Expected key [sqlJoinAlgorithm] to be one of [broadcast, sortMerge], but got [hash]',
  ],
  [{ indexSpec: 'x' }, 'Expected key [indexSpec] to be an indexSpec, but got [x]'],
  [
    { indexSpec: { dimensionCompression: 'zip' } },
    'Expected key [indexSpec] to be an indexSpec, but got [{"dimensionCompression":"zip"}]',
  ],
  [
    { skipTypeVerification: '[1' },
    'Expected key [skipTypeVerification] to be CSV or JSON array, but got [[1]',
  ],
  [{ timeout: 'soon' }, 'Expected key [timeout] to be in long format, but got [soon]'],
])('a context parameter that cannot be read is refused: %j', async (context, message) => {
  const { task, get } = await started();
  const { status, body } = await task(insert, context);
  expect({ status, message: body.error.errorMessage, error: body.error.error }).toEqual({
    status: 400,
    message,
    error: 'Query context parse failed',
  });
  expect((await get('/svc/indexer/v1/tasks')).body).toEqual([]);
});

test.each([
  [
    { sqlInsertSegmentGranularity: '"DAY"' },
    'Query context parameter [sqlInsertSegmentGranularity] is not allowed',
  ],
  [
    { sqlReplaceTimeChunks: 'all' },
    'Query context parameter [sqlReplaceTimeChunks] is not allowed',
  ],
  [
    { maxNumSegments: 0 },
    'Context maxNumSegments [0] cannot be less than 1: every time chunk needs a segment.',
  ],
  [
    { faultTolerance: true, durableShuffleStorage: false },
    'Query context parameter [faultTolerance] needs durable storage: remove [durableShuffleStorage], or set it to true.',
  ],
  [
    { segmentSortOrder: 'who' },
    'Context parameter[segmentSortOrder] must start with time column[__time] unless context parameter[forceSegmentSortByTime] is set to false.',
  ],
  [
    { segmentSortOrder: '["__time","nobody"]' },
    'Context parameter[segmentSortOrder] names column[nobody], which the query does not write',
  ],
])('a context parameter that cannot be is refused: %j', async (context, message) => {
  const { task } = await started();
  expect(await task(insert, context)).toMatchObject({
    status: 400,
    body: { state: 'FAILED', error: { errorCode: 'invalidInput', errorMessage: message } },
  });
});

test('a datasource does not replace itself by rows of which some are still to be published', async () => {
  const { task, ingest } = await started();
  await ingest(insert);
  const again = 'REPLACE INTO "d" OVERWRITE ALL SELECT * FROM "d" PARTITIONED BY DAY';
  expect((await task(again, { includeSegmentSource: 'realtime' })).body.error.errorMessage).toBe(
    'Cannot ingest into datasource[d] since it is also being queried from, with REALTIME segments included. Ingest to a different datasource, or disable querying of realtime segments by modifying [includeSegmentSource] in the query context.',
  );
  expect(await ingest(`SET includeSegmentSource = 'NONE'; ${again}`)).toMatchObject({
    statusCode: 'SUCCESS',
  });
});

test('a lock type must be one for the kind of statement', async () => {
  const { task, ingest } = await started();
  expect((await task(insert, { taskLockType: 'EXCLUSIVE' })).body.error.errorMessage).toMatch(
    /^TaskLock must be of type \[SHARED\] or \[APPEND\] for an INSERT query\. Found invalid type \[EXCLUSIVE\] set\./,
  );
  expect(await ingest(insert, { taskLockType: 'SHARED' })).toMatchObject({ statusCode: 'SUCCESS' });
});

test('parameters that nobody knows change nothing', async () => {
  const { ingest } = await started();
  expect(await ingest(insert, { engine: 'steam', somethingNew: { deep: [1] } })).toMatchObject({
    statusCode: 'SUCCESS',
  });
});

test('parameters about many machines are understood and change nothing on one', async () => {
  const { ingest, rows } = await started();
  const context = {
    sqlJoinAlgorithm: 'sortMerge',
    composedIntermediateSuperSorterStorageEnabled: true,
    clusterStatisticsMergeMode: 'PARALLEL',
    durableShuffleStorage: true,
    useAutoColumnSchemas: true,
    includeSegmentSource: 'REALTIME',
    maxThreads: 1,
  };
  expect(await ingest(insert, context)).toMatchObject({ statusCode: 'SUCCESS' });
  expect(await rows('SELECT COUNT(*) FROM "d"')).toEqual([[1]]);
});

test('arrayIngestMode decides how lists of texts are stored, and whether numbers may be', async () => {
  const { ingest, task, rows } = await started();
  const lists = (table: string, list: string) =>
    `REPLACE INTO "${table}" OVERWRITE ALL SELECT TIMESTAMP '2021-05-01' AS "__time", ${list} AS "tags" PARTITIONED BY ALL`;
  const typeIn = async (table: string) =>
    (
      await rows(
        `SELECT "DATA_TYPE" FROM INFORMATION_SCHEMA.COLUMNS WHERE "TABLE_NAME" = '${table}' AND "COLUMN_NAME" = 'tags'`,
      )
    )[0][0];
  await ingest(lists('arrays', "ARRAY['a','b']"));
  await ingest(lists('values', "ARRAY['a','b']"), { arrayIngestMode: 'mvd' });
  expect([await typeIn('arrays'), await typeIn('values')]).toEqual(['ARRAY', 'VARCHAR']);
  expect(await rows(`SELECT COUNT(*) FROM "values" WHERE "tags" = 'b'`)).toEqual([[1]]);
  expect(
    (await task(lists('numbers', 'ARRAY[1,2]'), { arrayIngestMode: 'mvd' })).body.error
      .errorMessage,
  ).toBe(
    "Numeric arrays can only be ingested when 'arrayIngestMode' is set to 'array'. Current value of the parameter is[mvd]",
  );
  expect(
    (await task(lists('none', "ARRAY['a']"), { arrayIngestMode: 'none' })).body.error.errorMessage,
  ).toMatch(/^String arrays can not be ingested when 'arrayIngestMode' is set to 'none'/);
});

test('a column of arrays does not become one of texts by accident, unless skipTypeVerification says so', async () => {
  const { ingest, task } = await started();
  const into = (value: string) =>
    `INSERT INTO "d" SELECT TIMESTAMP '2021-05-01' AS "__time", ${value} AS "tags" PARTITIONED BY ALL`;
  await ingest(into("ARRAY['a','b']"));
  expect((await task(into("'c'"))).body.error.errorMessage).toMatch(
    /^Cannot write into field\[tags\] using type\[STRING\] and arrayIngestMode\[array\], since the existing type is\[ARRAY<STRING>\]\. Try adjusting your query to make this column an ARRAY instead of VARCHAR\. See /,
  );
  expect(await ingest(into("'c'"), { skipTypeVerification: 'other, tags' })).toMatchObject({
    statusCode: 'SUCCESS',
  });
});

test('rowsPerSegment, rowsInMemory and indexSpec shape the segments', async () => {
  const { ingest, segments, rows } = await started();
  const people = Array.from(
    { length: 10 },
    (_, index) => `(TIMESTAMP '2021-05-01', 'p${index % 10}')`,
  ).join(', ');
  const context = {
    rowsPerSegment: 4,
    rowsInMemory: 3,
    indexSpec: '{"dimensionCompression":"lz4","metricCompression":"lz4"}',
  };
  await ingest(`REPLACE INTO "d" OVERWRITE ALL ${values(people)} PARTITIONED BY DAY`, context);
  expect((await segments()).map(({ totalRows }: { totalRows: number }) => totalRows)).toEqual([
    4, 3, 3,
  ]);
  expect(await rows('SELECT COUNT(*) FROM "d"')).toEqual([[10]]);
});

test('segmentSortOrder comes before CLUSTERED BY within a segment, time need not be first', async () => {
  const { ingest, rows } = await started();
  const query = `REPLACE INTO "d" OVERWRITE ALL ${values("(TIMESTAMP '2021-05-02', 'a'), (TIMESTAMP '2021-05-01', 'b')")} PARTITIONED BY ALL`;
  await ingest(query, { segmentSortOrder: 'who', forceSegmentSortByTime: false });
  expect(await rows('SELECT "who" FROM "d"')).toEqual([['a'], ['b']]);
  await ingest(query);
  expect(await rows('SELECT "who" FROM "d"')).toEqual([['b'], ['a']]);
});

test('storeCompactionState keeps with the segments how they were made', async () => {
  const { ingest, segments } = await started();
  const query = `REPLACE INTO "d" OVERWRITE ALL ${values("(TIMESTAMP '2021-05-02', 'a')")} PARTITIONED BY DAY CLUSTERED BY "who"`;
  await ingest(query, { storeCompactionState: true, rowsPerSegment: 7 });
  expect((await segments())[0].lastCompactionState).toMatchObject({
    partitionsSpec: { type: 'range', partitionDimensions: ['who'], targetRowsPerSegment: 7 },
    dimensionsSpec: { dimensions: [{ type: 'string', name: 'who' }] },
    granularitySpec: { segmentGranularity: { type: 'period', period: 'P1D' }, rollup: false },
  });
});

test('waitUntilSegmentsLoad tells which segments the rules have loaded', async () => {
  const service = await startService();
  const { post, get, ended } = api(service);
  const run = async () => {
    const { body } = await post('/svc/v2/sql/task', {
      query: insert,
      context: { waitUntilSegmentsLoad: true },
    });
    await ended(body.taskId);
    return (await get(`/svc/indexer/v1/task/${body.taskId}/reports`)).body.multiStageQuery.payload
      .status.segmentLoadStatus;
  };
  expect(await run()).toMatchObject({
    state: 'SUCCESS',
    totalSegments: 1,
    usedSegments: 1,
    precachedSegments: 1,
    onDemandSegments: 0,
  });
  await post('/svc/coordinator/v1/rules/d', [
    { type: 'loadForever', tieredReplicants: {}, useDefaultTierForNull: false },
  ]);
  expect(await run()).toMatchObject({
    totalSegments: 1,
    precachedSegments: 0,
    onDemandSegments: 1,
  });
});

test('a timeout ends a query with its reason', async () => {
  const { ingest, payload } = await started();
  const numbers = `(SELECT * FROM UNNEST(ARRAY[${Array.from({ length: 100 }, (_, index) => index).join(',')}]) AS u(n))`;
  const query = `SELECT COUNT(*) FROM ${Array.from({ length: 7 }, (_, index) => `${numbers} t${index}`).join(', ')} WHERE ${Array.from({ length: 7 }, (_, index) => `t${index}."n"`).join(' + ')} = 3`;
  const { id, errorMsg } = await ingest(query, { timeout: 200 });
  expect(errorMsg).toBe('Canceled: Query timed out');
  expect((await payload(id)).status.errorReport.error).toMatchObject({
    errorCode: 'Canceled',
    reason: 'QUERY_TIMEOUT',
  });
});

test('without finalizeAggregations, sketches are stored instead of their estimates', async () => {
  const { ingest, rows, task } = await started();
  const people = Array.from(
    { length: 20 },
    (_, index) => `(TIMESTAMP '2021-05-01', 'p${index % 7}')`,
  ).join(', ');
  const query = (aggregate: string) =>
    `REPLACE INTO "d" OVERWRITE ALL SELECT __time, ${aggregate} AS "people", COUNT(*) AS "n" FROM (${values(people)}) GROUP BY 1 PARTITIONED BY ALL`;
  const types = async () =>
    rows(
      `SELECT "COLUMN_NAME", "DATA_TYPE" FROM INFORMATION_SCHEMA.COLUMNS WHERE "TABLE_NAME" = 'd' AND "COLUMN_NAME" <> '__time' ORDER BY 1`,
    );
  expect(await ingest(query('APPROX_COUNT_DISTINCT_DS_HLL("who")'))).toMatchObject({
    statusCode: 'SUCCESS',
  });
  expect(await types()).toEqual([
    ['n', 'BIGINT'],
    ['people', 'BIGINT'],
  ]);
  expect(
    await ingest(query('APPROX_COUNT_DISTINCT_DS_HLL("who")'), { finalizeAggregations: false }),
  ).toMatchObject({
    statusCode: 'SUCCESS',
    errorMsg: null,
  });
  expect(await types()).toEqual([
    ['n', 'BIGINT'],
    ['people', 'COMPLEX<HLLSketch>'],
  ]);
  expect(await rows('SELECT ROUND(HLL_SKETCH_ESTIMATE("people")), "n" FROM "d"')).toEqual([
    [7, 20],
  ]);
  expect(
    (await task(query('STDDEV("who")'), { finalizeAggregations: false })).body.error.errorMessage,
  ).toMatch(/Aggregation \[STDDEV\] has an intermediate value that this service does not store/);
});
