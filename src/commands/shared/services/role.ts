// Roles of servers, each with a path whose reply identifies it.
export type RoleOfService = (typeof signs)[number]['role'];

export const signs = [
  {
    role: 'Router',
    path: '/router/v1/brokers',
    isIt: (body: object) => Object.values(body).every((hosts) => Array.isArray(hosts)),
  },
  {
    role: 'Coordinator',
    path: '/coordinator/v1/isLeader',
    isIt: (body: object) => 'leader' in body,
  },
  { role: 'Overlord', path: '/indexer/v1/isLeader', isIt: (body: object) => 'leader' in body },
  {
    role: 'Broker',
    path: '/broker/v1/loadstatus',
    isIt: (body: object) => 'inventoryInitialized' in body,
  },
  {
    role: 'Historical',
    path: '/historical/v1/loadstatus',
    isIt: (body: object) => 'cacheInitialized' in body,
  },
  {
    role: 'MiddleManager',
    path: '/worker/v1/enabled',
    isIt: (body: object) => Object.values(body).some((on) => typeof on === 'boolean'),
  },
] as const;
