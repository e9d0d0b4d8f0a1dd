// Served, loaded and known segments as the Coordinator and Broker report them (the specification,
// "Legacy metadata endpoints").
import { expect, test } from 'vitest';
import { broker } from '../../../src/contract/broker.ts';
import { cluster } from '../../../src/contract/cluster.ts';
import { datasources } from '../../../src/contract/datasources.ts';
import { metadata } from '../../../src/contract/metadata.ts';
import { rules } from '../../../src/contract/rules.ts';
import { segments } from '../../../src/contract/segments.ts';
import { tasks } from '../../../src/contract/tasks.ts';
import { callsTo, refusalOf } from '../../support/calls.ts';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const rows = `SELECT TIME_PARSE("t") AS __time, "city", "n" FROM TABLE(EXTERN(
  '{"type":"inline","data":"2020-01-01,ulm,1\\n2020-01-02,bonn,2\\n2020-01-03,ulm,3"}',
  '{"type":"csv","columns":["t","city","n"]}')) EXTEND ("t" VARCHAR, "city" VARCHAR, "n" BIGINT)`;

// A service with three days of data, a segment each.
async function withData(service = 'svc') {
  const server = await startService({ service });
  const { post, ended } = api(server);
  const { body } = await post(`/${service}/v2/sql/task`, {
    query: `REPLACE INTO "trips" OVERWRITE ALL ${rows} PARTITIONED BY DAY`,
  });
  expect(await ended(body.taskId, service)).toMatchObject({ statusCode: 'SUCCESS' });
  return { call: callsTo(server, service), url: server.url };
}

const day = (from: string, to: string) =>
  `2020-01-${from}T00:00:00.000Z/2020-01-${to}T00:00:00.000Z`;

test('one Historical has every segment: servers, tiers and intervals agree', async () => {
  const { call } = await withData();
  const [server = ''] = (await call(cluster.servers)) as string[];
  const ids = (await call(datasources.segments, { params: { dataSource: 'trips' } })) as string[];
  expect(await call(cluster.servers, { query: { simple: true } })).toMatchObject([
    { host: server, tier: '_default_tier', type: 'historical' },
  ]);
  expect(await call(cluster.serverSegments, { params: { server } })).toEqual(ids);
  expect(
    await call(cluster.serverSegment, { params: { server, segmentId: ids[0] ?? '' } }),
  ).toMatchObject({ identifier: ids[0] });
  expect(
    Object.keys((await call(cluster.server, { params: { server } })).segments as object),
  ).toEqual(ids);
  expect(await call(cluster.tiers)).toEqual(['_default_tier']);
  expect(await call(cluster.tier, { params: { tier: '_default_tier' } })).toEqual(['trips']);
  const byDay = (await call(cluster.tier, {
    params: { tier: '_default_tier' },
    query: { simple: true },
  })) as Record<string, object>;
  expect(Object.keys(byDay.trips ?? {})).toEqual([
    day('03', '04'),
    day('02', '03'),
    day('01', '02'),
  ]);
  expect(Object.keys(await call(cluster.intervals))).toEqual([
    day('03', '04'),
    day('02', '03'),
    day('01', '02'),
  ]);
  expect(
    await call(cluster.interval, { params: { interval: '2020-01-01_2020-01-03' } }),
  ).toMatchObject({ count: 2 });
  expect(
    await call(cluster.interval, {
      params: { interval: '2020-01-01_2020-01-02' },
      query: { full: true },
    }),
  ).toMatchObject({
    [day('01', '02')]: { trips: { count: 1 } },
  });
  expect(await call(cluster.interval, { params: { interval: '1900_1901' } })).toEqual({});
});

test('unknown servers, segments and tiers', async () => {
  const { call } = await withData();
  const [server = ''] = (await call(cluster.servers)) as string[];
  expect(await refusalOf(call(cluster.server, { params: { server: 'nowhere:1' } }))).toEqual([
    404,
    expect.anything(),
  ]);
  expect(
    await refusalOf(call(cluster.serverSegments, { params: { server: 'nowhere:1' } })),
  ).toEqual([404, expect.anything()]);
  expect(
    await refusalOf(call(cluster.serverSegment, { params: { server, segmentId: 'none' } })),
  ).toEqual([404, expect.anything()]);
  expect(await call(cluster.tier, { params: { tier: 'hot' } })).toEqual([]);
  expect(await call(cluster.nodesOf, { params: { nodeRole: 'nothing' } })).toEqual([]);
});

test('every role is a node of the cluster', async () => {
  const { call } = await withData();
  const nodes = await call(cluster.nodes);
  expect(Object.keys(nodes)).toEqual([
    'coordinator',
    'overlord',
    'broker',
    'historical',
    'middleManager',
    'router',
  ]);
  expect(await call(cluster.nodesOf, { params: { nodeRole: 'broker' } })).toEqual(nodes.broker);
  expect(nodes.broker).toMatchObject([{ service: 'svc/broker' }]);
});

test('what is wanted is loaded at once; copies for servers that do not exist are missing', async () => {
  const { call } = await withData();
  const trips = { dataSource: 'trips' };
  const refresh = { forceMetadataRefresh: false, interval: '2020/2021' };
  expect(await call(cluster.loadStatus)).toEqual({ trips: 100 });
  expect(await call(cluster.loadStatus, { query: { simple: true } })).toEqual({ trips: 0 });
  expect(await call(cluster.loadStatus, { query: { full: true } })).toEqual({
    _default_tier: { trips: 3 },
  });
  expect(
    await call(cluster.loadStatus, { query: { full: true, computeUsingClusterView: true } }),
  ).toEqual({ _default_tier: { trips: 0 } });
  expect(await call(datasources.loadStatus, { params: trips, query: refresh })).toEqual({
    trips: 100,
  });
  await call(rules.set, {
    params: trips,
    body: [{ type: 'loadForever', tieredReplicants: { _default_tier: 1, hot: 3 } }],
  });
  expect(
    await call(datasources.loadStatus, { params: trips, query: { ...refresh, full: true } }),
  ).toEqual({
    _default_tier: { trips: 0 },
    hot: { trips: 9 },
  });
  expect(await call(cluster.loadQueue, { query: { simple: true } })).toEqual({
    [((await call(cluster.servers)) as string[])[0] ?? '']: expect.objectContaining({
      segmentsToLoad: 0,
      segmentsToDrop: 0,
    }),
  });
});

test('the load status of a datasource needs to be told whether to refresh, and has nothing to say of no segments', async () => {
  const { call } = await withData();
  const params = { dataSource: 'trips' };
  expect(await refusalOf(call(datasources.loadStatus, { params }))).toEqual([
    400,
    'Invalid request. forceMetadataRefresh must be specified',
  ]);
  expect(
    await call(datasources.loadStatus, { params, query: { forceMetadataRefresh: true } }),
  ).toBeUndefined(); // of the last two weeks
  const druid = await withData('druid');
  const reply = await fetch(
    `${druid.url}/druid/coordinator/v1/datasources/trips/loadstatus?forceMetadataRefresh=true`,
  );
  expect([reply.status, await reply.text()]).toEqual([
    200,
    'No used segment found for the given datasource and interval',
  ]);
});

test('a Historical has taken over what is served', async () => {
  const { call } = await withData();
  const params = { dataSource: 'trips' };
  const query = { interval: '2020-01-01/2020-01-02', partitionNumber: 0, version: '2000' };
  expect(await call(datasources.handoffComplete, { params, query })).toBe(true);
  expect(
    await call(datasources.handoffComplete, { params, query: { ...query, partitionNumber: 7 } }),
  ).toBe(false);
  expect(
    await call(datasources.serverView, {
      params: { ...params, interval: '2020-01-01_2020-01-03' },
    }),
  ).toMatchObject([
    { servers: [{ type: 'historical', tier: '_default_tier' }] },
    { servers: [{ type: 'historical' }] },
  ]);
});

test('the Broker knows columns and places of what can be queried', async () => {
  const { call } = await withData();
  const params = { dataSource: 'trips' };
  expect(await call(broker.datasources)).toEqual(['trips']);
  // Nothing in the last week
  expect(await call(broker.datasource, { params })).toEqual({ dimensions: [], metrics: [] });
  expect(await call(broker.datasource, { params, query: { interval: '2020/2021' } })).toEqual({
    dimensions: ['city', 'n'],
    metrics: [],
  });
  expect(
    await call(broker.datasource, { params, query: { interval: '2020/2021', full: true } }),
  ).toEqual({
    [day('01', '04')]: { dimensions: ['city', 'n'], metrics: [] },
  });
  expect(await call(broker.dimensions, { params, query: { interval: '2020/2021' } })).toEqual([
    'city',
    'n',
  ]);
  expect(await call(broker.metrics, { params, query: { interval: '2020/2021' } })).toEqual([]);
  const intervals = '2020-01-01/2020-01-02,2020-01-03/2020-01-04';
  expect(await call(broker.candidates, { params, query: { intervals } })).toMatchObject([
    { interval: day('01', '02'), partitionNumber: 0, locations: [{ type: 'historical' }] },
    { interval: day('03', '04'), partitionNumber: 0 },
  ]);
  expect(await refusalOf(call(broker.candidates, { params }))).toEqual([500, expect.anything()]);
});

test('columns of datasources, and what every server loads first', async () => {
  const { call } = await withData();
  expect(await call(metadata.schemas, { body: ['trips', 'nothing'] })).toEqual([
    {
      dataSource: 'trips',
      rowSignature: [
        { name: '__time', type: 'LONG' },
        { name: 'city', type: 'STRING' },
        { name: 'n', type: 'LONG' },
      ],
    },
  ]);
  expect(await call(metadata.bootstrapSegments)).toEqual([]);
  await call(rules.set, { params: { dataSource: 'trips' }, body: [{ type: 'broadcastForever' }] });
  expect(await call(metadata.bootstrapSegments)).toHaveLength(3);
  expect(
    await refusalOf(call(metadata.segmentsIn, { params: { dataSource: 'trips' }, body: [] })),
  ).toEqual([400, expect.anything()]);
  expect(
    await refusalOf(call(metadata.segments, { query: { includeRealtimeSegments: true } })),
  ).toEqual([400, expect.anything()]);
});

test('the real engine has no schemas, and does not read intervals in the body of a GET', async () => {
  const { call } = await withData('druid');
  expect(await refusalOf(call(metadata.schemas, { body: ['trips'] }))).toEqual([
    404,
    expect.anything(),
  ]);
});

test('unused segments of an interval are killed by a task', async () => {
  const { call } = await withData();
  const params = { dataSource: 'trips' };
  await call(segments.markSomeUnused, { params, body: { interval: '2020-01-01/2020-01-03' } });
  await call(segments.kill, { params: { ...params, interval: '2020-01-01_2020-01-02' } });
  await expect
    .poll(async () =>
      (await call(metadata.unusedSegments, { params })).map(
        ({ dataSegment }) => dataSegment.interval,
      ),
    )
    .toEqual([day('02', '03')]);
  expect(
    await call(segments.markAllUnused, { params, query: { kill: true, interval: '2020/2021' } }),
  ).toBeUndefined();
  await expect.poll(async () => await call(metadata.unusedSegments, { params })).toEqual([]);
  expect(await call(datasources.segments, { params })).toHaveLength(1);
  expect(await call(tasks.list, { query: { type: 'kill' } })).toHaveLength(2);
  expect(await refusalOf(call(segments.markAllUnused, { params, query: { kill: true } }))).toEqual([
    500,
    expect.anything(),
  ]);
});

test('marking unknown segments used counts the known ones, and fails where the real engine fails', async () => {
  const body = { segmentIds: ['nothing'] };
  const params = { dataSource: 'trips' };
  expect(await (await withData()).call(segments.markSomeUsed, { params, body })).toMatchObject({
    numChangedSegments: 0,
  });
  expect(
    await refusalOf((await withData('druid')).call(segments.markSomeUsed, { params, body })),
  ).toEqual([500, expect.anything()]);
});

test('markUsed and markUnused refuse a name that no datasource can have, and have no content for one without segments', async () => {
  const body = { interval: '2020/2021' };
  const { call, url } = await withData();
  const druid = await withData('druid');
  const status = async (base: string, service: string, name: string, verb: string) => {
    const path = `${base}/${service}/coordinator/v1/datasources/${encodeURIComponent(name)}/${verb}`;
    const reply = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return [reply.status, await reply.text()];
  };
  for (const verb of ['markUnused', 'markUsed']) {
    for (const name of ['.hidden', 'a/b', 'a\tb', 'a\u0001b'])
      expect(await status(url, 'svc', name, verb)).toEqual([
        400,
        expect.stringContaining(`Invalid value for field [dataSource]: Value [${name}]`),
      ]);
    expect(await status(url, 'svc', 'nothing', verb)).toEqual([204, '']);
    expect(await status(druid.url, 'druid', '.hidden', verb)).toEqual([
      200,
      expect.stringContaining('"numChangedSegments":0'),
    ]);
    expect(await status(druid.url, 'druid', 'nothing', verb)).toEqual([
      200,
      expect.stringContaining('"numChangedSegments":0'),
    ]);
  }
  await call(segments.markAllUnused, { params: { dataSource: 'trips' } });
  expect(
    await call(segments.markSomeUnused, { params: { dataSource: 'trips' }, body }),
  ).toMatchObject({ numChangedSegments: 0 }); // they are still known
});

test('marking one segment changes nothing when its id is none; the real engine refuses it', async () => {
  const params = { dataSource: 'trips', segmentId: 'nonsense' };
  const { call } = await withData();
  for (const endpoint of [segments.markUsed, segments.markUnused])
    expect(await call(endpoint, { params })).toMatchObject({ segmentStateChanged: false });
  const druid = await withData('druid');
  for (const endpoint of [segments.markUsed, segments.markUnused])
    expect(await refusalOf(druid.call(endpoint, { params }))).toEqual([
      400,
      expect.stringContaining('Could not parse Segment ID[nonsense]'),
    ]);
});

test('the metadata of one segment are not there when its id is none; the real engine refuses it', async () => {
  const params = { dataSource: 'trips', segmentId: 'nonsense' };
  for (const includeUnused of [true, false]) {
    const query = { includeUnused };
    expect(await refusalOf((await withData()).call(metadata.segment, { params, query }))).toEqual([
      404,
      expect.anything(),
    ]);
    expect(
      await refusalOf((await withData('druid')).call(metadata.segment, { params, query })),
    ).toEqual([400, expect.stringContaining('Could not parse Segment ID[nonsense]')]);
  }
});

test('broadcast rules load segments onto the Broker, too', async () => {
  const { call, url } = await withData();
  const { post } = api({ url });
  const sql = async (query: string) =>
    (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body;
  const held = () =>
    sql(
      `SELECT s.server_type, COUNT(*) FROM sys.server_segments g JOIN sys.servers s ON g.server = s.server GROUP BY 1 ORDER BY 1`,
    );
  const isBroadcast = () =>
    sql(`SELECT IS_BROADCAST FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = 'trips'`);
  const brokerSize = async () =>
    (
      await sql(
        `SELECT curr_size > 0, curr_size <= max_size FROM sys.servers WHERE server_type = 'broker'`,
      )
    )[0];
  const set = (body: object) =>
    call(rules.set, { params: { dataSource: 'trips' }, body: [body] as never });
  expect([await held(), await isBroadcast(), await brokerSize()]).toEqual([
    [['historical', 3]],
    [['NO']],
    [false, true],
  ]);
  await set({ type: 'broadcastByInterval', interval: '2020-01-01/2020-01-03' });
  expect([await held(), await isBroadcast(), await brokerSize()]).toEqual([
    [
      ['broker', 2],
      ['historical', 3],
    ],
    [['YES']],
    [true, true],
  ]);
  for (const rule of [
    { type: 'broadcastForever' },
    { type: 'broadcastByPeriod', period: 'P100Y' },
  ]) {
    await set(rule);
    expect([await held(), await isBroadcast()]).toEqual([
      [
        ['broker', 3],
        ['historical', 3],
      ],
      [['YES']],
    ]);
  }
  await set({ type: 'dropForever' });
  expect(await held()).toEqual([]);
});

test('an invalid interval in a body is shown with its fault', async () => {
  const { url } = await startService();
  const post = async (path: string, body: unknown) => {
    const reply = await fetch(`${url}/svc/coordinator/v1/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: reply.status, ...((await reply.json()) as object) };
  };
  const shown = { status: 400, error: "Invalid interval[x]: [Format requires a '/' separator: x]" };
  expect(await post('datasources/w/markUnused', { interval: 'x' })).toMatchObject(shown);
  expect(await post('metadata/datasources/w/segments', ['x'])).toMatchObject(shown);
});
