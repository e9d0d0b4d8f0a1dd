// The specification's tables of rules, compaction, dynamic configuration and segments, and how
// segments change (lines 194 to 303), over HTTP.
import { readdir } from 'node:fs/promises';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startService } from '../support/service.ts';
import { temporaryFolder } from '../support/storage.ts';
import { api } from '../support/wire.ts';
import { rowsOf, served } from './served.ts';

const { get, post, remove, load, until, rows, segmentsOf } = served();
const coordinator = '/svc/coordinator/v1';
const days = ['01', '02', '03'];
const headers = { 'x-svc-author': 'ann', 'x-svc-comment': 'because' };
const both = {
  headers: { 'content-type': 'application/json', accept: 'application/json, text/plain' },
};

describe('retention rules', () => {
  const rules = `${coordinator}/rules`;
  const forever = [{ type: 'loadForever' }];
  const typesOf = async (path: string) =>
    (await get(path)).body.map(({ type }: { type: string }) => type);

  test('[433, 435] POST takes rules in their order, in place of all there were', async () => {
    await post(`${rules}/ordered`, [
      { type: 'dropByInterval', interval: '2000/2001' },
      { type: 'loadForever' },
    ]);
    expect(await typesOf(`${rules}/ordered`)).toEqual(['dropByInterval', 'loadForever']);
    await post(`${rules}/ordered`, [{ type: 'dropForever' }]);
    expect(await typesOf(`${rules}/ordered`)).toEqual(['dropForever']);
  });

  test('[437, 691] POST is 200 with an empty body, also for a datasource that does not exist', async () => {
    const { status, text } = await post(`${rules}/unheard-of`, forever);
    expect([status, text]).toEqual([200, '']);
  });

  test('[438, 439] those of _default are for all datasources; an empty list takes them away', async () => {
    await load('defaulted', days);
    const loaded = async () => (await get(`${coordinator}/loadstatus?full`)).body;
    expect(
      (
        await post(`${rules}/_default`, [{ type: 'loadForever', tieredReplicants: { hot: 1 } }], {
          headers,
        })
      ).status,
    ).toBe(200);
    expect(await loaded()).toHaveProperty('hot');
    expect((await post(`${rules}/_default`, [])).status).toBe(200);
    expect((await get(rules)).body._default ?? []).toEqual([]);
    expect(await loaded()).not.toHaveProperty('hot');
    await post(`${rules}/_default`, forever);
  });

  test('[440, 689] an error in the body of those of _default is 500', async () => {
    for (const body of ['[{"type":', [{ type: 'unheard-of' }], 'null'])
      expect([body, (await post(`${rules}/_default`, body)).status]).toEqual([body, 500]);
  });

  test('[441] GET has a list for each datasource, _default among them', async () => {
    await post(`${rules}/listed`, forever);
    expect((await get(rules)).body).toMatchObject({
      _default: expect.any(Array),
      listed: [{ type: 'loadForever' }],
    });
  });

  test('[442] GET of one, and with full the default ones behind its own', async () => {
    await post(`${rules}/one`, [{ type: 'dropForever' }]);
    expect(await typesOf(`${rules}/one`)).toEqual(['dropForever']);
    expect(await typesOf(`${rules}/one?full`)).toEqual(['dropForever', 'loadForever']);
  });

  test('[443] GET of what does not exist is an empty list', async () => {
    const { status, body } = await get(`${rules}/never-set`);
    expect([status, body]).toEqual([200, []]);
  });
});

// The histories of three kinds of changes have the same parameters.
describe.each(
  Object.entries({
    rules: {
      path: `${coordinator}/rules`,
      change: '/w',
      bodies: [1, 2].map((at) => [{ type: 'loadByPeriod', period: `P${at}D` }]),
    },
    'the configuration of the Coordinator': {
      path: `${coordinator}/config`,
      change: '',
      bodies: [{ maxSegmentsToMove: 1 }, { maxSegmentsToMove: 2 }],
    },
    'the configuration of the Overlord': {
      path: '/svc/indexer/v1/worker',
      change: '',
      bodies: [
        { selectStrategy: { type: 'fillCapacity' } },
        { selectStrategy: { type: 'equalDistribution' } },
      ],
    },
  }),
)('the history of %s', (what, { path, change, bodies }) => {
  const clock = { now: Date.parse('2024-05-01T00:00:00Z') };
  const own = served({ now: () => clock.now });
  const payloads = async (query = '') => {
    const { status, body } = await own.get(`${path}/history${query}`);
    return status === 200 ? body.length : status;
  };
  let before: unknown;
  beforeAll(async () => {
    before = await payloads();
    for (const body of bodies) {
      clock.now += 3_600_000;
      expect((await own.post(`${path}${change}`, body, { headers })).status).toBe(200);
    }
  });

  const titles = {
    'the configuration of the Coordinator': [
      '[471] interval',
      '[472] the last week',
      '[475] none',
      '[474] count',
    ],
    'the configuration of the Overlord': [
      '[478] interval',
      '[698] the last week',
      'none',
      '[479] count',
    ],
    rules: ['[444] interval', '[447] the last week', 'none', 'count'],
  }[what] ?? ['', '', ''];

  test(`${titles[0]}: what was changed in it`, async () => {
    expect(await payloads('?interval=2024-05-01T01:30/2024-05-01T02:30')).toBe(1);
    expect(await payloads('?interval=2024-05-01/2024-05-02')).toBe(2);
    expect(await payloads('?interval=sometime')).toBe(400);
  });

  test(`${titles[2]} before the first change`, () => expect(before).toBe(0));

  test(`${titles[3]}: so many changes, from the last one back`, async () => {
    const found = async (query: string) =>
      (await own.get(`${path}/history?${query}`)).body.map(
        ({ payload }: { payload: string }) => payload,
      );
    const [first, last] = await found('interval=2024-05-01/2024-05-02');
    expect([await found('count=1'), await found('count=2')]).toEqual([[last], [last, first]]);
  });

  test(`${titles[1]} without an interval`, async () => {
    expect(await payloads()).toBe(2);
    clock.now += 8 * 24 * 3_600_000;
    expect(await payloads()).toBe(0);
    expect(await payloads('?interval=2024-05-01/2024-05-02')).toBe(2);
  });
});

describe('the history of rules', () => {
  const at = `${coordinator}/rules/history`;
  beforeAll(async () => {
    for (const day of [1, 2, 3])
      await post(`${coordinator}/rules/told`, [{ type: 'loadByPeriod', period: `P${day}D` }], {
        headers,
      });
  });
  test('[445] count: so many entries, from the last one back', async () => {
    const [last, ...rest] = (await get(`${at}?count=1`)).body;
    expect([JSON.parse(last.payload), rest]).toMatchObject([
      [{ period: expect.stringMatching('P3D') }],
      [],
    ]);
  });
  test('[446] interval and count cannot be combined', async () => {
    expect((await get(`${at}?count=1&interval=2000/3000`)).status).toBe(400);
  });
  test('[449, 680] what cannot be read is 400', async () => {
    for (const query of ['interval=sometime', 'count=0', 'count=-1'])
      expect([query, (await get(`${at}?${query}`)).status]).toEqual([query, 400]);
  });
});

describe('automatic compaction', () => {
  const config = `${coordinator}/config/compaction`;
  beforeAll(async () => {
    await load('compacted', days);
  });

  test('[451] POST is 200 with an empty body, also for a datasource that does not exist', async () => {
    const { status, text } = await post(config, { dataSource: 'unheard-of' });
    expect([status, text]).toEqual([200, '']);
  });
  test('[452, 453] DELETE is 200, and 404 when there is none', async () => {
    await post(config, { dataSource: 'compacted' });
    expect((await remove(`${config}/compacted`)).status).toBe(200);
    expect((await remove(`${config}/compacted`)).status).toBe(404);
  });
  test('[454, 455] taskslots has a ratio and a max', async () => {
    expect((await post(`${config}/taskslots?ratio=0.3&max=9`)).status).toBe(200);
    expect((await get(config)).body).toMatchObject({
      compactionTaskSlotRatio: 0.3,
      maxCompactionTaskSlots: 9,
    });
  });
  test('[694] the max is at most 2147483647', async () => {
    const status = async (max: number) => (await post(`${config}/taskslots?max=${max}`)).status;
    expect([await status(2_147_483_647), await status(2_147_483_648)]).toEqual([200, 404]);
    expect((await get(config)).body.maxCompactionTaskSlots).toBe(2_147_483_647);
  });
  test('[458] GET has all configurations, and what they share', async () => {
    await post(config, { dataSource: 'compacted' });
    const { compactionConfigs, ...shared } = (await get(config)).body;
    expect(compactionConfigs).toContainEqual(expect.objectContaining({ dataSource: 'compacted' }));
    expect(Object.keys(shared)).toEqual(
      expect.arrayContaining([
        'compactionTaskSlotRatio',
        'maxCompactionTaskSlots',
        'useAutoScaleSlots',
      ]),
    );
  });
  test('[459, 677] GET of one, and 404 when there is none', async () => {
    await post(config, { dataSource: 'compacted' });
    expect((await get(`${config}/compacted`)).body).toMatchObject({ dataSource: 'compacted' });
    expect((await get(`${config}/never-set`)).status).toBe(404);
  });
  test('[460] its history: globalConfig, compactionConfig, auditInfo, auditTime', async () => {
    await post(config, { dataSource: 'told', taskPriority: 1 }, { headers });
    expect((await get(`${config}/told/history`)).body).toMatchObject([
      {
        globalConfig: { compactionTaskSlotRatio: expect.any(Number) },
        compactionConfig: { dataSource: 'told', taskPriority: 1 },
        auditInfo: { author: 'ann', comment: 'because' },
        auditTime: expect.any(String),
      },
    ]);
  });
  test('[461] its interval', async () => {
    await post(config, { dataSource: 'told', taskPriority: 1 });
    expect((await get(`${config}/told/history?interval=2000/3000`)).body).toHaveLength(1);
    expect((await get(`${config}/told/history?interval=2000/2001`)).body).toEqual([]);
  });
  test('[462] its count: so many of the last changes', async () => {
    for (const taskPriority of [7, 8, 9])
      await post(config, { dataSource: 'counted', taskPriority });
    const priorities = async (count: number) =>
      (await get(`${config}/counted/history?count=${count}`)).body.map(
        ({ compactionConfig }: { compactionConfig: { taskPriority: number } }) =>
          compactionConfig.taskPriority,
      );
    expect(await priorities(1)).toEqual([9]);
    expect((await priorities(2)).sort()).toEqual([8, 9]);
  });
  test('[463] empty where nothing is known', async () => {
    const { status, body } = await get(`${config}/never-set/history`);
    expect([status, body]).toEqual([200, []]);
  });
  test('[464] a count that is none is 400', async () => {
    for (const count of ['0', '-1', 'few'])
      expect([count, (await get(`${config}/told/history?count=${count}`)).status]).toEqual([
        count,
        400,
      ]);
  });
  test('[465, 466] progress: the bytes that remain, and 404 of what is unknown', async () => {
    await post(config, { dataSource: 'compacted', skipOffsetFromLatest: 'P0D' });
    const { body } = await get(`${coordinator}/compaction/progress?dataSource=compacted`);
    expect(body).toEqual({ remainingSegmentSize: expect.any(Number) });
    expect((await get(`${coordinator}/compaction/progress?dataSource=never-set`)).status).toBe(404);
  });
  test('[467, 468] status: of all, or of one', async () => {
    for (const dataSource of ['compacted', 'unheard-of']) await post(config, { dataSource });
    const names = async (query: string) =>
      (await get(`${coordinator}/compaction/status${query}`)).body.latestStatus.map(
        (one: { dataSource: string }) => one.dataSource,
      );
    expect(await names('')).toContain('compacted');
    expect(await names('?dataSource=compacted')).toEqual(['compacted']);
  });
});

describe('dynamic configuration', () => {
  test('[469, 470] that of the Coordinator is read, and set with an author and a comment, which is 200 and empty', async () => {
    const { status, text } = await post(
      `${coordinator}/config`,
      { replicantLifetime: 21 },
      { headers },
    );
    expect([status, text]).toEqual([200, '']);
    expect((await get(`${coordinator}/config`)).body).toMatchObject({ replicantLifetime: 21 });
    expect((await get(`${coordinator}/config/history`)).body.at(-1).auditInfo).toMatchObject({
      author: 'ann',
      comment: 'because',
    });
  });

  test('[476, 477] that of the Overlord is an empty body until one is set, with an author and a comment', async () => {
    expect(await get('/svc/indexer/v1/worker')).toMatchObject({ status: 200, text: '' });
    const { status, text } = await post(
      '/svc/indexer/v1/worker',
      { selectStrategy: { type: 'fillCapacity' } },
      { headers },
    );
    expect([status, text]).toEqual([200, '']);
    expect((await get('/svc/indexer/v1/worker')).body).toMatchObject({
      type: 'default',
      selectStrategy: { type: 'fillCapacity' },
    });
    expect((await get('/svc/indexer/v1/worker/history')).body.at(-1).auditInfo).toMatchObject({
      author: 'ann',
      comment: 'because',
    });
  });

  test('[481] workers', async () => {
    expect((await get('/svc/indexer/v1/workers')).body).toMatchObject([
      { worker: { host: expect.any(String) }, runningTasks: [] },
    ]);
  });

  test('[482] scaling is an empty body when nothing scales', async () => {
    expect(await get('/svc/indexer/v1/scaling')).toMatchObject({ status: 200, text: '' });
  });
});

describe('segments', () => {
  let count = 0;
  let [name, at] = ['', ''];
  let all: string[] = [];
  const ids = async () => (await segmentsOf(name)) ?? [];
  beforeEach(async () => {
    name = `marked-${++count}`;
    at = `${coordinator}/datasources/${name}`;
    await load(name, days);
    all = await ids();
  });
  const used = async () => {
    const left = await ids();
    return all.map((id) => left.includes(id));
  };
  const first = () => `${at}/segments/${all[0]}`;
  const inInterval = { interval: '2024-01-01/2024-01-03' };

  test('[336, 484, 485] DELETE of one: it is unused, and whether that changed anything', async () => {
    expect((await remove(first())).body).toMatchObject({ segmentStateChanged: true });
    expect(await used()).toEqual([false, true, true]);
    expect((await remove(first())).body).toMatchObject({ segmentStateChanged: false });
  });

  test('[486] DELETE of one that does not exist, or of a datasource that does not, is 200 and changes nothing', async () => {
    const [id = ''] = all;
    const other = `unheard-of${id.slice(name.length)}`;
    for (const path of [
      `${at}/segments/nonsense`,
      `${at}/segments/${id}9`,
      `${coordinator}/datasources/unheard-of/segments/${other}`,
    ])
      expect([path, await remove(path)]).toMatchObject([
        path,
        { status: 200, body: { segmentStateChanged: false } },
      ]);
    expect(await used()).toEqual([true, true, true]);
  });

  test('[339, 341, 483, 487] POST of one, with both headers: it is used again', async () => {
    await remove(first());
    const { status, body } = await post(first(), undefined, both);
    expect([status, body]).toMatchObject([200, { segmentStateChanged: true }]);
    expect(await used()).toEqual([true, true, true]);
  });

  test('[337, 488] markUnused of an interval: what lies in it as a whole, its start included, its end not', async () => {
    expect(
      (await post(`${at}/markUnused`, { interval: '2024-01-01/2024-01-02T12:00' })).body,
    ).toMatchObject({ numChangedSegments: 1 });
    expect(await used()).toEqual([false, true, true]);
    await post(`${at}/markUnused`, inInterval);
    expect(await used()).toEqual([false, false, true]);
  });

  test('[489, 491] markUnused of segmentIds; numChangedSegments', async () => {
    const segmentIds = all.slice(1);
    expect((await post(`${at}/markUnused`, { segmentIds })).body).toMatchObject({
      numChangedSegments: 2,
    });
    expect(await used()).toEqual([true, false, false]);
  });

  test('[490, 492, 682] markUnused and markUsed take exactly one of both; all else is 400', async () => {
    for (const verb of ['markUnused', 'markUsed'])
      for (const body of [
        {},
        { ...inInterval, segmentIds: all },
        { segmentIds: 'x' },
        { interval: 'sometime' },
      ])
        expect([verb, body, (await post(`${at}/${verb}`, body)).status]).toEqual([verb, body, 400]);
    expect(await used()).toEqual([true, true, true]);
  });

  test('[342, 495] markUsed, in the same two ways', async () => {
    await remove(at);
    expect((await post(`${at}/markUsed`, inInterval)).body).toMatchObject({
      numChangedSegments: 2,
    });
    expect(await used()).toEqual([true, true, false]);
    expect((await post(`${at}/markUsed`, { segmentIds: all.slice(2) })).body).toMatchObject({
      numChangedSegments: 1,
    });
  });

  test('[338, 497] DELETE of the datasource: all are unused; 200 even if it does not exist', async () => {
    expect((await remove(at)).body).toMatchObject({ numChangedSegments: 3 });
    expect(await ids()).toEqual([]);
    expect(await remove(`${coordinator}/datasources/unheard-of`)).toMatchObject({
      status: 200,
      body: { numChangedSegments: 0 },
    });
  });

  test('[343, 498] POST of the datasource: all are used; 200 even if it does not exist', async () => {
    await remove(at);
    expect((await post(at, undefined, both)).body).toMatchObject({ numChangedSegments: 3 });
    expect(await used()).toEqual([true, true, true]);
    const unheardOf = await post(`${coordinator}/datasources/unheard-of`, undefined, both);
    expect(unheardOf).toMatchObject({ status: 200, body: { numChangedSegments: 0 } });
  });

  const unused = async () =>
    (await get(`${coordinator}/metadata/datasources/${name}/unusedSegments`)).body.length;

  test('[345, 499, 500] DELETE of an interval: a task deletes what is unused in it, and nothing else', async () => {
    await remove(at);
    const before = await unused();
    expect((await remove(`${at}/intervals/2024-01-01_2024-01-03`)).status).toBe(200);
    await until(async () => (await unused()) < before);
    await until(
      async () =>
        (await get(`/svc/indexer/v1/tasks?type=kill&state=complete&datasource=${name}`)).body
          .length > 0,
    );
    const { body } = await post(at, undefined, both);
    expect(body).toMatchObject({ numChangedSegments: 1 });
  });

  test('[501] DELETE of an interval is 200 with an empty body, also where there is nothing', async () => {
    for (const path of [
      `${at}/intervals/1900_1901`,
      `${coordinator}/datasources/unheard-of/intervals/1900_1901`,
    ]) {
      const { status, text } = await remove(path);
      expect([status, text]).toEqual([200, '']);
    }
  });

  test('[502] the deprecated way with kill=true does the same', async () => {
    await remove(at);
    expect((await remove(`${at}?kill=true&interval=2024-01-01/2024-01-04`)).status).toBe(200);
    await until(async () => (await unused()) === 0);
  });

  test('[503] what is used is loaded only when a load rule applies; dropped data come back with a longer period', async () => {
    const rule = (period: string) =>
      post(`${coordinator}/rules/${name}`, [
        { type: 'loadByPeriod', period },
        { type: 'dropForever' },
      ]);
    await rule('P1D');
    await remove(at);
    await post(at, undefined, both);
    expect(await ids()).toHaveLength(3);
    expect((await get(`${coordinator}/datasources`)).body).not.toContain(name);
    await rule('P1000Y');
    await post(at, undefined, both);
    expect(await rows(`SELECT COUNT(*) FROM "${name}"`)).toEqual([[3]]);
    await post(`${coordinator}/rules/${name}`, []);
  });
});

describe('with rules that are run', () => {
  const clock = { now: Date.parse('2024-05-01T00:00:00Z') };
  const own = served({
    now: () => clock.now,
    dutyTickMs: 10,
    properties: { 'svc.coordinator.kill.audit.on': 'false' },
  });
  const usedOnes = async () => (await own.segmentsOf('dropped'))?.length ?? 0;

  test('[340, 344] a drop rule marks segments unused, and does so again when they are marked used', async () => {
    await own.load('dropped', days);
    await own.post(`${coordinator}/rules/dropped`, [{ type: 'dropForever' }]);
    for (let time = 0; time < 2; time++) {
      expect(await usedOnes()).toBe(3);
      clock.now += 100_000;
      await own.until(async () => (await usedOnes()) === 0);
      await own.post(`${coordinator}/datasources/dropped`, undefined, both);
    }
  });

  test('[521] old entries of the history are kept where kill.audit.on says no', async () => {
    await own.post(`${coordinator}/config`, { replicantLifetime: 7 });
    clock.now += 200 * 24 * 3_600_000;
    const ran = async () =>
      (await own.get(`${coordinator}/duties`)).body.dutyGroups.every(
        (one: { lastRunStart: string }) => one.lastRunStart === new Date(clock.now).toISOString(),
      );
    await own.until(ran);
    expect((await own.get(`${coordinator}/config/history?interval=2024/2025`)).body).toHaveLength(
      1,
    );
  });
});

test('[346] what is deleted for good leaves no file behind', async () => {
  const dataDir = await temporaryFolder();
  const service = await startService({ dataDir });
  const { post: ask, send, ended, until: wait } = api(service);
  const files = async () =>
    (await readdir(dataDir, { recursive: true })).filter((file) => file.endsWith('.parquet'));
  await ended(
    (await ask('/svc/v2/sql/task', { query: `REPLACE INTO "filed" ${rowsOf(days)}` })).body.taskId,
  );
  expect(await files()).toHaveLength(3);
  await send('DELETE', `${coordinator}/datasources/filed`);
  expect(await files()).toHaveLength(3); // so far they are only unused
  await send('DELETE', `${coordinator}/datasources/filed/intervals/2024-01-01_2024-01-03`);
  await wait(async () => (await files()).length === 1);
});

test('[596] coordinator.period is how often the Coordinator looks anew', async () => {
  const clock = { now: Date.parse('2024-05-01T00:00:00Z') };
  const service = await startService({
    now: () => clock.now,
    dutyTickMs: 10,
    properties: { 'svc.coordinator.period': 'PT7S' },
  });
  const { get: ask, until: wait } = api(service);
  const lastRun = async () => (await ask(`${coordinator}/duties`)).body.dutyGroups[0].lastRunStart;
  const now = () => new Date(clock.now).toISOString();
  clock.now += 7000;
  await wait(async () => (await lastRun()) === now());
  clock.now += 6000;
  await new Promise((wake) => setTimeout(wake, 200));
  expect(await lastRun()).not.toBe(now());
  clock.now += 1000;
  await wait(async () => (await lastRun()) === now());
});
