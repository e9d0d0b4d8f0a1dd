import { empty, endpoint, json, state } from './endpoint.ts';
import { object, truth } from './schema.ts';

export const historical = {
  loadStatus: endpoint({
    summary: 'Has the Historical loaded its segments?',
    role: 'historical',
    method: 'GET',
    path: '/svc/historical/v1/loadstatus',
    reply: json(object({ cacheInitialized: truth })),
    permission: state('READ'),
  }),
  readiness: endpoint({
    summary: 'Is the Historical ready for queries?',
    role: 'historical',
    method: 'GET',
    path: '/svc/historical/v1/readiness',
    reply: { ...empty, also: [503] },
    permission: 'open',
  }),
};
