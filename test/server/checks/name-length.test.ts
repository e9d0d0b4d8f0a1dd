// Names and ids that requests give: all of them have an end.
import { expect, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const long = 'x'.repeat(1001);
const coordinator = '/svc/coordinator/v1';
const lookup = { version: 'v1', lookupExtractorFactory: { type: 'map', map: { a: 'b' } } };
const sql = { query: 'SELECT 1' };
const ingestion = (dataSource: string) => ({
  dataSchema: {
    dataSource,
    timestampSpec: { column: 't' },
    dimensionsSpec: {},
    granularitySpec: {},
  },
  ioConfig: {
    type: 'index_parallel',
    inputSource: { type: 'inline', data: '{}' },
    inputFormat: { type: 'json' },
  },
});

test.each<[what: string, path: string, body: object]>([
  ['a task', '/svc/indexer/v1/task', { type: 'noop', id: long }],
  ['a group of tasks', '/svc/indexer/v1/task', { type: 'noop', groupId: long }],
  [
    'a datasource of a task',
    '/svc/indexer/v1/task',
    { type: 'index_parallel', spec: ingestion(long) },
  ],
  ['a datasource of compaction', `${coordinator}/config/compaction`, { dataSource: long }],
  [
    'a datasource of rules',
    `${coordinator}/rules/${long}`,
    [{ type: 'loadForever', tieredReplicants: {} }],
  ],
  [
    'a tier of rules',
    `${coordinator}/rules/wiki`,
    [{ type: 'loadForever', tieredReplicants: { [long]: 1 } }],
  ],
  ['a lookup', `${coordinator}/lookups/config`, { __default: { [long]: lookup } }],
  ['a lookup in a path', `${coordinator}/lookups/config/__default/${long}`, lookup],
  ['a tier of lookups', `${coordinator}/lookups/config`, { [long]: { a: lookup } }],
  [
    'a version of a lookup',
    `${coordinator}/lookups/config`,
    { __default: { a: { ...lookup, version: long } } },
  ],
  ['a supervisor', '/svc/indexer/v1/supervisor', { type: 'noop', id: long }],
  [
    'a datasource of a supervisor',
    '/svc/indexer/v1/supervisor',
    { type: 'noop', id: 'a', dataSources: ['b', long] },
  ],
  ['a SQL query', '/svc/v2/sql', { ...sql, context: { sqlQueryId: long } }],
  [
    'a statement',
    '/svc/v2/sql/statements',
    { ...sql, context: { executionMode: 'ASYNC', sqlQueryId: long } },
  ],
  ['a SQL task', '/svc/v2/sql/task', { ...sql, context: { sqlQueryId: long } }],
  [
    'a native query',
    '/svc/v2/',
    { queryType: 'dataSourceMetadata', dataSource: 'a', context: { queryId: long } },
  ],
  ['anything in a path', `${coordinator}/rules/${'x'.repeat(3001)}`, []],
])('the name of %s is refused where it is too long', async (_, path, body) => {
  const { post } = api(await startService());
  if (path.includes('lookups')) await post(`${coordinator}/lookups/config`, {});
  const { status, body: said } = await post(path, body);
  expect(status).toBe(400);
  expect(JSON.stringify(said)).toMatch(
    /Limit \[(n|pathN)ameLength] exceeded in \[.*]: \[\d+] of at most/,
  );
});

test('a name as long as a name may be is taken', async () => {
  const { post, get } = api(await startService());
  const id = 'x'.repeat(1000);
  expect((await post('/svc/indexer/v1/task', { type: 'noop', id })).body).toEqual({ task: id });
  expect((await get(`/svc/indexer/v1/task/${id}/status`)).status).toBe(200);
});
