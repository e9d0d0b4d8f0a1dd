import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lines, runCli } from '../support/cli.ts';
import { startService } from '../support/service.ts';
import { standIn } from '../support/stand-in.ts';
import { temporaryFolder } from '../support/storage.ts';
import { type SpecParts, streamSpec } from '../support/supervisors.ts';

/** A service, and words for a person with files at it. */
async function atService() {
  const service = await startService({
    properties: { 'svc.supervisor.unhealthinessThreshold': '1' },
  });
  const cwd = await temporaryFolder();
  const file = async (name: string, spec: SpecParts = {}) =>
    writeFileSync(join(cwd, name), JSON.stringify(streamSpec(spec)));
  const run = (line: string, more = {}) => runCli(service, `supervisors ${line}`, { cwd, ...more });
  await file('stream.json', { suspended: true, ioConfig: { startDelay: 'PT1H' } }); // later than any test
  return { run, file };
}

const withEdits = async () => {
  const place = await atService();
  await place.run('apply stream.json');
  return place;
};

test('a supervisor is applied from a file; the same once more changes nothing, another file changes it', async () => {
  const { run, file } = await atService();
  const next = 'next: svcctl supervisors status edits';
  expect(await run('apply stream.json')).toEqual({
    stdout: '',
    stderr: `Supervisor [edits] is set.\n${next}\n`,
    code: 0,
  });
  expect((await run('apply stream.json')).stderr).toBe(
    `Supervisor [edits] is unchanged: it has this specification already.\n${next}\n`,
  );
  expect((await run('apply stream.json --restart')).stderr).toBe(
    `Supervisor [edits] restarts.\n${next}\n`,
  );
  await file('stream.json', { suspended: true, ioConfig: { taskCount: 2 } });
  expect((await run('apply stream.json')).stderr).toBe(`Supervisor [edits] is set.\n${next}\n`);
  expect((await run('history edits --where \'what = "suspended"\' -o name')).stdout).toBe(
    'edits\nedits\n',
  );
});

test('a specification that is wrong is refused in the words of the service, a file that is none before it is sent', async () => {
  const { run, file } = await atService();
  await file('wrong.json', { ioConfig: { topic: null } });
  const refused = await run('apply wrong.json');
  expect([refused.code, refused.stderr]).toEqual([
    1,
    expect.stringContaining('Either topic or topicPattern must be specified'),
  ]);
  expect((await run('apply nowhere.json')).code).toBe(2);
});

test('lists supervisors as a table on a terminal, and as rows in a pipe', async () => {
  const { run } = await withEdits();
  const table = await run('list', { tty: true, env: { NO_COLOR: '1' } });
  expect(lines(table.stdout)[0]).toMatch(/^ID +STATE +DETAIL +SUSPENDED$/);
  const { stdout } = await run('list -o json');
  expect(JSON.parse(stdout)).toMatchObject([
    { id: 'edits', healthy: true, dataSource: 'edits', suspended: true },
  ]);
});

test('shows the specification, the status, the tasks and the numbers of one', async () => {
  const { run } = await withEdits();
  expect(JSON.parse((await run('get edits')).stdout)).toMatchObject({
    type: 'kafka',
    suspended: true,
  });
  expect(JSON.parse((await run('status edits -o json')).stdout)).toMatchObject({
    id: 'edits',
    stream: 'edits',
    aggregateLag: 0,
  });
  expect((await run('status edits --query aggregateLag')).stdout).toBe('0\n');
  expect((await run('tasks edits -o csv')).stdout).toBe(
    'id,type,started,remaining,lag,offsets,startingOffsets\r\n',
  );
  expect((await run('stats edits')).stdout).toBe(
    'task\tgroup\tprocessed\tbytes\twithError\tthrownAway\tunparseable\tperSecond\n',
  );
  expect((await run('parse-errors edits')).stdout).toBe('[]\n');
});

test('the health of a supervisor is the exit code, and a wait for an unhealthy one fails with its last error', async () => {
  const { run, file } = await withEdits();
  expect(await run('health edits -o json')).toMatchObject({
    stdout: '{\n  "healthy": true\n}\n',
    code: 0,
  });
  await file('stream.json');
  const waited = await run('apply stream.json --wait --max-wait 30');
  expect([waited.code, waited.stderr]).toEqual([
    1,
    expect.stringMatching(
      /error: Supervisor \[edits\] is UNABLE_TO_CONNECT_TO_STREAM: .*127\.0\.0\.1:1/,
    ),
  ]);
  expect((await run('health edits')).code).toBe(10);
  expect((await run('wait edits')).code).toBe(1);
});

test('a wait that takes too long says so', async () => {
  const { run, file } = await atService();
  await file('stream.json', { ioConfig: { startDelay: 'PT1H' } });
  expect(await run('apply stream.json --wait --max-wait 0.2')).toMatchObject({
    code: 7,
    stderr: expect.stringContaining(
      'error: Supervisor [edits] is not RUNNING or IDLE after 0.2s\nhint: svcctl supervisors status edits\n',
    ),
  });
});

test('suspends and resumes by name, and all of them when that is confirmed', async () => {
  const { run } = await withEdits();
  expect(await run('suspend edits')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'Supervisor [edits] is already suspended.\n',
  });
  expect(JSON.parse((await run('suspend edits -o json')).stdout)).toEqual([]);
  expect(JSON.parse((await run('suspend edits nobody -o json')).stdout)).toMatchObject([
    { item: 'edits', result: 'unchanged', message: 'Supervisor [edits] is already suspended.' },
    { item: 'nobody', result: 'failed' },
  ]);
  expect((await run('resume edits')).stderr).toBe(
    'Supervisor [edits] is resumed.\nnext: svcctl supervisors wait edits\n',
  );
  expect(await run('resume edits')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'Supervisor [edits] is already running.\n',
  });
  expect(await run('suspend --all --no-input')).toMatchObject({
    code: 9,
    stderr: expect.stringContaining('Suspend 1 supervisor: not confirmed'),
  });
  expect((await run('suspend --all --yes')).stderr).toBe(
    '1 supervisor suspended.\nnext: svcctl supervisors resume --all\n',
  );
  expect((await run('resume --all --yes')).code).toBe(0);
  for (const line of ['suspend', 'suspend edits --all'])
    expect(await run(line)).toMatchObject({ code: 2 });
});

test('all of none is done at once, and nobody is asked', async () => {
  const { run } = await atService();
  for (const verb of ['suspend', 'resume', 'terminate'])
    expect(await run(`${verb} --all --no-input`)).toEqual({
      stdout: '',
      stderr: 'There are no supervisors.\n',
      code: 0,
    });
});

test('what a service does to some of all is said one by one, and taken up by the same command', async () => {
  // As the real engine lists them: only the specification knows.
  const supervisor = (id: string, suspended: boolean) => ({
    ...{ id, state: 'RUNNING', detailedState: 'RUNNING', healthy: true, suspended: false },
    spec: { type: 'kafka', suspended },
  });
  const verbs = { suspend: 'suspendAll', resume: 'resumeAll', terminate: 'terminateAll' };
  for (const [verb, path] of Object.entries(verbs)) {
    const listed = new Map(['a', 'b', 'c'].map((id) => [id, supervisor(id, verb === 'resume')]));
    let most = 2; // then it fails
    const service = await standIn((response, { method, path: asked }) => {
      if (method === 'GET') return void response.end(JSON.stringify([...listed.values()]));
      expect(asked.endsWith(path)).toBe(true);
      for (const [at, id] of [...listed.keys()].entries())
        if (at < most && verb === 'terminate') listed.delete(id);
        else if (at < most) listed.set(id, supervisor(id, verb === 'suspend'));
      response
        .writeHead(most === 2 ? 500 : 200)
        .end(most === 2 ? '{"error":"The third one is stuck"}' : '{"status":"success"}');
      most = 3;
    });
    const line = `supervisors ${verb} --all --confirm=all --yes`;
    expect(await runCli(service, `${line} -o tsv`)).toEqual({
      stdout: 'item\tresult\terror\na\tdone\t\nb\tdone\t\nc\tfailed\tThe third one is stuck\n',
      stderr: `error: 1 of 3 failed\nhint: svcctl supervisors ${verb} --all\n`,
      code: 1,
    });
    const again = await runCli(service, `${line} -o csv`);
    expect(again).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/^\d supervisors? (suspended|resumed|terminated)\.\n/),
    });
    expect(again.stdout).not.toContain('failed');
  }
});

test('a suspended supervisor that has not reacted is listed as such, and chosen for resume only', async () => {
  // As the real engine lists them while the stream cannot be reached.
  const supervisor = (id: string, suspended: boolean) => ({
    ...{ id, state: 'RUNNING', detailedState: 'CONNECTING_TO_STREAM', healthy: true },
    ...{ suspended: false, dataSource: null },
    spec: { type: 'kafka', suspended, spec: { dataSchema: { dataSource: `${id}_rows` } } },
  });
  const listed = [supervisor('edits', false), supervisor('trips', true)];
  const service = await standIn((response) => void response.end(JSON.stringify(listed)));
  expect((await runCli(service, 'supervisors list')).stdout).toBe(
    'id\tstate\tdetail\tsuspended\thealthy\tdatasource\n' +
      'edits\tRUNNING\tCONNECTING_TO_STREAM\tfalse\ttrue\tedits_rows\n' +
      'trips\tRUNNING\tCONNECTING_TO_STREAM\ttrue\ttrue\ttrips_rows\n',
  );
  const terminal = { tty: true, env: { NO_COLOR: '1', LANG: 'C.UTF-8' } };
  const types: [string, string][] = [['type to filter', '\u0003']];
  const resumed = await runCli(service, 'supervisors resume', { ...terminal, types });
  expect(resumed.stdout).toContain('❯ trips  RUNNING, suspended');
  expect(resumed.stdout).not.toContain('edits');
  const suspended = await runCli(service, 'supervisors suspend', { ...terminal, types });
  expect(suspended.stdout).toContain('❯ edits  RUNNING');
});

test('terminating one is asked, terminating all has to be named', async () => {
  const { run } = await withEdits();
  expect((await run('terminate edits --no-input')).code).toBe(9);
  expect((await run('terminate --all --yes --no-input')).code).toBe(9);
  expect((await run('terminate edits --yes')).stderr).toBe(
    'Supervisor [edits] is terminated.\nnext: svcctl supervisors history edits\n',
  );
  await run('apply stream.json');
  expect((await run('terminate --all --confirm=all')).code).toBe(0);
  expect((await run('list -o name')).stdout).toBe('');
  expect((await run('history --columns id,what -o csv')).stdout).toBe(
    'id,what\r\nedits,terminated\r\nedits,suspended\r\nedits,terminated\r\nedits,suspended\r\n',
  );
});

test('offsets are forgotten only when the supervisor is named, and set when that is confirmed', async () => {
  const { run } = await withEdits();
  expect((await run('reset edits --yes --no-input')).code).toBe(9);
  expect((await run('reset edits --confirm=edits')).code).toBe(0);
  expect(await run('reset-offsets edits 0=12 1=7 --yes')).toMatchObject({
    code: 0,
    stderr:
      'Supervisor [edits] continues at other offsets in 2 partitions.\nnext: svcctl supervisors status edits\n',
  });
  expect(await run('reset-offsets edits 0:12 --yes')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('[0:12] is not a PARTITION=OFFSET'),
  });
  const plan = JSON.parse((await run('reset-offsets edits 0=12 --dry-run -o json')).stdout);
  expect(JSON.parse(plan[0].body)).toEqual({
    type: 'kafka',
    partitions: { type: 'end', stream: 'edits', partitionOffsetMap: { 0: 12 } },
  });
  expect((await run('hand-off edits 0')).code).toBe(0);
  expect((await run('hand-off edits first')).code).toBe(2);
  expect(await run('reset-to-latest edits --yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('useEarliestOffset must be false'),
  });
});

test('a service that is too old to set one to the latest offsets is not taken for one that does not know it', async () => {
  const older = await standIn((response, { method, path }) => {
    if (method === 'GET' && path.endsWith('/edits'))
      response.setHeader('content-type', 'application/json').end('{"type":"kafka"}');
    else response.writeHead(404).end();
  });
  expect(await runCli(older, 'supervisors reset-to-latest edits --yes')).toEqual({
    code: 1,
    stdout: '',
    stderr: `error: This service cannot set supervisor [edits] to the latest offsets by itself; Druid supports it since version 38
hint: svcctl supervisors reset-offsets edits PARTITION=OFFSET, with the latestOffsets of svcctl supervisors status edits\n`,
  });
  expect(await runCli(older, 'supervisors reset-to-latest nope --yes')).toMatchObject({ code: 3 });
});

test('says what to do about an unknown supervisor', async () => {
  const { run } = await atService();
  expect(await run('status nope')).toEqual({
    stdout: '',
    stderr:
      'error: Cannot find any supervisor with id: [nope]\nhint: svcctl supervisors list shows all supervisors\n',
    code: 3,
  });
});
