// Output on a terminal and in a pipe.
import { expect, test } from 'vitest';
import { lines, runCli, runShell, startCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';
import { finishedTask } from '../support/tasks.ts';

const taskNamed = (id: string, rest: object = {}) => ({ ...finishedTask(id).status, ...rest });

const listing = (tasks: readonly unknown[]) =>
  standIn(
    (response) =>
      void response.setHeader('content-type', 'application/json').end(JSON.stringify(tasks)),
  );

test('5: a table fits the terminal; East Asian letters and emoji take the room they take', async () => {
  const service = await listing([
    taskNamed('日本語のタスク名前がとても長い', { dataSource: '🫠👩‍👩‍👧 emoji' }),
    taskNamed('short'),
  ]);
  const { stdout } = await runCli(service, 'tasks list -o wide --no-pager', {
    tty: true,
    cols: 80,
    env: { NO_COLOR: '1', LANG: 'C.UTF-8' },
  });
  const [head = '', first = '', second = ''] = lines(stdout);
  expect(head).toMatch(/^ID +DATAS.* +CREATED +TYPE +STATUS +DURATION/);
  expect(first).toContain('…');
  expect(second).toContain('short');
  const graphemes = new Intl.Segmenter();
  const widthOf = (line: string) =>
    [...graphemes.segment(line)].reduce(
      (width, { segment }) => width + (/[\u3000-\u9fff\u{1f000}-\u{1ffff}]/u.test(segment) ? 2 : 1),
      0,
    );
  for (const line of [head, first, second]) expect(widthOf(line)).toBeLessThanOrEqual(80);
  const statusAt = head.indexOf('STATUS');
  expect(second.slice(statusAt)).toMatch(/^SUCCESS/);
});

test('5: where the locale is C, what svcctl itself writes is ASCII', async () => {
  const service = await listing([taskNamed(`${'a-long-name-'.repeat(20)}`)]);
  const { stdout } = await runCli(service, 'tasks list', {
    tty: true,
    cols: 80,
    env: { LC_ALL: 'C' },
  });
  expect(stdout).toContain('~');
  expect(stdout).toMatch(/^\p{ASCII}*$/u);
});

test('5: a line of a table is never wrapped, not even where there is room for twenty letters', async () => {
  const service = await listing([taskNamed('a-long-name-of-a-task')]);
  const { stdout } = await runCli(service, 'tasks list', {
    tty: true,
    cols: 20,
    env: { NO_COLOR: '1' },
  });
  for (const line of lines(stdout)) expect(line.length).toBeLessThanOrEqual(20);
  expect(lines(stdout)).toEqual([
    'ID           STATUS',
    'a-long-nam~  SUCCESS',
    'Not shown for lack',
    'of space:',
    'datasource, created,',
    '2 more; select',
    'columns with',
    '--columns, or see',
    'all with -o wide',
  ]);
});

test('5: times are relative on a terminal and ISO elsewhere, numbers stand on the right', async () => {
  const created = new Date(Date.now() - 3 * 3_600_000).toISOString();
  const service = await listing([taskNamed('a', { createdTime: created, duration: 5 })]);
  expect(
    (await runCli(service, 'tasks list --columns id,created', { tty: true })).stdout,
  ).toContain('3h ago');
  expect((await runCli(service, 'tasks list --columns id,created -o table')).stdout).toContain(
    created,
  );
  expect((await runCli(service, 'tasks list --columns duration -o table')).stdout).toBe(
    'DURATION\n     5ms\n',
  );
});

test('a name cannot move the cursor', async () => {
  const service = await listing([taskNamed('evil\x1b[2J\r\nname')]);
  expect((await runCli(service, 'tasks list --columns id', { tty: true })).stdout).toContain(
    'evil\\u001b[2J\\r\\nname',
  );
});

test.each([
  ['a terminal', {}, '', true, true],
  ['NO_COLOR', { NO_COLOR: '1' }, '', true, false],
  ['an empty NO_COLOR', { NO_COLOR: '' }, '', true, true],
  ['TERM=dumb', { TERM: 'dumb' }, '', true, false],
  ['--no-color', { FORCE_COLOR: '1' }, '--no-color', true, false],
  ['a flag against NO_COLOR', { NO_COLOR: '1' }, '--color always', true, true],
  ['a pipe', {}, '-o table', false, false],
  ['a pipe on CI', { CI: '1', GITHUB_ACTIONS: '1' }, '-o table', false, false],
  ['a pipe with FORCE_COLOR', { FORCE_COLOR: '1' }, '-o table', false, true],
  ['a pipe with CLICOLOR_FORCE', { CLICOLOR_FORCE: '1' }, '-o table', false, true],
  [
    'a pipe with FORCE_COLOR=0',
    { FORCE_COLOR: '0', CLICOLOR_FORCE: '1' },
    '-o table',
    false,
    false,
  ],
  ['a pipe with --color always', {}, '-o table --color always', false, true],
])('6: colours on %s', async (_, env, flags, tty, isColored) => {
  const service = await listing([taskNamed('a')]);
  expect(
    (
      await runCli(service, `tasks list ${flags}`, { tty, env: { TERM: 'xterm', ...env } })
    ).stdout.includes('\x1b[32mSUCCESS'),
  ).toBe(isColored);
});

test('6: colours are seen on a light background, too', async () => {
  const service = await listing([taskNamed('a', { status: 'RUNNING' })]);
  const on = async (env: Record<string, string>) =>
    (await runCli(service, 'tasks list', { tty: true, env })).stdout;
  expect(await on({ TERM: 'xterm', COLORFGBG: '15;0' })).toContain('\x1b[36mRUNNING'); // cyan
  expect(await on({ TERM: 'xterm', COLORFGBG: '0;15' })).toContain('\x1b[34mRUNNING'); // blue
  expect(await on({ TERM: 'xterm-256color', COLORFGBG: '15;0' })).toContain('\x1b[36mRUNNING');
  expect(await on({ TERM: 'xterm-256color' })).toContain('\x1b[38;5;31mRUNNING'); // a blue that is seen on black and on white
});

test('6: the words that begin errors, hints and warnings are painted, on a terminal only, and what follows them is not', async () => {
  const service = await listing([]);
  const on = async (line: string, place: Parameters<typeof runCli>[2] = {}) =>
    (await runCli(service, line, { tty: true, env: { TERM: 'xterm' }, ...place })).stdout;
  const error = `${bold(red('error:'))} unknown command 'lst'\n`;
  expect(await on('tasks lst')).toBe(`${error}\x1b[2mhint:\x1b[22m did you mean list?\n`);
  expect(await on('tasks list --sort nope')).toContain(
    `${bold(red('error:'))} Value [nope] of --sort`,
  );
  expect(await on('tasks lst --no-color')).not.toContain('\x1b');
  expect(await on('tasks lst', { env: { TERM: 'xterm', NO_COLOR: '1' } })).not.toContain('\x1b');
  expect(await on('tasks lst', { env: { TERM: 'dumb' } })).not.toContain('\x1b');
  const piped = await runCli(service, 'tasks lst');
  expect(piped.stderr).toBe("error: unknown command 'lst'\nhint: did you mean list?\n");
  expect((await runCli(service, 'tasks lst --color always')).stderr).toContain(error);
});

const bold = (text: string) => `\x1b[1m${text}\x1b[22m`;
const red = (text: string) => `\x1b[31m${text}\x1b[39m`;

test('7: a long list goes through the pager on a terminal, a short one does not', async () => {
  const long = await listing(Array.from({ length: 100 }, (_, at) => taskNamed(`task-${at}`)));
  const short = await listing([taskNamed('task-1')]);
  // The terminal's package drops what is unread 200 ms after the exit, and a busy machine may need
  // them for other work: the pager stays a while.
  const command = 'echo paged; cat; sleep 1';
  const pager = { tty: true, rows: 10, env: { TERM: 'xterm', SVCCTL_PAGER: command } };
  expect((await runCli(long, 'tasks list', pager)).stdout).toMatch(/^paged\n[\s\S]*task-99/);
  expect((await runCli(short, 'tasks list', pager)).stdout).not.toContain('paged');
  expect((await runCli(long, 'tasks list --no-pager', pager)).stdout).not.toContain('paged');
  expect(
    (await runCli(long, 'tasks list', { ...pager, env: { ...pager.env, CI: '1' } })).stdout,
  ).not.toContain('paged');
  expect((await runCli(long, 'tasks list', { ...pager, tty: false })).stdout).not.toContain(
    'paged',
  );
  expect(
    await runCli(long, 'tasks list', { ...pager, env: { ...pager.env, SVCCTL_PAGER: 'head -1' } }),
  ).toMatchObject({ code: 0 });
});

test('7: a closed pipe ends quietly, a full disk does not', async () => {
  const service = await listing(Array.from({ length: 5000 }, (_, at) => taskNamed(`task-${at}`)));
  expect(await runCli(service, 'tasks list -o jsonl | head -1')).toMatchObject({
    stderr: '',
    code: 0,
  });
  for (const line of ['--version', 'tasks --help', 'help environment', 'completion bash'])
    expect(await runCli(service, `${line} > /dev/full`)).toMatchObject({
      stderr: 'error: The answer cannot be written: ENOSPC: no space left on device, write\n',
      code: 1,
    });
  expect(await runCli(service, 'tasks list -o json > /dev/full')).toMatchObject({
    stderr: expect.stringMatching(/^error: The answer cannot be written: .*ENOSPC/),
    code: 1,
  });
  expect((await runShell(service, 'svcctl tasks list --limit 1 2>&-')).code).toBe(0);
});

test('8: a list that was cut says so on stderr', async () => {
  const service = await listing([taskNamed('a'), taskNamed('b'), taskNamed('c')]);
  expect(await runCli(service, 'tasks list --limit 2 -o name')).toEqual({
    stdout: 'a\nb\n',
    stderr: 'Only the first 2 are shown, there are 3: --limit 0 shows all\n',
    code: 0,
  });
  expect((await runCli(service, 'tasks list --limit 2 -o name --quiet')).stderr).toBe('');
});

test('9: --watch asks again until it is interrupted, and off a terminal says only what is new or different', async () => {
  const service = await ending();
  const { said, kill, ended } = startCli(service, [
    'tasks',
    'list',
    '--watch=0.1',
    '--columns',
    'id,status',
  ]);
  await expect.poll(() => service.requests.length).toBeGreaterThan(4);
  kill('SIGINT');
  expect(await ended).toBe(130);
  expect(said.stdout).toBe('id\tstatus\na\tFAILED\nb\tRUNNING\nb\tSUCCESS\n');
});

test('9: words about a list that is watched are said again only when they are others', async () => {
  const service = await ending();
  const { said, kill, ended } = startCli(
    service,
    'tasks list --watch=0.1 --limit 1 -o name'.split(' '),
  );
  await expect.poll(() => service.requests.length).toBeGreaterThan(4);
  kill('SIGINT');
  await ended;
  expect(said.stderr).toBe(
    'Only the first is shown, there are 2: --limit 0 shows all\nInterrupted: stopping. Press Ctrl-C again to exit at once.\n',
  );
});

test('9 and 18: a time that is longer than any timer is as long as a timer can be', async () => {
  const service = await listing([taskNamed('a')]);
  const long = '9'.repeat(30);
  const line = `tasks list --timeout ${long} --connect-timeout ${long} -o name`;
  expect(await runCli(service, line)).toEqual({ stdout: 'a\n', stderr: '', code: 0 });
  const { said, kill, ended } = startCli(service, [...line.split(' '), `--watch=${long}`]);
  await expect.poll(() => said.stdout).toBe('a\n');
  kill('SIGTERM');
  expect(await ended).toBe(143);
  expect(said).toEqual({
    stdout: 'a\n',
    stderr: 'Interrupted: stopping. Press Ctrl-C again to exit at once.\n',
  }); // Node warns of a timer that cannot be
});

test('10 and 15: a terminal that says it has no columns is one of 80', async () => {
  const service = await standIn((response, { path }) => {
    const state = service.requests.length < 8 ? 'RUNNING' : 'SUCCESS';
    const status = taskNamed('a', { status: state, statusCode: state, runnerStatusCode: 'NONE' });
    response.setHeader('content-type', 'application/json');
    if (path.endsWith('/status')) response.end(JSON.stringify({ task: 'a', status }));
    else response.writeHead(404).end('{}');
  });
  const unsized = (line: string, how: object = {}) =>
    runShell(service, `stty cols 0 rows 0; svcctl ${line}`, {
      tty: true,
      env: { TERM: 'xterm', NO_COLOR: '1' },
      ...how,
    });
  const waited = await unsized('tasks wait a');
  expect(waited.code).toBe(0);
  expect(waited.stdout).toContain('Task [a]');
  expect(waited.stdout.length).toBeLessThan(20_000);
  await runCli(service, 'profiles add f --url http://a --no-test --replace');
  const asked = await unsized('profiles remove f', { types: [['Continue?', '\x03']] });
  expect(asked.code).toBe(130);
});

test('9: --watch paints only what is different, however narrow the terminal is', async () => {
  const service = await ending();
  const { stdout, code } = await runCli(
    service,
    'tasks list --watch=0.1 --columns id,type,status',
    {
      tty: true,
      cols: 20,
      env: { TERM: 'xterm', NO_COLOR: '1' },
      types: [['SUCC', '\x03']],
    },
  );
  expect(code).toBe(130);
  const pictures = stdout.replaceAll('\x1b', 'ESC').split('ESC[?7l').slice(1); // begun where lines are not wrapped any more
  expect(pictures[0]).toMatch(
    /^ESC\[HESC\[2JESC\[1;1HESC\[KID .*ESC\[2;1HESC\[Ka .*ESC\[3;1HESC\[Kb .*RUNN/s,
  );
  expect(pictures[1]).toMatch(/^ESC\[3;1HESC\[Kb .*SUCC/);
});

// One of two tasks ends after two looks.
const ending = () => {
  let looks = 0;
  return standIn((response) => {
    const tasks = [
      taskNamed('a', { status: 'FAILED' }),
      taskNamed('b', { status: looks++ < 2 ? 'RUNNING' : 'SUCCESS' }),
    ];
    response.setHeader('content-type', 'application/json').end(JSON.stringify(tasks));
  });
};

test('13 and 15: a change is asked for on a terminal, y/N or the name, and Ctrl-C is 130', async () => {
  const add = (name: string, flags = '') =>
    runCli({ url: '' }, `profiles add ${name} --url http://a --no-test --replace ${flags}`);
  await add('a');
  const asking = { tty: true, env: { TERM: 'xterm' } };
  const no = await runCli({ url: '' }, 'profiles remove a', {
    ...asking,
    types: [['Continue?', '\r']],
  });
  expect(no.code).toBe(9);
  const interrupted = await runCli({ url: '' }, 'profiles remove a', {
    ...asking,
    types: [['Continue?', '\x03']],
  });
  expect(interrupted.code).toBe(130);
  const yes = await runCli({ url: '' }, 'profiles remove a', {
    ...asking,
    types: [['Continue?', 'y\r']],
  });
  expect(yes).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Profile [a] is removed.'),
  });
  await add('b', '--protected');
  const named = await runCli({ url: '' }, 'profiles remove b', {
    ...asking,
    types: [['Type b to continue', 'b\r']],
  });
  expect(named).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Profile [b] is removed.'),
  });
});

test('5 and 13: on a narrow terminal warnings, questions and hints are broken between words', async () => {
  await runCli({ url: '' }, 'profiles add d --url http://a --no-test --replace --protected');
  const asking = { tty: true, cols: 24, env: { TERM: 'xterm', NO_COLOR: '1' } };
  const { stdout, code } = await runCli({ url: '' }, 'profiles remove d', {
    ...asking,
    types: [['to continue', 'e\r']],
  });
  expect(stdout).toContain('warning: Remove profile\n[d]. The profile is\nprotected\n');
  expect(stdout).toContain('\nhint: the typed name\ndoes not match; nothing\nwas changed\n');
  expect(code).toBe(9);
  await runCli({ url: '' }, 'profiles remove d --confirm=d');
  await runCli({ url: '' }, 'profiles add e --url http://a --no-test --replace');
  const asked = await runCli({ url: '' }, 'profiles remove e', {
    ...asking,
    cols: 20,
    types: [['Continue?', '\r']],
  });
  expect(asked.stdout).toContain('? Remove profile\n[e]. Continue? ');
});

test('15: CI and --no-input forbid questions', async () => {
  await runCli({ url: '' }, 'profiles add c --url http://a --no-test --replace');
  for (const [flags, env] of [
    ['--no-input', {}],
    ['', { CI: 'true' }],
  ] as const) {
    expect(
      (
        await runCli({ url: '' }, `profiles remove c ${flags}`, {
          tty: true,
          env: { TERM: 'xterm', ...env },
        })
      ).code,
    ).toBe(9);
  }
});

test('16: a password is asked for without echo', async () => {
  const service = await standIn((response) => response.end('true'));
  const { stdout, code } = await runCli(service, 'status health --user me', {
    tty: true,
    env: { TERM: 'xterm' },
    types: [['Password of me:', 'secret\r']],
  });
  expect(code).toBe(0);
  expect(stdout).not.toContain('secret');
  expect(service.requests[0]?.headers.authorization).toBe(
    `Basic ${Buffer.from('me:secret').toString('base64')}`,
  );
});

test.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('17: %s says so and stops soon, whatever it waits for', async (signal, code) => {
  const service = await standIn(() => {});
  const { said, kill, ended } = startCli(service, ['tasks', 'list']);
  await expect.poll(() => service.requests.length).toBe(1);
  const start = performance.now();
  kill(signal);
  expect(await ended).toBe(code);
  // A second; the answer is waited for longer than any machine is busy
  expect(performance.now() - start).toBeLessThan(20_000);
  expect(said.stderr).toBe('Interrupted: stopping. Press Ctrl-C again to exit at once.\n');
});

test('25: --verbose shows requests, --debug headers too', async () => {
  const service = await listing([taskNamed('a')]);
  const verbose = await runCli(service, 'tasks list --verbose -o name');
  expect(verbose.stdout).toBe('a\n');
  expect(verbose.stderr).toMatch(/^> GET http:\S+\/tasks\n< 200 OK in \d+ ms\n$/);
  expect((await runCli(service, 'tasks list --debug -o name')).stderr).toContain(
    '\n< content-type: application/json\n',
  );
  expect((await runCli({ url: 'http://127.0.0.1:1' }, 'tasks list --debug --retries 0')).code).toBe(
    2,
  );
});

test('14: --print-curl prints a line that works', async () => {
  const service = await startService();
  const { stderr } = await runCli(service, 'status health --print-curl');
  expect((await runShell(service, `${stderr.trim()} --silent`)).stdout).toBe('true');
});

test('--query picks from the answer, --error-format json is one object', async () => {
  const service = await listing([taskNamed('a'), taskNamed('b', { status: 'FAILED' })]);
  expect(
    (await runCli(service, 'tasks list --query \'[?status==`"FAILED"`].id | [0]\'')).stdout,
  ).toBe('"b"\n');
  expect(
    (await runCli(service, "tasks list --query '[].{id:id,state:status}' -o csv")).stdout,
  ).toBe('id,state\r\na,SUCCESS\r\nb,FAILED\r\n');
  const { stderr, code } = await runCli(service, "tasks list --query '[' --error-format json");
  expect(JSON.parse(stderr)).toMatchObject({ outcome: 'usage', exitCode: 2 });
  expect(code).toBe(2);
});

test('3: csv is quoted as RFC 4180 says, tsv is escaped', async () => {
  const service = await listing([taskNamed('a "b", c\nd\te\\f')]);
  expect((await runCli(service, 'tasks list --columns id -o csv')).stdout).toBe(
    'id\r\n"a ""b"", c\nd\te\\f"\r\n',
  );
  expect((await runCli(service, 'tasks list --columns id -o tsv')).stdout).toBe(
    'id\na "b", c\\nd\\te\\\\f\n',
  );
  expect((await runCli(service, 'tasks list --columns id -o csv --no-header')).stdout).toBe(
    '"a ""b"", c\nd\te\\f"\r\n',
  );
  expect((await runCli(service, 'tasks list --columns id,status -o json')).stdout).toBe(
    '[{"id":"a \\"b\\", c\\nd\\te\\\\f","status":"SUCCESS"}]\n',
  );
});
