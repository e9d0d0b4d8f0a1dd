// Ids by a part of them, and arguments that are chosen from a list.
import { expect, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { finishedTask, runningTask } from '../support/tasks.ts';

const someTasks = () =>
  startService({
    tasks: [
      finishedTask('query-abc-111'),
      finishedTask('query-abd-222'),
      finishedTask('query-abc'),
    ],
  });

test.each(['query-abd', '222', 'bd-222'])(
  '[%s] is enough of an id where only one fits',
  async (part) => {
    const { stdout, stderr, code } = await runCli(
      await someTasks(),
      `tasks status ${part} -o json`,
    );
    expect({ code, id: (JSON.parse(stdout) as { id: string }).id }).toEqual({
      code: 0,
      id: 'query-abd-222',
    });
    expect(stderr).toBe(`Task [${part}] is [query-abd-222].\n`);
  },
);

test('a part of several ids lists them, and nothing is done', async () => {
  const { stdout, stderr, code } = await runCli(await someTasks(), 'tasks cancel query-ab --yes');
  expect({ stdout, code }).toEqual({ stdout: '', code: 2 });
  expect(stderr).toMatch(/^error: Task id \[query-ab\] is ambiguous: .*\[query-abd-222\]/s);
});

test('a real id always wins, and the id that begins all others is meant', async () => {
  const service = await someTasks();
  const idOf = async (part: string) =>
    (JSON.parse((await runCli(service, `tasks status ${part} -o json`)).stdout) as { id: string })
      .id;
  expect(await idOf('query-abc')).toBe('query-abc');
  expect(await idOf('query-abc-')).toBe('query-abc-111');
  expect(await idOf('y-abc')).toBe('query-abc');
});

test('a change and a list of ids take parts, too', async () => {
  const service = await startService({ tasks: [runningTask('ingest-1'), runningTask('load-2')] });
  const dry = await runCli(service, 'tasks cancel inge --dry-run -o json');
  expect(JSON.parse(dry.stdout)).toMatchObject([
    { method: 'POST', path: '/svc/indexer/v1/task/ingest-1/shutdown' },
  ]);
  const { stdout } = await runCli(service, 'tasks cancel inge load -o name');
  expect(lines(stdout)).toEqual(['ingest-1', 'load-2']);
});

test('an id that nothing fits is refused by the service', async () => {
  const { stderr, code } = await runCli(await someTasks(), 'tasks status nope');
  expect(code).toBe(3);
  expect(stderr).toContain('hint: svcctl tasks list shows known tasks');
});

test('a missing id is chosen from a list on a terminal, by typing a part of it', async () => {
  const { stdout, code } = await runCli(await someTasks(), 'tasks status', {
    tty: true,
    env: { NO_COLOR: '1' },
    types: [
      ['Task id:', 'abd'],
      // The first list may show it too, and Enter means nothing while the next one is made
      ['query-abd-222', '\r', { again: '\r' }],
    ],
  });
  expect(code).toBe(0);
  expect(stdout).toMatch(/id +query-abd-222/);
});

test.each([[''], ['--no-input']])(
  'off a terminal nothing is asked: tasks status %s',
  async (flags) => {
    const { stderr, code } = await runCli(await someTasks(), `tasks status ${flags}`);
    expect(code).toBe(2);
    expect(stderr).toContain("missing required argument 'task-id'");
  },
);

test('with --no-input nothing is asked on a terminal either', async () => {
  const { stdout, code } = await runCli(await someTasks(), 'tasks status --no-input', {
    tty: true,
  });
  expect(code).toBe(2);
  expect(stdout).toContain("missing required argument 'task-id'");
});

const keys = { tty: true, env: { NO_COLOR: '1' } } as const;

test('the task to cancel is chosen from those that run, and is the only one that is cancelled', async () => {
  const service = await startService({
    tasks: [runningTask('ingest-1'), runningTask('load-2'), finishedTask('query-abc')],
  });
  const { stdout, code } = await runCli(service, 'tasks cancel', {
    ...keys,
    types: [
      ['Task to cancel:', 'load'],
      ['load-2', '\r', { again: '\r' }],
    ],
  });
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(stdout).toContain('Task [load-2] is stopping.');
  expect(stdout).not.toContain('query-abc'); // it has ended
  const left = await runCli(service, 'tasks list --state running -o name');
  expect(lines(left.stdout)).toEqual(['ingest-1']);
});

test('where no task runs there is none to choose, and off a terminal ids or options are needed', async () => {
  const service = await someTasks();
  expect(await runCli(service, 'tasks cancel', keys)).toMatchObject({
    code: 3,
    stdout: expect.stringContaining('No task is running, so there is nothing to cancel'),
  });
  expect(await runCli(service, 'tasks cancel')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Name tasks either by their ids or by options'),
  });
});

test('tasks that run are offered first', async () => {
  const service = await startService({
    tasks: [finishedTask('query-abc'), runningTask('ingest-1'), finishedTask('query-abd')],
  });
  const { stdout, code } = await runCli(service, 'tasks status', {
    ...keys,
    types: [['Task id:', '\r', { again: '\r' }]],
  });
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(/id +ingest-1\n/);
});

test('arguments that stand for several, or that an option replaces, are chosen too', async () => {
  const service = await startService();
  for (const [line, said] of [
    [
      'queries kill',
      "missing required argument 'ids': ids of queries; there is none to choose from",
    ],
    ['supervisors status', 'there is none to choose from'],
    ['supervisors suspend', '--all'],
    ['lookups delete', 'Name either a lookup or --all'],
  ] as const) {
    const { stdout, code } = await runCli(service, line, { ...keys, cols: 160 });
    expect({ line, code, stdout }).toMatchObject({
      code: 2,
      stdout: expect.stringContaining(said),
    });
  }
  const set = `echo '{"fr": "France"}' | svcctl lookups set countries --file -`;
  expect(await runShell(service, set)).toMatchObject({ code: 0 });
  const { stdout, code } = await runCli(service, 'lookups delete', {
    ...keys,
    types: [
      ['Name of the lookup:', '\r', { again: '\r' }],
      ['will fail', 'y\r'],
    ],
  });
  expect({ code, stdout }).toMatchObject({ code: 0 });
  expect(stdout).toContain('Lookup [countries] is deleted.');
});
