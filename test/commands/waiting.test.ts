// A wait outlives the troubles of its service: it goes on, says so once, and ends at once only
// where the service says no.
import type { ServerResponse } from 'node:http';
import { resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { lines, runCli, runEach, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { freePort, standIn } from '../support/stand-in.ts';
import { temporaryFolder } from '../support/storage.ts';
import { finishedTask, runningTask } from '../support/tasks.ts';

vi.setConfig({ testTimeout: 180_000 }); // each test runs many processes

type Answer = (response: ServerResponse) => void;

// More of them than one request is sent again for.
const tries = 5;
const troubles: readonly (readonly [name: string, trouble: Answer])[] = [
  ['500', (response) => response.writeHead(500).end('{"error":"Something went wrong"}')],
  [
    '502',
    (response) =>
      response
        .writeHead(502, { 'content-type': 'text/html' })
        .end('<html><title>Bad Gateway</title></html>'),
  ],
  ['503', (response) => response.writeHead(503, { 'retry-after': '0' }).end()],
  ['429', (response) => response.writeHead(429).end('{"error":"Too many"}')],
  ['a reset', (response) => response.destroy()],
  ['half a reply', (response) => response.write('{"id":') && response.destroy()],
  [
    'a page of its proxy',
    (response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Back soon</html>'),
  ],
];

const taskReply = (isDone: boolean) => ({
  task: 'a',
  status: (isDone ? finishedTask('a') : runningTask('a')).status,
});
const statementReply = (isDone: boolean) => ({
  queryId: 'a',
  state: isDone ? 'SUCCESS' : 'RUNNING',
  createdAt: '2024-05-01T12:00:00.000Z',
  schema: null,
  durationMs: 61_000,
});
const supervisorReply = (isDone: boolean) => ({
  id: 'a',
  generationTime: '2024-05-01T12:00:00.000Z',
  payload: {
    state: isDone ? 'RUNNING' : 'PENDING',
    detailedState: isDone ? 'RUNNING' : 'CONNECTING_TO_STREAM',
  },
});

const waits = [
  { words: 'tasks wait a', looked: '/svc/indexer/v1/task/a/status', reply: taskReply },
  { words: 'statements wait a', looked: '/svc/v2/sql/statements/a', reply: statementReply },
  {
    words: 'supervisors wait a',
    looked: '/svc/indexer/v1/supervisor/a/status',
    reply: supervisorReply,
  },
];

test.each(waits)(
  '$words goes on after any trouble of the service',
  async ({ words, looked, reply }) => {
    const services = await Promise.all(
      troubles.map(async ([name, trouble]) => {
        let looks = 0;
        const { url } = await standIn((response, { path }) => {
          if (!path.startsWith(looked)) return void response.writeHead(404).end();
          looks++;
          // Where several ids can be given, one more look tells a whole id from a part.
          const fine = words.startsWith('supervisors') ? 1 : 2;
          const isOver = looks > fine + tries;
          if (looks <= fine || isOver) response.end(JSON.stringify(reply(isOver)));
          else trouble(response);
        });
        return { name, line: `svcctl ${words} --url ${url} --max-wait 100` };
      }),
    );
    for (const { name, code, stderr } of await runEach({ url: '' }, services)) {
      expect({ name, code, stderr }).toMatchObject({
        name,
        code: 0,
        stderr: expect.stringContaining('; trying again for a minute\n'),
      });
      expect({ name, said: stderr.split('trying again').length - 1 }).toEqual({ name, said: 1 });
    }
  },
);

test.each(waits)(
  '$words ends at once where the service says no',
  async ({ words, looked, reply }) => {
    for (const [status, expected] of [
      [400, 1],
      [403, 4],
      [404, 3],
    ] as const) {
      let looks = 0;
      const service = await standIn((response, { path }) => {
        if (path.startsWith(looked) && ++looks === 1) response.end(JSON.stringify(reply(false)));
        else response.writeHead(status).end('{"error":"No"}');
      });
      const { code } = await runCli(service, words);
      expect({ status, code, looks }).toEqual({
        status,
        code: expected,
        looks: 2,
      });
    }
  },
);

test('what was just submitted may not be found yet, and a service may be silent then', async () => {
  for (const trouble of [404, 500, 503]) {
    let looks = 0;
    const service = await standIn((response, { method, path }) => {
      if (method === 'POST') response.end('{"task":"a"}');
      else if (path.endsWith('/status') && ++looks > tries)
        response.end(JSON.stringify(taskReply(true)));
      else response.writeHead(trouble).end('{"error":"Not yet"}');
    });
    expect(
      await runShell(service, `echo '{"type":"noop"}' | svcctl tasks submit - --wait`),
      String(trouble),
    ).toMatchObject({
      stdout: 'a\n',
      code: 0,
    });
  }
  const gone = await standIn((response) => response.writeHead(404).end('{"error":"Not there"}'));
  expect(await runCli(gone, 'tasks wait a')).toMatchObject({ code: 3 });
});

test('a service that takes its time to answer does not prolong a wait', async () => {
  let looks = 0;
  const service = await standIn(
    (response) => ++looks === 1 && response.end(JSON.stringify(taskReply(false))),
  );
  const { code, stderr } = await runShell(
    service,
    `timeout 20 '${process.execPath}' bin/svcctl.cjs tasks wait a --max-wait 3`,
  );
  expect({ code, last: lines(stderr).slice(-2)[0] }).toEqual({
    code: 7,
    last: 'error: Task [a] has not ended after 3s',
  });
});

test('ingestion, and marking segments, are waited for through troubles of a real service', async () => {
  const service = await startService();
  let left = 0;
  const flaky = await standIn(async (response, { method, path, body }) => {
    if (/\/metadata\/segments|\/task\//.test(path) && method === 'GET' && left > 0 && left--)
      return void response.writeHead(500).end('{"error":"Something went wrong"}');
    const reply = await fetch(service.url + path, {
      method,
      ...(method !== 'GET' && body && { body, headers: { 'content-type': 'application/json' } }),
    });
    if (method !== 'GET' && !path.endsWith('/v2/sql')) left = 3;
    response
      .writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? '' })
      .end(await reply.text());
  });
  const loading = `REPLACE INTO days OVERWRITE ALL SELECT TIMESTAMP '2024-05-01' AS __time, 1 AS n PARTITIONED BY DAY`;
  for (const line of [
    `ingest sql "${loading}" --wait=queryable`,
    'segments mark-unused days --all --yes --wait',
  ]) {
    expect(await runCli(flaky, line), line).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('trying again for a minute'),
    });
    expect(left).toBe(0);
  }
});

test('a wait goes on across a restart of the service, killed in between', async () => {
  const folder = await temporaryFolder();
  const url = `http://127.0.0.1:${await freePort()}`;
  const { stdout, stderr, code } = await runShell(
    { url },
    `serve() { '${process.execPath}' bin/svcctl.cjs serve --port ${new URL(url).port} --data-dir ${folder}/data --ready-file ${folder}/$1 >/dev/null 2>&1 & pid=$!; for i in {1..600}; do [ -e ${folder}/$1 ] && break; sleep 0.1; done; }
    serve one; echo '{"type":"noop","id":"nap","runTime":60000}' | svcctl tasks submit - --quiet
    svcctl tasks wait nap 2> ${folder}/said & waiter=$!; for i in {1..200}; do [ -s ${folder}/said ] && break; sleep 0.1; done
    kill -9 $pid; wait $pid; for i in {1..600}; do grep -q 'trying again' ${folder}/said && break; sleep 0.1; done; serve two; wait $waiter; echo "exit $?"; cat ${folder}/said; kill $pid; wait $pid; true`,
    { cwd: resolve('.') },
  );
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(lines(stdout)).toEqual(
    expect.arrayContaining([
      'exit 1',
      expect.stringMatching(/^No service listens at .*; trying again for a minute$/),
    ]),
  ); // the task has failed with its service
  expect(stdout).toContain('error: Task [nap] failed');
});

test('a Coordinator that learns of segments once a minute is made to look before it is believed that there are none', async () => {
  let hasPolled = false;
  let looks = 0;
  const segment = {
    dataSource: 'wikipedia',
    interval: '2024-05-01T00:00:00.000Z/2024-05-02T00:00:00.000Z',
    version: '1',
    loadSpec: {},
    dimensions: '',
    metrics: '',
    shardSpec: { type: 'numbered', partitionNum: 0, partitions: 1 },
    binaryVersion: 9,
    size: 1,
    identifier: 'wikipedia-1',
    overshadowed: false,
  };
  const { url, requests } = await standIn((response, { path }) => {
    response.setHeader('content-type', 'application/json');
    if (path.endsWith('/sql/task')) return void response.end('{"taskId":"a","state":"RUNNING"}');
    if (path.endsWith('/task/a/status'))
      return void response.end(JSON.stringify({ task: 'a', status: finishedTask('a').status }));
    if (path.includes('/wikipedia/loadstatus'))
      hasPolled ||= path.includes('forceMetadataRefresh=true');
    if (path.includes('/loadstatus')) return void response.end('{"wikipedia":100}');
    if (path.includes('/metadata/segments'))
      return void response.end(JSON.stringify(hasPolled ? [segment] : []));
    if (path.endsWith('/v2/sql'))
      return void response.end(++looks < 3 ? '\n\n' : '["wikipedia-1"]\n\n');
    response.writeHead(404).end();
  });
  const { stderr, code } = await runCli(
    { url },
    `ingest sql 'INSERT INTO wikipedia SELECT CURRENT_TIMESTAMP AS __time PARTITIONED BY DAY' --wait=queryable`,
  );
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('Datasource [wikipedia] answers queries: 1 segment loaded'),
  });
  expect(requests.filter(({ path }) => path.includes('forceMetadataRefresh'))).toHaveLength(1); // it is heavy
});

test('tasks submit --wait=queryable waits until queries see the rows', async () => {
  const service = await startService();
  const task = {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'seen',
        timestampSpec: { column: 't', format: 'iso' },
        dimensionsSpec: { dimensions: ['page'] },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: '{"t":"2024-05-01","page":"Oslo"}' },
        inputFormat: { type: 'json' },
      },
    },
  };
  const { code, stderr } = await runShell(
    service,
    `echo '${JSON.stringify(task)}' | svcctl tasks submit - --wait=queryable`,
  );
  expect(code, stderr).toBe(0);
  expect(lines(stderr).slice(-2)).toEqual([
    'Datasource [seen] answers queries: 1 segment loaded',
    `next: svcctl sql 'SELECT * FROM "seen" LIMIT 5'`,
  ]);
  expect((await runCli(service, "sql 'SELECT page FROM seen' -o csv")).stdout).toContain('Oslo');
});
