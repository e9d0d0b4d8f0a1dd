// Tasks that write the same time chunks at the same time: what their locks allow, and that no row
// is lost or seen twice.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { startService } from '../../support/service.ts';
import { streamSpec } from '../../support/supervisors.ts';
import { api } from '../../support/wire.ts';

const day = '2022-03-01/2022-03-02';
const concurrent = { useConcurrentLocks: true };

/** A source whose rows come when they are released. */
async function heldBack(names: readonly string[]) {
  let release = () => {};
  const released = new Promise<void>((wake) => {
    release = wake;
  });
  const server = createServer((_, reply) => void released.then(() => reply.end(rowsOf(names))));
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    release();
    server.closeAllConnections();
    server.close();
  });
  return {
    source: {
      type: 'http',
      uris: [`http://127.0.0.1:${(server.address() as AddressInfo).port}/rows`],
    },
    release,
  };
}

const inline = (names: readonly string[]) => ({ type: 'inline', data: rowsOf(names) });
const rowsOf = (names: readonly string[]) =>
  names.map((k) => JSON.stringify({ t: '2022-03-01T05:00:00Z', k })).join('\n');

const load = (
  id: string,
  inputSource: object,
  appendToExisting: boolean,
  context: object = concurrent,
) => ({
  type: 'index_parallel',
  id,
  context,
  spec: {
    dataSchema: {
      dataSource: 'both',
      timestampSpec: { column: 't' },
      dimensionsSpec: { dimensions: ['k'] },
      granularitySpec: { segmentGranularity: 'DAY', intervals: [day], rollup: false },
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource,
      inputFormat: { type: 'json' },
      appendToExisting,
    },
  },
});

const compaction = (id: string, context: object = concurrent) => ({
  type: 'compact',
  id,
  dataSource: 'both',
  context,
  ioConfig: { type: 'compact', inputSpec: { type: 'interval', interval: day } },
});

async function started(workerCapacity = 4) {
  const { get, post, ended, until } = api(await startService({ workerCapacity }));
  const submit = async (task: { readonly id: string }) => {
    const reply = await post('/svc/indexer/v1/task', task);
    if (reply.status !== 200) throw new Error(reply.text);
    return task.id;
  };
  const locks = async (context: object = {}) => {
    const { body } = await post('/svc/indexer/v1/activeLocks', [{ datasource: 'both', context }]);
    return (body.datasourceToLocks.both ?? [])
      .map((lock: { groupId: string; type: string }) => `${lock.groupId} ${lock.type}`)
      .sort();
  };
  const rows = async () => {
    const reply = await post('/svc/v2/sql', {
      query: 'SELECT "k" FROM "both"',
      resultFormat: 'array',
    });
    if (reply.status !== 200) throw new Error(reply.text);
    return reply.body
      .map(([k]: [string]) => k)
      .sort()
      .join('');
  };
  const holds = (id: string) =>
    until(async () => (await locks()).some((lock: string) => lock.startsWith(`${id} `)));
  const succeeded = async (id: string) =>
    expect(await ended(id)).toMatchObject({ id, statusCode: 'SUCCESS' });
  const run = async (task: { readonly id: string }) => succeeded(await submit(task));
  return { get, post, submit, locks, rows, holds, succeeded, run, until };
}

test('two tasks append to one interval at the same time, and both are seen', async () => {
  const { submit, locks, rows, holds, succeeded, post } = await started();
  const [one, two] = [await heldBack(['a', 'b']), await heldBack(['c'])];
  await submit(load('one', one.source, true));
  await submit(load('two', two.source, true));
  await holds('one');
  await holds('two');
  expect(await locks()).toEqual(['one APPEND', 'two APPEND']);
  expect(await locks(concurrent)).toEqual([]); // in the way of nobody who replaces
  const intervals = (context: object) =>
    post('/svc/indexer/v1/lockedIntervals/v2', [{ datasource: 'both', context }]);
  expect((await intervals({})).body).toEqual({
    both: ['2022-03-01T00:00:00.000Z/2022-03-02T00:00:00.000Z'],
  });
  expect((await intervals({ taskLockType: 'REPLACE' })).body).toEqual({});
  two.release();
  await succeeded('two');
  expect(await rows()).toBe('c');
  one.release();
  await succeeded('one');
  expect(await rows()).toBe('abc');
});

test('without concurrent locks the second waits for the first', async () => {
  const { submit, locks, rows, holds, succeeded, get } = await started();
  const one = await heldBack(['a']);
  await submit(load('one', one.source, true, {}));
  await holds('one');
  await submit(load('two', inline(['b']), true));
  expect(
    (await get('/svc/indexer/v1/waitingTasks')).body.map(({ id }: { id: string }) => id),
  ).toEqual(['two']);
  expect(await locks()).toEqual(['one EXCLUSIVE']);
  one.release();
  await succeeded('two');
  expect(await rows()).toBe('ab');
});

test('a statement that waits for a lock leaves its slots to the task that has it', async () => {
  const { submit, rows, holds, succeeded, post } = await started(2);
  const [host] = Object.keys((await post('/svc/worker/v1/disable', {})).body);
  const query = `INSERT INTO "both" SELECT TIME_PARSE("t") AS __time, "k" FROM TABLE(EXTERN('${JSON.stringify(inline(['a']))}', '{"type":"json"}'))
    EXTEND ("t" VARCHAR, "k" VARCHAR) PARTITIONED BY DAY`;
  const { body } = await post('/svc/v2/sql/task', { query, context: { maxNumTasks: 2 } });
  await submit(load('native', inline(['b']), true, {}));
  await holds('native'); // while the worker takes no tasks; the statement comes first, and takes both slots
  expect((await post('/svc/worker/v1/enable', {})).body).toEqual({ [String(host)]: 'enabled' });
  await succeeded(body.taskId);
  await succeeded('native');
  expect(await rows()).toBe('ab');
});

const march = (from: number, to: number) =>
  `OVERWRITE WHERE __time >= TIMESTAMP '2022-03-0${from}' AND __time < TIMESTAMP '2022-03-0${to}'`;
const replace = (overwrite: string, source: object) =>
  `REPLACE INTO "both" ${overwrite} ${select(source)}`;
const select = (source: object) =>
  `SELECT TIME_PARSE("t") AS __time, "k" FROM TABLE(EXTERN('${JSON.stringify(source)}', '{"type":"json"}')) EXTEND ("t" VARCHAR, "k" VARCHAR) PARTITIONED BY DAY`;

test('a REPLACE waits, before it starts, for whoever has locked a time chunk of it', async () => {
  const { submit, rows, holds, succeeded, post, get, until } = await started(8);
  const sql = async (query: string) =>
    (await post('/svc/v2/sql/task', { query, context: { maxNumTasks: 2 } })).body.taskId as string;
  const waiting = async () =>
    (await get('/svc/indexer/v1/waitingTasks')).body.map(({ id }: { id: string }) => id).sort();
  const state = async (id: string) =>
    (await get(`/svc/indexer/v1/task/${id}/status`)).body.status.runnerStatusCode;
  const first = await heldBack(['a']);
  const one = await sql(replace('OVERWRITE ALL', first.source));
  await holds(one);
  const all = await sql(replace('OVERWRITE ALL', inline(['b'])));
  const part = await sql(replace(march(1, 2), inline(['c'])));
  const native = await submit(load('native', inline(['d']), false, {}));
  const compact = await submit(compaction('compact', {}));
  const killing = { type: 'kill', id: 'kill', dataSource: 'both', interval: day };
  const killed = await submit(killing);
  expect(await waiting()).toEqual([all, part, native, compact, killed].sort());
  expect((await get(`/svc/indexer/v1/task/${all}/log`)).text).toContain(
    `Waiting: task [${one}] with priority [50] has locked`,
  );
  const added = await sql(`INSERT INTO "both" ${select(inline(['e']))}`); // learns from its rows what it must lock
  await until(async () => (await waiting()).includes(added));
  expect((await get(`/svc/indexer/v1/task/${added}/log`)).text).toContain(
    `Waiting: task [${one}] with priority [50] has locked`,
  );
  expect((await get(`/svc/v2/sql/statements/${added}`)).body.state).toBe('RUNNING'); // it has started
  expect(await state(one)).toBe('RUNNING');
  first.release();
  // Compaction gives way to what comes after it
  for (const id of [one, all, part, native, killed, added]) await succeeded(id);
  expect(await rows()).toMatch(/^[bcd]?e?$/); // one after the other, in whatever order
});

test('REPLACEs of different time chunks run side by side, and one that waits can be cancelled', async () => {
  const { holds, succeeded, post, get } = await started(8);
  const sql = async (query: string) =>
    (await post('/svc/v2/sql/task', { query, context: { maxNumTasks: 2 } })).body.taskId as string;
  const [first, second] = [await heldBack(['a']), await heldBack([])];
  const one = await sql(replace(march(1, 2), first.source));
  const two = await sql(replace(march(2, 4), second.source));
  const both = await sql(replace(march(1, 3), inline(['c'])));
  await holds(one);
  await holds(two);
  const waiting = async () =>
    (await get('/svc/indexer/v1/waitingTasks')).body.map(({ id }: { id: string }) => id);
  expect(await waiting()).toEqual([both]);
  expect((await post(`/svc/indexer/v1/task/${both}/shutdown`, {})).status).toBe(200);
  expect(await waiting()).toEqual([]);
  first.release();
  second.release();
  await succeeded(one);
  await succeeded(two);
});

test('what is appended while an interval is replaced outlives the replacement', async () => {
  const { run, submit, locks, rows, holds, succeeded, post } = await started();
  await run(load('old', inline(['o']), false));
  const replacing = await heldBack(['n']);
  await submit(load('replace', replacing.source, false));
  await holds('replace');
  await run(load('append', inline(['a', 'b']), true));
  expect(await locks()).toContain('replace REPLACE');
  expect(await rows()).toBe('abo');
  replacing.release();
  await succeeded('replace');
  expect(await rows()).toBe('abn');
  const { body } = await post('/svc/v2/sql', {
    query: `SELECT COUNT(*), COUNT(DISTINCT "version"), SUM("num_rows") FROM sys.segments WHERE "is_active" = 1`,
    resultFormat: 'array',
  });
  expect(body).toEqual([[2, 1, 3]]);
});

test('compaction that has its lock before rows are appended reads none of them, and loses none', async () => {
  const { run, submit, rows, holds, succeeded, get } = await started(2);
  await run(load('first', inline(['a']), true));
  await run(load('second', inline(['b']), true));
  const late = await heldBack(['c']);
  await submit({ type: 'noop', id: 'busy', dataSource: 'other', runTime: 60_000 } as {
    readonly id: string;
  });
  await submit(load('append', late.source, true));
  await holds('append');
  await submit(compaction('compact')); // has its lock, but no slot
  await holds('compact');
  late.release();
  await succeeded('append');
  await succeeded('compact');
  expect(await rows()).toBe('abc');
  expect(
    (await get('/svc/indexer/v1/task/compact/reports')).body.ingestionStatsAndErrors.payload,
  ).toMatchObject({ segmentsRead: 2 });
});

test('rows that are appended after a compaction has replaced what they were to join, join what is there then', async () => {
  const { run, submit, rows, holds, succeeded } = await started();
  await run(load('first', inline(['a']), true));
  const late = await heldBack(['c']);
  await submit(load('append', late.source, true));
  await holds('append');
  await run(compaction('compact'));
  late.release();
  await succeeded('append');
  await run(compaction('again'));
  expect(await rows()).toBe('ac');
});

test('a statement that replaces a table by what it reads from it loses nothing that is inserted meanwhile', async () => {
  const { run, rows, post, succeeded } = await started(8);
  await run(load('first', inline(['a']), true));
  const sql = (query: string) => post('/svc/v2/sql/task', { query, context: concurrent });
  const replace =
    'REPLACE INTO "both" OVERWRITE ALL SELECT "__time", "k" FROM "both" PARTITIONED BY DAY';
  const insert = (k: string) =>
    `INSERT INTO "both" SELECT TIMESTAMP '2022-03-01' AS "__time", '${k}' AS "k" PARTITIONED BY DAY`;
  const begun = await Promise.all([
    sql(insert('b')),
    sql(replace),
    sql(insert('c')),
    sql(insert('d')),
  ]);
  for (const { body } of begun) await succeeded(body.taskId);
  expect(await rows()).toBe('abcd');
});

test('a lock type that there is not is refused by name, wherever a context can name one, and nothing is kept of what names it', async () => {
  const { get, post, run } = await started();
  const wrong = (taskLockType: unknown) => ({ taskLockType });
  const context = wrong('SHRED');
  const refusal = (value: string) =>
    `Expected key [taskLockType] to be referring to one of the values [EXCLUSIVE,SHARED,REPLACE,APPEND] of enum [TaskLockType], but got [${value}]`;
  const stream = streamSpec({ dataSource: 'both', context });
  const reading = {
    type: 'index_kafka',
    ...stream.spec,
    ioConfig: {
      ...stream.spec.ioConfig,
      startSequenceNumbers: { type: 'start', stream: 'both', partitionOffsetMap: { 0: 0 } },
      endSequenceNumbers: { type: 'end', stream: 'both', partitionOffsetMap: { 0: 1 } },
    },
    context,
  };
  const tasks = [
    load('load', inline(['a']), true, context),
    compaction('compact', context),
    { type: 'kill', dataSource: 'both', interval: day, context },
    reading,
  ];
  for (const task of tasks) {
    const { status, text } = await post('/svc/indexer/v1/task', task);
    expect({ status, text }).toEqual({
      status: 400,
      text: expect.stringContaining(refusal('SHRED')),
    });
  }
  const misfit = (javaClass: string) =>
    `Expected key [taskLockType] to be of type [TaskLockType], but got [${javaClass}]`;
  for (const [value, error] of [
    [17, misfit('java.lang.Integer')],
    ['', refusal('')],
    [{ type: 'SHARED' }, misfit('java.util.LinkedHashMap')],
  ] as const) {
    const { status, body } = await post(
      '/svc/indexer/v1/task',
      load('load', inline(['a']), true, { ...concurrent, ...wrong(value) }),
    );
    expect({ status, ...body }).toMatchObject({ status: 400, error });
  }
  expect((await post('/svc/indexer/v1/supervisor', stream)).text).toContain(refusal('SHRED'));
  const automatic = { dataSource: 'both', taskContext: context };
  expect(await post('/svc/coordinator/v1/config/compaction', automatic)).toMatchObject({
    status: 400,
    text: expect.stringContaining(refusal('SHRED')),
  });
  expect((await get('/svc/indexer/v1/tasks')).body).toEqual([]);
  expect((await get('/svc/indexer/v1/supervisor')).body).toEqual([]);
  await run(load('load', inline(['a']), true, wrong('shared'))); // in any case, and none at all
  await run(load('again', inline(['a']), true, wrong(null)));
});
