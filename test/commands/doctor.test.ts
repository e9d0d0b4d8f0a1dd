// Examinations of a real service: for people who want to know what to do, and for monitoring
// systems.
import { expect, test } from 'vitest';
import { thresholdIn } from '../../src/commands/shared/checks/threshold.ts';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { freePort, standIn } from '../support/stand-in.ts';

const nap = (id: string) =>
  `echo '{"type":"noop","id":"${id}","dataSource":"naps","runTime":60000}' | svcctl tasks submit - --quiet`;
const load = `svcctl ingest sql "REPLACE INTO days OVERWRITE ALL SELECT TIMESTAMP '2024-05-01' AS __time, 1 AS n PARTITIONED BY DAY" --wait=queryable --quiet`;

test('the doctor finds a new service healthy, and says what is worth knowing', async () => {
  const service = await startService();
  await runShell(service, load);
  const { stdout, code } = await runCli(service, 'cluster doctor -o json');
  const findings: { check: string; state: string }[] = JSON.parse(stdout);
  expect(findings.map(({ check, state }) => `${check} ${state}`)).toEqual([
    'security note',
    'replicas note',
  ]);
  expect(code).toBe(0);
});

test('the doctor names what is wrong, the worst first, with a remedy that helps', async () => {
  const service = await startService({ workerCapacity: 1 });
  const worker = lines((await runCli(service, 'workers list -o name')).stdout)[0] ?? '';
  await runShell(
    service,
    `${load}; svcctl config coordinator set pauseCoordination=true; svcctl workers disable ${worker}; ${nap('one')}
    svcctl rules add days --type loadByPeriod --period P1Y; svcctl rules add days --type dropByPeriod --period P1M
    echo '[{"type":"loadByInterval","interval":"2000/2030","tieredReplicants":{"cold":1}},{"type":"loadByInterval","interval":"2001/2002"}]' > "$TMPDIR/r.json"
    svcctl rules set days --file "$TMPDIR/r.json" --yes; rm "$TMPDIR/r.json"`,
  );
  const { stdout, code } = await runCli(
    service,
    'cluster doctor --columns check,state,says,remedy -o json',
  );
  const findings: { check: string; state: string; says: string; remedy: string }[] =
    JSON.parse(stdout);
  expect(code).toBe(10);
  expect(findings.map(({ check, state }) => `${check} ${state}`)).toEqual(
    expect.arrayContaining([
      'workers critical',
      'coordination warning',
      'rules warning',
      'security note',
    ]),
  );
  const order = ['critical', 'warning', 'note'];
  const places = findings.map(({ state }) => order.indexOf(state));
  expect(places).toEqual([...places].sort());
  const rules = findings.filter(({ check }) => check === 'rules').map(({ says }) => says);
  expect(rules).toEqual([
    'Rule 2 of datasource [days], loadByInterval 2001-01-01T00:00:00.000Z/2002-01-01T00:00:00.000Z, can never apply: rule 1, loadByInterval 2000-01-01T00:00:00.000Z/2030-01-01T00:00:00.000Z, decides before it',
    'Rules of datasource [days] want copies on tier [cold], which has no servers',
  ]);
  await runShell(service, findings.find(({ check }) => check === 'workers')?.remedy ?? '');
  expect((await runCli(service, "cluster doctor --where 'check = workers' -o json")).stdout).toBe(
    '[]\n',
  );
});

test('people read numbered sentences that fit the terminal', async () => {
  const service = await startService();
  await runCli(service, 'config coordinator set pauseCoordination=true');
  for (const cols of [20, 60]) {
    const { stdout, code } = await runCli(service, 'cluster doctor', {
      tty: true,
      cols,
      env: { LANG: 'C.UTF-8', NO_COLOR: '1' },
    });
    expect(stdout).toContain('! 1. coordination');
    expect(stdout.replace(/\s+/g, ' ')).toContain(
      '→ svcctl config coordinator set pauseCoordination=false',
    );
    expect(code).toBe(10);
  }
});

test('a clock that is wrong is noticed by the Date of the replies', async () => {
  const service = await startService();
  const wrong = await standIn((response, { method, path, headers, body }) => {
    void fetch(service.url + path, {
      method,
      headers: { accept: headers.accept ?? '*/*', 'content-type': 'application/json' },
      ...(body && { body }),
    }).then(async (reply) => {
      response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString());
      response
        .writeHead(reply.status, {
          'content-type': reply.headers.get('content-type') ?? 'text/plain',
        })
        .end(await reply.text());
    });
  });
  const { stdout, code } = await runCli(
    wrong,
    "cluster doctor --where 'check = clock' --columns says -o csv",
  );
  expect(stdout).toMatch(
    /The clock of the service is (1h0m|59m\d+s) behind the clock of this machine/,
  );
  expect(code).toBe(10);
});

test('a check is one line with its numbers, and its state is the exit code', async () => {
  const service = await startService({ workerCapacity: 1 });
  expect(await runCli(service, 'check loadstatus')).toEqual({
    stdout:
      'LOADSTATUS OK - 0 segments unavailable, 0 copies missing | unavailable=0;0;50;0 missing=0;;;0 loaded=100%;;;0;100\n',
    stderr: '',
    code: 0,
  });
  await runShell(service, `${nap('one')}; ${nap('two')}`);
  expect(await runCli(service, 'check tasks --metric pending --warn 0 --crit 5')).toMatchObject({
    stdout: expect.stringMatching(
      /^TASKS WARNING - 0 failed in the last hour, 1 running, 1 pending, 0 waiting \| failed=0;;;0 pending=1;0;5;0 .*slots=1;;;0;1/,
    ),
    code: 1,
  });
  expect((await runCli(service, 'check tasks --metric pending --crit 0')).code).toBe(2);
  expect((await runCli(service, 'check tasks --metric running --crit @1:1')).code).toBe(2);
  expect((await runCli(service, 'check supervisors')).stdout).toMatch(
    /^SUPERVISORS OK - 0 of 0 unhealthy, 0 suspended, 0 records to read \|/,
  );
  expect((await runCli(service, 'check segments --crit 99')).code).toBe(0);
  expect((await runCli(service, 'cluster check')).stdout).toMatch(
    /^CLUSTER OK - loadstatus: .*; segments: .* \| loadstatus_unavailable=0;0;50;0 .*segments_fill=0%;80;95;0;100/,
  );
});

test('a supervisor that is suspended counts as such, though the real engine lists it beside its state as not suspended', async () => {
  const edits = {
    id: 'edits',
    state: 'SUSPENDED',
    detailedState: 'SUSPENDED',
    healthy: true,
    suspended: false,
  };
  const service = await standIn((response, { path }) => {
    if (path.includes('/supervisor')) response.end(JSON.stringify([edits]));
    else response.writeHead(404).end();
  });
  expect(await runCli(service, 'check supervisors')).toMatchObject({
    stdout: expect.stringMatching(
      /^SUPERVISORS OK - 0 of 1 unhealthy, 1 suspended, 0 records to read \|/,
    ),
    code: 0,
  });
});

test('what cannot be measured is UNKNOWN, on stdout: no service, a bad range, an answer that is none', async () => {
  const nowhere = { url: `http://127.0.0.1:${await freePort()}` };
  for (const line of ['check tasks', 'cluster check'])
    expect(await runCli(nowhere, line)).toMatchObject({
      stdout: expect.stringMatching(/^[A-Z]+ UNKNOWN - No service listens at .*\n$/),
      code: 3,
    });
  expect(await runCli(nowhere, 'check tasks --warn 20:10')).toMatchObject({
    stdout: 'TASKS UNKNOWN - Value [20:10] of --warn is not a range\n',
    code: 3,
  });
  const html = await standIn((response) =>
    response.setHeader('content-type', 'text/html').end('<html>hello | world'),
  );
  expect(await runCli(html, 'check tasks')).toMatchObject({
    stdout: expect.stringMatching(/^TASKS UNKNOWN - [^|\n]+\n$/),
    code: 3,
  });
  expect((await runCli(nowhere, 'check tasks -o prometheus')).stdout).toMatch(
    /^svcctl_tasks_state 3$/m,
  );
  expect(JSON.parse((await runCli(nowhere, 'check tasks -o json')).stdout)).toMatchObject({
    state: 'UNKNOWN',
    exitCode: 3,
    metrics: [],
  });
});

test('metrics for Prometheus are in its text format', async () => {
  const service = await startService();
  const { stdout } = await runCli(service, 'cluster check -o prometheus');
  const names = new Set<string>();
  for (const block of stdout.split(/(?=^# HELP )/m)) {
    const [, name = '', typed, named] =
      /^# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) [^\n]+\n# TYPE (\S+) gauge\n(\S+) -?[0-9.e+]+\n$/.exec(
        block,
      ) ?? [];
    expect([typed, named], block).toEqual([name, name]);
    expect(names.has(name)).toBe(false);
    names.add(name);
  }
  expect([...names]).toEqual(
    expect.arrayContaining([
      'svcctl_cluster_state',
      'svcctl_cluster_tasks_oldest_seconds',
      'svcctl_cluster_segments_size_bytes',
    ]),
  );
});

test.each([
  ['10', [-1, 11], [0, 5, 10]],
  ['10:', [9.9, -3], [10, 1e9]],
  ['~:10', [10.5], [-1e9, 10]],
  ['10:20', [9, 21], [10, 20]],
  ['@10:20', [10, 15, 20], [9, 21]],
  ['-5:5', [-6, 6], [-5, 0]],
])('the range %s alerts as the guidelines say', (range, alerting, quiet) => {
  const { alerts } = thresholdIn(range, '--warn');
  expect(alerting.map(alerts)).toEqual(alerting.map(() => true));
  expect(quiet.map(alerts)).toEqual(quiet.map(() => false));
});

test.each(['', ':', '@', '20:10', 'ten', '1:2:3', '10%', '~'])('[%s] is not a range', (range) => {
  expect(() => thresholdIn(range, '--crit')).toThrow(`Value [${range}] of --crit is not a range`);
});
