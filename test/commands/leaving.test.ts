// Ctrl-C on a terminal while servers and workers follow: it is asked what is meant, and said how to
// come back. Off a terminal it is only said.
import { expect, test } from 'vitest';
import { runCli, runShell, startCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';

const segment = {
  dataSource: 'days',
  interval: '2024-05-01T00:00:00.000Z/2024-05-02T00:00:00.000Z',
  version: '2024-05-02T00:00:00.000Z',
  identifier: 'days_2024-05-01T00:00:00.000Z_2024-05-02T00:00:00.000Z_2024-05-02T00:00:00.000Z',
  size: 1000,
};

// What was asked for never comes about: nothing moves, nothing is dropped, nothing is loaded, no
// task begins.
async function stuckCluster() {
  const drained: string[][] = [];
  let leaving: string[] = [];
  let isUnused = false;
  const { url } = await standIn((response, { method, path, body }) => {
    const reply = (value: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (path.endsWith('/v2/sql'))
      return response.end(isUnused ? `["${segment.identifier}"]\n\n` : '\n');
    if (method === 'POST' && path.includes('/config')) {
      leaving = JSON.parse(body).decommissioningNodes;
      drained.push(leaving);
      return response.end();
    }
    if (method !== 'GET') {
      isUnused ||= method === 'DELETE' && !path.includes('/intervals/');
      return reply({ numChangedSegments: 1 });
    }
    if (path.includes('/config')) return reply({ decommissioningNodes: leaving });
    if (path.includes('/metadata/segments'))
      return reply(isUnused ? [] : [{ ...segment, overshadowed: false }]);
    if (path.includes('/unusedSegments'))
      return reply([
        {
          dataSegment: segment,
          createdDate: '2024-05-01',
          usedStatusLastUpdatedDate: '2024-05-01',
        },
      ]);
    if (path.includes('/tasks') || path.includes('/indexer/')) return reply([]);
    if (path.includes('/loadqueue')) return reply({});
    const server = (host: string, currSize: number) => ({
      host,
      tier: 'hot',
      type: 'historical',
      priority: 0,
      currSize,
      maxSize: 5000,
    });
    return reply(
      path.includes('/servers/')
        ? server('a:8083', 1000)
        : [server('a:8083', 1000), server('b:8083', 0)],
    );
  });
  return { url, drained };
}

const waits = [
  [
    'servers drain a:8083 --yes',
    'Server [a:8083] continues to be drained',
    'svcctl servers drain a:8083',
  ],
  [
    'segments mark-unused days --all --yes --wait',
    'The servers of datasource [days] continue to drop segments',
    'svcctl datasources segments days',
  ],
  [
    'segments mark-used days --all --yes --wait',
    'The servers of datasource [days] continue to load segments',
    'svcctl datasources load-status days',
  ],
  [
    'segments kill days --interval 2024-05-01/2024-05-02 --confirm=days --wait',
    'The service starts a task that deletes them',
    'svcctl tasks list --type kill --datasource days',
  ],
] as const;

test.each(waits)(
  'on a terminal Ctrl-C leaves %s, and says how to come back',
  async (line, goesOn, comeBack) => {
    const { url } = await stuckCluster();
    const { stdout, code } = await runCli({ url }, line, {
      tty: true,
      cols: 200,
      env: { NO_COLOR: '1' },
      types: [
        [waitingFor(line), '\x03'],
        ['What now?', '\r'],
      ],
    });
    expect(stdout).toContain(`${goesOn}. What now?`);
    expect(stdout).toMatch(/error: .* and svcctl no longer waits for it\nhint: svcctl /);
    expect(stdout).toContain(`hint: ${comeBack}`);
    expect(
      stdout.endsWith('\x1b[?25h') ||
        stdout.lastIndexOf('\x1b[?25h') >= stdout.lastIndexOf('\x1b[?25l'),
      'the cursor is there again',
    ).toBe(true);
    expect(code).toBe(130);
  },
);

test.each(waits)(
  'off a terminal Ctrl-C ends %s, and says how to come back',
  async (line, goesOn, comeBack) => {
    const { url } = await stuckCluster();
    const { said, kill, ended } = startCli({ url }, line.split(' '));
    await expect.poll(() => said.stderr).toContain(waitingFor(line));
    kill('SIGINT');
    expect(await ended).toBe(130);
    expect(said.stderr).toContain(`${goesOn}.\nwait again: ${comeBack}`);
  },
);

// What is said as soon as the wait has begun.
const waitingFor = (line: string) => (line.startsWith('segments kill') ? 'A task deletes' : ']: ');

test('on a terminal Ctrl-C may take a server back that is being drained, or wait on', async () => {
  const { url, drained } = await stuckCluster();
  const { stdout, code } = await runCli({ url }, 'servers drain a:8083 --yes', {
    tty: true,
    env: { NO_COLOR: '1' },
    types: [
      ['Server [a:8083]: ', '\x03'],
      ['What now?', '\x1b[A\r'], // the last one
      ['Server [a:8083]: ', '\x03'],
      ['What now?', '\x1b[B\r'], // the second one
    ],
  });
  expect(stdout).toContain('error: Server [a:8083] receives segments again\n');
  expect(drained).toEqual([['a:8083'], []]);
  expect(code).toBe(130);
});

test.each([
  [
    'leaves it as it is',
    '\r',
    'disabled',
    'error: Worker [HOST] accepts no more tasks, and svcctl no longer waits for it',
  ],
  ['lets it take tasks again', '\x1b[B\r', 'enabled', 'error: Worker [HOST] accepts tasks again'],
])('on a terminal Ctrl-C of a worker that is drained %s', async (_, keys, state, says) => {
  const service = await startService();
  const host = (await runCli(service, 'workers list -o name')).stdout.trim();
  await runShell(
    service,
    `echo '{"type":"noop","id":"nap","runTime":60000}' | svcctl tasks submit - --quiet`,
  );
  const { stdout, code } = await runCli(service, `workers drain ${host} --yes`, {
    tty: true,
    cols: 200,
    env: { NO_COLOR: '1' },
    types: [
      [`Worker [${host}]: `, '\x03'],
      ['What now?', keys],
    ],
  });
  expect(stdout).toContain(says.replace('HOST', host));
  expect(code).toBe(130);
  expect((await runCli(service, 'workers list --columns state --no-header')).stdout).toBe(
    `${state}\n`,
  );
});
