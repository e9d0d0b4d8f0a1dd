// Every endpoint of supervisors, with the real client: each reply is checked against the contract.
// No broker is needed here.
import { expect, test } from 'vitest';
import { supervisors } from '../../../../src/contract/supervisors.ts';
import { startServer } from '../../../../src/server/server.ts';
import { callsTo, refusalOf } from '../../../support/calls.ts';
import { startService } from '../../../support/service.ts';
import { temporaryFolder } from '../../../support/storage.ts';
import { streamSpec } from '../../../support/supervisors.ts';
import { api } from '../../../support/wire.ts';

const at = '/svc/indexer/v1/supervisor';
const edits = { params: { supervisorId: 'edits' } };
const nobody = { params: { supervisorId: 'nobody' } };

/** A service with a suspended supervisor `edits`. */
async function withEdits(settings: Parameters<typeof startService>[0] = {}) {
  const service = await startService(settings);
  const call = callsTo(service, settings.service);
  await call(supervisors.submit, { body: streamSpec({ suspended: true }) });
  return { service, call, ...api(service) };
}

test('a supervisor is made, listed in each way, and shown with all that was assumed', async () => {
  const { call, get } = await withEdits();
  expect(await call(supervisors.list)).toEqual(['edits']);
  expect(await call(supervisors.list, { query: { state: false } })).toEqual(['edits']);
  const summary = { id: 'edits', dataSource: 'edits', healthy: true, suspended: true };
  expect((await get(`${at}?state=true`)).body).toEqual([
    {
      id: 'edits',
      state: expect.any(String),
      detailedState: expect.any(String),
      healthy: true,
      suspended: true,
    },
  ]);
  expect(await call(supervisors.list, { query: { full: true } })).toMatchObject([
    { ...summary, spec: { type: 'kafka', suspended: true } },
  ]);
  expect(await call(supervisors.list, { query: { system: true } })).toMatchObject([
    { ...summary, type: 'kafka', source: 'edits' },
  ]);
  const spec = await call(supervisors.get, edits);
  expect(spec).toMatchObject({ type: 'kafka', id: 'edits', suspended: true, context: null });
  expect(spec.spec?.ioConfig).toMatchObject({
    topic: 'edits',
    stream: 'edits',
    taskCount: 1,
    replicas: 1,
    taskDuration: 'PT3600S',
    completionTimeout: 'PT1800S',
    startDelay: 'PT0S',
    pollTimeout: 100,
    useEarliestSequenceNumber: true,
    idleConfig: null,
  });
  expect(spec.spec?.tuningConfig).toMatchObject({
    type: 'kafka',
    maxRowsPerSegment: 5_000_000,
    maxTotalRows: null,
    offsetFetchPeriod: 'PT30S',
  });
  expect(spec.spec?.dataSchema).toMatchObject({
    metricsSpec: [],
    transformSpec: { filter: null, transforms: [] },
  });
  expect((await get(`${at}/`)).body).toEqual(['edits']);
});

test('what is shown can be posted again and changes nothing; what is different makes a version of the history', async () => {
  const { call } = await withEdits();
  const shown = await call(supervisors.get, edits);
  expect(await call(supervisors.submit, { body: shown })).toEqual({
    id: 'edits',
    modified: false,
    restarted: true,
  });
  const query = { skipRestartIfUnmodified: true };
  expect(await call(supervisors.submit, { body: shown, query })).toEqual({
    id: 'edits',
    modified: false,
    restarted: false,
  });
  const changed = streamSpec({ suspended: true, ioConfig: { taskDuration: 'PT30M' } });
  expect(await call(supervisors.submit, { body: changed, query })).toEqual({
    id: 'edits',
    modified: true,
    restarted: true,
  });
  const history = await call(supervisors.history, edits);
  expect(history.map(({ spec }) => spec?.type)).toEqual(['kafka', 'kafka']);
  expect(await call(supervisors.history, { ...edits, query: { count: 1 } })).toEqual(
    history.slice(0, 1),
  );
  expect(await call(supervisors.allHistory)).toEqual({ edits: history });
});

test('suspending and resuming answer with the specification, once', async () => {
  const { call } = await withEdits();
  expect(await refusalOf(call(supervisors.suspend, edits))).toEqual([
    400,
    '[edits] is already suspended',
  ]);
  expect(await call(supervisors.resume, edits)).toMatchObject({ type: 'kafka', suspended: false });
  expect(await refusalOf(call(supervisors.resume, edits))).toEqual([
    400,
    '[edits] is already running',
  ]);
  expect(await call(supervisors.suspendAll)).toEqual({ status: 'success' });
  expect(await call(supervisors.get, edits)).toMatchObject({ suspended: true });
  expect(await call(supervisors.resumeAll)).toEqual({ status: 'success' });
  expect((await call(supervisors.history, edits)).map(({ spec }) => spec?.suspended)).toEqual([
    false,
    true,
    false,
    true,
  ]);
});

test('a broker that is away is told of: first while it is tried, then as an unhealthy supervisor', async () => {
  const { call, until } = await withEdits({
    properties: { 'svc.supervisor.unhealthinessThreshold': '1' },
  });
  await call(supervisors.resume, edits);
  await until(
    async () => (await call(supervisors.status, edits)).payload.state === 'UNHEALTHY_SUPERVISOR',
  );
  expect((await call(supervisors.status, edits)).payload).toMatchObject({
    dataSource: 'edits',
    stream: 'edits',
    partitions: 0,
    durationSeconds: 3600,
    activeTasks: [],
    publishingTasks: [],
    healthy: false,
    detailedState: 'UNABLE_TO_CONNECT_TO_STREAM',
  });
  const [error] = (await call(supervisors.status, edits)).payload.recentErrors ?? [];
  expect(error).toMatchObject({
    message: expect.stringContaining('127.0.0.1:1'),
    streamException: true,
    timestamp: expect.any(String),
  });
  expect(await call(supervisors.health, edits)).toEqual({ healthy: false });
  expect(await call(supervisors.stats, edits)).toEqual({});
  expect(await call(supervisors.parseErrors, edits)).toEqual([]);
});

test('health is the status code, too', async () => {
  const { get } = await withEdits();
  expect(await get(`${at}/edits/health`)).toMatchObject({ status: 200, body: { healthy: true } });
});

test('a terminated supervisor is gone but for its history, which ends with a tombstone; it can be made again', async () => {
  const { call, post } = await withEdits();
  expect(await call(supervisors.terminate, edits)).toEqual({ id: 'edits' });
  expect(await refusalOf(call(supervisors.terminate, edits))).toEqual([
    404,
    'Cannot find any supervisor with id: [edits]',
  ]);
  expect(await call(supervisors.list)).toEqual([]);
  const [tombstone] = await call(supervisors.history, edits);
  expect(tombstone?.spec).toEqual({
    type: 'noop',
    id: null,
    dataSources: ['edits'],
    suspended: false,
    source: 'noop',
  });
  expect(await call(supervisors.submit, { body: streamSpec({ suspended: true }) })).toMatchObject({
    modified: true,
  });
  expect(await post(`${at}/edits/shutdown`, {})).toMatchObject({
    status: 200,
    body: { id: 'edits' },
  });
  await call(supervisors.submit, { body: streamSpec({ suspended: true }) });
  expect(await call(supervisors.terminateAll)).toEqual({ status: 'success' });
  expect(await call(supervisors.list)).toEqual([]);
  expect(await call(supervisors.terminateAll)).toEqual({ status: 'success' });
});

test('supervisors and their history are there after a restart', async () => {
  const dataDir = await temporaryFolder();
  const first = await startServer({ port: 0, dataDir });
  const firstCall = callsTo(first);
  await firstCall(supervisors.submit, { body: streamSpec({ suspended: true }) });
  await firstCall(supervisors.submit, {
    body: streamSpec({ dataSource: 'gone', suspended: true }),
  });
  await firstCall(supervisors.terminate, { params: { supervisorId: 'gone' } });
  await first.close();
  const call = callsTo(await startService({ dataDir }));
  expect(await call(supervisors.list)).toEqual(['edits']);
  expect(Object.keys(await call(supervisors.allHistory)).sort()).toEqual(['edits', 'gone']);
});

test('several supervisors may fill one datasource, each under its own id', async () => {
  const { call } = await withEdits();
  await call(supervisors.submit, {
    body: streamSpec({ id: 'more', topic: 'more', suspended: true }),
  });
  expect(await call(supervisors.list)).toEqual(['edits', 'more']);
  expect(await call(supervisors.status, { params: { supervisorId: 'more' } })).toMatchObject({
    payload: { dataSource: 'edits', stream: 'more' },
  });
});

test('a noop supervisor is kept and does nothing', async () => {
  const { call } = await withEdits();
  expect(
    await call(supervisors.submit, {
      body: { type: 'NoopSupervisorSpec', id: 'idle', dataSources: ['edits'] },
    }),
  ).toMatchObject({
    id: 'idle',
  });
  expect(await call(supervisors.list, { query: { state: true } })).toMatchObject([
    { id: 'edits' },
    { id: 'idle', state: 'RUNNING' },
  ]);
  const idle = { params: { supervisorId: 'idle' } };
  expect(await refusalOf(call(supervisors.status, idle))).toEqual([404, '[idle] does not exist']);
  expect(await refusalOf(call(supervisors.health, idle))).toEqual([
    404,
    '[idle] does not exist or health check not implemented',
  ]);
  expect(
    (await refusalOf(call(supervisors.resetOffsets, { ...idle, body: offsets({ 0: 1 }) })))[0],
  ).toBe(400);
  expect(await call(supervisors.terminate, idle)).toEqual({ id: 'idle' });
});

const offsets = (partitionOffsetMap: Record<string, number>, more = {}) => ({
  type: 'kafka',
  partitions: { type: 'end', stream: 'edits', partitionOffsetMap, ...more },
});

test('offsets are set for some partitions, or forgotten for all', async () => {
  const { call, get, post } = await withEdits();
  expect(await call(supervisors.resetOffsets, { ...edits, body: offsets({ 0: 7, 1: 8 }) })).toEqual(
    { id: 'edits' },
  );
  expect(await call(supervisors.resetOffsets, { ...edits, body: offsets({ 1: 9 }) })).toEqual({
    id: 'edits',
  });
  expect(await call(supervisors.reset, edits)).toEqual({ id: 'edits' });
  expect(await post(`${at}/edits/resetOffsets`, null)).toMatchObject({
    status: 200,
    body: { id: 'edits' },
  });
  expect(await get(`${at}/edits/resetOffsets`)).toMatchObject({ status: 405 });
});

test.each([
  [
    'those of another stream',
    offsets({ 0: 1 }, { stream: 'other' }),
    500,
    "Stream[other] doesn't exist in the supervisor[edits]",
  ],
  [
    'starting offsets',
    offsets({ 0: 1 }, { type: 'start' }),
    500,
    'can only be of type[SeekableStreamEndSequenceNumbers]',
  ],
  [
    'those of another system',
    { ...offsets({ 0: 1 }), type: 'kinesis' },
    400,
    'Could not resolve type id [kinesis]',
  ],
  ['a partition that is not a number', offsets({ one: 1 }), 400, 'Partition [one] is not a number'],
])('offsets are refused: %s', async (_, body, druidStatus, words) => {
  const { call } = await withEdits();
  const [status, sentence] = await refusalOf(call(supervisors.resetOffsets, { ...edits, body }));
  expect([status, sentence]).toEqual([400, expect.stringContaining(words)]);
  const druid = await withEdits({ service: 'druid' });
  expect((await refusalOf(druid.call(supervisors.resetOffsets, { ...edits, body })))[0]).toBe(
    druidStatus,
  );
});

test('task groups are handed off when they are named', async () => {
  const { call } = await withEdits();
  await call(supervisors.handOff, { ...edits, body: { taskGroupIds: [0] } });
  expect(
    await refusalOf(call(supervisors.handOff, { ...edits, body: { taskGroupIds: [] } })),
  ).toEqual([400, 'List of task groups to handoff can not be empty']);
});

test('going on with the latest data needs a supervisor that runs, from the latest offsets, beside others', async () => {
  const { call } = await withEdits();
  const refused = async (supervisorId = 'edits', backfillTaskCount = 1) =>
    refusalOf(
      call(supervisors.resetToLatest, { params: { supervisorId }, query: { backfillTaskCount } }),
    );
  expect(await refused('edits', 0)).toEqual([400, 'backfillTaskCount must be positive, got [0]']);
  expect(await refused()).toEqual([
    400,
    expect.stringContaining('useEarliestOffset must be false'),
  ]);
  await call(supervisors.submit, {
    body: streamSpec({ suspended: true, ioConfig: { useEarliestOffset: false } }),
  });
  expect(await refused()).toEqual([
    400,
    expect.stringContaining('useConcurrentLocks must be true'),
  ]);
  const context = { useConcurrentLocks: true };
  await call(supervisors.submit, {
    body: streamSpec({
      suspended: true,
      context,
      ioConfig: { useEarliestOffset: false, startDelay: 'PT1H' },
    }),
  });
  expect(await refused()).toEqual([
    400,
    expect.stringContaining('it must be RUNNING, but it is PENDING'),
  ]);
  expect((await refused('nobody'))[0]).toBe(404);
});

test('nobody knows an unknown supervisor', async () => {
  const { call } = await withEdits();
  const unknown = [404, 'Cannot find any supervisor with id: [nobody]'];
  for (const name of [
    'get',
    'status',
    'health',
    'stats',
    'parseErrors',
    'suspend',
    'resume',
    'reset',
    'resetToLatest',
    'terminate',
  ] as const)
    expect([name, await refusalOf(call(supervisors[name], nobody))]).toEqual([name, unknown]);
  expect(
    await refusalOf(call(supervisors.resetOffsets, { ...nobody, body: offsets({ 0: 1 }) })),
  ).toEqual(unknown);
  expect(
    await refusalOf(call(supervisors.handOff, { ...nobody, body: { taskGroupIds: [0] } })),
  ).toEqual(unknown);
  expect(await refusalOf(call(supervisors.history, nobody))).toEqual([
    404,
    'No history for [nobody].',
  ]);
});

test.each([0, -1])('a history of %i versions is refused', async (count) => {
  const { call } = await withEdits();
  expect(await refusalOf(call(supervisors.history, { ...edits, query: { count } }))).toEqual([
    400,
    `Count must be greater than zero if set (count was ${count})`,
  ]);
});

test('sys.supervisors has a row for each', async () => {
  const { post } = await withEdits();
  const query =
    'SELECT supervisor_id, datasource, healthy, type, source, suspended FROM sys.supervisors';
  expect((await post('/svc/v2/sql', { query })).body).toEqual([
    {
      supervisor_id: 'edits',
      datasource: 'edits',
      healthy: 1,
      type: 'kafka',
      source: 'edits',
      suspended: 1,
    },
  ]);
});

const io = (ioConfig: object) => streamSpec({ ioConfig });
test.each<[string, unknown, string]>([
  [
    'a stream system that nobody reads here',
    { ...streamSpec(), type: 'kinesis' },
    'known type ids = [kafka',
  ],
  ['no type', { spec: {} }, 'type'],
  ['no parts', { type: 'kafka' }, '[dataSchema]'],
  ['no dataSchema', { type: 'kafka', spec: { ioConfig: {} } }, 'dataSchema'],
  [
    'no ioConfig',
    { type: 'kafka', spec: { dataSchema: streamSpec().spec.dataSchema } },
    'ioConfig',
  ],
  ['a datasource without a name', streamSpec({ dataSource: '', topic: 'x' }), 'dataSource'],
  ['a datasource with a slash', streamSpec({ dataSource: 'a/b' }), "cannot contain '/'"],
  ['no topic', io({ topic: null }), 'Either topic or topicPattern must be specified'],
  [
    'a topic and a pattern',
    io({ topicPattern: 'e.*' }),
    'Only one of topic or topicPattern can be specified',
  ],
  [
    'a pattern that RE2 cannot run',
    io({ topic: null, topicPattern: 'e(?=d)' }),
    'topicPattern [e(?=d)] cannot be used',
  ],
  ['an empty pattern', io({ topic: null, topicPattern: '' }), 'topicPattern must not be empty'],
  ['no consumerProperties', io({ consumerProperties: null }), 'consumerProperties'],
  ['no broker', io({ consumerProperties: {} }), 'bootstrap.servers'],
  ['a duration that is none', io({ taskDuration: 'one hour' }), 'taskDuration'],
  ['a duration of the calendar', io({ taskDuration: 'P1M' }), 'months'],
  ['no tasks', io({ taskCount: 0 }), 'taskCount'],
  ['tasks that are no number', io({ taskCount: 'few' }), 'taskCount'],
  ['no replicas', io({ replicas: 0 }), 'replicas'],
  [
    'too many replicas',
    io({ replicas: 1_000_000 }),
    'Limit [replicas] exceeded in [spec.ioConfig.replicas]',
  ],
  [
    'two limits for late messages',
    io({ lateMessageRejectionPeriod: 'P1D', lateMessageRejectionStartDateTime: '2024-01-01' }),
    'cannot both be set',
  ],
  [
    'a limit that is not a time',
    io({ lateMessageRejectionStartDateTime: 'yesterday' }),
    'lateMessageRejectionStartDateTime',
  ],
  [
    'idle at once',
    io({ idleConfig: { enabled: true, inactiveAfterMillis: 0 } }),
    'inactiveAfterMillis',
  ],
  [
    'scaling without bounds',
    io({ autoScalerConfig: { enableTaskAutoScaler: true } }),
    'taskCountMax or taskCountMin',
  ],
  ['more tasks to stop than there are', io({ taskCount: 1, stopTaskCount: 2 }), 'stopTaskCount'],
  [
    'an end before its start',
    io({ boundedStreamConfig: { startSequenceNumbers: { 0: 5 }, endSequenceNumbers: { 0: 1 } } }),
    'is before',
  ],
  ['an inputFormat that is a list', io({ inputFormat: [] }), 'inputFormat'],
  ['another tuning', streamSpec({ tuningConfig: { type: 'kinesis' } }), 'kinesis'],
  [
    'tuning of the wrong type',
    streamSpec({ tuningConfig: { maxRowsInMemory: 'many' } }),
    'maxRowsInMemory',
  ],
  ['a list', [], 'body'],
])('a specification is refused: %s', async (_, spec, words) => {
  const { post, get } = api(await startService());
  const { status, body } = await post(at, spec);
  expect({ status, error: body.error }).toEqual({
    status: 400,
    error: expect.stringContaining(words),
  });
  expect((await get(at)).body).toEqual([]);
});

test('what is assumed: fields nobody knows are passed over, and scaling that is off has no bounds', async () => {
  const { call } = await withEdits();
  const autoScalerConfig = { enableTaskAutoScaler: false, taskCountMax: 4, taskCountMin: 1 };
  const spec = streamSpec({
    suspended: true,
    ioConfig: { nonsense: 1, autoScalerConfig, lateMessageRejectionPeriod: 'P1D' },
    tuningConfig: { reportParseExceptions: true },
  });
  await call(supervisors.submit, { body: spec });
  const { ioConfig, tuningConfig } = (await call(supervisors.get, edits)).spec ?? {};
  expect(ioConfig).toMatchObject({
    autoScalerConfig: { taskCountMax: 0, taskCountMin: 0 },
    lateMessageRejectionPeriod: 'PT86400S',
  });
  expect(ioConfig).not.toHaveProperty('nonsense');
  expect(tuningConfig).toMatchObject({ maxParseExceptions: 0, maxSavedParseExceptions: 1 });
});

test('the real engine shows the datasource beside the state, too', async () => {
  const { call } = await withEdits({ service: 'druid' });
  expect(await call(supervisors.list, { query: { state: true } })).toMatchObject([
    { id: 'edits', dataSource: 'edits', suspended: true },
  ]);
});
