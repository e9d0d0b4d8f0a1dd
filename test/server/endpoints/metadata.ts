import type { CasesOf } from './cases.ts';

const unheardOf = { params: { dataSource: 'unheard-of' }, says: '' };

export const metadata: CasesOf<'metadata'> = {
  datasources: { success: { shows: ['wiki'] } },
  datasource: {
    success: { shows: { name: 'wiki', segments: [{}, {}, {}] } },
    refusals: { notFound: unheardOf },
  },
  segmentsOf: {
    success: { shows: /^\["wiki_2024-01-01.*wiki_2024-01-03[^"]*"\]$/ },
    refusals: { notFound: unheardOf },
  },
  segmentsIn: {
    success: {
      query: { full: '' },
      body: ['2024-01-02/2024-01-03'],
      shows: [
        { dataSource: 'wiki', interval: '2024-01-02T00:00:00.000Z/2024-01-03T00:00:00.000Z' },
      ],
    },
  },
  segment: {
    success: { shows: { dataSource: 'wiki' } },
    refusals: { notFound: { params: { segmentId: 'wiki_2024-01-01_2024-01-02_v' }, says: '' } },
  },
  unusedSegments: {
    success: async ({ ask, load }) => {
      await load('old', '01', '02');
      await ask('DELETE /svc/coordinator/v1/datasources/old');
      return {
        params: { dataSource: 'old' },
        query: { sortOrder: 'DESC', limit: '1' },
        shows: [{ dataSegment: { dataSource: 'old' } }],
      };
    },
    refusals: { invalidInput: { query: { sortOrder: 'sideways' }, says: 'SortOrder' } },
  },
  segments: {
    success: {
      query: { datasources: 'wiki', includeOvershadowedStatus: '' },
      shows: [{ overshadowed: false }, {}, {}],
    },
    refusals: { invalidInput: { query: { includeRealtimeSegments: '' } } },
  },
  schemas: {
    success: {
      body: ['wiki'],
      shows: [{ dataSource: 'wiki', rowSignature: [{ name: '__time', type: 'LONG' }, {}, {}] }],
    },
    refusals: { notFound: { service: 'druid', body: ['wiki'], says: '' } },
  },
  bootstrapSegments: {
    success: async ({ ask }) => {
      await ask('POST /svc/coordinator/v1/rules/wiki', [{ type: 'broadcastForever' }]);
      return { shows: [{ dataSource: 'wiki' }, {}, {}] };
    },
  },
};
