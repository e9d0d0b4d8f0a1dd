// Commands that wait for a task: they end when it ends, with its exit code.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { lines, runCli, runShell, startCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { freePort } from '../support/stand-in.ts';
import { finishedTask, runningTask, sqlReports } from '../support/tasks.ts';

const failed = { status: 'FAILED', statusCode: 'FAILED', errorMsg: 'The file is gone' } as const;
const failedTask = (id: string) => {
  const task = finishedTask(id, { log: ['one', 'two'] });
  return { ...task, status: { ...task.status, ...failed } };
};

const submit = (runTime: number, flags = '') =>
  `echo '{"type":"noop","id":"nap","runTime":${runTime}}' | svcctl tasks submit - ${flags}`;

test('submits a task, says only its id on stdout, and waits when asked to', async () => {
  const service = await startService();
  expect(await runShell(service, submit(10))).toEqual({
    stdout: 'nap\n',
    stderr: 'Task [nap] is submitted.\nnext: svcctl tasks wait nap\n',
    code: 0,
  });
  const { stderr, code } = await runCli(service, 'tasks wait nap');
  expect([lines(stderr).at(-1), code]).toEqual([
    expect.stringMatching(/^Task \[nap\] succeeded after /),
    0,
  ]);
  expect((await runShell(service, submit(10))).code).toBe(1); // its id is taken
});

test('waiting for a task that fails is a failure, in its own words', async () => {
  const service = await startService({ tasks: [failedTask('ingest-1')] });
  expect(await runCli(service, 'tasks wait ingest-1')).toEqual({
    stdout: '',
    stderr:
      'error: Task [ingest-1] failed: The file is gone\nhint: svcctl tasks log ingest-1 --tail 20\n',
    code: 1,
  });
});

test('a wait that runs out of time has an exit code of its own and says how to go on', async () => {
  const service = await startService({ tasks: [runningTask('ingest-1')] });
  const { stderr, code } = await runCli(service, 'tasks wait ingest-1 --max-wait 0.2');
  expect(lines(stderr).slice(-2)).toEqual([
    'error: Task [ingest-1] has not ended after 0.2s',
    'hint: svcctl tasks wait ingest-1',
  ]);
  expect(code).toBe(7);
});

test('Ctrl-C ends the wait, not the task, and says how to come back', async () => {
  const service = await startService({ tasks: [runningTask('ingest-1')] });
  const { said, kill, ended } = startCli(service, ['tasks', 'wait', 'ingest-1']);
  await expect.poll(() => said.stderr).toMatch(/^Datasource \[\w+\]: /);
  kill('SIGINT');
  expect(await ended).toBe(130);
  expect(said.stderr).toContain(
    'Task [ingest-1] continues.\nwait again: svcctl tasks wait ingest-1\nstop it: svcctl tasks cancel ingest-1\n',
  );
  expect((await runCli(service, 'tasks status ingest-1 --query statusCode -o json')).stdout).toBe(
    '"RUNNING"\n',
  );
});

test.each(['svc', 'druid'])(
  'follows a log to the end of the task, each line once (%s)',
  async (name) => {
    const service = await startService({ service: name });
    await runShell(service, submit(600, `--service ${name}`));
    const followed = await runCli(service, `tasks log nap --follow --service ${name}`);
    expect(followed).toMatchObject({
      stdout: (await runCli(service, `tasks log nap --service ${name}`)).stdout,
      code: 0,
    });
    expect(lines(followed.stdout).at(-1)).toContain('SUCCESS');
  },
);

test.each(['svc', 'druid'])(
  'a log is followed across a restart of the service, each line once, and from where an earlier one has ended (%s)',
  async (name) => {
    const folder = mkdtempSync(join(tmpdir(), 'svcctl-log-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const { stdout, stderr, code } = await runShell(
      { url },
      `serve() { '${process.execPath}' bin/svcctl.cjs serve --service ${name} --port ${port} --data-dir ${folder}/data --ready-file ${folder}/$1 >/dev/null 2>&1 & pid=$!; for i in {1..300}; do [ -e ${folder}/$1 ] && break; sleep 0.1; done; }
    export SVCCTL_SERVICE=${name}; serve one; ${submit(60_000, '--quiet')}; svcctl tasks log nap --follow > ${folder}/followed & follower=$!
    for i in {1..200}; do [ -s ${folder}/followed ] && break; sleep 0.1; done; before=$(wc -$([ ${name} = druid ] && echo c || echo l) < ${folder}/followed)
    kill -9 $pid; wait $pid; serve two; wait $follower; echo "exit $?"; cat ${folder}/followed; echo ---; svcctl tasks log nap
    echo ---; svcctl tasks log nap --follow --since-offset $before 2>/dev/null; kill $pid; wait $pid; true`,
      { cwd: resolve('.') },
    );
    const [followed = '', whole = '', rest = ''] = stdout.split('---\n');
    expect(lines(followed.slice(followed.indexOf('exit')))[0], stderr).toBe('exit 1'); // the task has failed with its service
    expect(followed.slice(followed.indexOf('exit 1\n') + 7)).toBe(whole);
    expect(whole.endsWith(rest)).toBe(true);
    expect(code).toBe(0);
  },
);

test('--since-offset goes with --follow alone', async () => {
  const service = await startService({
    tasks: [finishedTask('ingest-1', { log: ['one', 'two', 'three'] })],
  });
  expect((await runCli(service, 'tasks log ingest-1 --follow --since-offset 1')).stdout).toBe(
    'two\nthree\n',
  );
  for (const flags of [
    '--since-offset 1',
    '--follow --tail 1 --since-offset 1',
    '--follow --since-offset=-1',
  ])
    expect((await runCli(service, `tasks log ingest-1 ${flags}`)).code).toBe(2);
});

test.each([
  ['leaves it alone', '\r', 130, 'RUNNING'],
  ['cancels it', '\x1b[B\r', 1, 'FAILED'],
])('on a terminal Ctrl-C asks what is meant, and %s', async (_, keys, expected, state) => {
  const service = await startService();
  await runShell(service, submit(60_000));
  const { stdout, code } = await runCli(service, 'tasks wait nap', {
    tty: true,
    env: { NO_COLOR: '1' },
    types: [
      ['Task [nap]: ', '\x03'],
      ['What now?', keys],
    ],
  });
  expect(stdout).toContain('Task [nap] continues. What now?');
  expect(code, stdout).toBe(expected);
  if (expected === 130) expect(stdout).toContain('hint: svcctl tasks wait nap');
  expect((await runCli(service, 'tasks status nap --query statusCode -o json')).stdout).toBe(
    `"${state}"\n`,
  );
});

test.each(['svc', 'druid'])('prints the last lines of a log (%s)', async (name) => {
  const log = Array.from({ length: 5000 }, (_, line) => `line ${line}`);
  const service = await startService({ service: name, tasks: [finishedTask('ingest-1', { log })] });
  const tail = async (flags: string) =>
    (await runCli(service, `tasks log ingest-1 --service ${name} ${flags}`)).stdout;
  expect(await tail('--tail 2')).toBe('line 4998\nline 4999\n');
  expect(await tail('--tail 2 --follow')).toBe('line 4998\nline 4999\n');
  expect(lines(await tail('--tail 4000'))).toEqual(log.slice(-4000));
  expect(lines(await tail('--tail 9000'))).toEqual(log);
  expect(await tail('--tail 0')).toBe('');
});

test('a log is a list of its lines where one is asked for, and nothing at all where that is', async () => {
  const service = await startService({
    tasks: [finishedTask('ingest-1', { log: ['said "one"', 'two'] })],
  });
  const said = async (flags: string) =>
    (await runCli(service, `tasks log ingest-1 ${flags}`)).stdout;
  for (const how of ['', '--follow', '--tail 2'])
    expect(JSON.parse(await said(`-o json ${how}`))).toEqual(['said "one"', 'two']);
  expect(await said('-o jsonl')).toBe('"said \\"one\\""\n"two"\n');
  expect(await said('-o csv')).toBe('line\r\n"said ""one"""\r\ntwo\r\n');
  expect(JSON.parse(await said('-o json --tail 0'))).toEqual([]);
  expect(await said("--query 'length(@)'")).toBe('2\n');
  expect(await said('-o none')).toBe('');
});

test('following the log of a task that fails ends with its exit code', async () => {
  const service = await startService({ tasks: [failedTask('ingest-1')] });
  expect(await runCli(service, 'tasks log ingest-1 --follow')).toMatchObject({
    stdout: 'one\ntwo\n',
    code: 1,
  });
});

test('shows a report stage by stage, with what went wrong in words', async () => {
  const reports = sqlReports('ingest-1', 5, {
    errorCode: 'InsertTimeNull',
    errorMessage: 'InsertTimeNull: Encountered a null timestamp',
  });
  const service = await startService({ tasks: [{ ...failedTask('ingest-1'), reports }] });
  const { stdout, stderr, code } = await runCli(service, 'tasks report ingest-1 -o table');
  expect(lines(stdout)).toEqual(
    [
      'STAGE  PHASE           PROGRESS  WORKERS  ROWS IN  ROWS OUT    BYTES  DURATION',
      '    0  FINISHED  ######## 100 %        1        5         5    500 B      1.5s',
      '    1  FAILED    ........   0 %        1        5         -    500 B      1.5s',
    ].map((line) => line.replace('   BYTES', ' BYTES').replaceAll('   500 B', ' 500 B')),
  );
  expect(lines(stderr)).toEqual([
    'FAILED after 3.0s',
    'failed: InsertTimeNull: Encountered a null timestamp (stage 1)',
    'A row has no time: __time was null. TIME_PARSE returns null for a text that does not match its format.',
    expect.stringMatching(/^Correct the format, or replace nulls: /),
    'warning: CannotParseExternalData: Unable to parse row [oops]',
  ]);
  expect(code).toBe(0);
  expect((await runCli(service, 'tasks report ingest-1 --follow')).code).toBe(1);
  await runShell(service, submit(1));
  expect(await runCli(service, 'tasks report nap')).toMatchObject({ stdout: '', code: 3 });
  expect(await runCli(service, 'tasks report nap --follow')).toMatchObject({ stdout: '', code: 0 }); // the task has done well, it only says nothing
  const { stdout: document } = await runCli(service, 'tasks report ingest-1 -o json');
  expect(JSON.parse(document)).toEqual(reports);
});

test('shows what a native task did with its rows', async () => {
  const row = {
    processed: 4,
    processedBytes: 400,
    processedWithError: 0,
    thrownAway: 1,
    unparseable: 2,
  };
  const payload = {
    ingestionState: 'COMPLETED',
    rowStats: { totals: { buildSegments: row } },
    errorMsg: null,
  };
  const service = await startService({
    tasks: [
      finishedTask('ingest-1', {
        reports: { ingestionStatsAndErrors: { taskId: 'ingest-1', payload } },
      }),
    ],
  });
  expect((await runCli(service, 'tasks report ingest-1 -o csv')).stdout).toBe(
    'phase,processed,withErrors,unparseable,thrownAway,bytes\r\nbuildSegments,4,0,2,1,400\r\n',
  );
});

test('tasks chosen by what they are, are counted and stopped only when that is confirmed', async () => {
  const other = runningTask('other-1');
  const tasks = [
    runningTask('ingest-1'),
    runningTask('ingest-2'),
    finishedTask('ingest-3'),
    { ...other, status: { ...other.status, dataSource: 'other' } },
  ];
  const service = await startService({ tasks });
  const running = async () =>
    lines((await runCli(service, 'tasks list --state running -o name --sort id')).stdout);
  const asked = await runShell(service, 'svcctl tasks cancel --datasource wikipedia </dev/null');
  expect(asked.stderr).toContain(
    'error: Stop 2 tasks: not confirmed\nhint: add --yes to confirm\n',
  );
  expect(asked.stderr).toContain('  ingest-1  query_controller  wikipedia  RUNNING  ');
  expect(asked.code).toBe(9);
  const dry = await runCli(service, 'tasks cancel --datasource wikipedia --dry-run');
  expect(
    lines(dry.stdout)
      .slice(1)
      .map((line) => line.split('\t')[1]),
  ).toEqual([expect.stringContaining('/datasources/wikipedia/shutdownAllTasks')]);
  expect(await running()).toEqual(['ingest-1', 'ingest-2', 'other-1']);
  expect((await runCli(service, 'tasks cancel --datasource wikipedia --yes')).code).toBe(0);
  expect(await running()).toEqual(['other-1']);
  expect(await runCli(service, 'tasks cancel --type kill --yes')).toMatchObject({
    stderr: 'No task matches.\n',
    code: 0,
  });
  expect((await runCli(service, 'tasks cancel other-1 --state running')).code).toBe(2);
});

test('many are stopped one after the other, each with its result, and what failed can be taken up again', async () => {
  const service = await startService({ tasks: [runningTask('ingest-1'), runningTask('ingest-2')] });
  const { stdout, stderr, code } = await runCli(
    service,
    'tasks cancel ingest-1 nope ingest-2 --rate 50 -o csv',
  );
  expect(stdout).toMatch(
    /^item,result,error\r\ningest-1,done,\r\nnope,failed,.+\r\ningest-2,done,\r\n$/,
  );
  expect(stderr).toBe('error: 1 of 3 failed\nhint: svcctl tasks cancel nope\n');
  expect(code).toBe(1);
  expect((await runCli(service, 'tasks cancel ingest-1 --rate 0')).code).toBe(2);
});
