// Every endpoint that the specification's tables list, read from there by a person and typed here
// once more.
import { expect, test } from 'vitest';
import type { Endpoint } from '../../src/contract/endpoint.ts';
import { areas, namesOf } from '../../src/contract/index.ts';

const specified = {
  'SQL queries': ['POST /svc/v2/sql', 'DELETE /svc/v2/sql/:sqlQueryId'],
  'Asynchronous statements': [
    'POST /svc/v2/sql/statements',
    'GET /svc/v2/sql/statements/:queryId',
    'GET /svc/v2/sql/statements/:queryId/results',
    'DELETE /svc/v2/sql/statements/:queryId',
  ],
  'Native queries': ['POST /svc/v2/', 'POST /svc/v2/candidates'],
  'Retention rules': [
    'POST /svc/coordinator/v1/rules/:dataSource',
    'POST /svc/coordinator/v1/rules/_default',
    'GET /svc/coordinator/v1/rules',
    'GET /svc/coordinator/v1/rules/:dataSource',
    'GET /svc/coordinator/v1/rules/history',
  ],
  'Automatic compaction': [
    'POST /svc/coordinator/v1/config/compaction',
    'DELETE /svc/coordinator/v1/config/compaction/:dataSource',
    'POST /svc/coordinator/v1/config/compaction/taskslots',
    'GET /svc/coordinator/v1/config/compaction',
    'GET /svc/coordinator/v1/config/compaction/:dataSource',
    'GET /svc/coordinator/v1/config/compaction/:dataSource/history',
    'GET /svc/coordinator/v1/compaction/progress',
    'GET /svc/coordinator/v1/compaction/status',
  ],
  'Dynamic configuration': [
    'GET /svc/coordinator/v1/config',
    'POST /svc/coordinator/v1/config',
    'GET /svc/coordinator/v1/config/history',
    'GET /svc/indexer/v1/worker',
    'POST /svc/indexer/v1/worker',
    'GET /svc/indexer/v1/worker/history',
    'GET /svc/indexer/v1/workers',
    'GET /svc/indexer/v1/scaling',
  ],
  'Segment management': [
    'DELETE /svc/coordinator/v1/datasources/:datasource/segments/:segmentId',
    'POST /svc/coordinator/v1/datasources/:datasource/segments/:segmentId',
    'POST /svc/coordinator/v1/datasources/:datasource/markUnused',
    'POST /svc/coordinator/v1/datasources/:datasource/markUsed',
    'DELETE /svc/coordinator/v1/datasources/:datasource',
    'POST /svc/coordinator/v1/datasources/:datasource',
    'DELETE /svc/coordinator/v1/datasources/:datasource/intervals/:interval',
  ],
  Tasks: [
    'GET /svc/indexer/v1/tasks',
    'GET /svc/indexer/v1/completeTasks',
    'GET /svc/indexer/v1/runningTasks',
    'GET /svc/indexer/v1/waitingTasks',
    'GET /svc/indexer/v1/pendingTasks',
    'GET /svc/indexer/v1/task/:taskId',
    'GET /svc/indexer/v1/task/:taskId/status',
    'GET /svc/indexer/v1/task/:taskId/segments',
    'GET /svc/indexer/v1/task/:taskId/log',
    'GET /svc/indexer/v1/task/:taskId/reports',
    'POST /svc/indexer/v1/task/:taskId/shutdown',
    'POST /svc/v2/sql/task',
  ],
  'Tasks on a MiddleManager': [
    'GET /svc/worker/v1/enabled',
    'GET /svc/worker/v1/tasks',
    'GET /svc/worker/v1/task/:taskId/log',
    'POST /svc/worker/v1/task/:taskId/shutdown',
    'POST /svc/worker/v1/disable',
    'POST /svc/worker/v1/enable',
  ],
  Supervisors: [
    'GET /svc/indexer/v1/supervisor',
    'GET /svc/indexer/v1/supervisor/:supervisorId',
    'GET /svc/indexer/v1/supervisor/:supervisorId/status',
    'POST /svc/indexer/v1/supervisor/:supervisorId/resetOffsets',
    'POST /svc/indexer/v1/supervisor/:supervisorId/terminate',
    'POST /svc/indexer/v1/supervisor/terminateAll',
    'POST /svc/indexer/v1/supervisor/:supervisorId/shutdown',
  ],
  'Service status': [
    'GET /status',
    'GET /status/health',
    'GET /status/properties',
    'GET /status/selfDiscovered/status',
    'GET /status/selfDiscovered',
    'GET /svc/coordinator/v1/leader',
    'GET /svc/coordinator/v1/isLeader',
    'GET /svc/indexer/v1/leader',
    'GET /svc/indexer/v1/isLeader',
    'GET /svc/historical/v1/loadstatus',
    'GET /svc/historical/v1/readiness',
    'GET /svc/broker/v1/loadstatus',
    'GET /svc/broker/v1/readiness',
  ],
  'Legacy metadata': [
    'GET /svc/coordinator/v1/loadstatus',
    'GET /svc/coordinator/v1/loadqueue',
    'GET /svc/coordinator/v1/datasources/:dataSource/loadstatus',
    'GET /svc/coordinator/v1/metadata/segments',
    'GET /svc/coordinator/v1/metadata/datasources',
    'GET /svc/coordinator/v1/metadata/datasources/:dataSource',
    'GET /svc/coordinator/v1/metadata/datasources/:dataSource/segments',
    'GET /svc/coordinator/v1/metadata/datasources/:dataSource/segments/:segmentId',
    'POST /svc/coordinator/v1/metadata/dataSourceInformation',
    'GET /svc/coordinator/v1/datasources',
    'GET /svc/coordinator/v1/datasources/:dataSource',
    'GET /svc/coordinator/v1/datasources/:dataSource/intervals',
    'GET /svc/coordinator/v1/datasources/:dataSource/intervals/:interval',
    'GET /svc/coordinator/v1/datasources/:dataSource/intervals/:interval/serverview',
    'GET /svc/coordinator/v1/datasources/:dataSource/segments',
    'GET /svc/coordinator/v1/datasources/:dataSource/segments/:segmentId',
    'GET /svc/coordinator/v1/datasources/:dataSource/tiers',
    'GET /svc/coordinator/v1/intervals',
    'GET /svc/coordinator/v1/intervals/:interval',
    'GET /svc/coordinator/v1/servers',
    'GET /svc/v2/datasources',
    'GET /svc/v2/datasources/:dataSource',
    'GET /svc/v2/datasources/:dataSource/dimensions',
    'GET /svc/v2/datasources/:dataSource/metrics',
    'GET /svc/v2/datasources/:dataSource/candidates',
  ],
  'Security management': [
    'POST /svc-ext/basic-security/authentication/db/:authenticator/users/:username',
    'POST /svc-ext/basic-security/authentication/db/:authenticator/users/:username/credentials',
    'POST /svc-ext/basic-security/authorization/db/:authorizer/users/:username',
    'POST /svc-ext/basic-security/authorization/db/:authorizer/roles/:role',
    'GET /svc-ext/basic-security/authorization/db/:authorizer/roles',
    'POST /svc-ext/basic-security/authorization/db/:authorizer/users/:username/roles/:role',
    'POST /svc-ext/basic-security/authorization/db/:authorizer/roles/:role/permissions',
    'POST /svc-ext/basic-security/authorization/db/:authorizer/groupMappings/:mapping',
    'GET /svc-ext/basic-security/authorization/db/:authorizer/groupMappings',
    'GET /svc-ext/basic-security/authorization/db/:authorizer/groupMappings/:mapping',
    'POST /svc-ext/basic-security/authorization/db/:authorizer/groupMappings/:mapping/roles/:role',
  ],
};

// What parameters are called is nobody's business but ours.
const shape = (methodAndPath: string) => methodAndPath.replace(/:\w+/g, ':');
const shapesOf = ({ method, path, aliases = [] }: Endpoint) =>
  [path, ...aliases].map((each) => shape(`${method} ${each}`));

const all = [...namesOf.keys()];

test.each(Object.entries(specified))(
  'the contract has all endpoints of the section %s',
  (_, listed) => {
    const known = new Set(all.flatMap(shapesOf));
    expect(listed.filter((each) => !known.has(shape(each)))).toEqual([]);
  },
);

test('no method and path is declared twice', () => {
  const shapes = all.flatMap(shapesOf);
  expect(shapes.filter((each, index) => shapes.indexOf(each) !== index)).toEqual([]);
});

test.each([...namesOf].map(([endpoint, name]) => ({ name, ...endpoint })))(
  '$name is complete',
  ({ path, aliases = [], ...endpoint }) => {
    const paramsIn = (template: string) =>
      [...template.matchAll(/:(\w+)/g)].map(([, param]) => param);
    // A handler reads the same parameters
    for (const alias of aliases) expect(paramsIn(alias)).toEqual(paramsIn(path));
    expect(endpoint.summary).toMatch(/^[A-Z].*[^.\n]$/);
    if (typeof endpoint.permission === 'object' && 'param' in endpoint.permission) {
      expect(paramsIn(path)).toContain(endpoint.permission.param);
    }
    if (endpoint.method === 'GET') expect(endpoint.idempotent).toBeUndefined(); // a GET is, anyway
  },
);

test('every area has a file of its own name', async () => {
  for (const [area, endpoints] of Object.entries(areas)) {
    const file = area.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    const own: Record<string, unknown> = await import(`../../src/contract/${file}.ts`);
    expect(own[area]).toBe(endpoints);
  }
});
