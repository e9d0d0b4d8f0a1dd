import type { CasesOf } from './cases.ts';

const forever = [{ type: 'loadForever' }];

export const rules: CasesOf<'rules'> = {
  list: { success: { shows: { _default: [{ type: 'loadForever' }] } } },
  set: {
    success: { body: [{ type: 'loadByPeriod', period: 'P1M' }, { type: 'dropForever' }] },
    refusals: {
      invalidInput: { body: [{ type: 'loadByPeriod' }], says: 'lacks [period]' },
      runtimeFailure: { text: 'null' },
    },
  },
  get: {
    success: {
      query: { full: '' },
      shows: [{ type: 'loadByPeriod' }, { type: 'dropForever' }, { type: 'loadForever' }],
    },
  },
  setDefault: {
    success: { body: forever },
    refusals: {
      invalidInput: { body: [{ type: 'loadByInterval' }], says: 'lacks [interval]' },
      runtimeFailure: { body: [{ type: 'nonsense' }], says: 'Invalid value for field' },
    },
  },
  history: {
    success: async ({ ask }) => {
      await ask('POST /svc/coordinator/v1/rules/wiki', forever);
      return {
        query: { count: '1' },
        shows: [{ key: 'wiki', type: 'rules', auditInfo: { identity: 'admin' } }],
      };
    },
    refusals: {
      invalidInput: { query: { count: '0' }, says: 'Limit must be greater than zero!' },
      notFound: {
        query: { count: '1000' },
        says: 'Parameter [count] is [1000], and the history has [',
      },
    },
  },
  allHistory: {
    success: { shows: /"key":"wiki"/ },
    refusals: {
      invalidInput: { query: { count: '0' }, says: 'Limit must be greater than zero!' },
      notFound: {
        query: { count: '1000' },
        says: 'Parameter [count] is [1000], and the history has [',
      },
    },
  },
};
