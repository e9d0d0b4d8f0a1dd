// Servers and workers are emptied before they are taken away. The service has one of each, so a
// stand-in plays a cluster with two Historicals.
import { expect, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';

const nap = (id: string, runTime: number) =>
  `echo '{"type":"noop","id":"${id}","dataSource":"naps","runTime":${runTime}}' | svcctl tasks submit - --quiet`;

test('the only server of its tier cannot be drained, and the pre-flight says so', async () => {
  const service = await startService();
  const host = lines((await runCli(service, 'servers list -o name')).stdout)[0] ?? '';
  const refused = await runCli(service, `servers drain ${host} --yes`);
  expect(lines(refused.stderr)).toEqual([
    `Server [${host}] has 0 B; 0 other servers of tier [_default_tier] have room for 0 B`,
    `error: Server [${host}] is the only one of tier [_default_tier] that takes segments, so nothing can move from it`,
    `hint: svcctl servers drain ${host} --force`,
  ]);
  expect(refused.code).toBe(9);
  expect(await runCli(service, 'servers drain nowhere:1 --yes')).toMatchObject({ code: 3 });
  const dry = await runCli(service, `servers drain ${host} --force --dry-run`);
  expect(dry.stdout).toContain(`{"decommissioningNodes":["${host}"]}`);
  const nodes = async () =>
    (
      await runCli(service, 'config coordinator get --query decommissioningNodes -o json')
    ).stdout.replace(/\s/g, '');
  expect(await nodes()).toBe('[]');
  const forced = await runCli(service, `servers drain ${host} --force --yes`);
  expect(forced).toMatchObject({
    stderr: expect.stringContaining(`Server [${host}] is empty`),
    code: 0,
  }); // there was nothing on it
  expect(await nodes()).toBe(`["${host}"]`);
  expect((await runCli(service, `cluster doctor --where 'check = drain' -o csv`)).stdout).toContain(
    `svcctl servers enable ${host}`,
  );
  await runCli(service, `servers enable ${host}`);
  expect(await nodes()).toBe('[]');
});

test('a server is drained to the end, and then receives segments again', async () => {
  const cluster = await twoServers({ stepBytes: 400 });
  const { stderr, code } = await runCli(cluster, 'servers drain a:8083 --yes --then-enable');
  expect(lines(stderr)).toEqual([
    'Server [a:8083] has 1000 B; 1 other server of tier [hot] has room for 4.0 KiB',
    'Server [a:8083] is being drained.',
    expect.stringMatching(/^Server \[a:8083\]: moving, 600 B left, \d+ %$/),
    expect.stringMatching(/^Server \[a:8083\]: moving, 200 B left, \d+ %$/),
    'Server [a:8083] is empty',
    'Server [a:8083] receives segments again.',
  ]);
  expect(code).toBe(0);
  expect(cluster.changes).toEqual([['a:8083'], []]);
});

test('without room, and when time is over, draining stops with an exit code of its own', async () => {
  const cluster = await twoServers({ stepBytes: 0 });
  const late = await runCli(cluster, 'servers drain a:8083 --yes --max-wait 0.3');
  expect(late).toMatchObject({
    stderr: expect.stringContaining(
      'error: Server [a:8083] is not empty after 0.3s\nhint: svcctl why segment',
    ),
    code: 7,
  });
  const full = await twoServers({ stepBytes: 0, room: 10 });
  expect(await runCli(full, 'servers drain a:8083 --yes')).toMatchObject({
    stderr: expect.stringContaining(
      'error: The other servers of tier [hot] have room for 10 B, and 1000 B have to go there',
    ),
    code: 9,
  });
  expect(full.changes).toEqual([]);
});

test('a worker finishes what it runs, takes nothing new, and then accepts tasks again', async () => {
  const service = await startService({ workerCapacity: 2 });
  const host = lines((await runCli(service, 'workers list -o name')).stdout)[0] ?? '';
  await runShell(service, nap('one', 15_000));
  expect((await runCli(service, `workers drain ${host} --no-input`)).code).toBe(9);
  expect(await runCli(service, `workers drain ${host} --yes --max-wait 0.1`)).toMatchObject({
    code: 7,
  });
  expect((await runCli(service, 'workers list --columns state')).stdout).toBe('state\ndisabled\n');
  const drained = await runCli(service, `workers drain ${host} --yes --then-enable`);
  expect(lines(drained.stderr)).toEqual(
    expect.arrayContaining([
      'warning: No other worker takes tasks: new ones wait until this one is enabled again',
      `Worker [${host}]: [one] of type [noop] left, 0 %`,
      `Worker [${host}] does not run any task`,
      `Worker [${host}] accepts tasks again.`,
    ]),
  );
  expect((await runCli(service, 'workers list --columns state')).stdout).toBe('state\nenabled\n');
  expect(await runCli(service, 'workers drain nowhere:1 --yes')).toMatchObject({
    stderr: expect.stringContaining('Worker [nowhere:1] does not exist'),
    code: 3,
  });
});

// Every look at a server that is drained finds it a step emptier.
async function twoServers({ stepBytes, room = 4096 }: { stepBytes: number; room?: number }) {
  const changes: string[][] = [];
  let leaving: string[] = [];
  let left = 1000;
  const server = (host: string, currSize: number, maxSize: number) => ({
    host,
    tier: 'hot',
    type: 'historical',
    priority: 0,
    currSize,
    maxSize,
  });
  const { url } = await standIn((response, { method, path, body }) => {
    const reply = (value: unknown) =>
      response.setHeader('content-type', 'application/json').end(JSON.stringify(value));
    if (method === 'POST') {
      leaving = JSON.parse(body).decommissioningNodes;
      changes.push(leaving);
      return response.end();
    }
    if (path.includes('/config')) return reply({ decommissioningNodes: leaving });
    if (path.includes('/loadqueue')) return reply({});
    if (path.includes('/servers/')) {
      if (leaving.length > 0) left = Math.max(0, left - stepBytes);
      return reply(server('a:8083', left, 5000));
    }
    return reply([
      server('a:8083', left, 5000),
      server('b:8083', 0, room),
      { ...server('c:8083', 0, 10 ** 9), tier: 'cold' },
    ]);
  });
  return { url, changes };
}
