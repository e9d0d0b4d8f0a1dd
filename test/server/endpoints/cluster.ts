import type { CasesOf, World } from './cases.ts';

const unknownServer = { params: { server: 'unknown:1' }, says: '' };
const historical = async ({ ask }: World) =>
  JSON.parse(await ask('GET /svc/coordinator/v1/servers'))[0];
const count = { '2024-01-01T00:00:00.000Z/2024-01-02T00:00:00.000Z': { wiki: { count: 1 } } };

export const cluster: CasesOf<'cluster'> = {
  coordinatorLeader: { success: { shows: /^http:\/\/127.0.0.1:\d+$/ } },
  isCoordinatorLeader: { success: { shows: { leader: true } } },
  overlordLeader: { success: { shows: /^http:\/\/127.0.0.1:\d+$/ } },
  isOverlordLeader: { success: { shows: { leader: true } } },
  loadStatus: { success: { shows: { wiki: 100 } } },
  loadQueue: { success: { query: { simple: '' }, shows: /"segmentsToLoad":0/ } },
  duties: { success: { shows: { dutyGroups: [{ name: 'HistoricalManagementDuties' }, {}, {}] } } },
  intervals: { success: { shows: count } },
  interval: { success: { query: { full: '' }, shows: count } },
  servers: { success: { shows: /^\["127.0.0.1:\d+"\]$/ } },
  server: {
    success: async (world) => ({
      params: { server: await historical(world) },
      shows: { type: 'historical' },
    }),
    refusals: { notFound: unknownServer },
  },
  serverSegments: {
    success: async (world) => ({
      params: { server: await historical(world) },
      query: { full: '' },
      shows: [{ dataSource: 'wiki' }, {}, {}],
    }),
    refusals: { notFound: unknownServer },
  },
  serverSegment: {
    success: async (world) => ({
      params: { server: await historical(world) },
      shows: { dataSource: 'wiki' },
    }),
    refusals: { notFound: unknownServer },
  },
  tiers: { success: { shows: ['_default_tier'] } },
  tier: { success: { shows: ['wiki'] } },
  nodes: { success: { shows: { coordinator: [{ service: 'svc/coordinator' }], router: [{}] } } },
  nodesOf: { success: { shows: [{ service: 'svc/historical' }] } },
};
