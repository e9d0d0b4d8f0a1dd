import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { config } from '../../../src/contract/config.ts';
import { type OverlordDynamicConfig, workers } from '../../../src/contract/workers.ts';
import { startServer } from '../../../src/server/server.ts';
import { callsTo, refusalOf } from '../../support/calls.ts';
import { startService } from '../../support/service.ts';
import { api } from '../../support/wire.ts';

const coordinator = '/svc/coordinator/v1/config';
const overlord = '/svc/indexer/v1/worker';

test('the Coordinator has a complete configuration before anybody set one', async () => {
  const call = callsTo(await startService());
  expect(await call(config.get)).toMatchObject({
    maxSegmentsToMove: 100,
    pauseCoordination: false,
    mergeBytesLimit: 524_288_000,
  });
  expect(await call(config.history)).toEqual([]);
});

test('a change keeps what it does not name, and what is null; unknown fields are passed over', async () => {
  const call = callsTo(await startService());
  await call(config.set, { body: { maxSegmentsToMove: 7, debugDimensions: { dataSource: 'a' } } });
  await call(config.set, {
    body: { replicantLifetime: 3, maxSegmentsToMove: null, debugDimensions: null, nothing: 1 },
  });
  const now = await call(config.get);
  expect(now).toMatchObject({
    maxSegmentsToMove: 7,
    replicantLifetime: 3,
    debugDimensions: { dataSource: 'a' },
  });
  expect(now).not.toHaveProperty('nothing');
  await call(config.set, { body: { debugDimensions: {} } });
  expect(await call(config.get)).toMatchObject({ debugDimensions: {} });
});

test('lists of names may be one text, and name each once', async () => {
  const call = callsTo(await startService());
  await call(config.set, {
    body: { killDataSourceWhitelist: 'x,y,x', decommissioningNodes: ['a:1', 'a:1'] },
  });
  expect(await call(config.get)).toMatchObject({
    killDataSourceWhitelist: ['x', 'y'],
    decommissioningNodes: ['a:1'],
  });
});

test('the history tells who changed what, why and from where; an equal configuration is not a change', async () => {
  const call = callsTo(await startService());
  const headers = { author: 'alice', comment: 'less moving' };
  await call(config.set, { body: { maxSegmentsToMove: 7 }, headers });
  await call(config.set, { body: { maxSegmentsToMove: 7 }, headers: { author: 'bob' } });
  await call(config.set, { body: { maxSegmentsToMove: 8 } });
  const history = await call(config.history);
  expect(history).toMatchObject([
    {
      key: 'coordinator.config',
      type: 'coordinator.config',
      auditInfo: { author: 'alice', comment: 'less moving', ip: '127.0.0.1' },
    },
    { auditInfo: { author: '', comment: '' } },
  ]);
  expect(history.map(({ payload }) => JSON.parse(payload ?? '').maxSegmentsToMove)).toEqual([7, 8]);
  expect(await call(config.history, { query: { count: 1 } })).toEqual([history[1]]);
});

test.each([
  [{ maxSegmentsToMove: 'many' }, /\[maxSegmentsToMove\]/],
  [{ pauseCoordination: 'perhaps' }, /\[pauseCoordination\]/],
  [{ maxSegmentsToMove: {} }, /\[maxSegmentsToMove\]/],
  [[], /\[body\]/],
  ['x', /\[body\]/],
  [{ killTaskSlotRatio: 1.5 }, /^killTaskSlotRatio \[1.5\] is invalid. It must be >= 0 and <= 1.$/],
  [{ maxKillTaskSlots: -1 }, /^maxKillTaskSlots \[-1\] is invalid. It must be >= 0.$/],
])('the Coordinator refuses %j and stays as it was', async (body, error) => {
  const { get, post } = api(await startService());
  expect(await post(coordinator, body)).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(error) },
  });
  expect((await get(`${coordinator}/history`)).body).toEqual([]);
});

test('what is set outlives the service', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'svcctl-config-'));
  const first = await startServer({ port: 0, dataDir });
  await callsTo(first)(config.set, { body: { replicantLifetime: 3 } });
  await first.close();
  const second = await startServer({ port: 0, dataDir });
  expect(await callsTo(second)(config.get)).toMatchObject({ replicantLifetime: 3 });
  await second.close();
  await rm(dataDir, { recursive: true });
});

test('the Overlord has no configuration until one is set, and then a complete one', async () => {
  const call = callsTo(await startService());
  expect(await call(workers.getConfig)).toBeUndefined();
  const affinityConfig = { affinity: { wiki: ['h1:8091'] } };
  await call(workers.setConfig, {
    body: { selectStrategy: { type: 'fillCapacityWithAffinity', affinityConfig } },
    headers: { author: 'erin' },
  });
  expect(await call(workers.getConfig)).toEqual({
    type: 'default',
    selectStrategy: {
      type: 'fillCapacityWithAffinity',
      affinityConfig: { affinity: { wiki: ['h1:8091'] }, strong: false },
      taskLimits: { maxSlotCountByType: {}, maxSlotRatioByType: {} },
    },
    autoScaler: null,
  });
  const workerCategorySpec = { categoryMap: { index: { defaultCategory: 'c1' } } };
  await call(workers.setConfig, {
    body: { selectStrategy: { type: 'equalDistributionWithCategorySpec', workerCategorySpec } },
  });
  expect((await call(workers.getConfig))?.selectStrategy?.workerCategorySpec).toEqual({
    categoryMap: {
      index: { defaultCategory: 'c1', categoryAffinity: {}, supervisorIdCategoryAffinity: {} },
    },
    strong: false,
  });
  await call(workers.setConfig, { body: { type: 'default' } });
  expect(await call(workers.getConfig)).toEqual({
    type: 'default',
    selectStrategy: null,
    autoScaler: null,
  });
  await call(workers.setConfig, { body: { selectStrategy: { type: 'nothing' } } });
  expect((await call(workers.getConfig))?.selectStrategy).toMatchObject({
    type: 'equalDistribution',
    affinityConfig: null,
  });
  const [first] = await call(workers.configHistory);
  expect(first).toMatchObject({
    key: 'worker.config',
    type: 'worker.config',
    auditInfo: { author: 'erin' },
  });
});

test('the Overlord refuses what is not a configuration, and a history that cannot be', async () => {
  const service = await startService();
  const { post } = api(service);
  const wrong = { selectStrategy: { type: 'fillCapacity', affinityConfig: 'x' } };
  expect(await post(overlord, wrong)).toMatchObject({
    status: 400,
    body: { error: expect.stringMatching(/affinityConfig/) },
  });
  for (const selectStrategy of [
    { type: 'fillCapacity', affinityConfig: {} },
    { type: 'javascript', function: 'function () {}' },
  ])
    expect(await post(overlord, { selectStrategy })).toMatchObject({
      status: 400,
      body: { error: expect.stringMatching(/affinity|JavaScript is disabled/) },
    });
  expect(await post(overlord, [])).toMatchObject({ status: 400 });
  expect(await post(overlord, null)).toMatchObject({
    status: 500,
    text: expect.stringMatching(/^<html>/),
  });
  const call = callsTo(service);
  expect(await refusalOf(call(workers.configHistory, { query: { count: 0 } }))).toEqual([
    400,
    'Limit must be greater than zero!',
  ]);
  expect(await refusalOf(call(config.history, { query: { count: -1 } }))).toEqual([
    400,
    'Limit must be greater than zero!',
  ]);
  expect(await refusalOf(call(config.brokerHistory, { query: { count: 0 } }))).toEqual([
    400,
    'Limit must be greater than zero!',
  ]);
});

test('the Brokers have a configuration of their own, and the one there is has it', async () => {
  const service = await startService({ rolePorts: true });
  const call = callsTo(service);
  expect(await call(config.getBroker)).toEqual({});
  await call(config.setBroker, {
    body: { queryBlocklist: [{ ruleName: 'a', dataSources: ['w'] }] },
    headers: { comment: 'too dear' },
  });
  expect(await call(config.getBroker)).toEqual({
    queryBlocklist: [{ ruleName: 'a', dataSources: ['w'] }],
  });
  expect(await call(config.brokerHistory)).toMatchObject([
    { key: 'broker.config', auditInfo: { comment: 'too dear' } },
  ]);
  const { syncedBrokers } = await call(config.syncedBrokers);
  expect(syncedBrokers.map(({ host, port }) => `http://${host}:${port}`)).toEqual([
    service.urls.get('broker'),
  ]);
  expect(await call(config.cloneStatus)).toEqual({ cloneStatus: [] });
  await call(config.set, { body: { cloneServers: { 'copy:8283': 'original:8283' } } });
  expect(await call(config.cloneStatus)).toEqual({
    cloneStatus: [
      {
        sourceServer: 'original:8283',
        targetServer: 'copy:8283',
        state: 'TARGET_SERVER_MISSING',
        segmentLoadsRemaining: -1,
        segmentDropsRemaining: -1,
        bytesToLoad: -1,
      },
    ],
  });
});

test('tasks run on the one worker when the strategy of the Overlord gives them to it', async () => {
  const service = await startService({ workerCapacity: 4 });
  const call = callsTo(service);
  const { post, get, until } = api(service);
  const [host = ''] = (await call(workers.list)).map(({ worker }) => worker.host);
  const submit = async (dataSource: string, runTime = 1) =>
    (await post('/svc/indexer/v1/task', { type: 'noop', dataSource, runTime })).body.task as string;
  const stateOf = async (id: string) =>
    (await get(`/svc/indexer/v1/task/${id}/status`)).body.status.runnerStatusCode as string;
  const strategy = (selectStrategy: NonNullable<OverlordDynamicConfig['selectStrategy']>) =>
    call(workers.setConfig, { body: { selectStrategy } });
  const runs = (id: string) => until(async () => (await stateOf(id)) === 'NONE');

  await strategy({
    type: 'equalDistributionWithAffinity',
    affinityConfig: { affinity: { a: ['elsewhere:1'], b: [host] }, strong: true },
  });
  const [strong, own, none] = [await submit('a'), await submit('b'), await submit('c')];
  await runs(own);
  expect([await stateOf(strong), await stateOf(none)]).toEqual(['PENDING', 'PENDING']); // the worker is for b alone
  expect((await get(`/svc/indexer/v1/task/${strong}/log`)).text).toContain(
    'Pending: datasource [a] has an affinity to other workers',
  );
  await strategy({
    type: 'fillCapacityWithAffinity',
    affinityConfig: { affinity: { a: ['elsewhere:1'] }, strong: false },
  });
  await runs(strong);
  await runs(none);

  const categoryMap = {
    noop: { defaultCategory: 'large', categoryAffinity: { a: '_default_worker_category' } },
  };
  await strategy({
    type: 'equalDistributionWithCategorySpec',
    workerCategorySpec: { categoryMap, strong: true },
  });
  const [other, mine] = [await submit('b'), await submit('a')];
  await runs(mine);
  expect(await stateOf(other)).toBe('PENDING');
  await strategy({
    type: 'equalDistributionWithCategorySpec',
    workerCategorySpec: { categoryMap, strong: false },
  });
  await runs(other);

  await strategy({
    type: 'equalDistribution',
    taskLimits: { maxSlotCountByType: { noop: 3 }, maxSlotRatioByType: { noop: 0.5 } },
  });
  const long = [await submit('a', 60_000), await submit('b', 60_000), await submit('c', 60_000)];
  await until(async () => (await stateOf(long[1] ?? '')) === 'RUNNING');
  expect(await Promise.all(long.map(stateOf))).toEqual(['RUNNING', 'RUNNING', 'PENDING']); // half of four
});
