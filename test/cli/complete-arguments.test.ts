// Ids by a part of them, and arguments that are chosen from a list.
import { expect, test } from 'vitest';
import { lines, runCli } from '../support/cli.ts';
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
