// The specification's tables of service status and of legacy metadata (lines 360 to 404), over
// HTTP.
import { beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { standIn } from '../support/stand-in.ts';
import { served } from './served.ts';

const clock = { now: Date.parse('2024-01-05T00:00:00Z') };
const properties = {
  'svc.some.thing': 'told',
  'svc.some.password': 'secret',
  'svc.some.key': 'secret',
  'svc.some.token': 'secret',
};
const { get, post, remove, load, segmentsOf } = served({
  rolePorts: true,
  properties,
  now: () => clock.now,
});
const coordinator = '/svc/coordinator/v1';
const day = (from: string, to: string) =>
  `2024-01-${from}T00:00:00.000Z/2024-01-${to}T00:00:00.000Z`;
let all: string[] = [];
beforeAll(async () => {
  await load('wiki', ['01', '02', '03', '04']);
  [, , , all[0] = ''] = (await segmentsOf('wiki')).sort();
  await remove(`${coordinator}/datasources/wiki/segments/${all[0]}`); // the 4th is there, and unused
  await load('gone', ['01']);
  await remove(`${coordinator}/datasources/gone`);
  all = (await segmentsOf('wiki')).sort();
});
const unused = async () =>
  (await get(`${coordinator}/metadata/datasources/wiki/unusedSegments`)).body[0].dataSegment;
const of = async (path: string) => (await get(`${coordinator}/${path}`)).body;
const count = (wanted: number) => ({ count: wanted, size: expect.any(Number) });

describe('status', () => {
  test('[549] version', async () => expect((await get('/status')).body.version).toMatch(/^\d/));
  test('[550, 704] modules: name, artifact, version', async () =>
    expect((await get('/status')).body.modules).toContainEqual({
      name: expect.any(String),
      artifact: expect.any(String),
      version: expect.stringMatching(/^\d/),
    }));
  test('[551] memory: five numbers', async () =>
    expect((await get('/status')).body.memory).toEqual({
      maxMemory: expect.anything(),
      totalMemory: expect.any(Number),
      freeMemory: expect.any(Number),
      usedMemory: expect.any(Number),
      directMemory: expect.any(Number),
    }));
  test('[552] health is true', async () => expect((await get('/status/health')).text).toBe('true'));
  test('[553] properties are names with texts', async () => {
    const shown = (await get('/status/properties')).body;
    expect(shown['svc.some.thing']).toBe('told');
    expect(Object.values(shown).every((value) => typeof value === 'string')).toBe(true);
  });
  test('[554] those whose names look like password, key or token are hidden', async () => {
    const { text } = await get('/status/properties');
    for (const word of ['svc.some.password', 'svc.some.key', 'svc.some.token', 'secret'])
      expect(text).not.toContain(word);
  });
  test('[555] selfDiscovered/status', async () =>
    expect((await get('/status/selfDiscovered/status')).body).toEqual({ selfDiscovered: true }));
  test('[556] selfDiscovered is 200 and empty', async () =>
    expect(await get('/status/selfDiscovered')).toMatchObject({ status: 200, text: '' }));
  test('[559] isLeader of the Coordinator', async () =>
    expect(await get(`${coordinator}/isLeader`)).toMatchObject({
      status: 200,
      body: { leader: true },
    }));
  test('[560] the leader of the Overlords is an address that answers', async () => {
    const { text } = await get('/svc/indexer/v1/leader');
    expect(await (await fetch(`${text}/svc/indexer/v1/isLeader`)).json()).toEqual({ leader: true });
  });
  test('[561] isLeader of the Overlord', async () =>
    expect(await get('/svc/indexer/v1/isLeader')).toMatchObject({
      status: 200,
      body: { leader: true },
    }));
  test('[562] loadstatus of a Historical', async () =>
    expect((await get('/svc/historical/v1/loadstatus', { role: 'historical' })).body).toEqual({
      cacheInitialized: true,
    }));
  test('[563] readiness of a Historical is 200 and empty', async () =>
    expect(await get('/svc/historical/v1/readiness', { role: 'historical' })).toMatchObject({
      status: 200,
      text: '',
    }));
  test('[564] loadstatus of a Broker', async () =>
    expect((await get('/svc/broker/v1/loadstatus', { role: 'broker' })).body).toEqual({
      inventoryInitialized: true,
    }));
  test('[565] readiness of a Broker is 200 and empty', async () =>
    expect(await get('/svc/broker/v1/readiness', { role: 'broker' })).toMatchObject({
      status: 200,
      text: '',
    }));
});

describe('what is loaded', () => {
  test('[568] loadstatus: percent', async () =>
    expect(await of('loadstatus')).toEqual({ wiki: 100 }));
  test('[569] ?simple: what is left to load', async () =>
    expect(await of('loadstatus?simple')).toEqual({ wiki: 0 }));
  test('[570] ?full: that by tier, with replicas', async () =>
    expect(await of('loadstatus?full')).toEqual({ _default_tier: { wiki: 3 } }));
  test('[571] and with computeUsingClusterView: only what servers could load', async () =>
    expect(await of('loadstatus?full&computeUsingClusterView')).toEqual({
      _default_tier: { wiki: 0 },
    }));
  test('[572] loadqueue: what each Historical is to load and to drop', async () => {
    const [server] = await of('servers');
    expect(await of('loadqueue')).toEqual({ [server]: { segmentsToLoad: [], segmentsToDrop: [] } });
  });
  test('[574] loadqueue?full: and to move', async () => {
    const [server] = await of('servers');
    expect(await of('loadqueue?full')).toEqual({
      [server]: { segmentsToLoad: [], segmentsToDrop: [], segmentsToMove: [] },
    });
  });
  test('[573] loadqueue?simple: numbers and bytes for each Historical', async () => {
    const [server] = await of('servers');
    expect(await of('loadqueue?simple')).toMatchObject({
      [server]: {
        segmentsToLoad: 0,
        segmentsToDrop: 0,
        segmentsToLoadSize: 0,
        segmentsToDropSize: 0,
      },
    });
  });

  const ofWiki = 'datasources/wiki/loadstatus';
  test('[575] of a datasource: percent, in an interval', async () =>
    expect(await of(`${ofWiki}?forceMetadataRefresh=true&interval=2024/2025`)).toEqual({
      wiki: 100,
    }));
  test('[576] forceMetadataRefresh is required', async () =>
    expect([
      (await get(`${coordinator}/${ofWiki}`)).status,
      (await get(`${coordinator}/${ofWiki}?forceMetadataRefresh=false`)).status,
    ]).toEqual([400, 200]));
  test('[577, 579, 690, 700] without an interval of the last two weeks, and 204 when there is nothing in it', async () => {
    const asked = () => get(`${coordinator}/${ofWiki}?forceMetadataRefresh=true`);
    expect((await asked()).body).toEqual({ wiki: 100 });
    const before = clock.now;
    clock.now += 11 * 24 * 3_600_000; // the 16th: the 3rd is still of the last two weeks
    expect((await asked()).status).toBe(200);
    clock.now += 4 * 24 * 3_600_000;
    expect((await asked()).status).toBe(204);
    clock.now = before;
  });
  test('[578] simple, full and computeUsingClusterView', async () => {
    const asked = (more: string) =>
      of(`${ofWiki}?forceMetadataRefresh=true&interval=2024/2025&${more}`);
    expect(await asked('simple')).toEqual({ wiki: 0 });
    expect(await asked('full')).toEqual({ _default_tier: { wiki: 3 } });
    expect(await asked('full&computeUsingClusterView')).toEqual({ _default_tier: { wiki: 0 } });
  });
});

describe('what is known', () => {
  test('[580] metadata/segments: of all, or of the datasources that are named', async () => {
    await load('other', ['01']);
    const names = async (query: string) =>
      (await of(`metadata/segments${query}`))
        .map((one: { dataSource: string }) => one.dataSource)
        .sort();
    expect(await names('')).toEqual(['other', 'wiki', 'wiki', 'wiki']);
    expect(await names('?datasources=other')).toEqual(['other']);
    expect(await names('?datasources=other&datasources=wiki')).toHaveLength(4);
    await remove(`${coordinator}/datasources/other`);
  });
  test('[581] includeOvershadowedStatus', async () => {
    expect(await of('metadata/segments?includeOvershadowedStatus')).toMatchObject([
      { overshadowed: false },
      {},
      {},
    ]);
    expect((await of('metadata/segments'))[0]).not.toHaveProperty('overshadowed');
  });
  test('[584] metadata/datasources: names of those with used segments', async () =>
    expect(await of('metadata/datasources')).toEqual(['wiki']));
  test('[585] includeUnused and includeDisabled: all of them', async () => {
    for (const flag of ['includeUnused', 'includeDisabled'])
      expect(await of(`metadata/datasources?${flag}`)).toEqual(
        expect.arrayContaining(['gone', 'wiki']),
      );
  });
  test('[586] full: all that is known', async () =>
    expect(await of('metadata/datasources?full')).toMatchObject([
      { name: 'wiki', segments: [{}, {}, {}] },
    ]));
  test('[587] of one', async () =>
    expect(await of('metadata/datasources/wiki')).toMatchObject({
      name: 'wiki',
      segments: [{}, {}, {}],
    }));
  test('[588] its segments, and in full', async () => {
    expect((await of('metadata/datasources/wiki/segments')).sort()).toEqual(all);
    expect(await of('metadata/datasources/wiki/segments?full')).toMatchObject([
      { dataSource: 'wiki', version: expect.any(String) },
      {},
      {},
    ]);
  });
  test('[589] with a body of intervals, those that overlap one of them', async () => {
    const { body } = await post(`${coordinator}/metadata/datasources/wiki/segments`, [
      '2024-01-01/2024-01-02',
      '2024-01-02T12:00/2024-01-03',
    ]);
    expect(body.sort()).toEqual(all.slice(0, 2));
  });
  test('[590] one segment that is used; 404 of any other', async () => {
    expect(await of(`metadata/datasources/wiki/segments/${all[0]}`)).toMatchObject({
      dataSource: 'wiki',
      interval: day('01', '02'),
    });
    const { interval, version } = await unused();
    const id = `wiki_${interval.replace('/', '_')}_${version}`;
    for (const segment of [id, id.replace('2024', '2023'), 'nonsense', id.replace('wiki', 'gone')])
      expect(
        (await get(`${coordinator}/metadata/datasources/wiki/segments/${segment}`)).status,
      ).toBe(404);
    expect(interval).toBe(day('04', '05'));
  });
  test('[591] includeUnused: unused ones, too', async () => {
    const { interval, version } = await unused();
    const id = `wiki_${interval.replace('/', '_')}_${version}`;
    expect(await of(`metadata/datasources/wiki/segments/${id}?includeUnused=true`)).toMatchObject({
      interval,
    });
  });
  test('[592] dataSourceInformation: with the columns of those that are named', async () => {
    const { body } = await post(`${coordinator}/metadata/dataSourceInformation`, ['wiki']);
    expect(body).toMatchObject([
      {
        dataSource: 'wiki',
        rowSignature: [{ name: '__time', type: 'LONG' }, { name: 'page', type: 'STRING' }, {}],
      },
    ]);
  });
});

describe('what is served', () => {
  const wiki = {
    segments: {
      ...count(3),
      replicatedSize: expect.any(Number),
      minTime: '2024-01-01T00:00:00.000Z',
      maxTime: '2024-01-04T00:00:00.000Z',
    },
  };
  const byDay = (what: unknown) => ({
    [day('01', '02')]: what,
    [day('02', '03')]: what,
    [day('03', '04')]: what,
  });

  test('[593] datasources', async () => expect(await of('datasources')).toEqual(['wiki']));
  test('[594] ?simple: with their properties', async () =>
    expect(await of('datasources?simple')).toMatchObject([{ name: 'wiki', properties: wiki }]));
  test('[595] ?full: with their segments', async () =>
    expect(await of('datasources?full')).toMatchObject([{ name: 'wiki', segments: [{}, {}, {}] }]));
  test('[597] one datasource, and in full', async () => {
    expect(await of('datasources/wiki')).toMatchObject(wiki);
    expect(await of('datasources/wiki?full')).toMatchObject({
      name: 'wiki',
      segments: [{}, {}, {}],
    });
  });
  test('[598] its intervals; simple: sizes and numbers; full: segments and servers', async () => {
    const [server] = await of('servers');
    expect((await of('datasources/wiki/intervals')).sort()).toEqual(Object.keys(byDay(1)));
    expect(await of('datasources/wiki/intervals?simple')).toEqual(byDay(count(1)));
    expect(
      Object.values((await of('datasources/wiki/intervals?full'))[day('01', '02')]),
    ).toMatchObject([{ metadata: {}, servers: [server] }]);
  });
  test('[599] one interval; simple; full', async () => {
    const at = 'datasources/wiki/intervals/2024-01-01_2024-01-03';
    expect((await of(at)).sort()).toEqual(all.slice(0, 2));
    expect(await of(`${at}?simple`)).toEqual({
      [day('01', '02')]: count(1),
      [day('02', '03')]: count(1),
    });
    expect(Object.keys(await of(`${at}?full`)).sort()).toEqual([day('01', '02'), day('02', '03')]);
  });
  test('[600] serverview: its servers', async () =>
    expect(await of('datasources/wiki/intervals/2024-01-01_2024-01-02/serverview')).toMatchObject([
      { servers: [{ type: 'historical' }] },
    ]));
  test('[601] its segments, in full, and one', async () => {
    expect((await of('datasources/wiki/segments')).sort()).toEqual(all);
    expect(await of('datasources/wiki/segments?full')).toHaveLength(3);
    expect(await of(`datasources/wiki/segments/${all[0]}`)).toMatchObject({
      metadata: { interval: day('01', '02') },
    });
  });
  test('[602] its tiers', async () =>
    expect(await of('datasources/wiki/tiers')).toEqual(['_default_tier']));
  test('[603] all intervals, with sizes and numbers', async () =>
    expect(await of('intervals')).toEqual(byDay({ wiki: count(1) })));
  test('[604] one interval in all; simple; full', async () => {
    const at = 'intervals/2024-01-01_2024-01-03';
    expect(await of(at)).toEqual(count(2));
    expect(await of(`${at}?simple`)).toEqual({
      [day('01', '02')]: count(1),
      [day('02', '03')]: count(1),
    });
    expect(await of(`${at}?full`)).toEqual({
      [day('01', '02')]: { wiki: count(1) },
      [day('02', '03')]: { wiki: count(1) },
    });
  });
  test('[605] servers as host:port; simple: with type, sizes, priority and tier', async () => {
    const [server, ...others] = await of('servers');
    expect([server, others]).toEqual([expect.stringMatching(/^127\.0\.0\.1:\d+$/), []]);
    expect(await of('servers?simple')).toEqual([
      {
        host: server,
        type: 'historical',
        currSize: expect.any(Number),
        maxSize: expect.any(Number),
        priority: 0,
        tier: '_default_tier',
      },
    ]);
  });
});

describe('what the Broker knows', () => {
  const at = '/svc/v2/datasources';
  const columns = { dimensions: ['page', 'n'], metrics: [] };

  test('[606] datasources', async () => expect((await get(at)).body).toEqual(['wiki']));
  test('[607] dimensions and metrics; full; of an interval', async () => {
    expect((await get(`${at}/wiki?interval=2024/2025`)).body).toEqual(columns);
    expect((await get(`${at}/wiki?interval=2024/2025&full`)).body).toEqual({
      [day('01', '04')]: columns,
    });
    expect((await get(`${at}/wiki?interval=2020/2021`)).body).toEqual({
      dimensions: [],
      metrics: [],
    });
  });
  test('[609] dimensions and metrics alone', async () => {
    expect((await get(`${at}/wiki/dimensions?interval=2024/2025`)).body).toEqual(['page', 'n']);
    expect((await get(`${at}/wiki/metrics?interval=2024/2025`)).body).toEqual([]);
  });
  test('[610] candidates of intervals, and no more servers of each than numCandidates', async () => {
    const candidates = async (query: string) => (await get(`${at}/wiki/candidates?${query}`)).body;
    const intervals = 'intervals=2024-01-01/2024-01-02,2024-01-03/2024-01-04';
    expect(await candidates(intervals)).toMatchObject([
      { interval: day('01', '02'), locations: [{ type: 'historical' }] },
      { interval: day('03', '04'), locations: [{ type: 'historical' }] },
    ]);
    expect((await candidates(`${intervals}&numCandidates=1`))[0].locations).toHaveLength(1);
  });
});

describe('what properties change', () => {
  const { get: ask, load: fill } = served({
    now: () => clock.now,
    properties: { 'svc.query.segmentMetadata.defaultHistory': 'P1D' },
  });
  const usual = served({ now: () => clock.now });

  test('[608] the default interval of dimensions and metrics', async () => {
    const dimensions = async (get: typeof ask) =>
      (await get('/svc/v2/datasources/aged')).body.dimensions;
    await fill('aged', ['01']);
    await usual.load('aged', ['01']);
    expect(await dimensions(usual.get)).toEqual(['page', 'n']); // of the last week
    expect(await dimensions(ask)).toEqual([]);
  });
});

test('[566] a node counts as ready only when it has been discovered', async () => {
  const asked = (isDiscovered: boolean) =>
    standIn((response, { path }) => {
      response.writeHead(path === '/status/selfDiscovered' && !isDiscovered ? 503 : 200, {
        'content-type': 'application/json',
      });
      response.end(
        path.endsWith('/loadstatus') ? '{"inventoryInitialized":true,"cacheInitialized":true}' : '',
      );
    });
  const codeOf = async (isDiscovered: boolean) =>
    (await runCli(await asked(isDiscovered), 'cluster readiness --service svc')).code;
  expect([await codeOf(true), await codeOf(false)]).toEqual([0, 10]);
});
