// Stories of the control interface: the built service, its clock, its faults and its snapshots, as
// a test of somebody else uses them.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { crashPoints } from '../../src/server/storage/crash-points.ts';
import { lines, runCli, runShell } from '../support/cli.ts';
import { startServed } from '../support/served.js';
import { api } from '../support/wire.ts';

type Parameters = { readonly args?: readonly string[]; readonly env?: Record<string, string> };

async function started({ args = ['--ephemeral'], env }: Parameters = {}) {
  const service = await startServed(['--control-port', '0', ...args], env);
  onTestFinished(() => void service.stop());
  return { ...api(service), ...service, control: api({ url: service.control }) };
}

type Started = Awaited<ReturnType<typeof started>>;

async function rowsOf({ post }: Pick<Started, 'post'>, dataSource: string) {
  const { body } = await post('/svc/v2/sql', {
    query: `SELECT COUNT(*) AS n FROM "${dataSource}"`,
    resultFormat: 'array',
  });
  return Array.isArray(body) ? body[0][0] : body.errorMessage;
}

/** Two rows in one segment, of the day of a time in SQL. */
async function loaded({ url }: Started, dataSource: string, time = 'CURRENT_TIMESTAMP') {
  const query = `INSERT INTO "${dataSource}" SELECT ${time} AS __time, n FROM (VALUES (1), (2)) AS t(n) PARTITIONED BY DAY`;
  const { post, ended } = api({ url });
  const { body } = await post('/svc/v2/sql/task', { query });
  expect(await ended(body.taskId)).toMatchObject({ statusCode: 'SUCCESS' });
}

const unknown = (dataSource: string) => expect.stringContaining(`Object '${dataSource}' not found`);

describe('the clock', () => {
  test('a rule of a period takes effect as soon as the clock has been stepped by a year', async () => {
    const service = await started();
    const { control, post } = service;
    await loaded(service, 'plans', `TIMESTAMPADD(MONTH, 6, CURRENT_TIMESTAMP)`);
    const rule = { type: 'dropByPeriod', period: 'P1Y', includeFuture: false };
    await post('/svc/coordinator/v1/rules/plans', [rule]);
    const changes = async () =>
      (await service.get('/svc/coordinator/v1/rules/plans/history?interval=2000/2100')).body;
    expect(await changes()).toHaveLength(1);
    expect(await rowsOf(service, 'plans')).toBe(2);
    const { body } = await control.post('/clock', { by: 'P1Y' });
    expect([body.now.slice(0, 4), body.aheadMs]).toEqual([
      String(new Date().getFullYear() + 1),
      expect.closeTo(365.5 * 86_400_000, -8),
    ]);
    expect(await rowsOf(service, 'plans')).toEqual(unknown('plans'));
    expect((await service.get('/svc/coordinator/v1/metadata/datasources/plans')).status).toBe(404); // marked, not only hidden
    expect(await changes()).toEqual([]); // kept for 90 days
  });

  test('what takes an hour is over when the clock is stepped by one', async () => {
    const { url, control, get, post } = await started();
    const { body } = await post('/svc/indexer/v1/task', { type: 'noop', runTime: 3_600_000 });
    await control.post('/clock', { by: 'PT59M' });
    expect((await get(`/svc/indexer/v1/task/${body.task}/status`)).body.status.statusCode).toBe(
      'RUNNING',
    );
    await control.post('/clock', { by: 'PT1M' });
    expect(await api({ url }).ended(body.task)).toMatchObject({
      statusCode: 'SUCCESS',
      duration: expect.toSatisfy((ms: number) => ms >= 3_600_000),
    });
  });

  test('it jumps forwards and back, SQL sees it, and the duties go on', async () => {
    const service = await started();
    const { control, post } = service;
    await loaded(service, 'edits');
    const time = async () =>
      (await post('/svc/v2/sql', { query: 'SELECT CURRENT_TIMESTAMP', resultFormat: 'array' }))
        .body[0][0];
    await control.post('/clock', { to: '2090-01-01T00:00:00Z' });
    expect(await time()).toMatch(/^2090-01-01T00:00/);
    await control.post('/clock', { to: '2000-02-29' });
    await control.post('/clock', { by: '-P1Y' });
    expect(await time()).toMatch(/^1999-02-28T00:00/);
    await post('/svc/coordinator/v1/rules/edits', [{ type: 'dropForever' }]);
    await control.post('/clock', { by: 'PT1M' });
    expect((await service.get('/svc/coordinator/v1/metadata/datasources/edits')).status).toBe(404);
    expect((await control.send('DELETE', '/clock')).body.aheadMs).toBe(0);
    expect((await time()).slice(0, 10)).toBe(new Date().toISOString().slice(0, 10));
  });
});

describe('faults', () => {
  test('a safe call that fails twice is sent a third time, and is answered', async () => {
    const service = await started();
    await service.control.post('/faults', {
      method: 'GET',
      path: '/status/health',
      status: 503,
      times: 2,
    });
    const { code, stderr } = await runCli(service, 'status health --verbose');
    expect([code, stderr.match(/503 Service Unavailable: again/g)?.length]).toEqual([0, 2]);
    expect((await service.control.get('/faults')).body).toEqual({ faults: [] });
  });

  test('a write whose reply does not come is not sent twice', async () => {
    const service = await started();
    await service.control.post('/faults', {
      method: 'POST',
      path: '/*/indexer/v1/task',
      drop: true,
      times: 2,
    });
    const submitted = await runShell(service, `echo '{"type":"noop"}' | svcctl tasks submit -`);
    expect(submitted).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('broke before the service answered'),
    });
    expect((await service.control.get('/faults')).body.faults).toMatchObject([
      { left: 1, drop: true },
    ]);
    expect((await service.get('/svc/indexer/v1/tasks')).body).toEqual([]);
  });

  test('what a request gets is what was said, and only those get it that match', async () => {
    const { control, get, url } = await started();
    await control.post('/faults', {
      path: '/status/*/status',
      status: 418,
      body: { a: [1] },
      headers: { 'retry-after': '7' },
    });
    await control.post('/faults', { path: '/status', status: 500, body: 'broken' });
    expect(await get('/svc/coordinator/v1/isLeader')).toMatchObject({ status: 200 });
    const teapot = await fetch(`${url}/status/selfDiscovered/status?x=/y`);
    expect([teapot.status, teapot.headers.get('retry-after'), await teapot.json()]).toEqual([
      418,
      '7',
      { a: [1] },
    ]);
    expect(await get('/status/health')).toMatchObject({ status: 500, text: 'broken' });
    expect(await get('/status/health')).toMatchObject({ status: 200, body: true });
    expect((await control.get('/faults')).body).toEqual({ faults: [] });
  });

  test('a request that waits goes on when its fault is taken back', async () => {
    const { control, get, until } = await started();
    const { body } = await control.post('/faults', {
      path: '/status/health',
      delay: 'PT1H',
      times: 2,
    });
    const waiting = get('/status/health');
    await until(async () => (await control.get('/faults')).body.faults[0].left === 1);
    expect((await control.send('DELETE', `/faults/${body.id}`)).body).toEqual({ faults: [] });
    expect(await waiting).toMatchObject({ status: 200, body: true });
  });
});

describe('snapshots', () => {
  test('after a restore all is as it was: rows, rules, tasks; and so it is after a restart', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'svcctl-control-'));
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const service = await started({ args: ['--data-dir', dataDir, '--role-ports'] });
    const { control, get, post } = service;
    await loaded(service, 'edits');
    await post('/svc/indexer/v1/task', { type: 'noop', id: 'ran', runTime: 3_600_000 });
    expect((await control.post('/snapshots', { name: 'before' })).body).toMatchObject({
      name: 'before',
      files: expect.any(Number),
    });

    await service.send('DELETE', '/svc/coordinator/v1/datasources/edits');
    await post('/svc/coordinator/v1/rules/edits', [{ type: 'dropForever' }]);
    await loaded(service, 'later');
    expect(await rowsOf(service, 'edits')).toEqual(unknown('edits'));

    // Whoever asks meanwhile waits, and is answered.
    const restoring = control.post('/snapshots/before/restore', {});
    const asked = await Promise.all(Array.from({ length: 20 }, () => get('/status/health')));
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 200));
    expect((await restoring).status).toBe(200);
    expect([await rowsOf(service, 'edits'), await rowsOf(service, 'later')]).toEqual([
      2,
      unknown('later'),
    ]);
    expect((await get('/svc/coordinator/v1/rules/edits')).body).toEqual([]);
    expect(await api(service).ended('ran')).toMatchObject({
      statusCode: 'FAILED',
      errorMsg: expect.stringContaining('The service was stopped'),
    });

    // What happens afterwards changes nothing of the snapshot.
    await loaded(service, 'edits');
    await control.post('/snapshots/before/restore', {});
    expect(await rowsOf(service, 'edits')).toBe(2);
    await service.stop();

    const again = await started({ args: ['--data-dir', dataDir] });
    expect(await rowsOf(again, 'edits')).toBe(2);
    expect((await again.control.get('/snapshots')).body.snapshots).toMatchObject([
      { name: 'before' },
    ]);
    expect((await again.control.send('DELETE', '/snapshots/before')).body).toEqual({
      snapshots: [],
    });
  });

  test('in memory, too', async () => {
    const service = await started();
    await loaded(service, 'edits');
    await service.control.post('/snapshots', { name: 'a' });
    await service.send('DELETE', '/svc/coordinator/v1/datasources/edits');
    expect(await service.control.post('/snapshots/a/restore', {})).toMatchObject({
      status: 200,
      body: { name: 'a' },
    });
    expect(await rowsOf(service, 'edits')).toBe(2);
    expect(await service.stop()).toMatchObject({ code: 0 });
  });

  test('killed at any point of a restore, the service has the old data or the restored ones', {
    timeout: 180_000,
  }, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'svcctl-control-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const prepared = await started({ args: ['--data-dir', join(folder, 'prepared')] });
    await loaded(prepared, 'first');
    await prepared.control.post('/snapshots', { name: 'only-first' });
    await loaded(prepared, 'second');
    await prepared.stop();
    const outcomes: unknown[] = [];
    for (const [at, point] of crashPoints.restore.entries()) {
      const dataDir = join(folder, String(at));
      cpSync(join(folder, 'prepared'), dataDir, { recursive: true });
      const killed = await started({
        args: ['--data-dir', dataDir],
        env: { SVCCTL_CRASH_POINT: point },
      });
      await expect(killed.control.post('/snapshots/only-first/restore', {})).rejects.toThrow();
      expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
      const service = await startServed(['--data-dir', dataDir]); // without the control interface
      onTestFinished(() => void service.stop());
      outcomes.push([
        point,
        await rowsOf(api(service), 'first'),
        await rowsOf(api(service), 'second'),
      ]);
      await service.stop();
    }
    const [old, ...restored] = crashPoints.restore;
    expect(outcomes).toEqual([
      [old, 2, 2],
      ...restored.map((point) => [point, 2, unknown('second')]),
    ]);
  });
});

describe('its manners', () => {
  test('what cannot be is refused in a sentence', async () => {
    const { control } = await started();
    await control.post('/snapshots', { name: 'taken' });
    const refusals: readonly [string, unknown, number, string][] = [
      [
        '/clock',
        {},
        400,
        'Give either [by], a period as in PT1H, or [to], an instant as in 2030-01-01T00:00:00Z',
      ],
      [
        '/clock',
        { by: '1h' },
        400,
        'Invalid value for field [by]: [1h] is not ISO 8601, as in PT1H, P1Y or -P1D',
      ],
      [
        '/clock',
        { to: 'tomorrow' },
        400,
        'Invalid value for field [to]: [tomorrow] is not ISO 8601, as in 2030-01-01T00:00:00Z',
      ],
      [
        '/clock',
        { by: 'P9999Y' },
        400,
        expect.stringContaining('Give a time from [1970-01-01T00:00:00.000Z] to [9999-12-31'),
      ],
      ['/clock', { by: 5 }, 400, 'Invalid value for field [by]: expected string, received 5'],
      ['/clock', { forward: 'PT1H' }, 400, 'Field [forward] is unknown; known are [by], [to]'],
      ['/clock', ['PT1H'], 400, expect.stringContaining('received Array')],
      [
        '/faults',
        { path: '/status' },
        400,
        'One of the fields [status], [drop], [delay] and [delayMs] is required',
      ],
      [
        '/faults',
        { path: 'status', status: 500 },
        400,
        'Invalid value for field [path]: [status] does not begin with /',
      ],
      [
        '/faults',
        { status: 99 },
        400,
        'Invalid value for field [status]: [99] is not between 200 and 599',
      ],
      [
        '/faults',
        { status: 500, drop: true },
        400,
        'Give either [status] or [drop]: a dropped request has no status',
      ],
      ['/faults', { drop: true, body: 'x' }, 400, 'Fields [body] and [headers] need a [status]'],
      [
        '/faults',
        { drop: true, times: 0 },
        400,
        'Invalid value for field [times]: [0] is less than 1',
      ],
      ['/faults', { delay: 'PT1S', delayMs: 5 }, 400, 'Give either [delay] or [delayMs]'],
      [
        '/faults',
        { delay: '5s' },
        400,
        'Invalid value for field [delay]: [5s] is not ISO 8601, as in PT2S',
      ],
      ['/faults', { delayMs: -5 }, 400, 'The delay must be between [PT0S] and [P1D]'],
      ['/snapshots', {}, 400, expect.stringContaining('Invalid value for field [name]')],
      ['/snapshots', { name: '../up' }, 400, expect.stringContaining('[../up] must have letters')],
      [
        '/snapshots',
        { name: 'taken' },
        409,
        'Snapshot [taken] already exists. DELETE /snapshots/taken removes it',
      ],
      ['/snapshots/none/restore', {}, 404, 'Snapshot [none] does not exist; there are [taken]'],
    ];
    for (const [path, body, status, error] of refusals)
      expect({ path, ...(await control.post(path, body)) }).toMatchObject({
        path,
        status,
        body: { error },
      });
    expect(await control.send('DELETE', '/faults/7')).toMatchObject({
      status: 404,
      body: { error: 'Fault [7] does not exist' },
    });
    const { status, body } = await control.get('/nope');
    expect([status, body.error, body.routes.length]).toEqual([
      404,
      'The control interface has no [GET /nope]',
      11,
    ]);
  });

  test('it is there only when asked for, and for this machine only', async () => {
    const service = await started({
      args: ['--ephemeral', '--host', '0.0.0.0', '--without-users'],
    });
    expect(service.control).toBeDefined();
    const { port, hostname } = new URL(
      lines(service.said())
        .find((line) => line.startsWith('Control interface for tests, for this machine only'))
        ?.split(' ')
        .at(-1) ?? '',
    );
    expect(hostname).toBe('127.0.0.1');
    const outside = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4');
    if (outside) await expect(fetch(`http://${outside.address}:${port}/clock`)).rejects.toThrow();
    const fromPage = await fetch(`http://127.0.0.1:${port}/clock`, {
      method: 'DELETE',
      headers: { origin: 'http://example.org' },
    });
    expect(fromPage.status).toBe(403);
    expect(
      await runCli(service, `serve --ephemeral --port 0 --control-port ${port}`),
    ).toMatchObject({
      code: 2,
      stderr: `error: Port [${port}] on [127.0.0.1] is in use; choose another with --control-port, or 0 for a free one\n`,
    });
    const beside = `serve --ephemeral --port 0 -- sh -c 'echo "[$SVCCTL_CONTROL_URL]"'`;
    expect((await runCli({ url: '' }, beside)).stdout).toBe('[]\n');
  });

  test('the lines of its help run, one after the other', async () => {
    const { stdout: help } = await runCli({ url: '' }, 'help testing');
    const examples = lines(help).filter((line) => /^ {2}(curl|svcctl api) /.test(line));
    expect(examples.length).toBeGreaterThan(12);
    const script = examples.map(
      (line) =>
        `${line.replace('curl ', 'curl --fail-with-body ').replace('svcctl', '"$NODE" bin/svcctl.cjs')} >&2 || exit 9`,
    );
    const args = [
      'bin/svcctl.cjs',
      'serve',
      '--ephemeral',
      '--port',
      '0',
      '--control-port',
      '0',
      '--',
      'bash',
      '-c',
      script.join('\n'),
    ];
    const { status, stderr } = spawnSync(process.execPath, args, {
      env: { ...process.env, NODE: process.execPath },
      encoding: 'utf8',
      timeout: 100_000,
    });
    expect(status, stderr).toBe(0);
  });
});
