import type { CasesOf } from './cases.ts';

const inJanuary = { interval: '2024-01-01/2024-02-01' };

export const broker: CasesOf<'broker'> = {
  datasources: { success: { shows: ['wiki'] } },
  datasource: { success: { query: inJanuary, shows: { dimensions: ['page', 'n'], metrics: [] } } },
  dimensions: { success: { query: inJanuary, shows: ['page', 'n'] } },
  metrics: { success: { query: inJanuary, shows: [] } },
  candidates: {
    success: {
      query: { intervals: '2024-01-01/2024-01-03' },
      shows: [{ partitionNumber: 0 }, { locations: [{ type: 'historical' }] }],
    },
    refusals: { runtimeFailure: { says: 'as in intervals=START/END' } },
  },
  loadStatus: { success: { shows: { inventoryInitialized: true } } },
  readiness: { success: {} },
};
