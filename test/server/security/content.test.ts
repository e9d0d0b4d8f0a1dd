// Authorization by the resources that a query, task or list touches.
import { expect, test } from 'vitest';
import { streamSpec } from '../../support/supervisors.ts';
import { addUser, admin, allow, ask, ingest, permit, startGuarded } from '../../support/users.ts';

const denied = {
  status: 403,
  type: 'application/json',
  challenge: null,
  text: '{"Access-Check-Result":"Unauthorized"}',
};
const sql = (service: { url: string }, who: string, query: string) =>
  ask(service, who, 'POST /svc/v2/sql', { query, resultFormat: 'array' });

test('a query is refused when it touches one datasource too many, wherever it hides', async () => {
  const service = await startGuarded();
  await ingest(service, 'edits', 'secrets');
  const ann = await addUser(service, 'ann', [allow('READ', 'DATASOURCE', 'edits')]);
  expect((await sql(service, ann, 'SELECT "word" FROM edits')).text).toBe('[["edits"]]\n');
  expect((await sql(service, ann, 'EXPLAIN PLAN FOR SELECT "word" FROM edits')).status).toBe(200);
  expect((await sql(service, ann, 'SELECT 1 + 1')).text).toBe('[[2]]\n');
  for (const query of [
    'SELECT "word" FROM secrets',
    'SELECT e."word" FROM edits e JOIN secrets s ON e."word" = s."word"',
    'SELECT "word" FROM edits UNION ALL SELECT "word" FROM secrets',
    'SELECT "word" FROM edits WHERE "word" IN (SELECT "word" FROM secrets)',
    'WITH s AS (SELECT * FROM secrets) SELECT "word" FROM s',
    "SELECT * FROM TABLE(APPEND('edits', 'secrets'))",
    'EXPLAIN PLAN FOR SELECT "word" FROM secrets',
  ])
    expect([query, await sql(service, ann, query)]).toEqual([query, denied]);
  expect(JSON.parse((await sql(service, ann, 'SELECT * FROM nothing')).text)).toMatchObject({
    errorCode: 'invalidInput',
  });

  const native = (dataSource: unknown) =>
    ask(service, ann, 'POST /svc/v2/', { queryType: 'timeBoundary', dataSource });
  expect((await native('edits')).status).toBe(200);
  expect(await native('secrets')).toEqual(denied);
  expect(await native('nothing')).toEqual(denied);
  expect(await native({ type: 'union', dataSources: ['edits', 'secrets'] })).toEqual(denied);
  expect(
    await ask(service, ann, 'POST /svc/v2/candidates', {
      queryType: 'timeBoundary',
      dataSource: 'edits',
    }),
  ).toEqual(denied);
  expect((await ask(service, ann, 'DELETE /svc/v2/sql/nothing')).status).toBe(404);
  expect((await ask(service, ann, 'DELETE /svc/v2/nothing')).status).toBe(202);
});

test('lists and tables of the service show what the caller may read', async () => {
  const service = await startGuarded();
  await ingest(service, 'edits', 'secrets');
  const spec = (dataSource: string) =>
    streamSpec({ id: `${dataSource}-stream`, dataSource, suspended: true });
  for (const name of ['edits', 'secrets'])
    await ask(service, admin, 'POST /svc/indexer/v1/supervisor', spec(name));
  const ann = await addUser(service, 'ann', [allow('READ', 'DATASOURCE', 'edits')]);
  for (const path of [
    '/svc/coordinator/v1/datasources',
    '/svc/coordinator/v1/datasources?simple',
    '/svc/coordinator/v1/metadata/datasources',
    '/svc/coordinator/v1/metadata/datasources?full',
    '/svc/coordinator/v1/metadata/segments',
    '/svc/coordinator/v1/intervals',
    '/svc/coordinator/v1/intervals/2024-05-01_2024-05-02?full',
    '/svc/v2/datasources',
    '/svc/indexer/v1/tasks',
    '/svc/indexer/v1/completeTasks',
    '/svc/indexer/v1/supervisor',
    '/svc/indexer/v1/supervisor?full',
    '/svc/indexer/v1/supervisor/history',
  ]) {
    const seen = await ask(service, ann, `GET ${path}`);
    expect([path, seen.status, seen.text.includes('edits'), seen.text.includes('secrets')]).toEqual(
      [path, 200, true, false],
    );
    expect((await ask(service, admin, `GET ${path}`)).text).toContain('secrets');
  }
  const total = await ask(service, ann, 'GET /svc/coordinator/v1/intervals/2024-05-01_2024-05-02');
  expect(JSON.parse(total.text)).toMatchObject({ count: 1 });
  for (const query of [
    `SELECT TABLE_NAME FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'druid'`,
    `SELECT DISTINCT TABLE_NAME FROM INFORMATION_SCHEMA.COLUMNS WHERE TABLE_SCHEMA = 'druid'`,
    'SELECT DISTINCT "datasource" FROM sys.segments',
    'SELECT DISTINCT "datasource" FROM sys.tasks',
    'SELECT DISTINCT "datasource" FROM sys.supervisors',
  ])
    expect([query, (await sql(service, ann, query)).text]).toEqual([query, '[["edits"]]\n']);
  const eve = await addUser(service, 'eve', []);
  const count = `SELECT COUNT(*), COUNT(*) + 1 FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = 'druid'`;
  expect((await sql(service, ann, count)).text).toBe('[[1,2]]\n');
  expect((await sql(service, eve, count)).text).toBe('[]\n'); // as the real engine counts nothing in its own tables
  const noServers = {
    ...denied,
    text: '{"Access-Check-Result":"Insufficient permission to view servers: Unauthorized"}',
  };
  for (const table of ['servers', 'server_segments', 'server_properties'])
    expect([table, await sql(service, ann, `SELECT * FROM sys.${table}`)]).toEqual([
      table,
      noServers,
    ]);
  await permit(service, 'ann', [
    allow('READ', 'DATASOURCE', 'edits'),
    allow('READ', 'STATE', 'STATE'),
  ]);
  expect((await sql(service, ann, 'SELECT COUNT(*) FROM sys.server_segments')).text).toBe(
    '[[1]]\n',
  );
  const refusedInText = {
    ...denied,
    type: 'text/plain',
    text: 'Access-Check-Result: Unauthorized',
  };
  expect(await ask(service, ann, 'GET /svc/indexer/v1/tasks?datasource=secrets')).toEqual(
    refusedInText,
  );
  expect((await ask(service, ann, 'GET /svc/indexer/v1/tasks?datasource=edits')).status).toBe(200);
});

test('who may write a datasource may fill it, from what they may read', async () => {
  const service = await startGuarded();
  await ingest(service, 'edits', 'secrets');
  const bob = await addUser(service, 'bob', [
    allow('WRITE', 'DATASOURCE', 'copy.*'),
    allow('READ', 'DATASOURCE', 'edits'),
  ]);
  const run = (query: string) => ask(service, bob, 'POST /svc/v2/sql/task', { query });
  const insert = (target: string, source: string) =>
    `INSERT INTO "${target}" SELECT __time FROM ${source} PARTITIONED BY DAY`;
  expect((await run(insert('copy', 'edits'))).status).toBe(200);
  const extern = `TABLE(EXTERN('{"type":"inline","data":"a"}', '{"type":"csv","columns":["x"]}', '[{"name":"x","type":"string"}]'))`;
  for (const query of [
    insert('copy', 'secrets'),
    insert('edits', 'edits'),
    `REPLACE INTO copy OVERWRITE ALL SELECT CURRENT_TIMESTAMP AS __time, "x" FROM ${extern} PARTITIONED BY ALL`,
  ]) {
    const { status, text } = await run(query);
    expect([query, status, JSON.parse(text)]).toMatchObject([
      query,
      403,
      {
        state: 'FAILED',
        error: {
          errorCode: 'general',
          category: 'FORBIDDEN',
          errorMessage: 'Unauthorized',
          context: {},
        },
      },
    ]);
  }
  const task = (dataSource: string, type = 'noop') =>
    ask(service, bob, 'POST /svc/indexer/v1/task', { type, dataSource, runTime: 1 });
  expect((await task('copy-2')).status).toBe(200);
  expect(await task('edits')).toEqual(denied);
  const query = {
    type: 'query_controller',
    dataSource: 'copy',
    sqlQuery: insert('copy', 'secrets'),
    sqlQueryContext: {},
  };
  expect((await ask(service, bob, 'POST /svc/indexer/v1/task', query)).status).toBe(403);
  const supervise = (dataSource: string) =>
    ask(
      service,
      bob,
      'POST /svc/indexer/v1/supervisor',
      streamSpec({ dataSource, suspended: true }),
    );
  expect((await supervise('copy')).status).toBe(200);
  expect(await supervise('edits')).toEqual(denied);
  await ask(
    service,
    admin,
    'POST /svc/indexer/v1/supervisor',
    streamSpec({ id: 'other', dataSource: 'edits', suspended: true }),
  );
  await ask(service, bob, 'POST /svc/indexer/v1/supervisor/terminateAll');
  expect((await ask(service, admin, 'GET /svc/indexer/v1/supervisor')).text).toBe('["other"]');
});

test('a statement is its submitter’s, and the tables of the service are none of its business', async () => {
  const service = await startGuarded();
  await ingest(service, 'edits');
  const [ann, eve] = [
    await addUser(service, 'ann', [allow('READ', 'DATASOURCE', 'edits')]),
    await addUser(service, 'eve', [allow('READ', 'DATASOURCE', '.*')]),
  ];
  const submit = (who: string, query: string) =>
    ask(service, who, 'POST /svc/v2/sql/statements', {
      query,
      context: { executionMode: 'ASYNC' },
    });
  const { text } = await submit(ann, 'SELECT * FROM edits');
  const { queryId } = JSON.parse(text);
  expect((await ask(service, ann, `GET /svc/v2/sql/statements/${queryId}`)).status).toBe(200);
  for (const [who, send] of [
    [eve, `GET /svc/v2/sql/statements/${queryId}`],
    [eve, `GET /svc/v2/sql/statements/${queryId}/results`],
    [eve, `DELETE /svc/v2/sql/statements/${queryId}`],
  ] as const)
    expect([send, (await ask(service, who, send)).status]).toEqual([send, 403]);
  const { status, text: why } = await submit(eve, 'SELECT * FROM sys.servers');
  expect([status, JSON.parse(why).errorMessage]).toEqual([
    400,
    'Cannot query table(s) [sys.servers] with SQL engine [msq-task]',
  ]);
  expect(JSON.parse((await submit(ann, 'SELECT * FROM "edits", "nothing"')).text).category).toBe(
    'INVALID_INPUT',
  );
});
