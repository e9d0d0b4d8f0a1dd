// One live screen, in a real pseudo-terminal against a real service.
import { expect, test } from 'vitest';
import { plainPainter } from '../../src/cli/output/painter.ts';
import { marksFor } from '../../src/cli/terminal/marks.ts';
import { frameOf } from '../../src/commands/top/frame.ts';
import { startServer } from '../../src/server/server.ts';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';

const nap = (id: string) =>
  `echo '{"type":"noop","id":"${id}","dataSource":"naps","runTime":60000}' | svcctl tasks submit - --quiet`;
const marks = marksFor({ LANG: 'C.UTF-8' });

test('off a terminal it prints one frame, and its numbers as JSON', async () => {
  const service = await startService({ workerCapacity: 1 });
  await runShell(service, `${nap('one')}; ${nap('two')}`);
  const { stdout, code } = await runCli(service, 'top');
  expect(code).toBe(0);
  expect(stdout).not.toContain('\x1b');
  expect(lines(stdout)[1]).toBe('tasks: 1 running, 1 pending, 0 waiting, 1 of 1 slots');
  expect(stdout).toMatch(/TASKS\none +\S+ {2}RUNNING {2}noop\ntwo +\S+ {2}PENDING {2}noop\n/);
  expect(stdout).toMatch(
    /SERVERS\n127\.0\.0\.1:\d+ +0 % {2}\.{10} {2}0 B of 46\.6 GiB {2}_default_tier\n/,
  );
  expect(JSON.parse((await runCli(service, 'top -o json')).stdout)).toMatchObject({
    tasks: { running: 1, pending: 1 },
    slots: { used: 1, all: 1 },
  });
});

test.each([
  ['q', 'q', 0],
  ['Ctrl-C', '\x03', 130],
])('%s ends it, and the terminal is as it was', async (_, key, expected) => {
  const service = await startService();
  const { stdout, code } = await runShell(
    service,
    'svcctl top --every 0.2; code=$?; stty -a | grep -q -- "-echo " || echo ECHO; exit $code',
    {
      tty: true,
      types: [['tasks: 0 running', key]],
      env: { NO_COLOR: '1' },
    },
  );
  expect(code).toBe(expected);
  const [before = '', after = ''] = stdout.split('\x1b[?25h\x1b[?1049l');
  expect(before).toContain('\x1b[?1049h\x1b[?25l');
  expect(after.trim()).toBe('ECHO');
});

test('only lines that change are written again', async () => {
  const service = await startService();
  const start = async () => {
    await runShell(service, nap('late-task'));
    return '';
  };
  const types = [
    ['tasks: 0 running', ''],
    [firstLine, ''],
    [firstLine, start],
    ['late-task', 'q'],
  ] as const;
  const { stdout } = await runCli(service, 'top --every 0.2', {
    tty: true,
    types,
    env: { NO_COLOR: '1' },
  });
  expect(stdout.split('SERVERS').length - 1).toBeLessThanOrEqual(2); // once where it was, once where the new part has moved it
  expect(stdout.split(firstLine).length).toBeGreaterThan(3); // the clock goes on
});

const firstLine = '\x1b[1;1H';

test('a terminal of 20 columns is enough', async () => {
  const service = await startService();
  await runShell(service, nap('a-task-with-a-long-name'));
  const { stdout } = await runCli(service, 'top --once', {
    tty: true,
    cols: 20,
    env: { NO_COLOR: '1' },
  });
  for (const line of lines(stdout)) expect(line.length).toBeLessThanOrEqual(20);
  expect(stdout).toContain('a-task-');
});

test('it goes on when the service is away for a while, and says so', async () => {
  const service = await startServer({ port: 0 });
  let ending = Promise.resolve();
  const close = async () => {
    ending = service.close();
    return '';
  };
  const types = [
    ['tasks: 0 running', close],
    ['does not answer', 'q'],
  ] as const;
  const { stdout, code } = await runCli(service, 'top --every 0.2', {
    tty: true,
    types,
    env: { NO_COLOR: '1' },
  });
  await ending;
  expect(stdout).toContain('The service does not answer: ');
  expect(code).toBe(0);
});

test('a frame fits its screen whatever there is, and every part keeps a place', () => {
  const many = <T>(make: (at: number) => T) => Array.from({ length: 50 }, (_, at) => make(at));
  const snapshot = {
    time: '2024-05-01T12:00:00.000Z',
    service: 'http://127.0.0.1:8888',
    tasks: { running: 50, pending: 0, waiting: 0 },
    active: many((at) => ({
      id: `index_wikipedia_2024-05-01T12:00:00.000Z_${at}`,
      type: 'index_parallel',
      state: 'RUNNING',
      ageMs: at,
    })),
    supervisors: many((at) => ({ id: `编辑-${at}`, state: 'LOST_CONTACT_WITH_STREAM', lag: at })),
    loadQueue: many((at) => ({ server: `host-${at}:8083`, toLoad: at, toLoadSize: at, toDrop: 1 })),
    servers: many((at) => ({ host: `host-${at}:8083`, tier: 'hot', used: at, capacity: 50 })),
    queries: many((at) => ({
      id: String(at),
      engine: 'native',
      sql: `SELECT ${'x, '.repeat(at)} 1`,
    })),
  };
  for (const width of [20, 40, 80, 200])
    for (const height of [3, 10, 24, 60]) {
      const frame = frameOf(snapshot, { width, height, marks, painter: plainPainter });
      expect(frame.length).toBeLessThanOrEqual(height);
      for (const line of frame) expect(line.length).toBeLessThanOrEqual(width);
      if (height >= 24)
        for (const name of ['TASKS', 'SUPERVISORS', 'LOAD QUEUE', 'SERVERS', 'QUERIES'])
          expect(frame.join('\n')).toContain(name);
    }
});

test('a server that is not the Router is told by its role, and where the Router is', async () => {
  const service = await startService({ rolePorts: true });
  const url = service.urls.get('historical') ?? '';
  expect(await runCli({ url }, 'top')).toEqual({
    stdout: '',
    stderr: `error: This is a Historical, which answers only its own endpoints. Use the Router instead: it is at [${service.url}].\nhint: export SVCCTL_URL=${service.url}\n`,
    code: 1,
  });
  const silent = await standIn((response) => response.writeHead(404).end());
  expect(await runCli({ url: '' }, `top --url ${silent.url}`)).toMatchObject({
    stderr:
      'error: The service does not answer below /svc, and the service does not report its name.\nhint: svcctl top --service NAME\n',
    code: 1,
  });
});

test('a task is explained, cancelled after a question, and gone on with, by keys alone', async () => {
  const service = await startService({ workerCapacity: 1 });
  await runShell(service, nap('long-nap'));
  const types = [
    ['long-nap', '\r'],
    ['runs on', '\x1b'],
    ['Enter why', 'l'],
    ['Doing nothing', 'q'],
    ['Enter why', 'c'],
    ['Cancel task [long-nap]? y/N', 'y'],
    ['Task [long-nap] is stopping', ''],
    ['FAILED', '3'],
    ['There are no segments', 'q'],
  ] as const;
  const { stdout, code } = await runCli(service, 'top --every 0.5', {
    tty: true,
    cols: 80,
    types,
    env: { NO_COLOR: '1', LANG: 'C.UTF-8', TERM: 'xterm' },
  });
  expect(code, stdout).toBe(0);
  const frames = stdout.split('\x1b[?2026h').slice(1);
  for (const frame of frames) expect(frame).toContain('\x1b[?2026l'); // each is whole
  const { stdout: status } = await runCli(service, 'tasks status long-nap -o json');
  expect(JSON.parse(status)).toMatchObject({ statusCode: 'FAILED' });
});
