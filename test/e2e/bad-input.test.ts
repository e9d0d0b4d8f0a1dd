// Bad input between a user and the service, with the built program on both sides.
import { spawn } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { runCli } from '../support/cli.ts';
import { startServed } from '../support/served.js';
import { smallDisk } from '../support/small-disk.ts';
import { freePort } from '../support/stand-in.ts';
import { temporaryFolder } from '../support/storage.ts';

type Served = Awaited<ReturnType<typeof startServed>>;

let service: Served;
beforeAll(async () => {
  service = await startServed(['--ephemeral']);
});
afterAll(async () => {
  expect(await service.stop()).toMatchObject({ code: 0 }); // it has lived through all of this
});

test.each([
  ['broken JSON', '{"query": "SELECT 1"', 400, 'is not JSON'],
  ['a body that is not an object', '[1]', 400, ''],
  ['a wrong type', '{"query": 1}', 400, 'query'],
  ['a wrong type inside', '{"query": "SELECT 1", "context": 7}', 400, 'context'],
  ['an unknown result format', '{"query": "SELECT 1", "resultFormat": "xml"}', 400, 'xml'],
])('%s is refused, and it is said what', async (_, body, status, word) => {
  const reply = await fetch(`${service.url}/svc/v2/sql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  expect({ status: reply.status, text: await reply.text() }).toEqual({
    status,
    text: expect.stringContaining(word),
  });
});

test('a body of 100 MB is refused without being read to its end', async () => {
  const sent = await new Promise<{ status: number | undefined; bytes: number }>((done, reject) => {
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    let bytes = 0;
    let status: number | undefined;
    const call = request(`${service.url}/svc/v2/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    call.on('response', (response) => {
      status = response.statusCode;
      response.resume().on('end', () => done({ status, bytes }));
    });
    call.on('error', (error) => (status === undefined ? reject(error) : done({ status, bytes })));
    const write = () => {
      if (status !== undefined || call.destroyed) return;
      if (bytes >= 100 * chunk.length) return void call.end();
      bytes += chunk.length;
      call.write(chunk, write);
    };
    write();
  });
  expect(sent.status).toBe(413);
  expect(await fetch(`${service.url}/status/health`)).toMatchObject({ status: 200 });
});

test('an error in SQL names line and column', async () => {
  const { stderr, code } = await runCli(
    service,
    "sql $'SELECT 1 AS a,\\n  2 AS b\\nFROM (nope nope nope)'",
  );
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^error: .*line \[?3\]?, column \[?\d+\]?/),
  });
});

test('a column that is not there is found at line 3, column 7', async () => {
  const { stderr, code } = await runCli(
    service,
    "sql $'SELECT 1 AS a,\\n  2 AS b,\\n  2 + nope AS c'",
  );
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/^error: .*'nope'.*line \[?3\]?, column \[?7\]?/),
  });
});

const load = (source: object, format: object) =>
  `INSERT INTO bad SELECT TIME_PARSE("time") AS __time, n FROM TABLE(EXTERN('${JSON.stringify(source)}', '${JSON.stringify(format)}')) EXTEND ("time" VARCHAR, n BIGINT) PARTITIONED BY DAY`;

test('a row of CSV that cannot be read fails the task and is named; with maxParseExceptions it is left out', async () => {
  const folder = await temporaryFolder();
  const task = (maxParseExceptions: number) => ({
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'bad',
        timestampSpec: { column: 'time', format: 'iso' },
        dimensionsSpec: { dimensions: [{ type: 'long', name: 'n' }] },
        granularitySpec: { segmentGranularity: 'DAY', rollup: false },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: 'time,n\n2024-05-01,1\nyesterday,2\n2024-05-01,3\n' },
        inputFormat: { type: 'csv', findColumnsFromHeader: true },
      },
      tuningConfig: { type: 'index_parallel', maxParseExceptions },
    },
  });
  await writeFile(join(folder, 'strict.json'), JSON.stringify(task(0)));
  await writeFile(join(folder, 'generous.json'), JSON.stringify(task(1)));
  const strict = await runCli(service, 'tasks submit strict.json --wait', { cwd: folder });
  expect(strict).toMatchObject({ code: 1, stderr: expect.stringMatching(/yesterday.*Line: 3/) });
  expect(await runCli(service, 'tasks submit generous.json --wait', { cwd: folder })).toMatchObject(
    { code: 0 },
  );
  const { stdout } = await runCli(service, "sql 'SELECT COUNT(*) FROM bad' -o csv --no-header");
  expect(stdout.trim()).toBe('2');
});

test.each([
  ['a missing file', '/nowhere/at-all.json', /allow|exist/],
  ['a file in a folder that is not allowed', '/etc/passwd', /--allow-dir/],
])('%s fails the task with the reason', async (_, file, reason) => {
  const folder = await temporaryFolder();
  await writeFile(
    join(folder, 'load.sql'),
    load({ type: 'local', files: [file] }, { type: 'json' }),
  );
  const { stderr, code } = await runCli(service, 'ingest sql -f load.sql --wait', { cwd: folder });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(reason) });
});

test('a file that is missing in an allowed folder is named', async () => {
  const folder = await temporaryFolder();
  const allowing = await started(['--ephemeral', '--allow-dir', folder]);
  await writeFile(
    join(folder, 'load.sql'),
    load({ type: 'local', files: [join(folder, 'gone.json')] }, { type: 'json' }),
  );
  const { stderr, code } = await runCli(allowing, 'ingest sql -f load.sql --wait', { cwd: folder });
  expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('gone.json') });
});

test('a full disk fails the task that met it; what was there stays, and small ones succeed', async () => {
  const folder = await temporaryFolder();
  const dataDir = join(folder, 'data');
  await mkdir(dataDir);
  const full = await started(['--data-dir', dataDir, '--allow-dir', folder], smallDisk(dataDir));
  const rows = (count: number) =>
    Array.from({ length: count }, (_, at) =>
      JSON.stringify({ time: '2024-05-01', n: at, text: randomText(at) }),
    ).join('\n');
  await writeFile(join(folder, 'small.json'), rows(10));
  await writeFile(join(folder, 'huge.json'), rows(60_000));
  const into = (name: string, file: string) =>
    `INSERT INTO ${name} SELECT TIME_PARSE("time") AS __time, n, "text" FROM TABLE(EXTERN('${JSON.stringify({ type: 'local', files: [join(folder, file)] })}', '{"type":"json"}')) EXTEND ("time" VARCHAR, n BIGINT, "text" VARCHAR) PARTITIONED BY DAY`;
  for (const name of ['small', 'huge'])
    await writeFile(join(folder, `${name}.sql`), into(name, `${name}.json`));

  expect(await runCli(full, 'ingest sql -f small.sql --wait', { cwd: folder })).toMatchObject({
    code: 0,
  });
  const failed = await runCli(full, 'ingest sql -f huge.sql --wait', { cwd: folder });
  expect(failed).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/No space left|disk|too huge/i),
  });
  expect(await runCli(full, 'ingest sql -f small.sql --wait', { cwd: folder })).toMatchObject({
    code: 0,
  });
  expect(
    (await runCli(full, "sql 'SELECT COUNT(*) AS n FROM small' -o csv --no-header")).stdout.trim(),
  ).toBe('20');
  expect((await runCli(full, 'datasources list -o name')).stdout).not.toContain('huge');
});

test('a data folder in use is refused with the process that has it', async () => {
  const dataDir = await temporaryFolder();
  const first = await started(['--data-dir', dataDir]);
  const { stderr, code } = await runCli({ url: '' }, `serve --port 0 --data-dir ${dataDir}`);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining(`in use by process [${first.pid}]`),
  });
});

test('a data folder of a newer version is refused and left as it is', async () => {
  const dataDir = await temporaryFolder();
  await (await started(['--data-dir', dataDir])).stop();
  const database = new DatabaseSync(join(dataDir, 'metadata.sqlite'));
  database.exec('PRAGMA user_version = 9999');
  database.close();
  const before = await readdir(dataDir, { recursive: true });
  const { stderr, code } = await runCli({ url: '' }, `serve --port 0 --data-dir ${dataDir}`);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/\[9999\].*newer version/),
  });
  expect(await readdir(dataDir, { recursive: true })).toEqual(expect.arrayContaining(before));
});

test('a port in use is refused', async () => {
  const { port } = new URL(service.url);
  const { stderr, code } = await runCli({ url: '' }, `serve --ephemeral --port ${port}`);
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(new RegExp(`${port}.*in use`)),
  });
});

test('a service that is not there is unreachable', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { stderr, stdout, code } = await runCli({ url }, 'tasks list');
  expect({ code, stdout, stderr }).toEqual({
    code: 6,
    stdout: '',
    stderr: expect.stringContaining(url.slice('http://'.length)),
  });
});

test('a service that dies in the middle of a reply: what came is printed, and it is said to be cut off', async () => {
  const dying = await started(['--ephemeral']);
  const query =
    'SELECT a.x, b.x, c.x, d.x FROM (VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)) AS a(x)';
  const more = ['b', 'c', 'd', 'e', 'f', 'g'].map(
    (name) => `CROSS JOIN (VALUES (1),(2),(3),(4),(5),(6),(7),(8),(9),(10)) AS ${name}(x)`,
  );
  const child = spawn(
    process.execPath,
    ['bin/svcctl.cjs', 'sql', `${query} ${more.join(' ')}`, '-o', 'csv'],
    {
      env: { PATH: process.env.PATH, HOME: await temporaryFolder(), SVCCTL_URL: dying.url },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let stderr = '';
  let stdoutBytes = 0;
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  child.stdout.on('data', (chunk: Buffer) => {
    stdoutBytes += chunk.length;
    dying.kill();
  });
  const code = await new Promise((done) => child.on('close', done));
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringContaining('which is incomplete'),
  });
  expect(stdoutBytes).toBeGreaterThan(0);
});

test('a profile file that is not JSON is named with its line', async () => {
  const home = await temporaryFolder();
  await mkdir(join(home, 'svcctl'));
  await writeFile(join(home, 'svcctl', 'config.json'), '{\n  nonsense\n}\n');
  const { stderr, code } = await runCli(service, 'tasks list', { env: { XDG_CONFIG_HOME: home } });
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/^error: .*config\.json.*line 2/),
  });
});

async function started(args: readonly string[], under: readonly string[] = []): Promise<Served> {
  const one = await startServed(args, {}, under);
  onTestFinished(() => void one.kill());
  return one;
}

/** 300 characters that no compression makes small. */
function randomText(seed: number): string {
  let state = seed + 1;
  return Array.from({ length: 300 }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return String.fromCharCode(33 + ((state >>> 16) % 90)).replace(/["\\']/, '!');
  }).join('');
}
