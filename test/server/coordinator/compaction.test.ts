import { expect, test } from 'vitest';
import type { CompactionConfig } from '../../../src/contract/compaction.ts';
import { compaction } from '../../../src/contract/compaction.ts';
import { callsTo, refusalOf } from '../../support/calls.ts';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

type Row = { readonly t: string; readonly k: string; readonly v: number };

async function started(settings: Parameters<typeof startService>[0] = {}) {
  const service = await startService({ workerCapacity: 4, dutyTickMs: 3_600_000, ...settings });
  const { get, post, ended, until } = api(service);
  const call = callsTo(service);
  const sql = async (query: string) =>
    (await post('/svc/v2/sql', { query, resultFormat: 'array' })).body;
  return {
    service,
    call,
    sql,
    post,
    until,
    get,
    /** Appends rows as segments of their own. */
    async add(dataSource: string, rows: readonly Row[], segmentGranularity = 'DAY') {
      const { body } = await post('/svc/indexer/v1/task', {
        type: 'index_parallel',
        spec: {
          dataSchema: {
            dataSource,
            timestampSpec: { column: 't', format: 'iso' },
            dimensionsSpec: { dimensions: ['k', { type: 'long', name: 'v' }] },
            granularitySpec: { segmentGranularity, rollup: false },
          },
          ioConfig: {
            type: 'index_parallel',
            inputSource: {
              type: 'inline',
              data: rows.map((row) => JSON.stringify(row)).join('\n'),
            },
            inputFormat: { type: 'json' },
            appendToExisting: true,
          },
        },
      });
      expect(await ended(body.task)).toMatchObject({ statusCode: 'SUCCESS', errorMsg: null });
    },
    /**
     * Runs the duty once, and waits for the tasks it submitted. Returns how many there are by now.
     */
    async compacted(dataSource: string) {
      await call(compaction.run);
      const tasks = async () =>
        (await get(`/svc/indexer/v1/tasks?type=compact&datasource=${dataSource}`)).body;
      await until(async () =>
        (await tasks()).every(({ statusCode }: { statusCode: string }) => statusCode !== 'RUNNING'),
      );
      const all = await tasks();
      for (const { errorMsg } of all) expect(errorMsg).toBe(null);
      return all.length;
    },
    active: (dataSource: string) =>
      sql(
        `SELECT "start", "end", COUNT(*), SUM("num_rows") FROM sys.segments WHERE "datasource" = '${dataSource}' AND "is_active" = 1 GROUP BY 1, 2 ORDER BY 1`,
      ),
  };
}

const day = (number: number) => `2022-03-${String(number).padStart(2, '0')}`;
const iso = (number: number) => `${day(number)}T00:00:00.000Z`;

test('a configuration that no task can carry out keeps nobody else from being compacted', async () => {
  const { call, add, compacted } = await started();
  for (const dataSource of ['a', 'b'])
    for (const number of [1, 1, 2]) await add(dataSource, [{ t: day(number), k: 'a', v: number }]);
  await call(compaction.set, {
    body: {
      dataSource: 'a',
      tuningConfig: {
        partitionsSpec: { type: 'single_dim', targetRowsPerSegment: 5 },
      },
    },
  });
  await call(compaction.set, { body: { dataSource: 'b' } });
  expect(await compacted('b')).toBe(1);
  const { latestStatus } = await call(compaction.status, {});
  expect(latestStatus).toMatchObject([
    { dataSource: 'a', segmentCountSkipped: 3, segmentCountAwaitingCompaction: 0 },
    { dataSource: 'b', segmentCountSkipped: 1, segmentCountCompacted: 2 },
  ]);
});

test('small segments of a time chunk become one, the newest data are left alone, and then there is nothing more to do', async () => {
  const { call, add, compacted, active, sql } = await started();
  for (const number of [1, 1, 2, 3]) await add('w', [{ t: day(number), k: 'a', v: number }]);
  await call(compaction.set, { body: { dataSource: 'w' } });
  expect(await call(compaction.status, { query: { dataSource: 'w' } })).toMatchObject({
    latestStatus: [
      {
        scheduleStatus: 'RUNNING',
        segmentCountAwaitingCompaction: 3,
        segmentCountSkipped: 1,
        intervalCountAwaitingCompaction: 2,
      },
    ],
  });
  expect(await compacted('w')).toBe(1); // a slot for one: the newest first
  expect(await active('w')).toEqual([
    [iso(1), iso(2), 2, 2],
    [iso(2), iso(3), 1, 1],
    [iso(3), iso(4), 1, 1],
  ]);
  expect(await compacted('w')).toBe(2);
  expect(await active('w')).toEqual([
    [iso(1), iso(2), 1, 2],
    [iso(2), iso(3), 1, 1],
    [iso(3), iso(4), 1, 1],
  ]);
  expect(await compacted('w')).toBe(2);
  expect(await call(compaction.status, { query: { dataSource: 'w' } })).toMatchObject({
    latestStatus: [
      {
        segmentCountAwaitingCompaction: 0,
        segmentCountCompacted: 2,
        segmentCountSkipped: 1,
        bytesAwaitingCompaction: 0,
      },
    ],
  });
  expect(await call(compaction.progress, { query: { dataSource: 'w' } })).toEqual({
    remainingSegmentSize: 0,
  });
  expect(await sql('SELECT "v", COUNT(*) FROM "w" GROUP BY 1 ORDER BY 1')).toEqual([
    [1, 2],
    [2, 1],
    [3, 1],
  ]);
});

test('a chunk counts as compacted from the moment its task is submitted', async () => {
  const { call, add, post } = await started({ workerCapacity: 1 });
  for (const number of [1, 1, 3]) await add('w', [{ t: day(number), k: 'a', v: 1 }]);
  await post('/svc/indexer/v1/task', { type: 'noop', runTime: 60_000 }); // takes the slot
  await call(compaction.set, { body: { dataSource: 'w' } });
  await call(compaction.run);
  expect(await call(compaction.status, { query: { dataSource: 'w' } })).toMatchObject({
    latestStatus: [
      { segmentCountAwaitingCompaction: 0, segmentCountCompacted: 2, segmentCountSkipped: 1 },
    ],
  });
});

test('days become a month, rows are rolled up and dimensions are left out, as the configuration says', async () => {
  const { call, add, compacted, active, sql } = await started();
  await add('w', [
    { t: '2022-03-01T01:10', k: 'a', v: 1 },
    { t: '2022-03-01T01:20', k: 'b', v: 2 },
  ]);
  await add('w', [{ t: '2022-03-20T01:10', k: 'c', v: 3 }]);
  await add('w', [{ t: '2022-05-01', k: 'd', v: 4 }]);
  const body: CompactionConfig = {
    dataSource: 'w',
    skipOffsetFromLatest: 'P1M',
    granularitySpec: { segmentGranularity: 'MONTH', queryGranularity: 'DAY', rollup: true },
    dimensionsSpec: { dimensions: ['other'] },
    metricsSpec: [
      { type: 'count', name: 'rows' },
      { type: 'longSum', name: 'v', fieldName: 'v' },
    ],
  };
  await call(compaction.set, { body });
  expect(await compacted('w')).toBe(1);
  expect((await active('w'))[0]).toEqual([
    '2022-03-01T00:00:00.000Z',
    '2022-04-01T00:00:00.000Z',
    1,
    2,
  ]);
  expect(
    await sql(
      `SELECT "__time", SUM("v") FROM "w" WHERE "__time" < '2022-04-01' GROUP BY 1 ORDER BY 1`,
    ),
  ).toEqual([
    [iso(1), 3],
    [iso(20), 3],
  ]);
  expect(await compacted('w')).toBe(1);
});

test('the datasource with priority goes first, and as many tasks run at once as there are slots', async () => {
  const { call, add, get, post } = await started({ workerCapacity: 4 });
  for (const name of ['a', 'b', 'c'])
    for (const number of [1, 1]) await add(name, [{ t: day(number), k: 'x', v: 1 }]);
  for (const dataSource of ['a', 'b', 'c'])
    await call(compaction.set, { body: { dataSource, skipOffsetFromLatest: 'P0D' } });
  for (let slot = 0; slot < 4; slot++)
    await post('/svc/indexer/v1/task', { type: 'noop', runTime: 60_000 });
  await call(compaction.setCluster, {
    body: { compactionPolicy: { type: 'newestSegmentFirst', priorityDatasource: 'c' } },
  });
  const submitted = async () => {
    await call(compaction.run);
    const { body } = await get('/svc/indexer/v1/tasks?type=compact');
    return body.map(({ dataSource }: { dataSource: string }) => dataSource).sort();
  };
  expect(await submitted()).toEqual(['c']);
  expect(await submitted()).toEqual(['c']); // the slot is taken
  await call(compaction.setTaskSlots, { query: { ratio: 0.5 } });
  expect(await submitted()).toEqual(['a', 'c']);
});

test('compaction takes a tenth of the task slots, however many it may take', async () => {
  const { call, add, get, post } = await started({ workerCapacity: 20 });
  const names = ['a', 'b', 'c'];
  for (const name of names)
    for (const number of [1, 1]) await add(name, [{ t: day(number), k: 'x', v: 1 }]);
  for (const dataSource of names)
    await call(compaction.set, { body: { dataSource, skipOffsetFromLatest: 'P0D' } });
  for (let slot = 0; slot < 20; slot++)
    await post('/svc/indexer/v1/task', { type: 'noop', runTime: 60_000 });
  expect(await call(compaction.list)).toMatchObject({
    compactionTaskSlotRatio: 0.1,
    maxCompactionTaskSlots: 2_147_483_647,
  });
  await call(compaction.setTaskSlots, { query: { max: 2_147_483_647 } });
  await call(compaction.run);
  expect((await get('/svc/indexer/v1/tasks?type=compact')).body).toHaveLength(2);
});

/**
 * A service whose duties run when its clock is put forward; says what was compacted, one chunk
 * after the other.
 */
async function stepped() {
  const clock = { now: Date.parse('2024-05-01T12:00:00Z') };
  const { call, add, get, until } = await started({ now: () => clock.now, dutyTickMs: 10 });
  const tasks = async (): Promise<{ id: string; dataSource: string; statusCode: string }[]> =>
    (await get('/svc/indexer/v1/tasks?type=compact')).body;
  const seen = new Set<string>();
  return {
    call,
    add,
    get,
    /** Lets the duty run so often, each time until its task is over. */
    async order(times: number): Promise<string[]> {
      const compacted: string[] = [];
      for (let run = 0; run < times; run++) {
        clock.now += 60_000;
        await until(async () =>
          (await tasks()).some(({ id, statusCode }) => !seen.has(id) && statusCode === 'SUCCESS'),
        );
        for (const { id, dataSource } of (await tasks()).filter((task) => !seen.has(task.id))) {
          seen.add(id);
          const { payload } = (await get(`/svc/indexer/v1/task/${id}`)).body;
          compacted.push(`${dataSource} ${payload.ioConfig.inputSpec.interval.slice(0, 10)}`);
        }
      }
      return compacted;
    },
  };
}

test('fixedIntervalOrder compacts what is listed in the order of the list, and nothing else', async () => {
  const { call, add, order } = await stepped();
  for (const number of [1, 2, 3])
    for (const name of ['a', 'b']) await add(name, [{ t: day(number), k: 'x', v: 1 }]);
  const eligibleCandidates = [
    { datasource: 'b', interval: '2022-03-01/2022-03-02' },
    { datasource: 'a', interval: '2022-03-02/P2D' },
    { datasource: 'c', interval: '2022/2023' },
  ];
  await call(compaction.setCluster, {
    body: { compactionPolicy: { type: 'fixedIntervalOrder', eligibleCandidates } },
  });
  for (const dataSource of ['a', 'b'])
    await call(compaction.set, { body: { dataSource, skipOffsetFromLatest: 'P0D' } });
  expect(await call(compaction.status, { query: { dataSource: 'b' } })).toMatchObject({
    latestStatus: [{ segmentCountAwaitingCompaction: 1, segmentCountSkipped: 2 }],
  });
  expect(await order(1)).toEqual([`b ${day(1)}`]);
  expect((await order(2)).sort()).toEqual([`a ${day(2)}`, `a ${day(3)}`]);
  const { compactionStates } = await call(compaction.simulate, { body: {} });
  expect(compactionStates).not.toHaveProperty('PENDING');
  expect(compactionStates).toMatchObject({
    SKIPPED: {
      rows: [
        [
          'a',
          expect.stringContaining(day(1)),
          1,
          expect.anything(),
          expect.stringContaining("not in the list of 'eligibleCandidates'"),
        ],
        ['b', expect.stringContaining(day(2)), 1, expect.anything(), expect.anything()],
        ['b', expect.stringContaining(day(3)), 1, expect.anything(), expect.anything()],
      ],
    },
  });
});

test('mostFragmentedFirst compacts the chunk with the most small segments first, and leaves those with few alone', async () => {
  const { call, add, order } = await stepped();
  const several = (count: number) => Array.from({ length: count });
  for (const [number, count] of [
    [1, 3],
    [2, 4],
    [3, 1],
  ] as const)
    for (const _ of several(count)) await add('a', [{ t: day(number), k: 'x', v: 1 }]);
  for (const _ of several(2)) await add('b', [{ t: day(5), k: 'x', v: 1 }]);
  // The average is so small a part that the number of segments decides.
  const policy = {
    type: 'mostFragmentedFirst',
    minUncompactedCount: 2,
    minUncompactedBytes: 1,
    maxAverageUncompactedBytesPerSegment: '1MB',
  };
  await call(compaction.setCluster, { body: { compactionPolicy: policy } });
  expect((await call(compaction.getCluster)).compactionPolicy).toEqual({
    ...policy,
    maxAverageUncompactedBytesPerSegment: 1_000_000,
    priorityDatasource: null,
  });
  for (const dataSource of ['a', 'b'])
    await call(compaction.set, { body: { dataSource, skipOffsetFromLatest: 'P0D' } });
  const { compactionStates } = await call(compaction.simulate, { body: {} });
  expect(compactionStates).toMatchObject({
    SKIPPED: {
      rows: [
        [
          'a',
          expect.anything(),
          1,
          expect.anything(),
          expect.stringContaining('Uncompacted segments[1] in interval must be at least [2]'),
        ],
      ],
    },
  });
  const planned = compactionStates.PENDING as { rows: [string, string][] };
  expect(await order(3)).toEqual(
    planned.rows.map(([name, interval]) => `${name} ${interval.slice(0, 10)}`),
  );
  expect(
    planned.rows.filter(([name]) => name === 'a').map(([, interval]) => interval.slice(0, 10)),
  ).toEqual([day(2), day(1)]);
});

test.each([
  [
    { type: 'oldestSegmentFirst' },
    'known type ids = [fixedIntervalOrder, mostFragmentedFirst, newestSegmentFirst]',
  ],
  [{ type: 'fixedIntervalOrder' }, '[eligibleCandidates] must not be null'],
  [
    { type: 'fixedIntervalOrder', eligibleCandidates: [{ datasource: 'a', interval: 'soon' }] },
    'expected an interval, but got [soon]',
  ],
  [
    { type: 'mostFragmentedFirst', minUncompactedCount: 0 },
    "'minUncompactedCount'[0] must be greater than 0",
  ],
  [{ type: 'mostFragmentedFirst', minUncompactedBytes: 'many' }, 'Invalid format of number: many'],
])('the policy %j is refused by name, and changes nothing', async (compactionPolicy, words) => {
  const { call, post } = await started();
  const before = await call(compaction.getCluster);
  for (const path of ['config/cluster', 'simulate']) {
    const { status, body } = await post(`/svc/indexer/v1/compaction/${path}`, { compactionPolicy });
    expect([status, body.error]).toEqual([400, expect.stringContaining(words)]);
  }
  expect(await call(compaction.getCluster)).toEqual(before);
});

test('intervals that other tasks work at, that are skipped, or that are too large, are left alone', async () => {
  const { call, add, active, compacted } = await started();
  for (const number of [1, 1, 2, 2, 4]) await add('w', [{ t: day(number), k: 'a', v: 1 }]);
  await call(compaction.set, {
    body: { dataSource: 'w', skipOffsetFromLatest: 'P0D', skipIntervals: [`${day(1)}/${day(2)}`] },
  });
  for (let run = 0; run < 3; run++) await compacted('w');
  expect((await active('w')).map((row: unknown[]) => row[2])).toEqual([2, 1, 1]);
  await call(compaction.set, {
    body: { dataSource: 'w', inputSegmentSizeBytes: 1, skipOffsetFromLatest: 'P0D' },
  });
  await call(compaction.run);
  expect(await call(compaction.status, { query: { dataSource: 'w' } })).toMatchObject({
    latestStatus: [
      { segmentCountAwaitingCompaction: 0, segmentCountSkipped: 2, segmentCountCompacted: 2 },
    ],
  });
});

test('whatever the segments, compaction neither loses nor doubles a row', async () => {
  const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
  console.log(`seed ${seed}`);
  const random = randomFrom(seed);
  const { call, add, compacted, sql, active } = await started({ workerCapacity: 4 });
  await call(compaction.setTaskSlots, { query: { ratio: 1 } });
  const granularities = ['HOUR', 'DAY', 'WEEK', 'MONTH'];
  for (const dataSource of ['one', 'two', 'three']) {
    for (let batch = 0; batch < 4; batch++) {
      const rows = Array.from({ length: 1 + random(20) }, () => ({
        t: new Date(Date.UTC(2022, 2, 1 + random(6), random(24), random(60))).toISOString(),
        k: 'abc'.charAt(random(3)),
        v: random(1000),
      }));
      await add(dataSource, rows);
    }
    const granularitySpec =
      random(4) === 0 ? null : { segmentGranularity: granularities[random(4)] };
    const partitionsSpec =
      random(2) === 0
        ? { type: 'dynamic', maxRowsPerSegment: 1 + random(20) }
        : { type: 'range', partitionDimensions: ['k'], targetRowsPerSegment: 1 + random(20) };
    const config = {
      dataSource,
      skipOffsetFromLatest: random(2) === 0 ? 'P0D' : 'P1D',
      granularitySpec,
      tuningConfig: { partitionsSpec },
    };
    const rows = () =>
      sql(
        `SELECT "__time", "k", "v", COUNT(*) FROM "${dataSource}" GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`,
      );
    const before = await rows();
    await call(compaction.set, { body: config });
    let tasks = -1;
    for (let run = 0; run < 10; run++) {
      const now = await compacted(dataSource);
      expect(await rows(), `seed ${seed}, ${JSON.stringify(config)}`).toEqual(before);
      if (now === tasks) break;
      tasks = now;
    }
    const { latestStatus } = await call(compaction.status, { query: { dataSource } });
    expect(
      latestStatus,
      `seed ${seed}, ${JSON.stringify([config, await active(dataSource)])}`,
    ).toMatchObject([{ segmentCountAwaitingCompaction: 0 }]);
  }
});

// A linear congruential generator (Numerical Recipes): the same numbers for the same seed.
function randomFrom(seed: number) {
  let state = seed >>> 0;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('a configuration comes back complete; all are listed with what they share', async () => {
  const { call } = await started();
  await call(compaction.set, { body: { dataSource: 'a b', skipOffsetFromLatest: 'P0D' } });
  const config = await call(compaction.get, { params: { dataSource: 'a b' } });
  expect(config).toMatchObject({
    type: 'inline',
    taskPriority: 25,
    skipOffsetFromLatest: 'PT0S',
    tuningConfig: null,
    skipIntervals: [],
  });
  expect(await call(compaction.list)).toMatchObject({
    compactionConfigs: [config],
    compactionTaskSlotRatio: 0.1,
    maxCompactionTaskSlots: 2_147_483_647,
    useAutoScaleSlots: false,
  });
  const spec = { partitionsSpec: { type: 'hashed', numShards: 3 } };
  await call(compaction.set, {
    body: {
      dataSource: 'a b',
      tuningConfig: spec,
      dimensionsSpec: { dimensions: ['k', { type: 'long', name: 'n' }] },
    },
  });
  const { tuningConfig, dimensionsSpec } = await call(compaction.get, {
    params: { dataSource: 'a b' },
  });
  expect(tuningConfig).toMatchObject({
    type: 'index_parallel',
    forceGuaranteedRollup: true,
    maxRetry: null,
    partitionsSpec: { numShards: 3 },
  });
  expect(dimensionsSpec).toEqual({
    dimensions: [
      { type: 'string', name: 'k', multiValueHandling: 'SORTED_ARRAY', createBitmapIndex: true },
      { type: 'long', name: 'n', multiValueHandling: 'SORTED_ARRAY', createBitmapIndex: false },
    ],
  });
});

test('the history shows what changed for a datasource, and says who removed it', async () => {
  const { call } = await started();
  const [params, other] = [{ dataSource: 'w' }, { dataSource: 'other' }];
  await call(compaction.set, { body: params, headers: { author: 'alice' } });
  await call(compaction.set, { body: other, headers: { author: 'bob' } });
  await call(compaction.set, { body: params, headers: { author: 'nobody' } }); // changes nothing
  await call(compaction.setTaskSlots, { query: { max: 5 }, headers: { author: 'erin' } });
  await call(compaction.setTaskSlots, {});
  await call(compaction.remove, { params, headers: { author: 'carol', comment: 'too dear' } });
  const history = await call(compaction.history, { params });
  expect(
    history.map(({ auditInfo, compactionConfig, globalConfig }) => [
      auditInfo.author,
      compactionConfig?.dataSource,
      globalConfig?.maxCompactionTaskSlots,
    ]),
  ).toEqual([
    ['alice', 'w', 2_147_483_647],
    ['erin', 'w', 5],
    ['carol', undefined, 5],
  ]);
  expect(await call(compaction.supervisedHistory, { params })).toEqual({ entries: history });
  expect(await call(compaction.history, { params: { dataSource: 'unknown' } })).toEqual([]);
  expect(await call(compaction.status)).toMatchObject({
    latestStatus: [
      { dataSource: 'other', scheduleStatus: 'RUNNING' },
      { dataSource: 'w', scheduleStatus: 'NOT_ENABLED' },
    ],
  });
});

test('the Overlord has the same configurations, and settings that all share', async () => {
  const { call, add } = await started();
  await add('w', [{ t: day(1), k: 'a', v: 1 }]);
  const params = { dataSource: 'w' };
  await call(compaction.setSupervised, {
    params,
    body: { dataSource: 'w', skipOffsetFromLatest: 'P0D' },
  });
  const config = await call(compaction.getSupervised, { params });
  expect(await call(compaction.get, { params })).toEqual(config);
  expect(await call(compaction.listSupervised)).toEqual({ compactionConfigs: [config] });
  expect(await call(compaction.isSupervised)).toBe(true);
  await call(compaction.setCluster, { body: { useSupervisors: false, maxCompactionTaskSlots: 3 } });
  expect(await call(compaction.isSupervised)).toBe(false);
  expect(await call(compaction.getCluster)).toMatchObject({
    maxCompactionTaskSlots: 3,
    compactionTaskSlotRatio: 0.1,
  });
  const status = await call(compaction.supervisedStatusOf, { params });
  expect(status).toMatchObject({ dataSource: 'w', segmentCountAwaitingCompaction: 1 });
  expect(await call(compaction.supervisedStatus)).toEqual({ latestStatus: [status] });
  const { compactionStates } = await call(compaction.simulate, {
    body: { maxCompactionTaskSlots: 1 },
  });
  expect(compactionStates).toMatchObject({
    PENDING: { rows: [['w', `${iso(1)}/${iso(2)}`, 1, expect.anything(), 'not compacted yet']] },
  });
  expect(await call(compaction.simulateSupervised, { body: null })).toEqual({ compactionStates });
  await call(compaction.removeSupervised, { params });
  expect(await refusalOf(call(compaction.getSupervised, { params }))).toEqual([
    404,
    'Datasource compaction config does not exist: [w]',
  ]);
});

test('what is unknown, missing or wrong is refused in the words of the real engine', async () => {
  const { call, post, get } = await started();
  const params = { dataSource: 'none' };
  const noConfig = [404, 'Datasource compaction config does not exist: [none]'];
  expect(await refusalOf(call(compaction.get, { params }))).toEqual(noConfig);
  expect(await refusalOf(call(compaction.remove, { params }))).toEqual(noConfig);
  expect(await refusalOf(call(compaction.removeSupervised, { params }))).toEqual(noConfig);
  expect(await refusalOf(call(compaction.progress))).toEqual([400, 'No DataSource specified']);
  expect(await refusalOf(call(compaction.progress, { query: params }))).toEqual([
    404,
    'Unknown DataSource: [none]',
  ]);
  expect(await refusalOf(call(compaction.status, { query: params }))).toEqual([
    404,
    'Unknown DataSource: [none]',
  ]);
  expect(await refusalOf(call(compaction.supervisedStatusOf, { params }))).toEqual([
    404,
    'Unknown DataSource: [none]',
  ]);
  expect(
    await refusalOf(call(compaction.setSupervised, { params, body: { dataSource: 'other' } })),
  ).toEqual([400, 'DataSource name in payload[other] does not match name in URL[none]']);
  expect(
    await refusalOf(call(compaction.set, { body: { dataSource: 'w', engine: 'msq' } })),
  ).toEqual([
    400,
    'MSQ engine is supported only with supervisor-based compaction on the Overlord.',
  ]);
  expect(await refusalOf(call(compaction.history, { params, query: { interval: 'x' } }))).toEqual([
    400,
    "Invalid interval[x]: [Format requires a '/' separator: x]",
  ]);
  expect(await refusalOf(call(compaction.history, { params, query: { count: 0 } }))).toEqual([
    400,
    'Limit must be greater than zero!',
  ]);
  expect((await get('/svc/coordinator/v1/config/compaction/w/history?count=x')).status).toBe(400);
  expect((await post('/svc/coordinator/v1/config/compaction/taskslots?max=many', {})).status).toBe(
    404,
  );
  expect(
    (await post('/svc/coordinator/v1/config/compaction/taskslots?max=2147483648', {})).status,
  ).toBe(404);
});

test.each([
  [{}, /dataSource/],
  [{ dataSource: null }, /dataSource/],
  [{ dataSource: 'w', skipOffsetFromLatest: 'one day' }, /Invalid format: "one day"/],
  [{ dataSource: 'w', skipIntervals: ['x'] }, /Format requires/],
  [
    { dataSource: 'w', granularitySpec: { segmentGranularity: 'fortnight' } },
    /Granularity \[fortnight\] is unknown/,
  ],
  [
    { dataSource: 'w', granularitySpec: { segmentGranularity: 'P1M' } },
    /Granularity \[P1M\] is unknown/,
  ],
  [{ dataSource: 'w', taskPriority: 'high' }, /taskPriority/],
  [
    { dataSource: 'w', metricsSpec: [{ type: 'nothing', name: 'a' }] },
    /Could not resolve type id \[nothing\]/,
  ],
  [{ dataSource: 'w', engine: 'steam' }, /engine \[steam\]/],
  [
    { dataSource: 'w', tuningConfig: { partitionsSpec: { type: 'range' } } },
    /partitionDimensions must be specified/,
  ],
  [
    {
      dataSource: 'w',
      tuningConfig: { partitionsSpec: { type: 'dynamic', maxRowsPerSegment: 'x' } },
    },
    /tuningConfig.partitionsSpec.maxRowsPerSegment/,
  ],
  [
    { dataSource: 'w', tuningConfig: { partitionsSpec: { type: 'other', numShards: 0 } } },
    /numShards\[0\] should be positive/,
  ],
  [{ dataSource: 'w', ioConfig: { dropExisting: 'yes' } }, /ioConfig.dropExisting/],
  [{ dataSource: 'w', granularitySpec: { rollup: 'yes' } }, /granularitySpec.rollup/],
  [[], /body/],
])('the configuration %j is refused, and there is none', async (body, error) => {
  const { post, get } = await started();
  const refused = await post('/svc/coordinator/v1/config/compaction', body);
  expect(refused).toMatchObject({ status: 400, body: { error: expect.stringMatching(error) } });
  expect((await get('/svc/coordinator/v1/config/compaction')).body.compactionConfigs).toEqual([]);
});

test('scalars of other types are read as the real engine reads them, and an unknown engine of the cluster is refused', async () => {
  const { post, get } = await started();
  const config = '/svc/coordinator/v1/config/compaction';
  await post(config, {
    dataSource: 'w',
    taskPriority: '30',
    maxRowsPerSegment: '5',
    granularitySpec: { rollup: 'true' },
  });
  expect((await get(`${config}/w`)).body).toMatchObject({
    taskPriority: 30,
    maxRowsPerSegment: 5,
    granularitySpec: { rollup: true },
  });
  const cluster = '/svc/indexer/v1/compaction/config/cluster';
  await post(cluster, { compactionTaskSlotRatio: '0.5', engine: 'MSQ' });
  expect((await get(cluster)).body).toMatchObject({ compactionTaskSlotRatio: 0.5, engine: 'msq' });
  expect(await post(cluster, { engine: 'steam' })).toMatchObject({
    status: 400,
    body: { error: 'Compaction engine [steam] is not one of [native, msq]' },
  });
});

test('a ratio of slots is a double, however large or whole it is', async () => {
  for (const settings of [{}, { service: 'druid', engineVersion: 33 }] as const) {
    const { url } = await startService(settings);
    const { post, get } = api({ url });
    const root = `/${'service' in settings ? settings.service : 'svc'}`;
    const cluster = `${root}/indexer/v1/compaction/config/cluster`;
    await post(cluster, { compactionTaskSlotRatio: 1 });
    expect((await get(cluster)).text).toContain('"compactionTaskSlotRatio":1.0,');
    await post(cluster, { compactionTaskSlotRatio: 1e20 });
    expect((await get(cluster)).text).toContain('"compactionTaskSlotRatio":1.0E20,');
    expect((await post(`${root}/coordinator/v1/compaction/compact`, {})).status).toBe(200);
    const endless = await fetch(`${url}${cluster}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"compactionTaskSlotRatio": 1e400}',
    });
    expect([endless.status, await endless.text()]).toEqual([
      400,
      expect.stringContaining('compactionTaskSlotRatio'),
    ]);
  }
});

test('task slots are at least one; the real engine takes any number', async () => {
  const set = async (service: string, url: string, max: number) => {
    const reply = await fetch(
      `${url}/${service}/coordinator/v1/config/compaction/taskslots?max=${max}`,
      { method: 'POST' },
    );
    return [reply.status, await reply.text()];
  };
  const { url } = await startService();
  for (const max of [0, -1, 2_147_483_648])
    expect(await set('svc', url, max)).toEqual([
      404,
      `{"error":"Parameter [max] is [${max}], which is not between [1] and [2147483647]"}`,
    ]);
  expect(await set('svc', url, 1)).toEqual([200, '']);
  const druid = await startService({ service: 'druid' });
  expect(await set('druid', druid.url, 0)).toEqual([200, '{"success":true}']);
  for (const max of [2_147_483_648, -2_147_483_649])
    expect(await set('druid', druid.url, max)).toEqual([404, '']);
  const changed = await fetch(`${druid.url}/druid/indexer/v1/compaction/config/cluster`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"maxCompactionTaskSlots": 3000000000}',
  });
  expect(changed.status).toBe(400);
});
