// The endpoints of tasks and workers with the client that checks replies against their schemas:
// what they answer, and what they refuse.
import { expect, test } from 'vitest';
import { middleManager } from '../../../src/contract/middle-manager.ts';
import { tasks } from '../../../src/contract/tasks.ts';
import { workers } from '../../../src/contract/workers.ts';
import { callsTo, refusalOf } from '../../support/calls.ts';
import { startService } from '../../support/service.ts';
import { finishedTask } from '../../support/tasks.ts';

const noop = (id: string, rest: object = {}) => ({
  body: { type: 'noop', id, dataSource: 'naps', runTime: 60_000, ...rest },
});
const ids = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id).sort();

test('each list has the tasks of its state, and obeys its filters', async () => {
  const call = callsTo(await startService({ workerCapacity: 1, tasks: [finishedTask('done')] }));
  await call(tasks.submit, noop('runs'));
  await call(tasks.submit, noop('pends'));
  const load = {
    type: 'index_parallel',
    spec: {
      dataSchema: {
        dataSource: 'naps',
        timestampSpec: { column: 't' },
        dimensionsSpec: {},
        granularitySpec: { segmentGranularity: 'DAY', intervals: ['2022-03-01/2022-03-02'] },
      },
      ioConfig: {
        type: 'index_parallel',
        inputSource: { type: 'inline', data: '{}' },
        inputFormat: { type: 'json' },
      },
    },
  };
  await call(tasks.submit, { body: { ...load, id: 'locks' } });
  await call(tasks.submit, { body: { ...load, id: 'waits' } });
  expect(ids(await call(tasks.running))).toEqual(['runs']);
  expect(ids(await call(tasks.pending))).toEqual(['locks', 'pends']);
  expect(ids(await call(tasks.pending, { query: { type: 'noop' } }))).toEqual(['pends']);
  expect(ids(await call(tasks.waiting, { query: { datasource: 'naps' } }))).toEqual(['waits']);
  expect(ids(await call(tasks.complete, { query: { datasource: 'wikipedia', max: 5 } }))).toEqual([
    'done',
  ]);
  expect(await call(tasks.complete, { query: { datasource: 'naps' } })).toEqual([]);
  expect(await call(tasks.statuses, { body: ['done', 'runs', 'nobody'] })).toMatchObject({
    done: { status: 'SUCCESS', duration: 61_000 },
    runs: { status: 'RUNNING', duration: -1 },
  });
  expect(await refusalOf(call(tasks.statuses, { body: [] }))).toEqual([
    400,
    'No Task IDs provided.',
  ]);
  const interval = '2022-03-01T00:00:00.000Z/2022-03-02T00:00:00.000Z';
  expect(
    await call(tasks.lockedIntervals, { body: [{ datasource: 'naps' }, { datasource: 'free' }] }),
  ).toEqual({ naps: [interval] });
  expect(
    await call(tasks.activeLocks, { body: [{ datasource: 'naps', priority: 50 }] }),
  ).toMatchObject({
    datasourceToLocks: {
      naps: [{ type: 'EXCLUSIVE', groupId: 'locks', interval, priority: 50, revoked: false }],
    },
  });
  expect(await call(tasks.activeLocks, { body: [{ datasource: 'naps', priority: 51 }] })).toEqual({
    datasourceToLocks: {},
  });
  for (const endpoint of [tasks.activeLocks, tasks.lockedIntervals])
    expect(await refusalOf(call(endpoint, { body: [] }))).toEqual([400, 'No filter provided']);
  expect(await call(tasks.capacity)).toMatchObject({
    currentClusterCapacity: 1,
    usedClusterCapacity: 1,
  });
  expect(await call(tasks.shutdownAll, { params: { dataSource: 'naps' } })).toEqual({
    dataSource: 'naps',
  });
  expect(await call(tasks.list, { query: { datasource: 'naps', state: 'pending' } })).toEqual([]);
  expect((await refusalOf(call(tasks.shutdownAll, { params: { dataSource: 'nothing' } })))[0]).toBe(
    404,
  );
});

test('pending segments are not forgotten under a task that may write them', async () => {
  const call = callsTo(await startService());
  const naps = { dataSource: 'naps' };
  expect(
    await call(tasks.deletePendingSegments, { params: naps, query: { interval: '2000/2001' } }),
  ).toEqual({ numDeleted: 0 });
  await call(tasks.submit, noop('runs'));
  const [status, message] = await refusalOf(call(tasks.deletePendingSegments, { params: naps }));
  expect([status, message]).toEqual([
    400,
    expect.stringContaining('at least one active task[runs]'),
  ]);
  expect(
    await call(tasks.deletePendingSegments, { params: naps, query: { interval: '2000/2001' } }),
  ).toEqual({ numDeleted: 0 });
  expect(
    (
      await refusalOf(
        call(tasks.deletePendingSegments, { params: naps, query: { interval: 'soon' } }),
      )
    )[0],
  ).toBe(500);
});

test('the segments of a task are told only where the service keeps them', async () => {
  const call = callsTo(await startService({ tasks: [finishedTask('done')] }));
  const params = { taskId: 'done' };
  expect(await refusalOf(call(tasks.segments, { params }))).toEqual([
    404,
    expect.stringContaining('[indexer.auditLog.enabled]'),
  ]);
  const druid = callsTo(
    await startService({ service: 'druid', tasks: [finishedTask('done')] }),
    'druid',
  );
  expect(await refusalOf(druid(tasks.segments, { params }))).toEqual([
    404,
    expect.stringContaining('are not persisted anymore'),
  ]);
});

test('the Overlord and the worker say the same of the worker', async () => {
  const service = await startService({ rolePorts: true, workerCapacity: 3 });
  const call = callsTo(service);
  const worker = callsTo({ url: service.urls.get('middleManager') ?? '' });
  await call(tasks.submit, noop('runs'));
  const [listed] = await call(workers.list);
  const host = listed?.worker.host ?? '';
  expect(new URL(`http://${host}`).host).toBe(
    new URL(service.urls.get('middleManager') ?? '').host,
  );
  expect(listed).toMatchObject({
    currCapacityUsed: 1,
    runningTasks: ['runs'],
    worker: { capacity: 3, disabled: false },
  });
  expect(await worker(middleManager.enabled)).toEqual({ [host]: true });
  expect(await worker(middleManager.disable)).toEqual({ [host]: 'disabled' });
  expect((await call(workers.list))[0]?.worker).toMatchObject({
    disabled: true,
    version: listed?.worker.version,
  }); // which Druid has kept since 39
  expect(await call(workers.enable, { params: { host } })).toEqual({ [host]: 'enabled' });
  expect(await call(workers.disable, { params: { host } })).toEqual({ [host]: 'disabled' });
  expect(await worker(middleManager.enable)).toEqual({ [host]: 'enabled' });
  expect((await call(workers.list))[0]?.worker).toMatchObject({ disabled: false });
  expect(await worker(middleManager.tasks)).toEqual(['runs']);
  expect(await refusalOf(call(workers.disable, { params: { host: 'nowhere:1' } }))).toEqual([
    500,
    expect.stringContaining('[nowhere:1]'),
  ]);
  expect(await refusalOf(worker(middleManager.log, { params: { taskId: 'nobody' } }))).toEqual([
    404,
    expect.stringContaining('No log was found'),
  ]);
  expect((await refusalOf(worker(tasks.running)))[0]).toBe(404); // an endpoint of another role
  expect(await worker(middleManager.shutdown, { params: { taskId: 'runs' } })).toEqual({
    task: 'runs',
  });
  expect(await worker(middleManager.shutdown, { params: { taskId: 'nobody' } })).toEqual({
    task: 'nobody',
  });
  expect(await call(workers.scaling)).toBeUndefined();
});

test('a worker has an address without a port, and null until it is blacklisted; the real engine tells of both in its own way', async () => {
  for (const service of ['svc', 'druid']) {
    const [listed] = await callsTo(await startService({ service }), service)(workers.list);
    const isSpecified = service === 'svc';
    expect(listed?.worker.ip).toBe(isSpecified ? '127.0.0.1' : listed?.worker.host);
    expect(listed?.blacklistedUntil).toBe(isSpecified ? null : undefined);
  }
});
