import type { CasesOf, World } from './cases.ts';

const settings = (dataSource = 'wiki') => ({ dataSource, skipOffsetFromLatest: 'P1D' });
const unheardOf = {
  params: { dataSource: 'unheard-of' },
  says: 'Datasource compaction config does not exist',
};
const unknown = { dataSource: 'unheard-of' };
const withOtherEngine = {
  body: { ...settings(), engine: 'msq' },
  says: 'MSQ engine is supported only with supervisor-based compaction',
};
const history = {
  invalidInput: { query: { interval: 'nonsense' }, says: 'Invalid interval[nonsense]' },
  notFound: { query: { count: '99999999999' }, service: 'druid' },
  runtimeFailure: {
    service: 'druid',
    query: { count: '0' },
    says: 'Could not fetch audit entries',
  },
} as const;
const isSet = async ({ ask }: World) =>
  void (await ask('POST /svc/coordinator/v1/config/compaction', settings()));

export const compaction: CasesOf<'compaction'> = {
  set: { success: { body: settings() }, refusals: { invalidInput: withOtherEngine } },
  list: {
    success: {
      shows: { compactionConfigs: [{ dataSource: 'wiki' }], maxCompactionTaskSlots: 2_147_483_647 },
    },
  },
  get: {
    success: { shows: { dataSource: 'wiki', taskPriority: 25 } },
    refusals: { notFound: unheardOf },
  },
  setTaskSlots: {
    success: { query: { ratio: '0.5', max: '3' } },
    refusals: {
      notFound: { query: { max: '0' }, says: 'Parameter [max] is [0], which is not between' },
    },
  },
  history: {
    success: { query: { count: '1' }, shows: [{ compactionConfig: { dataSource: 'wiki' } }] },
    refusals: history,
  },
  progress: {
    success: { query: { dataSource: 'wiki' }, shows: /"remainingSegmentSize":\d+/ },
    refusals: {
      invalidInput: { says: 'No DataSource specified' },
      notFound: { query: unknown, says: 'Unknown DataSource' },
    },
  },
  status: {
    success: { shows: { latestStatus: [{ dataSource: 'wiki' }] } },
    refusals: { notFound: { query: unknown, says: 'Unknown DataSource' } },
  },
  run: { success: {} },
  simulate: { success: { body: { maxCompactionTaskSlots: 5 }, shows: /compactionStates/ } },
  isSupervised: { success: { shows: true } },
  setCluster: { success: { body: { maxCompactionTaskSlots: 7 } } },
  getCluster: { success: { shows: { maxCompactionTaskSlots: 7 } } },
  supervisedStatus: { success: { shows: { latestStatus: [{ dataSource: 'wiki' }] } } },
  supervisedStatusOf: {
    success: { shows: { dataSource: 'wiki' } },
    refusals: { notFound: { params: unknown, says: 'Unknown DataSource' } },
  },
  listSupervised: { success: { shows: { compactionConfigs: [{ dataSource: 'wiki' }] } } },
  setSupervised: {
    success: { body: settings() },
    refusals: {
      invalidInput: { body: settings('other'), says: 'does not match name in URL[wiki]' },
    },
  },
  getSupervised: { success: { shows: { dataSource: 'wiki' } }, refusals: { notFound: unheardOf } },
  supervisedHistory: {
    success: {
      query: { count: '1' },
      shows: { entries: [{ compactionConfig: { dataSource: 'wiki' } }] },
    },
    refusals: history,
  },
  simulateSupervised: { success: { shows: /compactionStates/ } },
  removeSupervised: { success: {}, refusals: { notFound: unheardOf } },
  remove: {
    success: async (world) => {
      await isSet(world);
      return {};
    },
    refusals: { notFound: unheardOf },
  },
};
