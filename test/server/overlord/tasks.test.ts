import { expect, onTestFinished, test } from 'vitest';
import { dialectOf } from '../../../src/model/dialect.ts';
import { eternity } from '../../../src/model/interval.ts';
import { TaskLogs } from '../../../src/server/tasks/task-logs.ts';
import { TaskQueue } from '../../../src/server/tasks/task-queue.ts';
import type { TaskType } from '../../../src/server/tasks/task-type.ts';
import { lines } from '../../support/cli.ts';
import { startService } from '../../support/service.ts';
import { temporaryStorage } from '../../support/storage.ts';
import { api } from '../../support/wire.ts';

test('a task is queued, runs and ends, and its log says so', async () => {
  const { get, post, ended } = api(await startService());
  const { body } = await post('/svc/indexer/v1/task', {
    type: 'noop',
    id: 'one',
    runTime: 1,
    dataSource: 'wiki',
  });
  expect(body).toEqual({ task: 'one' });
  expect(await ended('one')).toMatchObject({
    statusCode: 'SUCCESS',
    runnerStatusCode: 'NONE',
    dataSource: 'wiki',
    groupId: 'one',
    errorMsg: null,
  });
  const log = lines((await get('/svc/indexer/v1/task/one/log')).text);
  expect(log[0]).toMatch(
    /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO \[one\] Running task of type \[noop\] on datasource \[wiki\]$/,
  );
  expect(log.at(-1)).toMatch(/Task ended with status \[SUCCESS\]/);
});

test('a stored task is complete: id, group, resource and the context that every task has', async () => {
  const { get, post, ended } = api(await startService());
  const { body } = await post('/svc/indexer/v1/task', {
    type: 'noop',
    runTime: 1,
    context: { note: 'a' },
  });
  expect(body.task).toMatch(/^noop_none_[a-p]{8}_\d{4}-/);
  expect((await get(`/svc/indexer/v1/task/${body.task}`)).body.payload).toMatchObject({
    type: 'noop',
    id: body.task,
    groupId: body.task,
    resource: { availabilityGroup: body.task, requiredCapacity: 1 },
    context: { forceTimeChunkLock: true, useLineageBasedSegmentAllocation: true, note: 'a' },
  });
  await ended(body.task);
});

test('the same id twice is refused, and so are ids that could not be a file or a path', async () => {
  const { post } = api(await startService());
  await post('/svc/indexer/v1/task', { type: 'noop', id: 'one', runTime: 1 });
  expect(await post('/svc/indexer/v1/task', { type: 'noop', id: 'one', runTime: 1 })).toMatchObject(
    {
      status: 400,
      body: { errorCode: 'entryAlreadyExists', errorMessage: 'Task[one] already exists' },
    },
  );
  for (const id of ['a/b', '.a', 'a\tb'])
    expect(await post('/svc/indexer/v1/task', { type: 'noop', id })).toMatchObject({ status: 400 });
});

test('unknown and missing types are refused with the types there are', async () => {
  const { post } = api(await startService());
  const { status, body } = await post('/svc/indexer/v1/task', { type: 'nothing' });
  expect({ status, error: body.error }).toMatchObject({
    status: 400,
    error: expect.stringContaining('Could not resolve type id [nothing]'),
  });
});

test('with all slots taken a task is pending; when one becomes free it runs', async () => {
  const { get, post, until, ended } = api(await startService({ workerCapacity: 1 }));
  await post('/svc/indexer/v1/task', { type: 'noop', id: 'first', runTime: 60_000 });
  await post('/svc/indexer/v1/task', { type: 'noop', id: 'second', runTime: 1 });
  await until(async () => (await get('/svc/indexer/v1/runningTasks')).body.length === 1);
  expect((await get('/svc/indexer/v1/pendingTasks')).body).toMatchObject([
    { id: 'second', runnerStatusCode: 'PENDING', statusCode: 'RUNNING' },
  ]);
  await post('/svc/indexer/v1/task/first/shutdown', {});
  expect(await ended('second')).toMatchObject({ statusCode: 'SUCCESS' });
  expect((await get('/svc/indexer/v1/task/first/status')).body.status).toMatchObject({
    statusCode: 'FAILED',
    errorMsg: 'Shutdown request from user',
  });
});

test('the task of the higher priority runs first', async () => {
  const { get, post, ended } = api(await startService({ workerCapacity: 1 }));
  await post('/svc/indexer/v1/task', { type: 'noop', id: 'running', runTime: 300 });
  await post('/svc/indexer/v1/task', { type: 'noop', id: 'usual', runTime: 1 });
  await post('/svc/indexer/v1/task', {
    type: 'noop',
    id: 'urgent',
    runTime: 300,
    context: { priority: 80 },
  });
  await ended('running');
  expect((await get('/svc/indexer/v1/task/usual/status')).body.status.runnerStatusCode).toBe(
    'PENDING',
  );
  await ended('urgent');
  await ended('usual');
});

const load = (id: string, rest: object = {}) => ({
  type: 'index_parallel',
  id,
  spec: {
    dataSchema: {
      dataSource: 'wiki',
      timestampSpec: { column: 't', format: 'iso' },
      dimensionsSpec: { dimensions: ['k'] },
      granularitySpec: { segmentGranularity: 'DAY', intervals: ['2022-03-01/2022-03-02'] },
    },
    ioConfig: {
      type: 'index_parallel',
      inputSource: { type: 'inline', data: `{"t":"2022-03-01","k":"${id}"}` },
      inputFormat: { type: 'json' },
    },
  },
  ...rest,
});

async function withoutWorker() {
  const service = api(await startService());
  const { body } = await service.get('/svc/indexer/v1/workers');
  const set = (what: string) =>
    service.post(`/svc/indexer/v1/worker/${body[0].worker.host}/${what}`, {});
  await set('disable');
  const state = async (id: string) =>
    (await service.get(`/svc/indexer/v1/task/${id}/status`)).body.status.runnerStatusCode;
  return { ...service, set, state };
}

test('who waits for a lock or for a slot is told by its log what is in the way', async () => {
  const { post, get, ended, set, state } = await withoutWorker();
  await post('/svc/indexer/v1/task', load('first'));
  await post('/svc/indexer/v1/task', load('second'));
  expect([await state('first'), await state('second')]).toEqual(['PENDING', 'WAITING']);
  const log = async (id: string) => (await get(`/svc/indexer/v1/task/${id}/log`)).text;
  expect(await log('first')).toContain('Pending: the worker takes no tasks');
  expect(await log('second')).toContain(
    'Waiting: task [first] with priority [50] has locked [2022-03-01T00:00:00.000Z/2022-03-02T00:00:00.000Z]; this task has priority [50]',
  );
  await set('enable');
  expect([(await ended('first')).statusCode, (await ended('second')).statusCode]).toEqual([
    'SUCCESS',
    'SUCCESS',
  ]);
  expect(
    (await post('/svc/v2/sql', { query: 'SELECT "k" FROM "wiki"', resultFormat: 'array' })).body,
  ).toEqual([['second']]);
});

test('a task of higher priority goes before one that holds its locks but has not begun, which then waits', async () => {
  const { post, ended, set, state } = await withoutWorker();
  await post('/svc/indexer/v1/task', load('usual'));
  await post('/svc/indexer/v1/task', load('urgent', { context: { priority: 80 } }));
  expect([await state('urgent'), await state('usual')]).toEqual(['PENDING', 'WAITING']);
  await set('enable');
  expect([(await ended('urgent')).statusCode, (await ended('usual')).statusCode]).toEqual([
    'SUCCESS',
    'SUCCESS',
  ]);
  expect(
    (await post('/svc/v2/sql', { query: 'SELECT "k" FROM "wiki"', resultFormat: 'array' })).body,
  ).toEqual([['usual']]);
});

test('lists are filtered by what a task is and when it was made', async () => {
  const times = [
    '2024-04-01T00:00:00.000Z',
    '2024-04-01T12:00:00.000Z',
    '2024-04-02T00:00:00.000Z',
    '2024-05-01T12:00:00.000Z',
  ];
  const tasks = times.map((createdTime, index) => ({
    status: {
      ...ended,
      id: `task-${index}`,
      createdTime,
      dataSource: index % 2 ? 'odd' : 'even',
      type: index === 2 ? 'kill' : 'noop',
    },
    payload: { type: 'noop', id: `task-${index}` },
    log: [],
  }));
  const { get } = api(await startService({ tasks }));
  const ids = async (query: string) =>
    (await get(`/svc/indexer/v1/tasks?${query}`)).body.map(({ id }: { id: string }) => id);
  expect(await ids('')).toEqual(['task-3']); // without an interval and without max: the last day
  expect(await ids('max=3')).toEqual(['task-3', 'task-2', 'task-1']);
  expect(await ids('max=10000000000000000000')).toHaveLength(4); // more than can be counted
  expect(await ids('createdTimeInterval=2024-04-01_2024-04-02')).toEqual(['task-1', 'task-0']);
  expect(await ids('createdTimeInterval=2024-04-01_P2D&max=1')).toEqual(['task-2']);
  expect(await ids('createdTimeInterval=2024-04-01_2024-04-03&datasource=even')).toEqual([
    'task-2',
    'task-0',
  ]);
  expect(
    await ids('createdTimeInterval=2024-04-01_2024-04-03&datasource=even&type=kill&state=complete'),
  ).toEqual(['task-2']);
  expect(await ids('state=running&createdTimeInterval=2024-04-01_2024-04-03')).toEqual([]);
});

test('an interval of creation holds for active tasks, too; that of the real engine only for complete ones', async () => {
  for (const service of ['svc', 'druid']) {
    const clock = { now: Date.parse('2024-04-01T06:00:00Z') };
    const { get, post } = api(
      await startService({ service, workerCapacity: 1, now: () => clock.now }),
    );
    const submit = (id: string) =>
      post(`/${service}/indexer/v1/task`, {
        type: 'noop',
        id,
        dataSource: 'naps',
        runTime: 60_000,
      });
    await submit('first');
    clock.now += 24 * 3_600_000;
    await submit('second');
    const ids = async (path: string) =>
      (await get(`/${service}/indexer/v1/${path}`)).body.map(({ id }: { id: string }) => id).sort();
    const day = 'createdTimeInterval=2024-04-01_2024-04-02';
    const isFiltered = service === 'svc';
    expect(await ids(`tasks?${day}`)).toEqual(isFiltered ? ['first'] : ['first', 'second']);
    expect(await ids(`tasks?state=pending&${day}`)).toEqual(isFiltered ? [] : ['second']);
    expect(await ids(`pendingTasks?${day}`)).toEqual(isFiltered ? [] : ['second']);
    expect(await ids(`runningTasks?${day}`)).toEqual(['first']);
    expect(await ids('runningTasks?createdTimeInterval=2024-04-02_2024-04-03')).toEqual(
      isFiltered ? [] : ['first'],
    );
    expect(
      (await get(`/${service}/indexer/v1/runningTasks?createdTimeInterval=nonsense`)).status,
    ).toBe(isFiltered ? 500 : 200);
  }
});

test('a task that is queued says since when; the real engine does not know in its status', async () => {
  for (const [service, time] of [
    ['svc', '2024-04-01T06:00:00.000Z'],
    ['druid', '1970-01-01T00:00:00.000Z'],
  ] as const) {
    const { get, post } = api(
      await startService({ service, now: () => Date.parse('2024-04-01T06:00:00Z') }),
    );
    await post(`/${service}/indexer/v1/task`, {
      type: 'noop',
      id: 'nap',
      dataSource: 'naps',
      runTime: 60_000,
    });
    expect(
      (await get(`/${service}/indexer/v1/task/nap/status`)).body.status.queueInsertionTime,
    ).toBe(time);
    expect((await get(`/${service}/indexer/v1/tasks`)).body[0].queueInsertionTime).toBe(
      '2024-04-01T06:00:00.000Z',
    );
  }
});

test('an offset skips lines, or bytes in the dialect of the real engine', async () => {
  for (const [service, offset, expected] of [
    ['svc', 1, 'two\nthree\n'],
    ['svc', -1, 'three\n'],
    ['druid', 4, 'two\nthree\n'],
    ['druid', -6, 'three\n'],
    ['druid', 999, ''],
  ] as const) {
    const task = {
      status: ended,
      payload: { type: 'noop', id: 'old' },
      log: ['one', 'two', 'three'],
    };
    const { get } = api(await startService({ service, tasks: [task] }));
    expect((await get(`/${service}/indexer/v1/task/old/log?offset=${offset}`)).text).toBe(expected);
  }
});

const ended = {
  id: 'old',
  groupId: 'old',
  type: 'noop',
  createdTime: '2024-05-01T12:00:00.000Z',
  queueInsertionTime: '2024-05-01T12:00:00.000Z',
  statusCode: 'SUCCESS',
  status: 'SUCCESS',
  runnerStatusCode: 'NONE',
  duration: 1,
  location: { host: null, port: -1, tlsPort: -1 },
  dataSource: 'wiki',
  errorMsg: null,
} as const;

test('a task that is seen to have succeeded has no locks any more, though it still tidies up', async () => {
  const { metadata, folder } = await temporaryStorage();
  let tidied = () => {};
  const tidying = new Promise<void>((settle) => {
    tidied = settle;
  });
  const writer: TaskType = {
    priority: 50,
    slots: () => 1,
    prepare: (given) => ({ dataSource: 'wiki', payload: { ...given } }),
    locks: () => [{ interval: eternity, type: 'EXCLUSIVE' }],
    async run(task) {
      metadata.transaction((tx) => task.succeed(tx));
      await tidying;
    },
  };
  const queue = new TaskQueue({
    metadata,
    logs: new TaskLogs(folder.taskLogs, Date.now),
    types: new Map([['writer', writer]]),
    dialect: dialectOf('svc'),
    capacity: 1,
    location: { host: 'localhost', port: 0, tlsPort: -1 },
    now: Date.now,
  });
  onTestFinished(() => {
    tidied();
    return queue.close();
  });
  queue.start();
  queue.submit({ type: 'writer', id: 'one' });
  expect({ status: queue.get('one').status, locks: queue.lockbox.list() }).toEqual({
    status: 'SUCCESS',
    locks: [],
  });
});
