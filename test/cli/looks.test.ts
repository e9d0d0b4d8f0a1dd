// Screens on narrow, usual and wide terminals, and with an ASCII locale: real pseudo-terminals, a
// real service.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { widthOf } from '../../src/cli/terminal/width.ts';
import { type Service, startServer } from '../../src/server/server.ts';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';
import { streamSpec } from '../support/supervisors.ts';
import { sqlReports } from '../support/tasks.ts';
import { withGuests } from '../support/users.ts';

const folder = mkdtempSync(join(tmpdir(), 'svcctl-looks-'));
const state = { XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder, SVCCTL_NO_PAGER: '1' };
const longId = 'a-rather-long-supervisor-id-for-clickstream-events-of-the-west';
const colored = /\p{Cc}\[[\d;]*m/u;
let service: Service;

beforeAll(async () => {
  service = await startServer({ port: 0, properties: withGuests });
  const file = (name: string, value: unknown) =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  file('rows.json', {
    time: '2024-05-01T10:00:00Z',
    page: '日本語のページ名前がとても長い',
    added: 5,
  });
  file(
    'stream.json',
    streamSpec({ id: longId, dataSource: 'clickstream_events', suspended: true }),
  );
  const commands = [
    'profiles add here --url $SVCCTL_URL',
    'ingest files rows.json --into edits --wait=queryable',
    'supervisors apply stream.json',
    'rules add edits --type loadByPeriod --period P50Y --at 1 --comment "keep it for long"',
    'rules add edits --type dropForever --comment "and nothing more than that"',
    'compaction set edits --segment-granularity MONTH --comment monthly',
    'config coordinator set maxSegmentsToMove=71 --author me --comment first',
    `lookups set countries --file <(echo '{"fr":"France"}')`,
    'roles create readers',
    'permissions grant readers --type datasource --name edits --action READ',
    'users create ann --without-password --role readers',
    'export -d cluster',
  ];
  const { code, stderr } = await runShell(
    service,
    commands.map((line) => `svcctl ${line}`).join(' && '),
    { cwd: folder, env: state },
  );
  expect(code, stderr).toBe(0);
}, 120_000);

afterAll(async () => {
  await service.close();
  rmSync(folder, { recursive: true, force: true });
});

const task = '$(svcctl tasks list --type query_controller -o name)';
const tables = [
  'tasks list',
  'tasks list -o wide',
  `tasks report ${task}`,
  `tasks report ${task} -o wide`,
  `tasks status ${task}`,
  'supervisors list -o wide',
  `supervisors status ${longId}`,
  'supervisors history',
  'segments list -o wide',
  'datasources list',
  'datasources get edits',
  'datasources schema edits',
  'servers list -o wide',
  'servers nodes',
  'workers list -o wide',
  'rules list',
  'rules preview edits --at now,+1y',
  'compaction list',
  'compaction status',
  'lookups list',
  'users list --roles',
  'users get ann',
  'permissions list readers',
  'audit -o wide',
  'undo --list',
  'profiles list',
  'profiles show --explain',
  'cluster properties',
  'status',
  'cluster status',
  'top --once',
  'diff --files cluster',
  "sql 'SELECT * FROM edits'",
  "sql 'SELECT * FROM sys.segments'",
];

test.each([20, 80, 140])(
  'no line of a table is wider than a terminal of %i columns',
  async (cols) => {
    const script = tables
      .map((line) => `echo '$ ${line.replaceAll("'", '')}' >&2; svcctl ${line} 2>/dev/null`)
      .join('; ');
    const { stdout } = await runShell(service, script, {
      tty: true,
      cols,
      cwd: folder,
      env: { ...state, NO_COLOR: '1', LANG: 'C.UTF-8' },
    });
    const answers = stdout.split(/^\$ /m).slice(1);
    expect(answers).toHaveLength(tables.length);
    for (const answer of answers) {
      const [command, ...shown] = lines(answer);
      expect(shown.length, command).toBeGreaterThan(0);
      for (const line of shown)
        expect(widthOf(line), `${command}\n${line}`).toBeLessThanOrEqual(cols);
    }
  },
);

test('where the locale is C, tables, findings, bars, errors, help and questions are ASCII', async () => {
  const lines = [
    ...tables.filter((line) => !line.includes('FROM edits')),
    'cluster doctor',
    `why supervisor ${longId}`,
    'tasks status nope',
    '--help',
    'help retention',
  ];
  const script = lines.map((line) => `svcctl ${line}`).join('; ');
  const env = { ...state, LC_ALL: 'C', TERM: 'xterm' };
  const { stdout } = await runShell(service, script, { tty: true, cols: 60, cwd: folder, env });
  expect(stdout.match(/\P{ASCII}.*/gu) ?? []).toEqual([]);
  const asked = await runCli(service, 'profiles remove here', {
    tty: true,
    cols: 60,
    env,
    types: [['Continue?', '\r']],
  });
  expect(asked.stdout).toMatch(/^\p{ASCII}*$/u);
  expect(asked.code).toBe(9);
});

test('an answer has the colour of what is chosen, and none where none is wanted', async () => {
  const asked = (env: Record<string, string>) =>
    runCli(service, 'profiles remove here', {
      tty: true,
      env: { ...state, TERM: 'xterm', ...env },
      types: [['Continue?', '\r']],
    });
  expect((await asked({ COLORFGBG: '0;15' })).stdout).toContain('\x1b[34mNo\x1b[39m'); // blue, on a light background
  expect((await asked({ NO_COLOR: '1' })).stdout).not.toMatch(colored);
});

test('a dry run shows paths rather than headers', async () => {
  const place = { tty: true, cols: 80, env: { ...state, NO_COLOR: '1' } };
  const { stdout } = await runCli(service, 'rules remove edits 2 --dry-run', place);
  expect(stdout).toMatch(
    /^METHOD {2}PATH +BODY +UNDO\nPOST +\/svc\/coordinator\/v1\/rules\/edits {2}/m,
  );
  expect((await runCli(service, 'rules remove edits 2 --dry-run')).stdout).toMatch(
    /^method\tpath\theaders\tbody\tundo\n/,
  );
});

test('rows that stay while tasks are watched say when, not how long ago', async () => {
  const place = { tty: true, cols: 120, env: { ...state, NO_COLOR: '1' } };
  const { stdout } = await runCli(service, 'tasks watch --until-idle --recent 1', place);
  expect(lines(stdout).at(-1)).toMatch(
    /^\S+ {2}(\d{4}-\d\d-\d\dT)?\d\d:\d\d:\d\dZ {2}query_\w+ +SUCCESS$/,
  );
});

test('what finds no room is left out as a whole and named; what is asked for is cut instead', async () => {
  const place = { tty: true, cols: 42, env: { ...state, NO_COLOR: '1', LANG: 'C.UTF-8' } };
  const listed = await runCli(service, 'workers list -o wide', place);
  expect(lines(listed.stdout)).toEqual([
    expect.stringMatching(/^HOST +STATE +USED +CAPACITY$/),
    expect.stringMatching(/^127\.0\.0\.1\S* +enabled +0 +4$/),
    'Not shown for lack of space: tasks,',
    'category, 2 more; select columns with',
    '--columns, or see all with -o json',
  ]);
  const asked = await runCli(
    service,
    'workers list --columns host,state,category,version,tasks',
    place,
  );
  expect(lines(asked.stdout)).toHaveLength(2);
  expect(lines(asked.stdout)[0]).toMatch(/^HOST +STATE +CATEGORY +VERSION +TASKS$/);
  expect(lines(asked.stdout)[1]).toContain('…');
});

test('what is shown of one thing is never cut: long values go on below themselves', async () => {
  const { stdout } = await runCli(service, `supervisors status ${longId}`, {
    tty: true,
    cols: 40,
    env: { ...state, NO_COLOR: '1' },
  });
  expect(stdout.replace(/\s/g, '')).toContain(longId);
  expect(stdout).toMatch(/^FIELD +VALUE\n/);
});

test('what a failing command has said before it failed is seen on a terminal, too', async () => {
  const { stdout, code } = await runCli(service, 'tasks cancel nope-1 nope-2', {
    tty: true,
    env: { NO_COLOR: '1', XDG_STATE_HOME: folder },
  });
  expect(stdout).toMatch(
    /ITEM +RESULT +ERROR\nnope-1 +failed .*\nnope-2 +failed .*\nerror: 2 of 2 failed\n/,
  );
  expect(stdout.match(/cannot revert this/g)).toHaveLength(1);
  expect(code).toBe(3); // nobody knows any of them
});

test('a report is followed as a table of stages with a bar each, painted in place, and stays as it was at the end', async () => {
  let looks = 0;
  const reports = sqlReports('ingest-1', 5);
  const { stages } = reports.multiStageQuery.payload;
  const running = {
    ...reports.multiStageQuery,
    payload: {
      ...reports.multiStageQuery.payload,
      stages: stages.map((stage, at) => ({ ...stage, phase: at === 0 ? 'READING_INPUT' : 'NEW' })),
    },
  };
  const stand = await standIn((response, { path }) => {
    const isOver = looks > 3;
    const statusCode = isOver ? 'SUCCESS' : 'RUNNING';
    if (path.endsWith('/status')) looks++;
    const status = {
      id: 'ingest-1',
      type: 'query_controller',
      createdTime: '2024-05-01T12:00:00.000Z',
      queueInsertionTime: '2024-05-01T12:00:00.000Z',
      statusCode,
      status: statusCode,
      runnerStatusCode: isOver ? 'NONE' : 'RUNNING',
      duration: isOver ? 3000 : -1,
      location: { host: null, port: -1, tlsPort: -1 },
      dataSource: 'wikipedia',
      errorMsg: null,
      groupId: 'ingest-1',
    };
    const body = path.endsWith('/status')
      ? { task: 'ingest-1', status }
      : isOver
        ? reports
        : { multiStageQuery: running };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
  });
  const place = { tty: true, cols: 100, env: { TERM: 'xterm', NO_COLOR: '1', LANG: 'C.UTF-8' } };
  const { stdout, code } = await runCli(stand, 'tasks report ingest-1 --follow', place);
  expect(code, stdout).toBe(0);
  const [, first = '', after = ''] =
    /READING_INPUT([\s\S]*)✔ Task \[ingest-1\] succeeded after 3.0s\n([\s\S]*)$/.exec(stdout) ?? [];
  expect(first).toMatch(/^ +░{8} +0 %/);
  expect(first).not.toContain('READING_INPUT'); // nothing had changed, so nothing was painted again
  expect(after).toMatch(
    /STAGE +PHASE +PROGRESS[\s\S]* 0 +FINISHED +█{8} 100 %[\s\S]* 1 +FINISHED +█{8} 100 %/,
  );
  const piped = await runCli(stand, 'tasks report ingest-1 --follow -o csv');
  expect(piped.stderr).not.toContain('\x1b');
});

const statement = {
  queryId: 'query-1',
  state: 'ACCEPTED',
  createdAt: '2024-05-01T12:00:00.000Z',
  durationMs: -1,
};
const suspended = {
  id: 'edits',
  generationTime: '2024-05-01T12:00:00.000Z',
  payload: { state: 'SUSPENDED', detailedState: 'SUSPENDED', suspended: true },
};

test.each([
  [
    'a statement',
    'statements wait query-1',
    statement,
    'accepted',
    'svcctl statements wait query-1',
  ],
  [
    'a supervisor',
    'supervisors wait edits --max-lag 0',
    suspended,
    'SUSPENDED',
    'svcctl supervisors wait --for running --for idle --max-lag 0 edits',
  ],
])(
  'Ctrl-C asks what is meant while %s is waited for, and says how to come back',
  async (_, line, reply, seen, comeBack) => {
    const stand = await standIn(
      (response) =>
        void response.setHeader('content-type', 'application/json').end(JSON.stringify(reply)),
    );
    const types = [
      [seen, '\x03'],
      ['What now?', '\r'],
    ] as const;
    const { stdout, code } = await runCli(stand, line, {
      tty: true,
      cols: 140,
      env: { NO_COLOR: '1' },
      types,
    });
    expect(stdout).toContain(`hint: ${comeBack}\n`);
    expect(stdout).not.toMatch(colored); // what turns is not, either
    expect(code, stdout).toBe(130);
  },
);

test.each([
  ['leaves it', '\r', 'accepts no more tasks, and svcctl no longer waits for it', 'disabled'],
  ['takes it back', '\x1b[B\r', 'accepts tasks again', 'enabled'],
])('Ctrl-C while a worker is drained %s', async (_, keys, said, state) => {
  const own = await startService();
  await runShell(
    own,
    `echo '{"type":"noop","id":"nap","runTime":60000}' | svcctl tasks submit - --quiet`,
  );
  const host = (await runCli(own, 'workers list -o name')).stdout.trim();
  const place = { tty: true, cols: 140, env: { NO_COLOR: '1' } };
  const { stdout, code } = await runCli(own, `workers drain ${host} --yes`, {
    ...place,
    types: [
      ['[nap] of type', '\x03'],
      ['What now?', keys],
    ],
  });
  expect(stdout).toContain(`Worker [${host}] ${said}`);
  expect(code, stdout).toBe(130);
  expect((await runCli(own, 'workers list --columns state --no-header')).stdout).toBe(`${state}\n`);
});

test('amounts of a query have thousands separators on a terminal, unless --no-group says otherwise', async () => {
  const statement = `sql "SELECT 1234567 AS amount, 20240501 AS order_id, 2024 AS n"`;
  const terminal = { tty: true, env: { ...state, NO_COLOR: '1' } };
  const shown = async (line: string) => lines((await runCli(service, line, terminal)).stdout)[1];
  expect(await shown(statement)).toMatch(/^1,234,567 +20240501 +2024$/);
  expect(await shown(`${statement} --no-group`)).toMatch(/^1234567 +20240501 +2024$/);
  const { stdout } = await runCli(service, `${statement} -o table`, { env: state });
  expect(lines(stdout)[1]).toMatch(/^1234567 /);
});
