// Workers and what tasks hold, from a shell. The service has one worker; it is asked itself at its
// own port.
import { expect, test } from 'vitest';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';
import { finishedTask, runningTask } from '../support/tasks.ts';

const nap = (id: string, runTime = 60_000, dataSource = 'naps') =>
  `echo '{"type":"noop","id":"${id}","dataSource":"${dataSource}","runTime":${runTime}}' | svcctl tasks submit - --quiet`;

test('a disabled worker finishes what it runs and takes nothing more', async () => {
  const service = await startService({ workerCapacity: 2 });
  await runShell(service, nap('first'));
  const [host = ''] = lines((await runCli(service, 'workers list -o name')).stdout);
  expect(await runCli(service, `workers disable ${host}`)).toMatchObject({
    stderr: `Worker [${host}] accepts no more tasks.\nnext: svcctl workers enable ${host}\n`,
    code: 0,
  });
  await runShell(service, nap('second'));
  expect((await runCli(service, 'tasks list --state pending -o name')).stdout).toBe('second\n');
  expect(lines((await runCli(service, 'workers list')).stdout)[1]).toMatch(
    new RegExp(`^${host}\tdisabled\t1\t2\t1\t`),
  );
  expect(await runCli(service, 'workers tasks')).toMatchObject({
    stdout: 'id\nfirst\n',
    stderr: `Worker [${host}] accepts no more tasks.\n`,
  });
  expect(await runCli(service, `workers tasks ${host}`)).toMatchObject({
    stdout: 'id\nfirst\n',
    stderr: `Worker [${host}] accepts no more tasks.\n`,
  });
  expect(await runCli(service, 'workers tasks nowhere:1 -o json')).toMatchObject({
    stdout: '',
    code: 3,
  });
  await runCli(service, `workers enable ${host}`);
  expect(
    lines((await runCli(service, 'tasks list --state running -o name')).stdout).sort(),
  ).toEqual(['first', 'second']);
  expect(await runCli(service, 'workers disable nowhere:1')).toMatchObject({
    stderr: expect.stringContaining('hint: svcctl workers list'),
    code: 3,
  });
  const [, port] = host.split(':');
  expect((await runCli(service, "tasks status first --query 'location.port' -o json")).stdout).toBe(
    `${port}\n`,
  );
  expect((await runCli(service, 'workers scaling -o csv')).stdout).toBe('time,event,workers\r\n');
  expect((await runCli(service, 'workers scaling -o json')).stdout).toBe('[]\n');
});

test('a worker at a port of its own tells of its tasks, and stops them', async () => {
  const service = await startService({ rolePorts: true });
  const worker = { url: service.urls.get('middleManager') ?? '' };
  await runShell(service, nap('first'));
  expect((await runCli(worker, 'workers tasks -o name')).stdout).toBe('first\n');
  expect((await runCli(worker, 'workers log first')).stdout).toContain(
    'Running task of type [noop]',
  );
  expect((await runCli(worker, 'workers cancel first')).stderr).toBe(
    'Task [first] has ended.\nnext: svcctl tasks status first\n',
  );
  expect(await runCli(worker, 'workers cancel first')).toMatchObject({
    code: 3,
    stderr:
      'error: The worker does not run task [first]\nhint: svcctl workers tasks lists its running tasks\n',
  });
  expect((await runCli(worker, 'workers disable')).stderr).toContain('accepts no more tasks');
  expect((await runCli(worker, 'workers enable')).stderr).toContain('accepts tasks');
  expect((await runCli(worker, 'workers log nope')).code).toBe(3);
  expect(JSON.parse((await runCli(service, 'tasks status first -o json')).stdout)).toMatchObject({
    statusCode: 'FAILED',
  });
});

test('a worker that says yes while the task goes on is not taken at its word', async () => {
  const patient = await standIn((response, { method }) =>
    response
      .setHeader('content-type', 'application/json')
      .end(method === 'GET' ? '["first"]' : '{"task":"first"}'),
  );
  expect(await runCli(patient, 'workers cancel first')).toMatchObject({
    code: 0,
    stderr:
      'Task [first] got the request to stop and still runs: stopping may take minutes.\nnext: svcctl tasks cancel first\n',
  });
  expect(await runCli(patient, 'workers cancel first --wait --max-wait 0.2')).toMatchObject({
    code: 7,
    stderr: 'error: Task [first] still runs on the worker after 0.2s\nhint: svcctl workers tasks\n',
  });
});

const held = `{"type":"index_parallel","id":"ID","spec":{"dataSchema":{"dataSource":"locked","timestampSpec":{"column":"t"},"dimensionsSpec":{},
"granularitySpec":{"segmentGranularity":"DAY","intervals":["2022-03-01/2022-03-03"]}},
"ioConfig":{"type":"index_parallel","inputSource":{"type":"inline","data":"{\\"t\\":\\"2022-03-01\\",\\"k\\":1}"},"inputFormat":{"type":"json"}}}}`;

test('shows who has locked what, and which segments a task has published', async () => {
  const service = await startService({ properties: { 'svc.indexer.auditLog.enabled': 'true' } });
  const worker = lines((await runCli(service, 'workers list -o name')).stdout)[0] ?? '';
  await runCli(service, `workers disable ${worker}`); // so that the task keeps its locks and waits for a slot
  await runShell(service, `echo '${held.replace('ID', 'one')}' | svcctl tasks submit - --quiet`);
  expect((await runCli(service, 'tasks locks locked')).stdout).toContain(
    '2022-03-01T00:00:00.000Z/2022-03-03T00:00:00.000Z\tEXCLUSIVE\t50\tone',
  );
  expect((await runCli(service, 'tasks locks locked --intervals')).stdout).toBe(
    'datasource\tinterval\nlocked\t2022-03-01T00:00:00.000Z/2022-03-03T00:00:00.000Z\n',
  );
  expect((await runCli(service, 'tasks locks locked --min-priority 75 -o json')).stdout).toBe(
    '[]\n',
  );
  await runShell(service, `echo '${held.replace('ID', 'two')}' | svcctl tasks submit - --quiet`);
  expect((await runCli(service, 'tasks list --state waiting -o name')).stdout).toBe('two\n');
  await runCli(service, `workers enable ${worker}`);
  await runCli(service, 'tasks wait one two');
  expect((await runCli(service, 'tasks segments one -o name')).stdout).toMatch(
    /^locked_2022-03-01T00:00:00.000Z_2022-03-02T00:00:00.000Z_/,
  );
  expect((await runCli(service, 'tasks segments nope')).code).toBe(3);
  expect((await runCli(service, 'tasks forget-pending locked --yes')).stderr).toBe(
    '0 pending segments are deleted.\n',
  );
});

test('watches what happens to tasks until none is active', async () => {
  const service = await startService({ workerCapacity: 1 });
  await runShell(service, `${nap('a', 4000)}; ${nap('b', 10)}`);
  const watched = await runCli(service, 'tasks watch --until-idle --columns id,state');
  expect(lines(watched.stdout).sort()).toEqual(
    expect.arrayContaining(['a\tRUNNING', 'a\tSUCCESS', 'b\tPENDING', 'b\tSUCCESS', 'id\tstate']),
  );
  const recent = await runCli(service, 'tasks watch --until-idle --recent 1 --columns id,state');
  expect(recent).toMatchObject({ stdout: 'id\tstate\nb\tSUCCESS\n', code: 0 });
});

test('stops all tasks of a datasource at once, and leaves those of others', async () => {
  const service = await startService({ tasks: [runningTask('old'), finishedTask('done')] });
  await runShell(service, nap('one'));
  const { stderr, code } = await runCli(service, 'tasks cancel --datasource wikipedia --yes');
  expect([lines(stderr).slice(-2), code]).toEqual([
    [
      'All tasks of datasource [wikipedia] are stopping.',
      'next: svcctl tasks list --datasource wikipedia',
    ],
    0,
  ]);
  expect((await runCli(service, 'tasks list --state running -o name')).stdout).toBe('one\n');
});

test('tries a specification on a few rows', async () => {
  const service = await startService();
  const spec = held
    .replaceAll('index_parallel', 'index')
    .replace(/"intervals":[^}]*/, '"rollup":false');
  const { stdout } = await runShell(service, `echo '${spec}' | svcctl tasks sample - --rows 5`);
  expect(JSON.parse(stdout)).toMatchObject({ numRowsRead: 1, data: [{ parsed: { k: '1' } }] });
});
