import type { CasesOf } from './cases.ts';

const newestFirst = /^\["2024-01-03.*2024-01-01T00:00:00.000Z\/2024-01-02T00:00:00.000Z"\]$/;

export const datasources: CasesOf<'datasources'> = {
  list: { success: { shows: ['wiki'] } },
  get: { success: { shows: { segments: { count: 3, minTime: '2024-01-01T00:00:00.000Z' } } } },
  intervals: { success: { shows: newestFirst } },
  interval: {
    success: {
      query: { simple: '' },
      shows: { '2024-01-01T00:00:00.000Z/2024-01-02T00:00:00.000Z': { count: 1 } },
    },
  },
  serverView: {
    success: {
      shows: [{ segment: { dataSource: 'wiki' }, servers: [{ type: 'historical' }] }, {}],
    },
  },
  segments: { success: { query: { full: '' }, shows: [{ dataSource: 'wiki' }, {}, {}] } },
  segment: { success: { shows: { metadata: { dataSource: 'wiki' } } } },
  tiers: { success: { shows: ['_default_tier'] } },
  loadStatus: {
    success: {
      query: { forceMetadataRefresh: 'true', interval: '2024-01-01/2024-02-01' },
      shows: { wiki: 100 },
    },
    refusals: { invalidInput: { says: 'forceMetadataRefresh must be specified' } },
  },
  handoffComplete: {
    success: {
      query: { interval: '2024-01-01/2024-01-02', partitionNumber: '0', version: 'v' },
      shows: /^(true|false)$/,
    },
  },
};
