import { expect, test } from 'vitest';
import { lines } from '../../support/cli.ts';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

test('a task is queued, runs and ends, and its log says so', async () => {
  const { get, post, ended } = api(await startService());
  const { body } = await post('/svc/indexer/v1/task', { type: 'noop', id: 'one', runTime: 1, dataSource: 'wiki' });
  expect(body).toEqual({ task: 'one' });
  expect(await ended('one')).toMatchObject({
    statusCode: 'SUCCESS',
    runnerStatusCode: 'NONE',
    dataSource: 'wiki',
    groupId: 'one',
    errorMsg: null,
  });
  const log = lines((await get('/svc/indexer/v1/task/one/log')).text);
  expect(log[0]).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z INFO \[one\] Running task of type \[noop\] on datasource \[wiki\]$/);
  expect(log.at(-1)).toMatch(/Task ended with status \[SUCCESS\]/);
});

test('a stored task is complete: id, group, resource and the context that every task has', async () => {
  const { get, post, ended } = api(await startService());
  const { body } = await post('/svc/indexer/v1/task', { type: 'noop', runTime: 1, context: { note: 'a' } });
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
  expect(await post('/svc/indexer/v1/task', { type: 'noop', id: 'one', runTime: 1 })).toMatchObject({
    status: 400,
    body: { errorCode: 'entryAlreadyExists', errorMessage: 'Task[one] already exists' },
  });
  for (const id of ['a/b', '.a', 'a\tb']) expect(await post('/svc/indexer/v1/task', { type: 'noop', id })).toMatchObject({ status: 400 });
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
  await post('/svc/indexer/v1/task', { type: 'noop', id: 'urgent', runTime: 300, context: { priority: 80 } });
  await ended('running');
  expect((await get('/svc/indexer/v1/task/usual/status')).body.status.runnerStatusCode).toBe('PENDING');
  await ended('urgent');
  await ended('usual');
});

test('an offset skips lines, or bytes in the dialect of the real engine', async () => {
  for (const [service, offset, expected] of [
    ['svc', 1, 'two\nthree\n'],
    ['svc', -1, 'three\n'],
    ['druid', 4, 'two\nthree\n'],
    ['druid', -6, 'three\n'],
    ['druid', 999, ''],
  ] as const) {
    const task = { status: ended, payload: { type: 'noop', id: 'old' }, log: ['one', 'two', 'three'] };
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
