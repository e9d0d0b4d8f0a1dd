// The specification's conventions, its roles and what it says the service does (lines 1 to 34),
// over HTTP.
import { describe, expect, test } from 'vitest';
import { namesOf } from '../../src/contract/index.ts';
import { startServer } from '../../src/server/server.ts';
import { portOf } from '../../src/server/settings/port-numbers.ts';
import { startService } from '../support/service.ts';
import { noop, served } from './served.ts';

const days = ['01', '02', '03'];

describe('with a port for each role', () => {
  const { get, post, load, until, segmentsOf } = served({ rolePorts: true });

  test('[1] the Router answers at the base address, and each role at one of its own', async () => {
    for (const role of [
      'router',
      'coordinator',
      'overlord',
      'broker',
      'historical',
      'middleManager',
    ] as const)
      expect([role, (await get('/status/health', role === 'router' ? {} : { role })).body]).toEqual(
        [role, true],
      );
    expect((await get('/svc/coordinator/v1/rules', { role: 'broker' })).status).toBe(404);
  });

  test('[16] the Router forwards to the Coordinator, the Overlord and the Broker', async () => {
    expect((await get('/svc/coordinator/v1/rules')).body).toEqual(
      (await get('/svc/coordinator/v1/rules', { role: 'coordinator' })).body,
    );
    expect((await get('/svc/indexer/v1/workers')).body).toEqual(
      (await get('/svc/indexer/v1/workers', { role: 'overlord' })).body,
    );
    expect((await get('/svc/v2/datasources')).body).toEqual(
      (await get('/svc/v2/datasources', { role: 'broker' })).body,
    );
  });

  test('[17] the Broker accepts queries', async () => {
    expect(
      (await post('/svc/v2/sql', { query: 'SELECT 1 AS n' }, { role: 'broker' })).body,
    ).toEqual([{ n: 1 }]);
    expect((await post('/svc/v2/sql', { query: 'SELECT 1' }, { role: 'overlord' })).status).toBe(
      404,
    );
  });

  test('[18] a Historical serves the segments', async () => {
    await load('wiki', days);
    const [server] = (await get('/svc/coordinator/v1/servers?simple')).body;
    expect(server.type).toBe('historical');
    const loaded = (await get(`/svc/coordinator/v1/servers/${server.host}/segments`)).body;
    expect(loaded.sort()).toEqual((await segmentsOf('wiki')).sort());
    expect((await get('/svc/historical/v1/loadstatus', { role: 'historical' })).body).toEqual({
      cacheInitialized: true,
    });
  });

  test('[19] the Coordinator has availability, rules, compaction and its configuration', async () => {
    for (const path of ['loadstatus', 'rules', 'config/compaction', 'config'])
      expect([
        path,
        (await get(`/svc/coordinator/v1/${path}`, { role: 'coordinator' })).status,
      ]).toEqual([path, 200]);
    expect((await get('/svc/coordinator/v1/rules', { role: 'historical' })).status).toBe(404);
  });

  test('[20] the Overlord has tasks and supervisors', async () => {
    for (const path of ['tasks', 'supervisor'])
      expect([path, (await get(`/svc/indexer/v1/${path}`, { role: 'overlord' })).body]).toEqual([
        path,
        expect.any(Array),
      ]);
    expect((await get('/svc/indexer/v1/supervisor', { role: 'broker' })).status).toBe(404);
  });

  test('[21] the MiddleManager runs the tasks', async () => {
    await post('/svc/indexer/v1/task', noop('runs'));
    await until(async () =>
      (await get('/svc/worker/v1/tasks', { role: 'middleManager' })).body.includes('runs'),
    );
    const { port } = (await get('/svc/indexer/v1/task/runs/status')).body.status.location;
    expect((await get(`/svc/indexer/v1/workers`)).body[0].worker.host).toContain(`:${port}`);
    expect(
      (await post('/svc/worker/v1/task/runs/shutdown', undefined, { role: 'middleManager' })).body,
    ).toEqual({ task: 'runs' });
  });
});

describe('with a name of its own', () => {
  const { get, post } = served({ service: 'acme', properties: { 'acme.some.thing': 'known' } });

  test('[2] the name of the service stands in its paths', async () => {
    expect((await get('/acme/coordinator/v1/rules')).status).toBe(200);
    expect((await get('/svc/coordinator/v1/rules')).status).toBe(404);
  });

  test('[3] and in its headers', async () => {
    const { headers } = await post('/acme/v2/sql', { query: 'SELECT 1' });
    expect([headers.has('x-acme-sql-query-id'), headers.has('x-svc-sql-query-id')]).toEqual([
      true,
      false,
    ]);
    const named = { headers: { 'x-acme-author': 'ann', 'x-svc-comment': 'none' } };
    await post('/acme/coordinator/v1/rules/w', [{ type: 'loadForever' }], named);
    expect((await get('/acme/coordinator/v1/rules/w/history')).body[0].auditInfo).toMatchObject({
      author: 'ann',
      comment: '',
    });
  });

  test('[4] and in its properties', async () => {
    expect((await get('/status/properties')).body).toMatchObject({ 'acme.some.thing': 'known' });
    await expect(
      startServer({ port: 0, service: 'acme', properties: { 'svc.server.maxSize': '1' } }),
    ).rejects.toThrow('does not begin with [acme.]');
  });
});

test.each(
  Object.entries({
    '[7] Coordinator': ['coordinator', 8081],
    '[8] Overlord': ['overlord', 8081],
    '[9] Router': ['router', 8888],
    '[10] Broker': ['broker', 8082],
    '[11] Historical': ['historical', 8083],
    '[12] MiddleManager': ['middleManager', 8091],
  } as const),
)('%s has the port that the specification gives it', (_, [role, port]) => {
  expect(portOf(role, 8888)).toBe(port);
});

describe('what the service does', () => {
  const { get, post, remove, send, load, ingest, rows, until, ended, segmentsOf } = served();
  const rules = '/svc/coordinator/v1/rules';

  test('[6] a body is JSON, and says so', async () => {
    const as = (type: string) =>
      send('POST', `${rules}/wiki`, '[]', { headers: { 'content-type': type } });
    expect([(await as('application/json')).status, (await as('text/plain')).status]).toEqual([
      200, 415,
    ]);
    expect((await get(rules)).type).toBe('application/json');
  });

  test('[13] intervals are ISO 8601', async () => {
    const status = async (interval: string) =>
      (await get(`${rules}/history?interval=${interval}`)).status;
    for (const interval of [
      '2024-01-01/2024-01-02',
      '2024-01-01/P1D',
      '2024-01-01T10:00:00Z/2024-01-01T11:00:00Z',
    ])
      expect([interval, await status(interval)]).toEqual([interval, 200]);
    expect(await status('yesterday/today')).toBe(400);
  });

  test('[14, 507, 567] the parts of an interval have / between them, and _ where the specification says so: in paths and in createdTimeInterval', async () => {
    await load('wiki', days);
    expect((await get(`${rules}/history?interval=2024-01-01/2024-01-02`)).status).toBe(200);
    expect((await get(`${rules}/history?interval=2024-01-01_2024-01-02`)).status).toBe(400);
    expect((await get('/svc/coordinator/v1/intervals/2024-01-01_2024-01-03')).body).toMatchObject({
      count: 2,
    });
    expect(
      (await get('/svc/v2/datasources/wiki/candidates?intervals=2024-01-01/2024-01-03')).body,
    ).toHaveLength(2);
    expect(
      (await get('/svc/indexer/v1/tasks?createdTimeInterval=2000-01-01_2999-01-01')).body.length,
    ).toBeGreaterThan(0);
    expect(
      (await get('/svc/indexer/v1/tasks?createdTimeInterval=2000-01-01_2001-01-01')).body,
    ).toEqual([]);
  });

  test('[22] data are queried with SQL', async () => {
    await load('wiki', days);
    expect(await rows('SELECT SUM(n) FROM wiki')).toEqual([[6]]);
  });

  test('[23] and with native queries', async () => {
    await load('wiki', days);
    const query = {
      queryType: 'timeseries',
      dataSource: 'wiki',
      granularity: 'all',
      intervals: ['2024/2025'],
    };
    const { body } = await post('/svc/v2/', {
      ...query,
      aggregations: [{ type: 'longSum', name: 'n', fieldName: 'n' }],
    });
    expect(body).toMatchObject([{ result: { n: 6 } }]);
  });

  test('[24, 256, 257] what no Historical has is in deep storage, where only statements read it', async () => {
    await load('cold', days);
    await post(`${rules}/cold`, [
      { type: 'loadForever', tieredReplicants: {}, useDefaultTierForNull: false },
    ]);
    expect((await get('/svc/coordinator/v1/datasources')).body).not.toContain('cold');
    expect((await post('/svc/v2/sql', { query: 'SELECT SUM(n) FROM cold' })).status).toBe(400);
    const { body } = await post('/svc/v2/sql/statements', {
      query: 'SELECT SUM(n) AS n FROM cold',
      context: { executionMode: 'ASYNC' },
    });
    const at = `/svc/v2/sql/statements/${body.queryId}`;
    await until(async () => (await get(at)).body.state === 'SUCCESS');
    expect((await get(`${at}/results?resultFormat=array`)).body).toEqual([[6]]);
  });

  test('[25] data come in by batches of SQL', async () => {
    await ingest(
      `INSERT INTO "batch" SELECT TIMESTAMP '2024-05-01' AS __time, 7 AS n PARTITIONED BY DAY`,
    );
    expect(await rows('SELECT n FROM batch')).toEqual([[7]]);
  });

  test('[27, 28, 29, 30] tasks are looked at, have a log and a report, and are stopped', async () => {
    const taskId = await load('wiki', days);
    const at = `/svc/indexer/v1/task/${taskId}`;
    expect((await get(at)).body).toMatchObject({
      task: taskId,
      payload: { type: 'query_controller' },
    });
    await until(async () => (await get(`${at}/log`)).text.includes('SUCCESS')); // its last line follows the status
    expect((await get(`${at}/reports`)).body).toMatchObject({ multiStageQuery: { taskId } });
    await post('/svc/indexer/v1/task', noop('stopped'));
    await post('/svc/indexer/v1/task/stopped/shutdown');
    expect(await ended('stopped')).toMatchObject({ statusCode: 'FAILED' });
  });

  test('[31, 32] ordered rules say what is kept and what is dropped', async () => {
    await load('ruled', days);
    const drop = { type: 'dropByInterval', interval: '2024-01-01/2024-01-03' };
    const loadedAfter = async (...body: object[]) => {
      await post(`${rules}/ruled`, body);
      const { status, body: loaded } = await get('/svc/coordinator/v1/datasources/ruled/segments');
      return status === 200 ? loaded.length : 0;
    };
    expect(await loadedAfter({ type: 'loadForever' }, drop)).toBe(3);
    expect(await loadedAfter(drop, { type: 'loadForever' })).toBe(1);
  });

  test('[34, 35] segments leave use and come back; unused ones are deleted for good', async () => {
    await load('marked', days);
    const at = '/svc/coordinator/v1/datasources/marked';
    expect((await remove(at)).body).toMatchObject({ numChangedSegments: 3 });
    expect(
      (
        await post(at, undefined, {
          headers: { accept: 'application/json, text/plain', 'content-type': 'application/json' },
        })
      ).status,
    ).toBe(200);
    expect(await segmentsOf('marked')).toHaveLength(3);
    await remove(at);
    await remove(`${at}/intervals/2024-01-01_2024-01-04`);
    const all = '/svc/coordinator/v1/metadata/datasources/marked/unusedSegments';
    await until(async () => (await get(all)).body?.length === 0);
  });

  test('[36] compaction is configured for a datasource, and tells its status', async () => {
    await load('compacted', days);
    expect(
      (await post('/svc/coordinator/v1/config/compaction', { dataSource: 'compacted' })).status,
    ).toBe(200);
    expect(
      (await get('/svc/coordinator/v1/compaction/status?dataSource=compacted')).body.latestStatus,
    ).toMatchObject([{ dataSource: 'compacted', scheduleStatus: 'RUNNING' }]);
  });

  test.each(
    Object.entries({
      '[37] the configuration of the Coordinator': [
        '/svc/coordinator/v1/config',
        { maxSegmentsToMove: 12 },
      ],
      '[38] that of the Overlord': [
        '/svc/indexer/v1/worker',
        { selectStrategy: { type: 'fillCapacity' } },
      ],
    } as const),
  )('%s is read, changed, and has a history', async (_, [path, change]) => {
    expect((await post(path, change, { headers: { 'x-svc-author': 'ann' } })).status).toBe(200);
    expect((await get(path)).body).toMatchObject(change);
    expect((await get(`${path}/history`)).body.at(-1)).toMatchObject({
      auditInfo: { author: 'ann' },
    });
  });

  test('[39] health, version, properties, leadership and readiness are told', async () => {
    expect((await get('/status/health')).body).toBe(true);
    expect((await get('/status')).body.version).toEqual(expect.any(String));
    expect((await get('/status/properties')).body).toEqual(expect.any(Object));
    expect((await get('/svc/coordinator/v1/isLeader')).body).toEqual({ leader: true });
    expect((await get('/svc/broker/v1/readiness')).status).toBe(200);
  });
});

test('[622, 623] nobody is asked who they are until an authenticator is configured, and everybody may do everything', async () => {
  const { url } = await startService();
  for (const authorization of [undefined, 'Basic bm9ib2R5OndoYXRldmVy']) {
    const headers = { 'content-type': 'application/json', ...(authorization && { authorization }) };
    const reply = await fetch(`${url}/svc/coordinator/v1/rules/w`, {
      method: 'POST',
      headers,
      body: '[]',
    });
    expect(reply.status).toBe(200);
  }
});

describe('the paths of the contract', () => {
  const paths = [...namesOf.keys()].map(({ path }) => path);
  const versionOf = (start: string) =>
    new Set(paths.filter((path) => path.startsWith(start)).map((path) => path.split('/')[3]));

  test('[702] have a version: v1 for managing and for the state of roles, v2 for queries', () => {
    for (const role of ['coordinator', 'indexer', 'worker', 'historical', 'broker'])
      expect([role, [...versionOf(`/svc/${role}/`)]]).toEqual([role, ['v1']]);
    expect(paths).toEqual(
      expect.arrayContaining(['/svc/v2/', '/svc/v2/sql', '/svc/v2/datasources']),
    );
  });

  test('[671] know no events that somebody could wait for', () => {
    expect(
      paths.filter((path) =>
        ['event', 'hook', 'notif', 'subscri'].some((word) => path.includes(word)),
      ),
    ).toEqual([]);
  });
});
