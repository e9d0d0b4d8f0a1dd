// Query processes: statements that DuckDB does not account for, or that nothing interrupts, end
// with their process.
import { execFileSync, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { Engine } from '../../../src/server/engine/engine.ts';
import { QueryProcess } from '../../../src/server/engine/query-process.ts';
import { engineFor, temporaryFolder, temporaryStorage } from '../../support/storage.ts';

// A single step that takes minutes: DuckDB looks for an interruption only after it.
const oneLongStep = "SELECT length(replace(repeat('a', 10000000), 'a', repeat('b', 1000)))";
// Texts that are held while the next ones are made: 2,048 of a megabyte each.
const hungry =
  "SELECT max(length(text)) FROM (SELECT repeat(i::VARCHAR || 'x', 250000) AS text FROM range(2000000) r(i)) ORDER BY 1";
const megabyte = 1024 ** 2;

test('a step that nothing interrupts ends with its process: by the clock, by its id, and when the client is gone', async () => {
  const engine = await engineOf();
  await expect(engine.rows(oneLongStep, { isolated: true, timeoutMs: 200 })).rejects.toMatchObject({
    category: 'timeout',
  });
  const cancelled = engine.rows(oneLongStep, { isolated: true, queryId: 'q' });
  await running(engine);
  engine.cancel('q');
  await expect(cancelled).rejects.toMatchObject({ category: 'canceled' });
  const controller = new AbortController();
  const abandoned = engine.rows(oneLongStep, { isolated: true, signal: controller.signal });
  await running(engine);
  controller.abort();
  await expect(abandoned).rejects.toMatchObject({ category: 'canceled' });
  await expect.poll(() => engine.load.running).toBe(0);
  expect(await first(engine, 'SELECT 7::BIGINT')).toEqual([7]);
});

test('a query whose texts outgrow the memory of the service ends with a limit of resources, and others go on', async () => {
  const engine = await engineOf({ memoryLimitBytes: 1000 * megabyte });
  const other = engine.query('SELECT i::BIGINT FROM range(1000000) r(i)', { isolated: true });
  await expect(engine.rows(hungry, { isolated: true })).rejects.toMatchObject({
    category: 'invalidInput',
    details: { legacy: { code: 'Resource limit exceeded' } },
  });
  let rows = 0;
  for await (const { rowCount } of (await other).chunks) rows += rowCount;
  expect(rows).toBe(1_000_000);
});

test('a process that the system kills fails its own query only', async () => {
  const engine = await engineOf();
  const victim = engine.rows(oneLongStep, { isolated: true });
  await expect.poll(() => children().length).toBe(1);
  for (const pid of children()) process.kill(pid, 'SIGKILL');
  await expect(victim).rejects.toMatchObject({
    details: { legacy: { code: 'Resource limit exceeded' } },
  });
  expect(await first(engine, 'SELECT 7::BIGINT')).toEqual([7]);
});

test('processes are used again, and end with the engine', async () => {
  const engine = await engineOf();
  await first(engine, 'SELECT 1');
  const [one] = children();
  await first(engine, 'SELECT 2');
  expect(children()).toEqual([one]);
  await engine.close();
  expect(children()).toEqual([]);
});

// DuckDB returns its free memory for every new limit, and would have to get it again.
test('a process keeps its memory limit from one query with a table of groups to the next', async () => {
  const engine = await engineOf();
  const told = vi.spyOn(QueryProcess.prototype, 'tell');
  const grouping = { numRows: 100_000, aggregates: 2, tables: 1, groupingSets: 1 };
  const ask = (text: string) => engine.query(text, { isolated: true, grouping });
  for (const text of ['SELECT 1', 'SELECT 2', 'SELECT 3'])
    for await (const _ of (await ask(text)).chunks);
  expect(told.mock.calls).toEqual([]);
  const unread = await ask('SELECT i::BIGINT FROM range(1000000) r(i)');
  await (await ask('SELECT 4')).close();
  expect(told.mock.calls).toContainEqual([
    { kind: 'limit', memoryBytes: expect.any(Number) as number },
  ]);
  await unread.close();
  told.mockRestore();
});

test('a statement with functions in TypeScript runs in a process, and one without does not', async () => {
  const engine = await engineOf();
  expect((await engine.rows('SELECT 1::BIGINT')).chunks[0]?.columns).toEqual([[1]]);
  expect(children()).toEqual([]);
  expect((await engine.rows('SELECT druid_ipv4_text(16909060)')).chunks[0]?.columns).toEqual([
    ['1.2.3.4'],
  ]);
  expect(children()).toHaveLength(1);
});

test('a process does not outlive its service, even in the middle of a function', async () => {
  const settings = {
    allowedFolders: [],
    spillFolder: await temporaryFolder(),
    maxSpillBytes: 0,
    memoryLimitBytes: 1e8,
    threads: 1,
  };
  const program = `
    const child = require('node:child_process').fork('dist/query-process.cjs', [], { serialization: 'advanced', env: { SVCCTL_SERVICE_PID: process.pid } });
    for (const request of ${JSON.stringify([
      { kind: 'open', settings },
      { kind: 'begin', memoryBytes: 1e8, isQuery: false },
      {
        kind: 'query',
        sql: "SELECT druid_human_readable(i, 2, 'binary') FROM range(1000000000) r(i) ORDER BY 1",
      },
    ])}) child.send(request);
    console.log(child.pid);
  `;
  const service = spawn(process.execPath, ['-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pid = Number(String((await once(service.stdout, 'data'))[0]));
  service.kill('SIGKILL');
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test('a process ends whose service was gone before it could look', async () => {
  const service = spawn(process.execPath, ['-e', '']);
  await once(service, 'exit');
  const child = fork('dist/query-process.cjs', [], {
    env: { SVCCTL_SERVICE_PID: String(service.pid) },
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
});

test('long values come in parts, whole and in order', async () => {
  const engine = await engineOf();
  const { chunks } = await engine.query(
    'SELECT i::BIGINT, repeat(i::VARCHAR, 100000) FROM range(100) r(i)',
    { isolated: true },
  );
  let next = 0;
  for await (const { rowCount, columns } of chunks) {
    for (let row = 0; row < rowCount; row++, next++) {
      expect(columns[0]?.[row]).toBe(next);
      expect(columns[1]?.[row]).toBe(String(next).repeat(100_000));
    }
  }
  expect(next).toBe(100);
});

test('the last place is not for a user who has all others, and a result that is not read keeps none', async () => {
  const engine = await engineOf({ maxRunningQueries: 2 });
  const rows = 'SELECT i::BIGINT FROM range(10000000) r(i)';
  const stalled = await Promise.all([
    engine.query(rows, { user: 'greedy' }),
    engine.query(rows, { user: 'modest' }),
  ]);
  for (const { chunks } of stalled) await chunks[Symbol.asyncIterator]().next();
  // Both places are given up once their results are not read for a while.
  expect((await engine.rows('SELECT 7::BIGINT', { user: 'late' })).chunks[0]?.columns).toEqual([
    [7],
  ]);
  for (const { close } of stalled) await close();

  const busy = engine.rows(endless, { user: 'greedy', queryId: 'busy' });
  await running(engine);
  const second = engine.rows('SELECT 2::BIGINT', { user: 'greedy' });
  await expect.poll(() => engine.load.queued).toBe(1);
  expect((await engine.rows('SELECT 7::BIGINT', { user: 'modest' })).chunks[0]?.columns).toEqual([
    [7],
  ]);
  expect(engine.load.queued).toBe(1);
  engine.cancel('busy');
  await expect(busy).rejects.toThrow('Query cancelled');
  expect((await second).chunks[0]?.columns).toEqual([[2]]);
});

const endless =
  'SELECT count(*) FROM range(100000000) a, range(100000) b WHERE hash(a.range) % 7 = hash(b.range) % 11';

const engineOf = async (settings: Parameters<typeof engineFor>[1] = {}) =>
  engineFor(await temporaryStorage(), settings);

const running = (engine: Engine) => expect.poll(() => engine.load.running).toBe(1);

async function first(engine: Engine, sql: string) {
  return (await engine.rows(sql, { isolated: true })).chunks.flatMap(
    (chunk) => chunk.columns[0] ?? [],
  );
}

/** The query processes of this test's process. */
function children(): number[] {
  const list = execFileSync('ps', ['-o', 'pid=,ppid=,args=', '-A'], { encoding: 'utf8' });
  return list
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, parent, ...args]) =>
        Number(parent) === process.pid && args.some((arg) => arg.endsWith('query-process.cjs')),
    )
    .map(([pid]) => Number(pid));
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
