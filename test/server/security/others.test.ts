// Callers with rights on one datasource, and the things of another: what they may neither see nor
// change.
import { expect, test } from 'vitest';
import { api } from '../../../src/contract/index.ts';
import { pathFor } from '../../../src/model/dialect.ts';
import { streamSpec } from '../../support/supervisors.ts';
import { addUser, admin, allow, ask, ingest, startGuarded } from '../../support/users.ts';

async function twoTeams() {
  const service = await startGuarded({ properties: { 'svc.indexer.auditLog.enabled': 'true' } });
  await ingest(service, 'alpha', 'bravo');
  for (const name of ['alpha', 'bravo'])
    await ask(
      service,
      admin,
      'POST /svc/indexer/v1/supervisor',
      streamSpec({ id: `${name}-stream`, dataSource: name, suspended: true }),
    );
  const tasks = JSON.parse(
    (await ask(service, admin, 'GET /svc/indexer/v1/tasks?datasource=bravo&type=query_controller'))
      .text,
  );
  const reader = await addUser(service, 'ann', [allow('READ', 'DATASOURCE', 'alpha')]);
  const rights = [
    allow('READ', 'DATASOURCE', 'alpha'),
    allow('WRITE', 'DATASOURCE', 'alpha'),
    allow('READ', 'EXTERNAL', '.*'),
  ];
  const writer = await addUser(service, 'bob', rights);
  return { service, reader, writer, taskId: String(tasks[0].id) };
}

test('no endpoint shows anything of a datasource that the caller may not read', async () => {
  const { service, reader, writer, taskId } = await twoTeams();
  const values: Record<string, string> = {
    dataSource: 'bravo',
    supervisorId: 'bravo-stream',
    taskId,
    queryId: taskId,
    sqlQueryId: taskId,
  };
  const shown: string[] = [];
  for (const endpoint of Object.values(api).flatMap((area) => Object.values(area))) {
    if (endpoint.method !== 'GET') continue;
    const path = pathFor('svc', endpoint.path).replaceAll(/:(\w+)/g, (_: string, name: string) =>
      encodeURIComponent(values[name] ?? 'x'),
    );
    for (const who of [reader, writer])
      for (const query of ['', '?full', '?full=true&datasource=bravo&dataSource=bravo']) {
        const { status, text } = await ask(service, who, `GET ${path}${query}`);
        // A refusal may name what was asked for.
        if (status === 200 && text.replaceAll(taskId, '').includes('bravo'))
          shown.push(`${who} ${path}${query}`);
      }
  }
  expect(shown).toEqual([]);
});

test('things of another datasource are not changed, whatever names them', async () => {
  const { service, writer, taskId } = await twoTeams();
  const task = (more: object) => ({
    type: 'index_kafka',
    dataSchema: { dataSource: 'alpha', timestampSpec: { column: 't' }, dimensionsSpec: {} },
    ioConfig: {
      startSequenceNumbers: { stream: 't', partitionSequenceNumberMap: { 0: 0 } },
      consumerProperties: { 'bootstrap.servers': '127.0.0.1:1' },
      inputFormat: { type: 'json' },
    },
    ...more,
  });
  const insert = (into: string, from: string) =>
    `REPLACE INTO ${into} OVERWRITE ALL SELECT __time, "word" FROM ${from} PARTITIONED BY DAY`;
  const stream = streamSpec({ id: 'bravo-stream', dataSource: 'alpha', suspended: true });
  const asks: [string, unknown?][] = [
    ['POST /svc/indexer/v1/supervisor', stream],
    [
      'POST /svc/indexer/v1/supervisor',
      { type: 'noop', id: 'bravo-stream', dataSources: ['alpha'] },
    ],
    ['POST /svc/indexer/v1/supervisor', { type: 'noop', id: 'n', dataSources: ['alpha', 'bravo'] }],
    ['POST /svc/indexer/v1/supervisor', streamSpec({ id: 'alpha-stream', dataSource: 'bravo' })],
    ['POST /svc/indexer/v1/task', task({ supervisorId: 'bravo-stream' })],
    ['POST /svc/indexer/v1/task', task({ supervisorId: 'bravo' })],
    ['POST /svc/indexer/v1/task', { type: 'kill', dataSource: 'bravo', interval: '2000/3000' }],
    ['POST /svc/indexer/v1/task', { type: 'compact', dataSource: 'bravo', interval: '2000/3000' }],
    [
      'POST /svc/indexer/v1/task',
      { type: 'query_controller', dataSource: 'alpha', sqlQuery: insert('bravo', 'alpha') },
    ],
    ['POST /svc/v2/sql/task', { query: insert('bravo', 'alpha') }],
    ['POST /svc/v2/sql/task', { query: insert('alpha', 'bravo') }],
    [
      'POST /svc/v2/sql/statements',
      { query: 'SELECT * FROM bravo', context: { executionMode: 'ASYNC' } },
    ],
    [`POST /svc/indexer/v1/task/${taskId}/shutdown`],
    ['POST /svc/indexer/v1/datasources/bravo/shutdownAllTasks'],
    ...['suspend', 'resume', 'reset', 'terminate', 'shutdown'].map((verb): [string] => [
      `POST /svc/indexer/v1/supervisor/bravo-stream/${verb}`,
    ]),
    ['POST /svc/indexer/v1/supervisor/bravo-stream/taskGroups/handoff', { taskGroupIds: [0] }],
    ['POST /svc/coordinator/v1/rules/bravo', []],
    ['POST /svc/coordinator/v1/config/compaction', { dataSource: 'bravo' }],
    ['POST /svc/indexer/v1/compaction/config/datasources/bravo', { dataSource: 'bravo' }],
    ['DELETE /svc/coordinator/v1/datasources/bravo'],
    ['POST /svc/coordinator/v1/datasources/bravo/markUnused', { interval: '2000/3000' }],
    ['DELETE /svc/indexer/v1/pendingSegments/bravo'],
    [`DELETE /svc/v2/sql/statements/${taskId}`],
  ];
  for (const [send, body] of asks)
    expect([send, body, (await ask(service, writer, send, body)).status]).toEqual([
      send,
      body,
      403,
    ]);
  const other = await ask(
    service,
    writer,
    'POST /svc/indexer/v1/compaction/config/datasources/alpha',
    { dataSource: 'bravo' },
  );
  expect(other.status).toBe(400);
  for (const verb of ['suspendAll', 'resumeAll', 'terminateAll'])
    expect((await ask(service, writer, `POST /svc/indexer/v1/supervisor/${verb}`)).status).toBe(
      200,
    );
  const left = JSON.parse((await ask(service, admin, 'GET /svc/indexer/v1/supervisor?full')).text);
  expect(left).toMatchObject([{ id: 'bravo-stream', dataSource: 'bravo', suspended: true }]);
  const { text } = await ask(service, admin, 'POST /svc/v2/sql', {
    query: 'SELECT "word" FROM bravo',
    resultFormat: 'array',
  });
  expect(text).toBe('[["bravo"]]\n');
  // What a terminated supervisor of another datasource has left is not taken over, either.
  await ask(service, admin, 'POST /svc/indexer/v1/supervisor/bravo-stream/terminate');
  expect((await ask(service, writer, 'POST /svc/indexer/v1/supervisor', stream)).status).toBe(403);
});

test('the segment of another datasource is not found under the name of a datasource that the caller may read', async () => {
  const { service, reader } = await twoTeams();
  const segments = '/svc/coordinator/v1/metadata/datasources';
  const idOf = async (name: string) =>
    encodeURIComponent(
      JSON.parse((await ask(service, admin, `GET ${segments}/${name}/segments`)).text)[0],
    );
  expect(
    (await ask(service, reader, `GET ${segments}/alpha/segments/${await idOf('alpha')}`)).status,
  ).toBe(200);
  for (const query of ['', '?includeUnused=true'])
    for (const who of [reader, admin]) {
      const { status, text } = await ask(
        service,
        who,
        `GET ${segments}/alpha/segments/${await idOf('bravo')}${query}`,
      );
      expect([query, who, status, text.includes('loadSpec')]).toEqual([query, who, 404, false]);
    }
});

// Runs until it is cancelled, and reads no datasource.
const endless = `SELECT COUNT(*) FROM ${Array.from({ length: 12 }, (_, at) => `(VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)) AS t${at}(n)`).join(', ')} WHERE t0.n + t11.n = 3`;

test('the queries of others are neither listed nor cancelled, whatever they read', async () => {
  const { service, reader, writer } = await twoTeams();
  const query = {
    query: `${endless} AND 'it' <> 'http://ann:secret@a.test'`,
    context: { sqlQueryId: 'of-bob' },
  };
  const listed = async (who: string, options = '') =>
    JSON.parse((await ask(service, who, `GET /svc/v2/sql/queries${options}`)).text)
      .queries as Record<string, unknown>[];
  const runs = ask(service, writer, 'POST /svc/v2/sql', query);
  while ((await listed(writer))[0]?.state !== 'RUNNING')
    await new Promise((wake) => setTimeout(wake, 50));

  const shown = {
    engine: 'native',
    sqlQueryId: 'of-bob',
    sql: query.query.replace('secret', '<masked>'),
    startTime: expect.stringMatching(/^\d{4}-.*Z$/),
    state: 'RUNNING',
  };
  expect(await listed(writer)).toEqual([shown]);
  expect(await listed(admin)).toEqual([{ ...shown, identity: 'bob' }]);
  expect(await listed(reader)).toEqual([]);
  expect((await ask(service, reader, 'DELETE /svc/v2/sql/of-bob')).status).toBe(404);
  expect(await listed(writer)).toHaveLength(1);
  expect((await ask(service, admin, 'DELETE /svc/v2/sql/of-bob')).status).toBe(202);
  expect((await runs).status).toBe(500);
  await ask(service, writer, 'POST /svc/v2/sql', { query: 'SELECT 1 + 1' });
  await ask(service, writer, 'POST /svc/v2/sql', { query: `SELECT '${'x'.repeat(20_000)}'` });
  await ask(service, writer, 'POST /svc/v2/sql', { query: 'SELECT nothing' });
  expect(await listed(writer)).toEqual([]);
  const ended = await listed(writer, '?includeComplete');
  expect(ended.map(({ state, durationMs }) => [state, typeof durationMs])).toEqual([
    ['CANCELED', 'number'],
    ['SUCCESS', 'number'],
    ['SUCCESS', 'number'],
    ['FAILED', 'number'],
  ]);
  expect(String(ended[2]?.sql).length).toBeLessThan(17_000);
  expect(await listed(reader, '?includeComplete')).toEqual([]);
});

test('a task reads no table of the system that its caller may not see', async () => {
  const { service, writer } = await twoTeams();
  for (const table of ['tasks', 'supervisors', 'segments']) {
    const query = `REPLACE INTO alpha OVERWRITE ALL SELECT TIMESTAMP '2024-01-01' AS __time, "datasource" AS "word" FROM sys.${table} PARTITIONED BY DAY`;
    const { status, text } = await ask(service, writer, 'POST /svc/v2/sql/task', { query });
    expect([table, status, text.includes('taskId')]).toEqual([
      table,
      expect.any(Number),
      expect.any(Boolean),
    ]);
    if (status < 300) {
      const id = JSON.parse(text).taskId;
      while (
        (await ask(service, writer, `GET /svc/indexer/v1/task/${id}/status`)).text.includes(
          'RUNNING',
        )
      )
        await new Promise((wake) => setTimeout(wake, 50));
    }
  }
  const rows = await ask(service, admin, 'POST /svc/v2/sql', {
    query: 'SELECT DISTINCT "word" FROM alpha',
    resultFormat: 'array',
  });
  expect(rows.text).not.toContain('bravo');
});

test('errors of planning tell nothing of the columns of another datasource', async () => {
  const { service, reader, writer } = await twoTeams();
  const texts = [
    'SELECT SUM("word") FROM bravo',
    'SELECT words FROM bravo',
    'SELECT "WORD" FROM alpha a JOIN bravo b ON a.__time = b.__time',
    'EXPLAIN PLAN FOR SELECT ABS("word") FROM (SELECT * FROM bravo)',
    'INSERT INTO alpha SELECT __time, ABS("word") FROM bravo PARTITIONED BY DAY',
  ];
  const natives = [
    { aggregations: [{ type: 'HLLSketchMerge', name: 'h', fieldName: 'word' }] },
    { dimensions: [{ type: 'default', dimension: 'word', outputType: 'ARRAY<LONG>' }] },
    {
      dataSource: {
        type: 'join',
        left: 'alpha',
        right: 'bravo',
        rightPrefix: 'r.',
        condition: '1',
        joinType: 'LEFT',
      },
    },
  ];
  const asks: [string, unknown][] = [
    ...texts.flatMap((query): [string, unknown][] => [
      ['POST /svc/v2/sql', { query }],
      ['POST /svc/v2/sql/task', { query }],
      ['POST /svc/v2/sql/statements', { query, context: { executionMode: 'ASYNC' } }],
      [
        'POST /svc/indexer/v1/task',
        { type: 'query_controller', dataSource: 'alpha', sqlQuery: query },
      ],
    ]),
    ...natives.map((query): [string, unknown] => [
      'POST /svc/v2',
      {
        queryType: 'groupBy',
        dataSource: 'bravo',
        granularity: 'all',
        intervals: ['2000/3000'],
        dimensions: [],
        ...query,
      },
    ]),
  ];
  const told: unknown[] = [];
  for (const who of [reader, writer])
    for (const [send, body] of asks) {
      const { status, text } = await ask(service, who, send, body);
      const isOfBroker = typeof body === 'object' && JSON.stringify(body).includes('INSERT');
      const isRefused = status === 403 || (isOfBroker && status === 400);
      if (!isRefused || /VARCHAR|STRING|words?' not found|did you mean/i.test(text))
        told.push([who, send, body, status, text]);
    }
  expect(told).toEqual([]);
});
