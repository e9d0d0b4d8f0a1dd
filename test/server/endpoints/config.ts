import type { CasesOf } from './cases.ts';

const history = {
  success: { query: { count: '1' }, shows: [{ auditInfo: { identity: 'admin' } }] },
  refusals: {
    invalidInput: { query: { count: '0' }, says: 'Limit must be greater than zero!' },
    notFound: { query: { count: '99999999999' }, service: 'druid' },
  },
} as const;

export const config: CasesOf<'config'> = {
  set: {
    success: { body: { maxSegmentsToMove: 7 } },
    refusals: {
      invalidInput: { body: { killTaskSlotRatio: 2 }, says: 'killTaskSlotRatio [2] is invalid' },
    },
  },
  get: { success: { shows: { maxSegmentsToMove: 7 } } },
  history,
  syncedBrokers: { success: { shows: { syncedBrokers: [{ host: '127.0.0.1' }] } } },
  cloneStatus: { success: { shows: { cloneStatus: [] } } },
  setBroker: { success: { body: { any: 'thing' } } },
  getBroker: { success: { shows: { any: 'thing' } } },
  brokerHistory: history,
};
