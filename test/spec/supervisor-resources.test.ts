// The specification on supervisors (lines 119 to 131): fields come back as given, and the status
// covers each task.
import { beforeAll, describe, expect, test } from 'vitest';
import { MemoryTopic, supervising } from '../support/memory-stream.ts';
import { streamSpec } from '../support/supervisors.ts';
import { served } from './served.ts';

const { get, post, until } = served({ openStream: new MemoryTopic(5).open });
const away = served({ properties: { 'svc.supervisor.unhealthinessThreshold': '1' } }); // where no broker listens
const at = '/svc/indexer/v1/supervisor';
const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

describe('a supervisor', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what a reply holds is what the test is about
  let [shown, broken]: any[] = [];
  beforeAll(async () => {
    await post(at, streamSpec({ id: 'quiet', suspended: true, context: { note: 'mine' } }));
    await away.post(at, streamSpec({ id: 'broken' }));
    const only = async (ask: typeof get) => (await ask(`${at}?full`)).body[0];
    await until(async () => (await get(`${at}/quiet/status`)).body.payload.state === 'SUSPENDED');
    await until(async () => (await only(away.get)).state === 'UNHEALTHY_SUPERVISOR');
    [shown, broken] = [await only(get), await only(away.get)];
  });

  test('[147] id', () => expect([shown.id, broken.id]).toEqual(['quiet', 'broken']));
  test('[148] state UNHEALTHY_SUPERVISOR', () => expect(broken.state).toBe('UNHEALTHY_SUPERVISOR'));
  test('[149] state PENDING', async () => {
    await post(at, streamSpec({ id: 'later', ioConfig: { startDelay: 'PT1H' } }));
    expect((await get(`${at}/later/status`)).body.payload.state).toBe('PENDING');
  });
  test('[150] state RUNNING', async () => {
    await post(at, { type: 'NoopSupervisorSpec', id: 'idle', dataSources: ['edits'] });
    const list = (await get(`${at}?state=true`)).body;
    expect(list.find(({ id }: { id: string }) => id === 'idle').state).toBe('RUNNING');
  });
  test('[151] state SUSPENDED', () => expect(shown.state).toBe('SUSPENDED'));
  test('[152] detailedState', () =>
    expect([shown.detailedState, broken.detailedState]).toEqual([
      'SUSPENDED',
      'UNABLE_TO_CONNECT_TO_STREAM',
    ]));
  test('[153] healthy', () => expect([shown.healthy, broken.healthy]).toEqual([true, false]));
  test('[154] spec: type', () => expect(shown.spec.type).toBe('kafka'));
  test('[155] spec: spec with dataSchema, ioConfig, tuningConfig', () =>
    expect(shown.spec.spec).toMatchObject({
      dataSchema: { dataSource: 'edits' },
      ioConfig: { topic: 'edits' },
      tuningConfig: { type: 'kafka' },
    }));
  test('[156] spec: context', () => expect(shown.spec.context).toMatchObject({ note: 'mine' }));
  test('[157, 158] spec: suspended, and suspended', () =>
    expect([shown, broken].map(({ suspended, spec }) => [spec.suspended, suspended])).toEqual([
      [true, true],
      [false, false],
    ]));
});

/** The part of a specification as it is shown after it was submitted with this field. */
async function kept(
  part: 'ioConfig' | 'tuningConfig',
  field: object,
): Promise<Record<string, unknown>> {
  const { status, text } = await post(
    at,
    streamSpec({ id: 'fields', suspended: true, [part]: field }),
  );
  expect(status, text).toBe(200);
  return (await get(`${at}/fields`)).body.spec[part];
}

test.each(
  Object.entries({
    '[159] topic': [{ topic: 'changes' }],
    '[160] stream': [{ topic: 'changes' }, { stream: 'changes' }],
    '[161] inputFormat': [{ inputFormat: { type: 'csv', columns: ['time', 'page'] } }],
    '[163] taskCount': [{ taskCount: 3 }],
    '[164] taskDuration': [{ taskDuration: 'PT30M' }, { taskDuration: 'PT1800S' }],
    '[165] consumerProperties': [
      { consumerProperties: { 'bootstrap.servers': '127.0.0.1:1', 'fetch.min.bytes': '7' } },
    ],
    '[167] pollTimeout': [{ pollTimeout: 250 }],
    '[168] startDelay': [{ startDelay: 'PT7S' }],
    '[169] period': [{ period: 'PT11S' }],
    '[170] useEarliestOffset': [{ useEarliestOffset: false }, { useEarliestSequenceNumber: false }],
    '[171] useEarliestSequenceNumber': [
      { useEarliestOffset: true },
      { useEarliestSequenceNumber: true },
    ],
    '[172] completionTimeout': [{ completionTimeout: 'PT45M' }, { completionTimeout: 'PT2700S' }],
    '[173] lateMessageRejectionPeriod': [
      { lateMessageRejectionPeriod: 'PT1H' },
      { lateMessageRejectionPeriod: 'PT3600S' },
    ],
    '[174] earlyMessageRejectionPeriod': [
      { earlyMessageRejectionPeriod: 'PT1H' },
      { earlyMessageRejectionPeriod: 'PT3600S' },
    ],
    '[175] lateMessageRejectionStartDateTime': [
      { lateMessageRejectionStartDateTime: '2024-01-01T00:00:00.000Z' },
    ],
    '[177] idleConfig': [{ idleConfig: { enabled: true, inactiveAfterMillis: 90_000 } }],
  } as Record<string, [object, object?]>),
)('ioConfig %s is kept', async (_, [given, shown = given]) => {
  expect(await kept('ioConfig', given)).toMatchObject(shown);
});

test('ioConfig [162] replicas are kept, and so many tasks read the same partitions', async () => {
  expect(await kept('ioConfig', { replicas: 2 })).toMatchObject({ replicas: 2 });
  const { submit, after, status } = await supervising(new MemoryTopic(5));
  submit(streamSpec({ ioConfig: { replicas: 2 } }));
  await after(0);
  expect(status().activeTasks).toMatchObject([
    { startingOffsets: { 0: 0 } },
    { startingOffsets: { 0: 0 } },
  ]);
});

test('ioConfig [166] autoScalerConfig is kept, and the number of tasks follows the lag', async () => {
  const autoScalerConfig = {
    enableTaskAutoScaler: true,
    taskCountMin: 1,
    taskCountMax: 2,
    lagCollectionIntervalMillis: 1000,
    lagCollectionRangeMillis: 1000,
    scaleActionStartDelayMillis: 0,
    scaleOutThreshold: 10,
  };
  expect(await kept('ioConfig', { autoScalerConfig })).toMatchObject({
    autoScalerConfig,
    taskCount: 1,
  });
  const { submit, after, status } = await supervising(new MemoryTopic(50, 50));
  submit(streamSpec({ ioConfig: { autoScalerConfig } }));
  await after(0);
  expect(status().activeTasks).toHaveLength(1);
  for (let seconds = 0; seconds < 4; seconds++) await after(1);
  expect(status().activeTasks).toHaveLength(2);
});

test('ioConfig [176] configOverrides are kept, win over consumerProperties for the supervisor and its tasks, and obey the same rules', async () => {
  const consumerProperties = { 'bootstrap.servers': 'nowhere:1', 'fetch.min.bytes': '7' };
  const configOverrides = { 'bootstrap.servers': 'tenant:2' };
  expect(await kept('ioConfig', { consumerProperties, configOverrides })).toMatchObject({
    consumerProperties,
    configOverrides,
  });
  const topic = new MemoryTopic(1);
  const { submit, after, readers, queue } = await supervising(topic);
  submit(streamSpec({ ioConfig: { consumerProperties, configOverrides } }));
  await after(0);
  expect(topic.address?.consumerProperties).toEqual({
    'bootstrap.servers': 'tenant:2',
    'fetch.min.bytes': '7',
  });
  expect(queue.payload(readers()[0]?.id ?? '').ioConfig).toMatchObject({
    consumerProperties,
    configOverrides,
  });
  for (const [refused, words] of [
    [{ type: 'tenants' }, 'configOverrides of type [tenants]'],
    [{ 'sasl.jaas.config': { type: 'environment', variable: 'HOME' } }, 'HOME'],
    [{ 'ssl.keystore.location': '/etc/key.pem' }, '/etc/key.pem'],
  ] as const) {
    const { status, text } = await post(at, streamSpec({ ioConfig: { configOverrides: refused } }));
    expect([status, text]).toEqual([400, expect.stringContaining(words)]);
  }
});

test.each(
  Object.entries({
    '[178] type': { type: 'kafka' },
    '[179] appendableIndexSpec': {
      appendableIndexSpec: { type: 'onheap', preserveExistingMetrics: true },
    },
    '[180] maxRowsInMemory': { maxRowsInMemory: 4321 },
    '[181] maxBytesInMemory': { maxBytesInMemory: 54_321 },
    '[182] skipBytesInMemoryOverheadCheck': { skipBytesInMemoryOverheadCheck: true },
    '[183] maxRowsPerSegment': { maxRowsPerSegment: 321 },
    '[184] maxTotalRows': { maxTotalRows: 4321 },
    '[185] intermediatePersistPeriod': { intermediatePersistPeriod: 'PT7M' },
    '[186] maxPendingPersists': { maxPendingPersists: 3 },
    '[187] indexSpec': { indexSpec: { bitmap: { type: 'concise' } } },
    '[188] indexSpecForIntermediatePersists': {
      indexSpecForIntermediatePersists: { dimensionCompression: 'zstd' },
    },
    '[189] reportParseExceptions': { reportParseExceptions: true },
    '[190] handoffConditionTimeout': { handoffConditionTimeout: 12_000 },
    '[191] resetOffsetAutomatically': { resetOffsetAutomatically: true },
    '[192] segmentWriteOutMediumFactory': { segmentWriteOutMediumFactory: { type: 'tmpFile' } },
    '[193] workerThreads': { workerThreads: 2 },
    '[194] chatRetries': { chatRetries: 4 },
    '[195] httpTimeout': { httpTimeout: 'PT17S' },
    '[196] shutdownTimeout': { shutdownTimeout: 'PT77S' },
    '[197] offsetFetchPeriod': { offsetFetchPeriod: 'PT12S' },
    '[198] intermediateHandoffPeriod': { intermediateHandoffPeriod: 'PT3600S' },
    '[199] logParseExceptions': { logParseExceptions: true },
    '[200] maxParseExceptions': { maxParseExceptions: 5 },
    '[201] maxSavedParseExceptions': { maxSavedParseExceptions: 6 },
    '[202] skipSequenceNumberAvailabilityCheck': { skipSequenceNumberAvailabilityCheck: true },
    '[203] repartitionTransitionDuration': { repartitionTransitionDuration: 'PT60S' },
  }),
)('tuningConfig %s is kept', async (_, given) => {
  expect(await kept('tuningConfig', given)).toMatchObject(given);
});

describe('the status of a supervisor', () => {
  // biome-ignore lint/suspicious/noExplicitAny: what it holds is what the test is about
  let [payload, published, unhealthy]: any[] = [];
  beforeAll(async () => {
    unhealthy = (await away.get(`${at}/broken/status`)).body;
  });
  const watched = async () => {
    if (payload) return payload;
    const topic = new MemoryTopic(5, 6);
    const { submit, after, readers, status, stuck } = await supervising(topic);
    submit(streamSpec({ ioConfig: { taskCount: 2, taskDuration: 'PT1H' } }));
    await after(0);
    for (const reader of readers()) reader.read();
    topic.ends = [8, 6];
    await after(60);
    payload = status();
    for (const { id } of readers()) stuck.add(id);
    await after(3600);
    await after(1);
    published = status();
    return payload;
  };
  const task = async () => (await watched()).activeTasks[0];

  test('[204] id, generationTime, payload', () =>
    expect(unhealthy).toEqual({
      id: 'broken',
      generationTime: expect.stringMatching(isoTime),
      payload: expect.any(Object),
    }));
  test('[205] dataSource', async () => expect((await watched()).dataSource).toBe('edits'));
  test('[206] stream', async () => expect((await watched()).stream).toBe('edits'));
  test('[207] partitions', async () => expect((await watched()).partitions).toBe(2));
  test('[208] replicas', async () => expect((await watched()).replicas).toBe(1));
  test('[209] durationSeconds', async () => expect((await watched()).durationSeconds).toBe(3600));
  test('[210] activeTasks: id', async () =>
    expect((await task()).id).toMatch(/^index_kafka_edits_/));
  test('[211] activeTasks: startingOffsets', async () =>
    expect((await task()).startingOffsets).toEqual({ 0: 0 }));
  test('[212] activeTasks: startTime', async () =>
    expect((await task()).startTime).toMatch(isoTime));
  test('[213] activeTasks: remainingSeconds', async () =>
    expect((await task()).remainingSeconds).toBe(3540));
  test('[214] activeTasks: type', async () => expect((await task()).type).toBe('ACTIVE'));
  test('[215] activeTasks: currentOffsets', async () =>
    expect((await task()).currentOffsets).toEqual({ 0: 5 }));
  test('[216] activeTasks: lag', async () => expect((await task()).lag).toEqual({ 0: 3 }));
  test('[217] publishingTasks', async () => {
    expect((await watched()).publishingTasks).toEqual([]);
    expect(published.publishingTasks).toMatchObject([
      { type: 'PUBLISHING' },
      { type: 'PUBLISHING' },
    ]);
  });
  test('[218] latestOffsets', async () =>
    expect((await watched()).latestOffsets).toEqual({ 0: 8, 1: 6 }));
  test('[219] minimumLag', async () =>
    expect((await watched()).minimumLag).toEqual({ 0: 3, 1: 0 }));
  test('[220] aggregateLag', async () => expect((await watched()).aggregateLag).toBe(3));
  test('[221] offsetsLastUpdated', async () =>
    expect((await watched()).offsetsLastUpdated).toMatch(isoTime));
  test('[222] suspended, healthy', async () => {
    expect(await watched()).toMatchObject({ suspended: false, healthy: true });
    expect(unhealthy.payload).toMatchObject({ suspended: false, healthy: false });
  });
  test('[223] state, detailedState', async () =>
    expect(await watched()).toMatchObject({ state: 'RUNNING', detailedState: 'RUNNING' }));
  test('[224] recentErrors', async () => {
    expect((await watched()).recentErrors).toEqual([]);
    expect(unhealthy.payload.recentErrors[0]).toMatchObject({
      timestamp: expect.stringMatching(isoTime),
      message: expect.any(String),
    });
  });
});

describe('the endpoints of supervisors', () => {
  const offsets = (partitionOffsetMap: object) => ({
    type: 'kafka',
    partitions: { type: 'end', stream: 'edits', partitionOffsetMap },
  });
  const unknown = `${at}/nobody`;
  const quiet = (id: string) => post(at, streamSpec({ id, suspended: true }));

  test('[539] the ids', async () => {
    await quiet('listed');
    expect((await get(at)).body).toContain('listed');
  });

  test('[540] ?full: all of them', async () => {
    await quiet('listed');
    const one = (await get(`${at}?full`)).body.find(({ id }: { id: string }) => id === 'listed');
    expect(Object.keys(one)).toEqual(
      expect.arrayContaining(['id', 'state', 'detailedState', 'healthy', 'spec', 'suspended']),
    );
  });

  test('[542, 676] one specification; 404 of what is not there', async () => {
    await quiet('shown');
    expect((await get(`${at}/shown`)).body.spec).toMatchObject({
      dataSchema: {},
      ioConfig: {},
      tuningConfig: {},
    });
    expect((await get(unknown)).status).toBe(404);
  });

  test('[543] its status; 404 of what is not there', async () => {
    await quiet('shown');
    expect((await get(`${at}/shown/status`)).body).toMatchObject({
      id: 'shown',
      payload: { suspended: true },
    });
    expect((await get(`${unknown}/status`)).status).toBe(404);
  });

  test('[544] resetOffsets answers with the id', async () => {
    await quiet('reset');
    const { status, body } = await post(`${at}/reset/resetOffsets`, offsets({ 0: 7 }));
    expect([status, body]).toEqual([200, { id: 'reset' }]);
  });

  test('[545, 546] terminate answers with the id, and 404 where nothing runs', async () => {
    await quiet('over');
    const end = () => post(`${at}/over/terminate`);
    expect((await end()).body).toEqual({ id: 'over' });
    expect((await end()).status).toBe(404);
    expect((await post(`${unknown}/terminate`)).status).toBe(404);
  });

  test('[548] shutdown is deprecated, and does the same', async () => {
    await quiet('over');
    expect((await post(`${at}/over/shutdown`)).body).toEqual({ id: 'over' });
    expect((await get(at)).body).not.toContain('over');
  });

  test('[547] terminateAll answers success, also when there are none', async () => {
    for (let time = 0; time < 2; time++) {
      const { status, body } = await post(`${at}/terminateAll`);
      expect([status, body]).toEqual([200, { status: 'success' }]);
      expect((await get(at)).body).toEqual([]);
    }
  });
});
