// Texts of a user with few rights on the terminal of an operator: none of them reaches it as a
// command of the terminal.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { externOf, taskOf } from './attacks/bodies.ts';
import { send } from './send.ts';
import { noteTest } from './summary.ts';
import { startWatched, type Watched } from './watched.ts';

afterEach(noteTest);

const commands = [
  '\u001b]0;pwned\u0007',
  '\u001b[2J',
  '\u009b2J',
  '\u009d0;pwned\u009c',
  '\u202e',
  '\u2066',
  '\u2028',
  '\u0008',
  '\r',
  '\u007f',
];
const hostile = `x${commands.join('y')}z`;
const ids = { failing: 'terminal-failing', unparseable: 'terminal-unparseable' };

let service: Watched;
beforeAll(async () => {
  service = await startWatched({ users: false });
  const rows = `{"t":"${hostile.replaceAll('\r', '\\r')}","page":"${hostile}"}\n{"t":"2024-01-01","page":"${hostile}"`;
  await send(
    service,
    'anyone',
    {
      task: taskOf({
        id: ids.unparseable,
        inputSource: { type: 'inline', data: rows },
        timestampSpec: { column: 't', format: 'iso' },
        tuningConfig: {
          logParseExceptions: true,
          maxSavedParseExceptions: 10,
          maxParseExceptions: 100,
        },
      }),
    },
    20_000,
  ).ended;
  await send(
    service,
    'anyone',
    {
      task: taskOf({
        id: ids.failing,
        inputSource: { type: 'local', files: [`/nowhere/${hostile}`] },
      }),
    },
    20_000,
  ).ended;
  await send(
    service,
    'anyone',
    {
      sqlTask: `INSERT INTO "t" SELECT CURRENT_TIMESTAMP AS __time, CAST("a" AS BIGINT) / 0 AS "${hostile}" FROM ${externOf({ type: 'inline', data: `a\n${hostile}` }, { type: 'csv', columns: ['a'] }, '"a" VARCHAR')} PARTITIONED BY ALL`,
      context: { sqlQueryId: 'terminal-sql' },
    },
    20_000,
  ).ended;
  for (const body of [{ comment: hostile }])
    await send(
      service,
      'anyone',
      {
        method: 'POST',
        path: '/svc/coordinator/v1/rules/hostile',
        body: [{ type: 'loadForever' }],
        headers: {
          'x-svc-author': encodeURIComponent(body.comment),
          'x-svc-comment': encodeURIComponent(body.comment),
        },
      },
      5000,
    ).ended;
  await send(
    service,
    'anyone',
    { method: 'POST', path: '/svc/coordinator/v1/lookups/config', body: {} },
    5000,
  ).ended;
  await send(
    service,
    'anyone',
    {
      method: 'POST',
      path: `/svc/coordinator/v1/lookups/config/__default/${encodeURIComponent(hostile)}`,
      body: {
        version: hostile,
        lookupExtractorFactory: { type: 'map', map: { [hostile]: hostile } },
      },
    },
    5000,
  ).ended;
});
afterAll(() => service?.dispose());

const text = hostile;
test.each(
  [
    `why task ${ids.failing}`,
    `why task ${ids.unparseable}`,
    'why task terminal-sql',
    `tasks log ${ids.failing}`,
    `tasks log ${ids.unparseable}`,
    'tasks log terminal-sql',
    `tasks report ${ids.unparseable}`,
    `tasks get ${ids.failing}`,
    `tasks get ${ids.failing} -o json`,
    `tasks get ${ids.failing} -o yaml`,
    `tasks status ${ids.failing}`,
    `tasks status ${ids.failing} -o yaml`,
    'tasks list',
    'tasks list -o name',
    'tasks list -o json',
    'tasks list -o yaml',
    'tasks list -o csv',
    'cluster doctor',
    'audit',
    'lookups list',
    'lookups list -o name',
    `api get /svc/indexer/v1/task/${ids.failing}`,
    `api get /svc/indexer/v1/task/${ids.failing}/log`,
    'rules history hostile',
    `sql "SELECT '${text}' AS a"`,
    `sql "SELECT '${text}' AS a" -o json`,
    `sql "SELECT '${text}' AS a" -o yaml`,
    `sql "SELECT '${text}' AS a" -o csv`,
    `sql "SELECT '${text}' AS a" -o name`,
    `sql 'SELECT 1 AS "${text}"'`,
    `sql 'SELECT "${text}" FROM wikipedia'`,
    `sql explain "SELECT '${text}' AS a FROM wikipedia"`,
    `datasources get '${text}'`,
  ].map((line) => ({ line, shown: line.replaceAll(text, 'TEXT') })),
)('svcctl $shown sends no command to the terminal', async ({ line }) => {
  const { stdout } = await runCli(service, line, {
    tty: true,
    cols: 400,
    env: { NO_COLOR: '1', TERM: 'xterm', PAGER: 'cat' },
  });
  // The lines end as lines do on a terminal; what is left of a carriage return is the user's.
  const reached = commands.filter((command) => command !== '\r' && stdout.includes(command));
  expect(reached.map((command) => JSON.stringify(command))).toEqual([]);
});

test('a value does not forge a line of the log', async () => {
  const line = '{"time":"2024-01-01T00:00:00.000Z","level":"error","message":"forged"}';
  await send(
    service,
    'anyone',
    { sql: `SELECT 1 AS "\n${line}\n"`, context: { sqlQueryId: `a\n${line}` } },
    5000,
  ).ended;
  await send(service, 'anyone', { task: { type: 'noop', id: `a\n${line}\n`, runTime: 1 } }, 5000)
    .ended;
  await send(
    service,
    'anyone',
    { sqlTask: `INSERT INTO "a\n${line}\n" SELECT CURRENT_TIMESTAMP AS __time PARTITIONED BY ALL` },
    5000,
  ).ended;
  expect(service.newlySaid().split('\n')).not.toContain(line);
});

test('a value does not forge a line of the log of a task', async () => {
  const forged = '2024-01-01T00:00:00.000Z ERROR forged';
  await send(
    service,
    'anyone',
    {
      task: taskOf({
        id: 'forged',
        inputSource: { type: 'local', files: [`/nowhere/a\n${forged}\n`] },
      }),
    },
    20_000,
  ).ended;
  const { text: log } = await send(
    service,
    'anyone',
    { method: 'GET', path: '/svc/indexer/v1/task/forged/log' },
    5000,
  ).ended;
  expect(log).toMatch(/nowhere/);
  expect(log.split(/\r?\n/)).not.toContain(forged);
});
