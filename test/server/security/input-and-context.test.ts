// Two restrictions that properties add: which types of input sources a user may read, and which
// keys of a query context they may set.
import { expect, test } from 'vitest';
import { streamSpec } from '../../support/supervisors.ts';
import { addUser, admin, allow, ask, ingest, startGuarded } from '../../support/users.ts';

const inline = { type: 'inline', data: '{"t":"2024-05-01","x":1}' };
const combined = {
  type: 'combining',
  delegates: [
    inline,
    { type: 'combining', delegates: [{ type: 'http', uris: ['http://127.0.0.1:1/'] }] },
  ],
};
const spec = (dataSource: string, inputSource: unknown) => ({
  dataSchema: {
    dataSource,
    timestampSpec: { column: 't', format: 'iso' },
    dimensionsSpec: {},
    granularitySpec: { segmentGranularity: 'DAY' },
  },
  ioConfig: { type: 'index_parallel', inputSource, inputFormat: { type: 'json' } },
});

test('with security of input sources a user reads only the types that a role names', async () => {
  const service = await startGuarded({
    properties: { 'svc.auth.enableInputSourceSecurity': 'true' },
  });
  const ann = await addUser(service, 'ann', [
    allow('WRITE', 'DATASOURCE', 'edits.*'),
    allow('WRITE', 'STATE', 'STATE'), // for the sampler
    allow('READ', 'EXTERNAL', 'inline'),
  ]);
  const extern = (source: unknown) =>
    `REPLACE INTO edits OVERWRITE ALL SELECT TIME_PARSE("t") AS __time, "x" FROM TABLE(EXTERN('${JSON.stringify(source)}', '{"type":"json"}')) EXTEND ("t" VARCHAR, "x" BIGINT) PARTITIONED BY DAY`;
  const asked = {
    task: (source: unknown) =>
      ask(service, ann, 'POST /svc/indexer/v1/task', {
        type: 'index_parallel',
        spec: spec('edits-2', source),
      }),
    sampler: (source: unknown) =>
      ask(service, ann, 'POST /svc/indexer/v1/sampler', {
        type: 'index_parallel',
        spec: spec('edits-3', source),
      }),
    sqlTask: (source: unknown) =>
      ask(service, ann, 'POST /svc/v2/sql/task', { query: extern(source) }),
    statement: (source: unknown) =>
      ask(service, ann, 'POST /svc/v2/sql/statements', {
        query: extern(source),
        context: { executionMode: 'ASYNC' },
      }),
    explain: (source: unknown) =>
      ask(service, ann, 'POST /svc/v2/sql/task', { query: `EXPLAIN PLAN FOR ${extern(source)}` }),
  };
  for (const [way, send] of Object.entries(asked)) {
    expect([way, (await send(inline)).status]).toEqual([way, 200]);
    for (const source of [
      { type: 'http', uris: ['http://127.0.0.1:1/'] },
      { type: 'local', baseDir: '/tmp', filter: '*' },
      combined,
    ])
      expect([way, source, (await send(source)).status]).toEqual([way, source, 403]);
  }
  const supervise = () =>
    ask(
      service,
      ann,
      'POST /svc/indexer/v1/supervisor',
      streamSpec({ dataSource: 'edits', suspended: true }),
    );
  expect((await supervise()).status).toBe(403);
  const wholeTask = { type: 'noop', dataSource: 'edits', runTime: 1 };
  expect((await ask(service, ann, 'POST /svc/indexer/v1/task', wholeTask)).status).toBe(200); // which reads nothing
});

test('without it EXTERNAL stands for all types, and only SQL asks for it', async () => {
  const service = await startGuarded();
  const bob = await addUser(service, 'bob', [allow('WRITE', 'DATASOURCE', 'edits')]);
  const task = await ask(service, bob, 'POST /svc/indexer/v1/task', {
    type: 'index_parallel',
    spec: spec('edits', inline),
  });
  expect(task.status).toBe(200);
});

const keys = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, name === 'timeout' ? 1000 : 'x']));

test('with authorization of context keys a user sets only those that a role names, wherever they are set', async () => {
  const service = await startGuarded({
    properties: {
      'svc.auth.authorizeQueryContextParams': 'true',
      'svc.auth.unsecuredContextKeys': '["sqlTimeZone", "executionMode"]',
    },
  });
  await ingest(service, 'edits');
  const ann = await addUser(service, 'ann', [
    allow('READ', 'DATASOURCE', 'edits'),
    allow('WRITE', 'QUERY_CONTEXT', 'timeout|taskAssignment'),
  ]);
  const query = 'SELECT "word" FROM edits';
  const sql = (path: string, text: string, context: object) =>
    ask(service, ann, `POST ${path}`, { query: text, context });
  const native = (context: object) =>
    ask(service, ann, 'POST /svc/v2/', { queryType: 'timeBoundary', dataSource: 'edits', context });
  expect(
    (
      await sql('/svc/v2/sql', query, {
        timeout: 1000,
        sqlTimeZone: 'UTC',
        sqlQueryId: 'q',
        sqlStringifyArrays: true,
      })
    ).status,
  ).toBe(200);
  expect(
    (await sql('/svc/v2/sql', `SET timeout = 1000; SET sqlTimeZone = 'UTC'; ${query}`, {})).status,
  ).toBe(200);
  expect((await native(keys('timeout'))).status).toBe(200);
  expect((await sql('/svc/v2/sql/task', query, keys('timeout'))).status).toBe(200);
  expect((await sql('/svc/v2/sql/statements', query, { executionMode: 'ASYNC' })).status).toBe(200);
  for (const context of [
    keys('priority'),
    keys('timeout', 'priority'),
    keys('Timeout'),
    keys('maxSubqueryRows'),
    keys(''),
  ]) {
    expect([context, (await sql('/svc/v2/sql', query, context)).status]).toEqual([context, 403]);
    expect([context, (await native(context)).status]).toEqual([context, 403]);
    expect([context, (await sql('/svc/v2/sql/task', query, context)).status]).toEqual([
      context,
      403,
    ]);
    expect([
      context,
      (await sql('/svc/v2/sql/statements', query, { executionMode: 'ASYNC', ...context })).status,
    ]).toEqual([context, 403]);
  }
  const set = `SET priority = 100; ${query}`;
  for (const path of ['/svc/v2/sql', '/svc/v2/sql/task'])
    expect([path, (await sql(path, set, {})).status]).toEqual([path, 403]);
  expect((await sql('/svc/v2/sql/statements', set, { executionMode: 'ASYNC' })).status).toBe(403);
  expect((await ask(service, admin, 'POST /svc/v2/sql', { query: set })).status).toBe(200);
});

test('a list of secured keys leaves all others to everybody', async () => {
  const service = await startGuarded({
    properties: {
      'svc.auth.authorizeQueryContextParams': 'true',
      'svc.auth.securedContextKeys': '["priority"]',
    },
  });
  const ann = await addUser(service, 'ann', []);
  const status = async (context: object) =>
    (await ask(service, ann, 'POST /svc/v2/sql', { query: 'SELECT 1', context })).status;
  expect([await status(keys('timeout')), await status({ priority: 1 })]).toEqual([200, 403]);
});
