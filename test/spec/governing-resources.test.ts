// The specification on segments, rules, audit entries, compaction and dynamic configuration (lines
// 133 to 180), over HTTP.
import { beforeAll, describe, expect, test } from 'vitest';
import { noop, served } from './served.ts';

const clock = { now: Date.parse('2024-01-20T12:00:00Z') };
const { get, post, remove, load, ingest, until, segmentsOf } = served({
  now: () => clock.now,
  dutyTickMs: 10,
});
const coordinator = '/svc/coordinator/v1';
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('segments', () => {
  test('[225] an id has the datasource, the start, the end and the version', async () => {
    await load('wiki', ['01']);
    const [id = ''] = await segmentsOf('wiki');
    const { version } = (await get(`${coordinator}/metadata/datasources/wiki/segments?full`))
      .body[0];
    expect(id).toBe(`wiki_2024-01-01T00:00:00.000Z_2024-01-02T00:00:00.000Z_${version}`);
    expect(version).toMatch(isoTime);
  });

  describe('as candidates of a query', () => {
    // biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the test is about
    let candidate: any;
    beforeAll(async () => {
      await load('wiki', ['01']);
      const query = {
        queryType: 'timeseries',
        dataSource: 'wiki',
        granularity: 'all',
        intervals: ['2024/2025'],
      };
      [candidate] = (await post('/svc/v2/candidates', query)).body;
    });
    test('[226] interval and version', () =>
      expect(candidate).toMatchObject({
        interval: '2024-01-01T00:00:00.000Z/2024-01-02T00:00:00.000Z',
        version: expect.stringMatching(isoTime),
      }));
    test('[227] partitionNumber', () => expect(candidate.partitionNumber).toBe(0));
    test('[228] size', () => expect(candidate.size).toBeGreaterThan(0));
    test('[229] locations: name and host', async () => {
      const servers = (await get(`${coordinator}/servers`)).body;
      expect(
        candidate.locations.map(({ name, host }: Record<string, string>) => [name, host]),
      ).toEqual([[servers[0], servers[0]]]);
    });
    test('[230] locations: hostAndTlsPort, which may be null', () =>
      expect(candidate.locations[0].hostAndTlsPort).toBeNull());
    test('[231] locations: maxSize, type, tier, priority', () =>
      expect(candidate.locations[0]).toMatchObject({
        maxSize: expect.any(Number),
        type: 'historical',
        tier: '_default_tier',
        priority: 0,
      }));
  });

  test('[232] only used ones are loaded', async () => {
    await load('used', ['01', '02']);
    const [first = ''] = await segmentsOf('used');
    await remove(`${coordinator}/datasources/used/segments/${first}`);
    const loaded = (await get(`${coordinator}/datasources/used/segments`)).body;
    expect(loaded).toEqual(await segmentsOf('used'));
    expect(loaded).toHaveLength(1);
  });
});

describe('retention rules', () => {
  const everyDay = ['01', '05', '10', '15', '18', '25']; // it is the 20th
  const set = async (...rules: object[]) => post(`${coordinator}/rules/ruled`, rules);
  const daysOf = (ids: readonly string[] | undefined) =>
    (ids ?? []).map((id) => id.slice(14, 16)).sort();
  /** The days that servers have under these rules. */
  const loadedUnder = async (...rules: object[]) => {
    expect((await set(...rules)).status).toBe(200);
    return daysOf((await get(`${coordinator}/datasources/ruled/segments`)).body);
  };
  beforeAll(async () => {
    await load('ruled', everyDay);
  });
  const all = { type: 'loadForever' };
  const none = { type: 'dropForever' };
  const fifthToFifteenth = '2024-01-05/2024-01-15';

  test.each<[string, [object[], string[]]]>(
    Object.entries({
      '[233] loadForever': [[all], everyDay],
      '[235] loadByPeriod': [
        [{ type: 'loadByPeriod', period: 'P6D', includeFuture: false }, none],
        ['15', '18'],
      ],
      '[236] loadByPeriod with the future': [
        [{ type: 'loadByPeriod', period: 'P6D' }, none],
        ['15', '18', '25'],
      ],
      '[237] loadByInterval': [
        [{ type: 'loadByInterval', interval: fifthToFifteenth }, none],
        ['05', '10'],
      ],
      '[238] dropForever': [[none, all], []],
      '[239] dropByPeriod': [
        [{ type: 'dropByPeriod', period: 'P6D', includeFuture: false }, all],
        ['01', '05', '10', '25'],
      ],
      '[240] dropByPeriod with the future': [
        [{ type: 'dropByPeriod', period: 'P6D' }, all],
        ['01', '05', '10'],
      ],
      '[241] dropBeforeByPeriod': [
        [{ type: 'dropBeforeByPeriod', period: 'P6D' }, all],
        ['15', '18', '25'],
      ],
      '[242] dropByInterval': [
        [{ type: 'dropByInterval', interval: fifthToFifteenth }, all],
        ['01', '15', '18', '25'],
      ],
      '[436] the first that applies': [
        [{ type: 'loadByInterval', interval: fifthToFifteenth }, none, all],
        ['05', '10'],
      ],
    }),
  )('%s decides what is loaded', async (_, [rules, days]) => {
    expect(await loadedUnder(...rules)).toEqual(days);
  });

  const shownAs = async (rule: object) => {
    await set(rule);
    return (await get(`${coordinator}/rules/ruled`)).body[0];
  };

  test('[234] the rule by default is loadForever', async () => {
    expect((await get(`${coordinator}/rules`)).body._default).toMatchObject([
      { type: 'loadForever' },
    ]);
  });

  test('[246] tieredReplicants is a map of tiers, and may be left out', async () => {
    expect(await shownAs({ ...all, tieredReplicants: { hot: 1, _default_tier: 0 } })).toMatchObject(
      {
        tieredReplicants: { hot: 1, _default_tier: 0 },
      },
    );
    expect((await set(all)).status).toBe(200);
    expect((await set({ ...all, tieredReplicants: 'hot' })).status).toBe(400);
  });

  test('[247] a number of replicas is 0 or more', async () => {
    const status = async (hot: unknown) =>
      (await set({ ...all, tieredReplicants: { hot } })).status;
    expect([
      await status(0),
      await status(2),
      await status(-1),
      await status(1.5),
      await status('few'),
    ]).toEqual([200, 200, 400, 400, 400]);
  });

  test('[248] useDefaultTierForNull is true by default', async () => {
    expect(await shownAs(all)).toMatchObject({ useDefaultTierForNull: true });
  });

  test('[249] useDefaultTierForNull matters only where tieredReplicants is absent or null', async () => {
    const replicants = async (rule: object) =>
      (await shownAs({ ...all, ...rule })).tieredReplicants;
    for (const useDefaultTierForNull of [true, false]) {
      expect(await replicants({ useDefaultTierForNull, tieredReplicants: { hot: 1 } })).toEqual({
        hot: 1,
      });
      expect(await replicants({ useDefaultTierForNull, tieredReplicants: null })).toEqual(
        await replicants({ useDefaultTierForNull }),
      );
    }
  });

  test('[250] with it, the default tier has 2 replicas', async () => {
    expect((await shownAs({ ...all, useDefaultTierForNull: true })).tieredReplicants).toEqual({
      _default_tier: 2,
    });
  });

  test('[251] without it, no tier has any', async () => {
    expect((await shownAs({ ...all, useDefaultTierForNull: false })).tieredReplicants).toEqual({});
  });

  test('[252] a single tier is the default tier', async () => {
    expect((await get(`${coordinator}/tiers`)).body).toEqual(['_default_tier']);
  });

  test('[253] a tier that no rule names is empty until one does', async () => {
    await set({ ...all, tieredReplicants: { _default_tier: 1 } });
    const wanted = async () => Object.keys((await get(`${coordinator}/loadstatus?full`)).body);
    expect(await wanted()).not.toContain('hot');
    await set({ ...all, tieredReplicants: { _default_tier: 1, hot: 1 } });
    expect(await wanted()).toContain('hot');
  });

  test('[254] a period is one of ISO 8601', async () => {
    const status = async (period: string) => (await set({ type: 'loadByPeriod', period })).status;
    expect([
      await status('P1Y2M3DT4H'),
      await status('PT1H'),
      await status('a month'),
      await status('30'),
    ]).toEqual([200, 200, 400, 400]);
  });

  test('[255] includeFuture: what overlaps the period, or starts after its start', async () => {
    expect(
      await loadedUnder({ type: 'loadByPeriod', period: 'PT36H', includeFuture: true }, none),
    ).toEqual(['25']);
    expect(
      await loadedUnder({ type: 'loadByPeriod', period: 'PT37H', includeFuture: true }, none),
    ).toEqual(['18', '25']);
  });

  test('[258] to drop what is before a period and load the rest is to load the period with the future and drop the rest', async () => {
    for (const period of ['P1D', 'P5D', 'PT60H', 'P11D', 'P1M']) {
      const dropped = await loadedUnder({ type: 'dropBeforeByPeriod', period }, all);
      expect(
        await loadedUnder({ type: 'loadByPeriod', period, includeFuture: true }, none),
      ).toEqual(dropped);
    }
  });
});

describe('an audit entry', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the test is about
  let [ofRules, ofCoordinator, ofWorker]: any[] = [];
  beforeAll(async () => {
    const headers = { 'x-svc-author': 'ann', 'x-svc-comment': 'because' };
    await post(`${coordinator}/rules/audited`, [{ type: 'loadForever' }], { headers });
    await post(`${coordinator}/config`, { maxSegmentsToMove: 31 }, { headers });
    await post('/svc/indexer/v1/worker', { selectStrategy: { type: 'fillCapacity' } }, { headers });
    const last = async (path: string) => (await get(path)).body.at(-1);
    ofRules = await last(`${coordinator}/rules/audited/history`);
    ofCoordinator = await last(`${coordinator}/config/history`);
    ofWorker = await last('/svc/indexer/v1/worker/history');
  });

  test('[260, 265] key: for rules the datasource', () => expect(ofRules.key).toBe('audited'));
  test('[261] type', () => expect(ofRules.type).toBe('rules'));
  test('[262, 434] auditInfo: author and comment of the headers, and ip', () =>
    expect(ofRules.auditInfo).toMatchObject({
      author: 'ann',
      comment: 'because',
      ip: '127.0.0.1',
    }));
  test('[263] payload: JSON as text', () =>
    expect(JSON.parse(ofRules.payload)).toMatchObject([{ type: 'loadForever' }]));
  test('[264] auditTime', () => expect(ofRules.auditTime).toMatch(isoTime));
  test('[266] key coordinator.config', () => expect(ofCoordinator.key).toBe('coordinator.config'));
  test('[267] key worker.config', () => expect(ofWorker.key).toBe('worker.config'));
});

const compactionOf = async (rest: object) => {
  const { status, text } = await post(`${coordinator}/config/compaction`, {
    dataSource: 'wiki',
    ...rest,
  });
  expect(status, text).toBe(200);
  return (await get(`${coordinator}/config/compaction/wiki`)).body;
};

describe('a configuration of compaction', () => {
  test('[268] needs the dataSource only', async () => {
    expect((await post(`${coordinator}/config/compaction`, { dataSource: 'wiki' })).status).toBe(
      200,
    );
    expect((await post(`${coordinator}/config/compaction`, { taskPriority: 1 })).status).toBe(400);
  });

  test('[269] has defaults for all others', async () => {
    expect(await compactionOf({})).toMatchObject({
      taskPriority: 25,
      skipOffsetFromLatest: 'P1D',
      inputSegmentSizeBytes: expect.anything(),
    });
  });

  const tuning = {
    type: 'index_parallel',
    maxRowsInMemory: null,
    partitionsSpec: { type: 'dynamic', maxRowsPerSegment: 9, maxTotalRows: 99 },
  };
  test.each<[string, [object, object?]]>(
    Object.entries({
      '[270] taskPriority': [{ taskPriority: 31 }],
      '[271] inputSegmentSizeBytes': [{ inputSegmentSizeBytes: 123_456 }],
      '[272] maxRowsPerSegment': [{ maxRowsPerSegment: 77 }],
      '[273] skipOffsetFromLatest': [{ skipOffsetFromLatest: 'P3D' }],
      '[274] tuningConfig, whose fields may be null': [{ tuningConfig: tuning }],
      '[275] partitionsSpec with type, maxRowsPerSegment, maxTotalRows': [
        { tuningConfig: { partitionsSpec: tuning.partitionsSpec } },
      ],
      '[276] type and forceGuaranteedRollup of the tuningConfig': [
        {
          tuningConfig: {
            type: 'index_parallel',
            partitionsSpec: { type: 'hashed', numShards: 2 },
          },
        },
        { tuningConfig: { type: 'index_parallel', forceGuaranteedRollup: true } },
      ],
      '[277] granularitySpec': [
        { granularitySpec: { segmentGranularity: 'MONTH', queryGranularity: 'DAY', rollup: true } },
      ],
      '[278] dimensionsSpec': [{ dimensionsSpec: { dimensions: [{ type: 'long', name: 'n' }] } }],
      '[279] metricsSpec': [{ metricsSpec: [{ type: 'longSum', name: 'n', fieldName: 'n' }] }],
      '[280] transformSpec': [
        { transformSpec: { filter: { type: 'selector', dimension: 'page', value: 'a' } } },
      ],
      '[281] ioConfig': [{ ioConfig: { dropExisting: true } }],
      '[282] taskContext': [{ taskContext: { note: 'mine' } }],
    }),
  )('%s is kept', async (_, [given, shown = given]) => {
    expect(await compactionOf(given)).toMatchObject(shown);
  });

  test('[288, 289, 290, 695, 696] the settings that all share', async () => {
    expect((await get(`${coordinator}/config/compaction`)).body).toMatchObject({
      compactionTaskSlotRatio: 0.1,
      maxCompactionTaskSlots: 2_147_483_647,
      useAutoScaleSlots: false,
    });
  });
});

describe('the status of compaction', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the test is about
  let status: any;
  beforeAll(async () => {
    await load('small', ['01', '02', '18']);
    await ingest(
      `INSERT INTO "small" SELECT TIMESTAMP '2024-01-01' AS __time, 'more' AS page, 1 AS n PARTITIONED BY DAY`,
    );
    await post(`${coordinator}/config/compaction`, { dataSource: 'small' });
    [status] = (await get(`${coordinator}/compaction/status?dataSource=small`)).body.latestStatus;
  });

  test('[283] dataSource', () => expect(status.dataSource).toBe('small'));
  test('[284, 347, 348] scheduleStatus: RUNNING with a configuration, NOT_ENABLED without', async () => {
    expect(status.scheduleStatus).toBe('RUNNING');
    await remove(`${coordinator}/config/compaction/small`);
    const [after] = (await get(`${coordinator}/compaction/status?dataSource=small`)).body
      .latestStatus;
    expect(after.scheduleStatus).toBe('NOT_ENABLED');
  });
  test('[285] bytes awaiting compaction, compacted, skipped', () =>
    expect([
      status.bytesAwaitingCompaction > 0,
      status.bytesCompacted,
      status.bytesSkipped > 0,
    ]).toEqual([true, 0, true]));
  test('[286] segments awaiting compaction, compacted, skipped', () =>
    expect(status).toMatchObject({
      segmentCountAwaitingCompaction: 3,
      segmentCountCompacted: 0,
      segmentCountSkipped: 1,
    }));
  test('[287] intervals awaiting compaction, compacted, skipped', () =>
    expect(status).toMatchObject({
      intervalCountAwaitingCompaction: 2,
      intervalCountCompacted: 0,
      intervalCountSkipped: 1,
    }));
});

test.each<[string, object]>(
  Object.entries({
    '[291] millisToWaitBeforeDeleting': { millisToWaitBeforeDeleting: 8_000_000 },
    '[292] mergeBytesLimit': { mergeBytesLimit: 1_000_001 },
    '[293] mergeSegmentsLimit': { mergeSegmentsLimit: 11 },
    '[294] maxSegmentsToMove': { maxSegmentsToMove: 12 },
    '[295] percentOfSegmentsToConsiderPerMove': { percentOfSegmentsToConsiderPerMove: 13 },
    '[296] useBatchedSegmentSampler': { useBatchedSegmentSampler: false },
    '[297] replicantLifetime': { replicantLifetime: 14 },
    '[298] replicationThrottleLimit': { replicationThrottleLimit: 15 },
    '[299] balancerComputeThreads': { balancerComputeThreads: 2 },
    '[300] emitBalancingStats': { emitBalancingStats: true },
    '[301] killDataSourceWhitelist': { killDataSourceWhitelist: ['a', 'b'] },
    '[302] killPendingSegmentsSkipList': { killPendingSegmentsSkipList: ['c'] },
    '[303] maxSegmentsInNodeLoadingQueue': { maxSegmentsInNodeLoadingQueue: 16 },
    '[304] decommissioningNodes': { decommissioningNodes: ['elsewhere:1'] },
    '[305] decommissioningMaxPercentOfMaxSegmentsToMove': {
      decommissioningMaxPercentOfMaxSegmentsToMove: 17,
    },
    '[306] pauseCoordination': { pauseCoordination: true },
    '[307] replicateAfterLoadTimeout': { replicateAfterLoadTimeout: true },
    '[308] maxNonPrimaryReplicantsToLoad': { maxNonPrimaryReplicantsToLoad: 18 },
    '[309] useRoundRobinSegmentAssignment': { useRoundRobinSegmentAssignment: false },
    '[310] smartSegmentLoading': { smartSegmentLoading: false },
    '[311] debugDimensions': { debugDimensions: { dataSource: 'a' } },
  }),
)('%s is a field of the configuration of the Coordinator', async (_, change) => {
  const [name = ''] = Object.keys(change);
  const before = (await get(`${coordinator}/config`)).body;
  expect(before).toHaveProperty(name);
  expect(before).not.toMatchObject(change);
  expect((await post(`${coordinator}/config`, change)).status).toBe(200);
  expect((await get(`${coordinator}/config`)).body).toMatchObject(change);
  await post(`${coordinator}/config`, { [name]: before[name] });
});

describe('the Overlord and its workers', () => {
  const categoryMap = { noop: { defaultCategory: 'large', categoryAffinity: { a: 'small' } } };
  const strategy = {
    type: 'equalDistributionWithCategorySpec',
    workerCategorySpec: { categoryMap, strong: true },
  };
  const configured = async () => {
    await post('/svc/indexer/v1/worker', { type: 'default', selectStrategy: strategy });
    return (await get('/svc/indexer/v1/worker')).body;
  };
  test('[312] its configuration has a type', async () =>
    expect((await configured()).type).toBe('default'));
  test('[313] a selectStrategy with a type', async () =>
    expect((await configured()).selectStrategy.type).toBe('equalDistributionWithCategorySpec'));
  test('[314] a workerCategorySpec with categoryMap and strong', async () =>
    expect((await configured()).selectStrategy.workerCategorySpec).toMatchObject({
      categoryMap,
      strong: true,
    }));
  test('[315] an autoScaler, which may be null', async () =>
    expect((await configured()).autoScaler).toBeNull());

  describe('a worker', () => {
    // biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the test is about
    let [shown, idle]: any[] = [];
    beforeAll(async () => {
      await post('/svc/indexer/v1/worker', { selectStrategy: { type: 'fillCapacity' } });
      await post('/svc/indexer/v1/task', noop('works'));
      await until(async () => (await get('/svc/indexer/v1/workers')).body[0].currCapacityUsed > 0);
      [shown] = (await get('/svc/indexer/v1/workers')).body;
      await post('/svc/indexer/v1/task/works/shutdown');
      await until(
        async () => (await get('/svc/indexer/v1/workers')).body[0].currCapacityUsed === 0,
      );
      [idle] = (await get('/svc/indexer/v1/workers')).body;
    });
    test('[317] host', () => expect(shown.worker.host).toMatch(/^127\.0\.0\.1:\d+$/));
    test('[319] capacity', () => expect(shown.worker.capacity).toBe(4));
    test('[320] version', async () =>
      expect(shown.worker.version).toBe((await get('/status')).body.version));
    test('[321] category', () => expect(shown.worker.category).toBe('_default_worker_category'));
    test('[322] currCapacityUsed', () =>
      expect([shown.currCapacityUsed, idle.currCapacityUsed]).toEqual([1, 0]));
    test('[323] currParallelIndexCapacityUsed', () =>
      expect(shown.currParallelIndexCapacityUsed).toBe(0));
    test('[324] availabilityGroups', () =>
      expect([shown.availabilityGroups, idle.availabilityGroups]).toEqual([['works'], []]));
    test('[325] runningTasks', () =>
      expect([shown.runningTasks, idle.runningTasks]).toEqual([['works'], []]));
    test('[326] lastCompletedTaskTime', () => expect(idle.lastCompletedTaskTime).toMatch(isoTime));
  });
});
