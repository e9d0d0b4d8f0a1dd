// A service named druid as an older version of the engine. The replies are those of clusters of
// 27.0.0 and 33.0.0.
import { expect, test, vi } from 'vitest';
import { startService } from '../support/service.ts';
import { batchOf } from '../support/story.ts';

const opened = async (engineVersion: 27 | 33 | 37 | 39) => {
  const { url } = await startService({ service: 'druid', engineVersion });
  const get = async (path: string) => (await fetch(`${url}${path}`)).status;
  const sql = async (query: string) => {
    const reply = await fetch(`${url}/druid/v2/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query, resultFormat: 'array' }),
    });
    const body = (await reply.json()) as { errorMessage?: string };
    return { status: reply.status, body, message: body.errorMessage };
  };
  return { url, get, sql };
};

// A service with one row in the datasource `a`.
const withDay = async (engineVersion: 33 | 39) => {
  const service = await opened(engineVersion);
  const reply = await fetch(`${service.url}/druid/indexer/v1/task`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(batchOf('a', [{ t: '2024-01-01', city: 'ulm', n: 1 }])),
  });
  expect(reply.status).toBe(200);
  const served = () => service.get('/druid/coordinator/v1/datasources/a/intervals');
  await vi.waitFor(async () => expect(await served()).toBe(200), 20_000);
  return service;
};

test.each([27, 33, 37, 39] as const)('version %i is told with its modules', async (version) => {
  const { url } = await opened(version);
  const status = (await (await fetch(`${url}/status`)).json()) as {
    version: string;
    modules: { artifact: string; version: string }[];
  };
  expect(status.version).toBe(`${version}.0.0`);
  expect(status.modules).toContainEqual(
    expect.objectContaining({ artifact: 'druid-datasketches', version: `${version}.0.0` }),
  );
  expect(status.modules).toContainEqual(
    expect.objectContaining({ artifact: 'druid-kafka-indexing-service' }),
  );
});

test('an older version lacks functions, and does not list them', async () => {
  const [old, older] = [await opened(33), await opened(27)];
  const routines = `SELECT ROUTINE_NAME FROM INFORMATION_SCHEMA.ROUTINES WHERE ROUTINE_NAME IN ('DIV', 'CBRT')`;
  expect((await old.sql('SELECT DIV(7, 2)')).body).toEqual([[3]]);
  expect((await old.sql(routines)).body).toEqual([['DIV']]);
  expect(await old.sql('SELECT 1 + CBRT(8)')).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^No match found for function signature CBRT/),
  });
  expect(await older.sql('SELECT DIV(7, 2)')).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^No match found for function signature DIV/),
  });
  expect((await older.sql(routines)).body).toEqual([]);
});

test.each([
  { type: 'prefixFiltered', delegate: 'city', prefix: 'u' },
  { type: 'regexFiltered', delegate: 'city', pattern: 'u.*' },
])('native queries filter values before SQL has a function for it: %j', async (dimension) => {
  const { url } = await withDay(33);
  const reply = await fetch(`${url}/druid/v2`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      queryType: 'groupBy',
      dataSource: 'a',
      intervals: ['2024/2025'],
      granularity: 'all',
      dimensions: [dimension],
    }),
  });
  expect(await reply.json()).toMatchObject([{ event: { city: 'ulm' } }]);
});

test('a function is listed with the arguments that it may lack, and once for all its forms', async () => {
  const { sql } = await opened(33);
  const signatures = async (name: string) =>
    (
      await sql(
        `SELECT SIGNATURES FROM INFORMATION_SCHEMA.ROUTINES WHERE ROUTINE_NAME LIKE '${name}'`,
      )
    ).body;
  expect(await signatures('RPAD')).toEqual([["'RPAD(<CHARACTER>, <INTEGER>, [<CHARACTER>])'"]]);
  expect(await signatures('TIME_PARSE')).toEqual([
    ["'TIME_PARSE(<CHARACTER>, [<CHARACTER>, [<CHARACTER>]])'"],
  ]);
  expect(await signatures('FLOOR%')).toHaveLength(1);
});

test('an older version does not read or plan what came later', async () => {
  const [now, old, older] = [await opened(37), await opened(33), await opened(27)];
  const setting = 'SET sqlStringifyArrays = FALSE; SELECT 1';
  const window = 'SELECT x, ROW_NUMBER() OVER (ORDER BY x) FROM (VALUES (1)) AS t(x) GROUP BY x';
  expect((await now.sql(setting)).status).toBe(200);
  expect(await old.sql(setting)).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^Received an unexpected token \[;\]/),
  });
  expect((await old.sql(window)).status).toBe(200);
  expect(await older.sql(window)).toMatchObject({
    status: 400,
    message: expect.stringMatching(
      /SQL query requires 'ROW_NUMBER' operator that is not supported/,
    ),
  });
  expect(await older.sql('SELECT x FROM (VALUES (1)) AS t(x) QUALIFY x > 0')).toMatchObject({
    status: 400,
  });
});

test('an older version lacks columns and tables of the schema sys', async () => {
  const old = await opened(33);
  expect((await old.sql('SELECT version FROM sys.servers')).status).toBe(400);
  expect((await old.sql('SELECT * FROM sys.server_properties')).status).toBe(400);
  expect((await old.sql('SELECT max_size FROM sys.servers')).status).toBe(200);
});

test('an older version lacks types of virtual columns', async () => {
  const virtual = { type: 'mv-prefix-filtered', name: 'v', delegate: 'a', prefix: 'x' };
  const scan = {
    queryType: 'scan',
    dataSource: { type: 'inline', columnNames: ['a'], rows: [['x']] },
    intervals: '2024/2025',
    virtualColumns: [virtual],
  };
  const statusOf = async (engineVersion: 33 | 39) => {
    const { url } = await opened(engineVersion);
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(scan);
    return (await fetch(`${url}/druid/v2`, { method: 'POST', headers, body })).status;
  };
  expect(await statusOf(33)).toBe(400);
  expect(await statusOf(39)).toBe(200);
});

test('an older version lacks endpoints', async () => {
  const [old, older] = [await opened(33), await opened(27)];
  const duties = '/druid/coordinator/v1/duties';
  expect([await old.get(duties), await older.get(duties)]).toEqual([200, 404]);
  expect([await old.get('/status/ready'), await old.get('/status/health')]).toEqual([404, 200]);
});

test('an older version lacks fields of replies', async () => {
  const [now, old] = [await opened(39), await opened(33)];
  const at = async ({ url }: { url: string }, path: string) =>
    (await fetch(`${url}/druid/${path}`)).json();
  const worker = { scheme: 'http', capacity: 4, category: '_default_worker_category' };
  expect(await at(now, 'indexer/v1/workers')).toMatchObject([
    { worker: { ...worker, disabled: false }, currCapacityUsedByTaskType: {} },
  ]);
  const [listed] = (await at(old, 'indexer/v1/workers')) as [{ worker: object }];
  expect(listed).toMatchObject({ worker });
  expect(Object.keys(listed.worker)).toEqual([
    'scheme',
    'host',
    'ip',
    'capacity',
    'version',
    'category',
  ]);
  expect(listed).not.toHaveProperty('currCapacityUsedByTaskType');
  expect(await at(now, 'coordinator/v1/config')).toHaveProperty('cloneServers');
  expect(await at(old, 'coordinator/v1/config')).not.toHaveProperty('cloneServers');
  const compaction = Object.keys((await at(old, 'indexer/v1/compaction/config/cluster')) as object);
  expect(compaction).toEqual([
    'compactionTaskSlotRatio',
    'maxCompactionTaskSlots',
    'compactionPolicy',
    'useSupervisors',
    'engine',
  ]);
});

test('segments of an older version have no row counts, and their servers no size of the cache', async () => {
  const { url } = await withDay(33);
  const segments = '/druid/coordinator/v1/metadata/datasources/a/segments?full';
  const view = '/druid/coordinator/v1/datasources/a/intervals/2024-01-01_2024-01-02/serverview';
  const candidates = '/druid/v2/datasources/a/candidates?intervals=2024/2025';
  const read = async (from: string, path: string) => (await fetch(`${from}${path}`)).text();
  for (const path of [segments, view, candidates]) {
    const body = await read(url, path);
    expect(body).toContain('2024-01-01');
    expect(body).not.toMatch(/totalRows|storageSize/);
  }
  const newest = await withDay(39);
  expect(await read(newest.url, view)).toMatch(/"totalRows":1\b.*"storageSize"/);
  expect(await read(newest.url, candidates)).toContain('"storageSize"');
});

test('Jersey names the methods of a path, and refuses the root of its resources', async () => {
  const { url } = await opened(33);
  const refused = async (method: string, path: string) => {
    const { status, headers } = await fetch(`${url}/druid/${path}`, { method });
    return [status, headers.get('allow')];
  };
  expect(await refused('PUT', 'coordinator/v1/datasources/a')).toEqual([
    405,
    'HEAD,DELETE,POST,GET,OPTIONS',
  ]);
  expect(await refused('OPTIONS', 'coordinator/v1/datasources/a')).toEqual([405, null]);
  for (const root of ['indexer/v1', 'coordinator/v1/lookups', 'coordinator/v1/compaction/'])
    expect(await refused('GET', root)).toEqual([405, 'OPTIONS']);
  expect(await refused('GET', 'coordinator/v1/nothing')).toEqual([404, null]);
});

test('an empty reply to a read names the type of the object that is missing', async () => {
  const { url } = await opened(33);
  const typeOf = async (path: string) => (await fetch(`${url}${path}`)).headers.get('content-type');
  for (const path of ['/status/selfDiscovered', '/druid/indexer/v1/scaling'])
    expect(await typeOf(path)).toBe('application/json');
  expect(await typeOf('/druid/broker/v1/readiness')).toBeNull();
});

test('intervals are read before the datasource is looked up, and with an underscore', async () => {
  const { url, get } = await withDay(33);
  const datasources = '/druid/coordinator/v1/datasources';
  expect(await get(`${datasources}/nothing/intervals/yesterday`)).toBe(500);
  expect(await get(`${datasources}/nothing/intervals/2024-01-01_2024-01-02`)).toBe(204);
  const of = `${datasources}/a/loadstatus?forceMetadataRefresh=false&interval=2024-01-01_2024-01-02`;
  expect(await (await fetch(`${url}${of}`)).json()).toEqual({ a: 100 });
  const unused = '/druid/coordinator/v1/metadata/datasources/a/unusedSegments';
  expect(await get(`${unused}?interval=2024-01-01_2024-01-02&limit=0`)).toBe(200);
  expect(await get(`${unused}?limit=-1`)).toBe(400);
  const refused = await fetch(`${url}${unused}?lastSegmentId=nothing`);
  expect([refused.status, await refused.json()]).toMatchObject([
    400,
    { errorMessage: 'Invalid lastSegmentId[nothing] specified.' },
  ]);
});

test.each([
  ['text/plain', 'SELECT 1', 400],
  ['text/plain', '{"query": "SELECT 1"}', 415],
  ['application/x-www-form-urlencoded', '{"query": "SELECT 1"}', 415],
  ['application/json;charset=utf-8', '{"query": "SELECT 1"}', 200],
])(
  'an older version reads SQL only as JSON: %s with %s is status %i',
  async (type, body, wanted) => {
    const { url } = await opened(33);
    const reply = await fetch(`${url}/druid/v2/sql`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    });
    expect(reply.status).toBe(wanted);
    if (wanted === 415) expect(await reply.text()).toBe('');
  },
);

const exceptions = 'com.fasterxml.jackson.databind.exc';
test.each([
  ['/druid/v2/sql', '{"query":', 'com.fasterxml.jackson.core.io.JsonEOFException'],
  ['/druid/v2/sql', '{"query":}', 'com.fasterxml.jackson.core.JsonParseException'],
  ['/druid/v2/sql', '[]', `${exceptions}.MismatchedInputException`],
  ['/druid/v2/sql', '{}', `${exceptions}.ValueInstantiationException`],
  ['/druid/v2/sql', '{"query": []}', `${exceptions}.MismatchedInputException`],
  ['/druid/v2', '{', 'com.fasterxml.jackson.core.io.JsonEOFException'],
  ['/druid/v2', 'x', 'com.fasterxml.jackson.core.JsonParseException'],
])('POST %s with the body %s names the error of the parser', async (path, body, errorClass) => {
  const { url } = await opened(33);
  const headers = { 'content-type': 'application/json' };
  const reply = await fetch(`${url}${path}`, { method: 'POST', headers, body });
  expect([reply.status, await reply.json()]).toMatchObject([400, { errorClass }]);
});

test('a number is read as the text of a statement', async () => {
  const { url } = await opened(33);
  const headers = { 'content-type': 'application/json' };
  const body = '{"query": 1}';
  const reply = await fetch(`${url}/druid/v2/sql`, { method: 'POST', headers, body });
  expect(await reply.json()).toMatchObject({
    errorMessage: 'Non-query expression encountered in illegal context',
  });
});
