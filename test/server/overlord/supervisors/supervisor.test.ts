// Assignment of a topic to tasks over hours of simulated time.
import { expect, test } from 'vitest';
import { listedTasks } from '../../../support/listed-tasks.ts';
import { MemoryTopic, supervising } from '../../../support/memory-stream.ts';
import { streamSpec } from '../../../support/supervisors.ts';

const edits = (ioConfig: object = {}, more: Parameters<typeof streamSpec>[0] = {}) =>
  streamSpec({ ioConfig, ...more });

test('partitions are divided among tasks, and the status says who reads what', async () => {
  const { submit, after, readers, status } = await supervising(new MemoryTopic(5, 6, 7));
  submit(edits({ taskCount: 2 }));
  await after(0);
  expect(readers().map(({ start }) => [...start])).toEqual([
    [
      [0, 0],
      [2, 0],
    ],
    [[1, 0]],
  ]);
  readers()[0]?.read();
  await after(1);
  expect(status()).toMatchObject({
    state: 'RUNNING',
    detailedState: 'RUNNING',
    partitions: 3,
    latestOffsets: { 0: 5, 1: 6, 2: 7 },
    minimumLag: { 0: 0, 1: 6, 2: 0 },
    aggregateLag: 6,
    activeTasks: [
      {
        type: 'ACTIVE',
        startingOffsets: { 0: 0, 2: 0 },
        currentOffsets: { 0: 5, 2: 7 },
        lag: { 0: 0, 2: 0 },
        remainingSeconds: 3599,
      },
      { type: 'ACTIVE', startingOffsets: { 1: 0 }, lag: { 1: 6 } },
    ],
    publishingTasks: [],
  });
});

test('no task is started for a group without partitions, and none waits longer than the start delay', async () => {
  const { submit, after, readers, status } = await supervising(new MemoryTopic(5));
  submit(edits({ taskCount: 3, startDelay: 'PT5S' }));
  await after(4);
  expect(status().state).toBe('PENDING');
  await after(1);
  expect(readers()).toHaveLength(1);
});

test('after its time a task publishes, and the next one goes on where it ended', async () => {
  const topic = new MemoryTopic(5);
  const { submit, after, readers, starts, published } = await supervising(topic);
  submit(edits());
  await after(0);
  for (const end of [10, 20, 30]) {
    readers()[0]?.read();
    topic.ends = [end];
    await after(1);
    await after(3600);
  }
  expect(published).toEqual([
    { start: { 0: 0 }, end: { 0: 5 } },
    { start: { 0: 5 }, end: { 0: 10 } },
    { start: { 0: 10 }, end: { 0: 20 } },
  ]);
  expect(starts()).toEqual([{ 0: 20 }]);
});

test('no more tasks than stopTaskCount publish at once for their age', async () => {
  const { submit, after, readers, status, stuck } = await supervising(new MemoryTopic(5, 5, 5));
  submit(edits({ taskCount: 3, stopTaskCount: 1 }));
  await after(0);
  for (const { id } of readers()) stuck.add(id);
  await after(3600);
  await after(1);
  // One of those that read went on for it
  expect(status()).toMatchObject({ activeTasks: [{}, {}, {}], publishingTasks: [{}] });
});

test('a partition that is added is read from its beginning, with the others of its group', async () => {
  const topic = new MemoryTopic(5);
  const { submit, after, readers, starts } = await supervising(topic);
  submit(edits({ useEarliestOffset: false }));
  await after(0);
  expect(starts()).toEqual([{ 0: 5 }]);
  topic.ends = [8, 3];
  readers()[0]?.read();
  topic.begins = [0, 1];
  await after(1);
  await after(1);
  expect(starts()).toEqual([{ 0: 8, 1: 1 }]);
});

test('a task that failed is replaced, at the offsets it had begun with; three in a row are unhealthy', async () => {
  const topic = new MemoryTopic(5);
  const { submit, after, readers, starts, status } = await supervising(topic);
  submit(edits({ useEarliestOffset: false }));
  await after(0);
  topic.ends = [9];
  for (let failures = 0; failures < 3; failures++) {
    readers()[0]?.fail();
    await after(0);
    expect(starts()).toEqual([]); // not at once: it may fail again
    await after(1);
    expect(starts()).toEqual([{ 0: 5 }]);
  }
  expect(status()).toMatchObject({ state: 'UNHEALTHY_TASKS', healthy: false });
});

test('a suspended supervisor publishes what it has and reads no more; resumed, it goes on there', async () => {
  const topic = new MemoryTopic(5);
  const { submit, after, readers, starts, suspend, resume, status, published } =
    await supervising(topic);
  submit(edits());
  await after(0);
  readers()[0]?.read();
  suspend();
  await after(1);
  expect(published).toEqual([{ start: { 0: 0 }, end: { 0: 5 } }]);
  expect(status()).toMatchObject({
    state: 'SUSPENDED',
    suspended: true,
    activeTasks: [],
    publishingTasks: [],
    aggregateLag: 0,
  });
  topic.ends = [7];
  await after(60);
  expect(starts()).toEqual([]);
  expect(status().aggregateLag).toBe(2);
  resume();
  await after(1);
  expect(starts()).toEqual([{ 0: 5 }]);
});

test('a changed specification goes on where the tasks of the former one end, and begins again where they cannot publish', async () => {
  const { submit, after, readers, starts, published, stuck, queue, status } = await supervising(
    new MemoryTopic(5, 5),
  );
  submit(edits());
  await after(0);
  const [former] = readers();
  if (!former) throw new Error('Nobody reads');
  former.read();
  stuck.add(former.id);
  submit(edits({ taskCount: 2 }));
  await after(1);
  expect(status()).toMatchObject({
    activeTasks: [{ startingOffsets: { 0: 5 } }, { startingOffsets: { 1: 5 } }],
    publishingTasks: [{ id: former.id, type: 'PUBLISHING' }],
  });
  queue.shutdown(former.id);
  await after(2);
  expect(published).toEqual([]);
  expect(starts()).toEqual([{ 0: 0 }, { 1: 0 }]);
});

test('a task that does not publish in time is stopped, and its rows are read again', async () => {
  const { submit, after, readers, starts, stuck, queue } = await supervising(new MemoryTopic(5));
  submit(edits({ completionTimeout: 'PT10M' }));
  await after(0);
  const id = readers()[0]?.id ?? '';
  stuck.add(id);
  readers()[0]?.read();
  await after(1);
  await after(3600);
  await after(601);
  expect(queue.get(id)).toMatchObject({
    status: 'FAILED',
    errorMsg: expect.stringContaining('completionTimeout of [600] seconds'),
  });
  await after(1);
  expect(starts()).toEqual([{ 0: 0 }]);
});

test('a terminated supervisor publishes; made again, it goes on behind that', async () => {
  const { submit, after, readers, starts, supervisors, published } = await supervising(
    new MemoryTopic(5),
  );
  submit(edits());
  await after(0);
  readers()[0]?.read();
  supervisors.terminate('edits');
  await after(1);
  expect([published, starts()]).toEqual([[{ start: { 0: 0 }, end: { 0: 5 } }], []]);
  submit(edits());
  await after(1);
  expect(starts()).toEqual([{ 0: 5 }]);
});

test('a reset stops tasks without publishing, and reading begins anew', async () => {
  const { submit, after, readers, starts, supervisors, published } = await supervising(
    new MemoryTopic(5),
  );
  submit(edits());
  await after(0);
  readers()[0]?.read();
  supervisors.reset('edits');
  await after(1);
  expect([published, starts()]).toEqual([[], [{ 0: 0 }]]);
});

test('offsets of some partitions are set; groups that do not read them go on undisturbed', async () => {
  const { submit, after, readers, starts, supervisors } = await supervising(new MemoryTopic(5, 6));
  submit(edits({ taskCount: 2 }));
  await after(0);
  const other = readers()[1]?.id;
  supervisors.resetOffsets('edits', new Map([[0, 3]]));
  await after(1);
  expect(starts()).toEqual(expect.arrayContaining([{ 0: 3 }, { 1: 0 }]));
  expect(readers()[1]?.id).toBe(other);
});

test('offsets that are set while the stream is asked for its own count for the next task', async () => {
  const topic = new MemoryTopic(20);
  const { submit, after, readers, starts, supervisors } = await supervising(topic);
  submit(edits());
  await after(0);
  readers()[0]?.read();
  topic.onceAsked(() => supervisors.resetOffsets('edits', new Map([[0, 15]])));
  supervisors.get('edits').running?.handOff([0]);
  await after(0);
  expect(topic.isAwaited).toBe(false);
  await after(1);
  expect(starts()).toEqual([{ 0: 15 }]);
});

test('a first offset is not committed over one that was set while the stream was asked', async () => {
  const topic = new MemoryTopic(20);
  const { submit, after, starts, supervisors } = await supervising(topic);
  submit(edits());
  topic.onceAsked(() => supervisors.resetOffsets('edits', new Map([[0, 15]])));
  await after(0);
  expect(topic.isAwaited).toBe(false);
  await after(1);
  expect(starts()).toEqual([{ 0: 15 }]);
});

test('a task group is handed off before its time', async () => {
  const { submit, after, readers, starts, supervisors, published } = await supervising(
    new MemoryTopic(5),
  );
  submit(edits());
  await after(0);
  readers()[0]?.read();
  supervisors.get('edits').running?.handOff([0]);
  await after(0);
  expect([published.length, starts()]).toEqual([1, [{ 0: 5 }]]);
});

test('offsets that are gone from the log stop the supervisor, which says what to do', async () => {
  const topic = new MemoryTopic(5);
  const { submit, after, readers, starts, suspend, resume, supervisors, status } =
    await supervising(topic);
  submit(edits());
  await after(0);
  readers()[0]?.read();
  suspend();
  await after(1);
  topic.begins = [8];
  topic.ends = [9];
  resume();
  await after(1);
  await after(1);
  await after(1);
  expect(starts()).toEqual([]);
  expect(status()).toMatchObject({
    state: 'UNHEALTHY_SUPERVISOR',
    recentErrors: expect.arrayContaining([
      expect.objectContaining({
        message: expect.stringContaining(
          'Previous sequenceNumber [5] is no longer available for partition [0]. You can clear',
        ),
      }),
    ]),
  });
  supervisors.reset('edits');
  await after(1);
  expect(starts()).toEqual([{ 0: 8 }]);
});

test('where it may, it goes on by itself behind a gap in the log', async () => {
  const topic = new MemoryTopic(5);
  const { submit, after, readers, starts, suspend, resume } = await supervising(topic);
  submit(edits({}, { tuningConfig: { resetOffsetAutomatically: true } }));
  await after(0);
  readers()[0]?.read();
  suspend();
  await after(1);
  topic.ends = [2]; // the topic was deleted and made anew
  resume();
  await after(1);
  await after(1);
  expect(starts()).toEqual([{ 0: 0 }]);
});

test('a broker that goes away is told of while tasks go on; it is healthy again when the broker is back', async () => {
  const topic = new MemoryTopic(5);
  const { submit, after, starts, status } = await supervising(topic);
  submit(edits());
  await after(0);
  topic.isAway = true;
  for (let runs = 0; runs < 3; runs++) await after(1);
  expect(status()).toMatchObject({
    state: 'UNHEALTHY_SUPERVISOR',
    detailedState: 'LOST_CONTACT_WITH_STREAM',
    recentErrors: [{ message: 'The broker is away', streamException: true }, {}, {}],
  });
  expect(starts()).toHaveLength(1);
  topic.isAway = false;
  for (let runs = 0; runs < 3; runs++) await after(1);
  expect(status()).toMatchObject({ state: 'RUNNING', healthy: true });
});

test('a topic without partitions is an error of the stream', async () => {
  const { submit, after, status } = await supervising(new MemoryTopic());
  submit(edits());
  await after(0);
  expect(status().recentErrors).toMatchObject([
    { message: 'No partitions found for stream [edits]' },
  ]);
});

test('nothing new for long enough: IDLE, no tasks; something new: it runs', async () => {
  const topic = new MemoryTopic(5);
  const { submit, after, readers, starts, status } = await supervising(topic);
  submit(
    edits({ taskDuration: 'PT1M', idleConfig: { enabled: true, inactiveAfterMillis: 30_000 } }),
  );
  await after(0);
  readers()[0]?.read();
  await after(1);
  await after(31);
  expect(status()).toMatchObject({ state: 'IDLE', healthy: true });
  await after(60);
  await after(60);
  expect(starts()).toEqual([]);
  topic.ends = [6];
  await after(1);
  expect(status().state).toBe('RUNNING');
  expect(starts()).toEqual([{ 0: 5 }]);
});

test('the properties of the service may let all supervisors be idle, but for those that say never', async () => {
  const properties = {
    'svc.supervisor.idleConfig.enabled': 'true',
    'svc.supervisor.idleConfig.inactiveAfterMillis': '10000',
  };
  const { submit, after, status } = await supervising(new MemoryTopic(0), { properties });
  submit(edits());
  submit(edits({ idleConfig: { enabled: false } }, { id: 'awake' }));
  for (let runs = 0; runs < 13; runs++) await after(1);
  expect([status().state, status('awake').state]).toEqual(['IDLE', 'RUNNING']);
});

test('messages that are too late or too early are the task’s to refuse', async () => {
  const { submit, after, readers, queue } = await supervising(new MemoryTopic(5));
  submit(edits({ lateMessageRejectionPeriod: 'PT1H', earlyMessageRejectionPeriod: 'PT10M' }));
  await after(0);
  expect(queue.payload(readers()[0]?.id ?? '')).toMatchObject({
    type: 'index_kafka',
    supervisorId: 'edits',
    groupId: 'index_kafka_edits',
    ioConfig: {
      taskGroupId: 0,
      startSequenceNumbers: { type: 'start', stream: 'edits', partitionOffsetMap: { 0: 0 } },
      endSequenceNumbers: {
        type: 'end',
        stream: 'edits',
        partitionOffsetMap: { 0: 9223372036854775807n },
      },
      useTransaction: true,
      minimumMessageTime: '2024-05-01T11:00:00.000Z',
      maximumMessageTime: '2024-05-01T13:10:00.000Z',
    },
  });
});

test('a part of a stream is read once, and then the supervisor has COMPLETED', async () => {
  const { submit, after, readers, starts, status, published } = await supervising(
    new MemoryTopic(9, 9),
  );
  submit(
    edits({
      boundedStreamConfig: {
        startSequenceNumbers: { 0: 2, 1: 4 },
        endSequenceNumbers: { 0: 5, 1: 4 },
      },
    }),
  );
  await after(0);
  expect(starts()).toEqual([{ 0: 2 }]);
  readers()[0]?.read();
  await after(1);
  await after(1);
  expect(published).toEqual([{ start: { 0: 2 }, end: { 0: 5 } }]);
  expect(status().state).toBe('COMPLETED');
  expect(starts()).toEqual([]);
});

test('reset to the latest offsets: what lies between is read by a supervisor of its own', async () => {
  const topic = new MemoryTopic(5);
  const { submit, after, readers, starts, resetToLatest, supervisors, status } =
    await supervising(topic);
  submit(edits({ useEarliestOffset: false }, { context: { useConcurrentLocks: true } }));
  await after(0);
  topic.ends = [500];
  const { backfillSupervisorId = '' } = await resetToLatest();
  expect(backfillSupervisorId).toMatch(/^edits_backfill_[a-p]{8}$/);
  await after(1);
  expect(starts()).toEqual(expect.arrayContaining([{ 0: 500 }, { 0: 5 }]));
  for (const reader of readers()) reader.read();
  await after(1);
  await after(1);
  expect(status(backfillSupervisorId).state).toBe('COMPLETED');
  expect(status().state).toBe('RUNNING');
  expect(supervisors.list()).toHaveLength(2);
});

test('after a restart supervisors go on from what is committed; a task that only waited is taken over', async () => {
  const topic = new MemoryTopic(5, 5);
  const first = await supervising(topic, { capacity: 1 });
  first.submit(edits({ taskCount: 2 }));
  await first.after(0);
  const waiting = listedTasks(first.status().activeTasks).find(
    ({ startTime }) => startTime === undefined,
  )?.id;
  expect(waiting).toBeDefined();
  await first.close();
  const second = await supervising(topic, { storage: first.storage, capacity: 2 });
  await second.after(1);
  const ids = second.readers().map(({ id }) => id);
  expect(ids).toHaveLength(2);
  expect(ids).toContain(waiting);
  expect(second.starts()).toEqual(expect.arrayContaining([{ 0: 0 }, { 1: 0 }]));
});

test('a clock that is set back by hours keeps a supervisor from looking for no longer than its period', async () => {
  const topic = new MemoryTopic(5);
  const { submit, after, status } = await supervising(topic);
  submit(edits());
  await after(0);
  topic.ends = [9];
  await after(-7200);
  expect(status()).toMatchObject({ state: 'RUNNING', latestOffsets: { 0: 9 } });
});

test('replicas of a task share partitions, offsets and sequence name; all are listed, and all end together', async () => {
  const topic = new MemoryTopic(5, 5);
  const { submit, after, readers, status, queue, starts } = await supervising(topic);
  submit(edits({ taskCount: 2, replicas: 2 }));
  await after(0);
  expect(starts()).toEqual([{ 0: 0 }, { 0: 0 }, { 1: 0 }, { 1: 0 }]);
  const names = readers().map(
    ({ id }) => (queue.payload(id).ioConfig as { baseSequenceName: string }).baseSequenceName,
  );
  expect(names[0]).toBe(names[1]);
  expect(new Set(names).size).toBe(2);
  expect(status()).toMatchObject({ replicas: 2, activeTasks: [{}, {}, {}, {}] });
  for (const reader of readers()) reader.read();
  await after(3600);
  await after(1);
  expect(starts()).toEqual([{ 0: 5 }, { 0: 5 }, { 1: 5 }, { 1: 5 }]);
});

test('a replica that fails is replaced, and the other one goes on undisturbed', async () => {
  const { submit, after, readers, status } = await supervising(new MemoryTopic(5));
  submit(edits({ replicas: 2 }));
  await after(0);
  const [failing, other] = readers();
  failing?.fail();
  await after(1);
  expect(readers().map(({ id }) => id)).toContain(other?.id);
  expect(readers().map(({ id }) => id)).not.toContain(failing?.id);
  expect(status().activeTasks).toMatchObject([
    { startingOffsets: { 0: 0 } },
    { startingOffsets: { 0: 0 } },
  ]);
});

test('a group goes on where replicas end, as long as one of them publishes', async () => {
  const { submit, after, readers, starts, stuck, queue } = await supervising(new MemoryTopic(5));
  submit(edits({ replicas: 2 }));
  await after(0);
  const former = readers();
  for (const reader of former) {
    reader.read();
    stuck.add(reader.id);
  }
  await after(3600);
  await after(1);
  const isFollower = ({ id }: { readonly id: string }) =>
    !former.some((reader) => reader.id === id);
  const followers = readers().filter(isFollower);
  queue.shutdown(former[0]?.id ?? '');
  await after(2);
  expect(readers().filter(isFollower)).toEqual(followers);
  queue.shutdown(former[1]?.id ?? '');
  await after(2);
  expect(starts()).toEqual([{ 0: 0 }, { 0: 0 }]);
});

const scaling = {
  enableTaskAutoScaler: true,
  taskCountMin: 1,
  taskCountMax: 3,
  lagCollectionIntervalMillis: 1000,
  lagCollectionRangeMillis: 3000,
  scaleActionStartDelayMillis: 0,
  scaleActionPeriodMillis: 1000,
  minTriggerScaleActionFrequencyMillis: 5000,
  scaleOutThreshold: 100,
  scaleInThreshold: 10,
};

test('with much to read there are more tasks from the next hand-over on, and fewer when it is read; the number is kept', async () => {
  const topic = new MemoryTopic(0, 0, 0);
  const { submit, after, readers, starts, supervisors, status, storage, close } =
    await supervising(topic);
  submit(edits({ taskCount: 2, autoScalerConfig: scaling }));
  await after(0);
  const taskCount = () =>
    (supervisors.get('edits').spec.stored.spec as { ioConfig: { taskCount: number } }).ioConfig
      .taskCount;
  // taskCount gives way to taskCountMin
  expect([taskCount(), starts()]).toEqual([1, [{ 0: 0, 1: 0, 2: 0 }]]);
  topic.ends = [100, 100, 100];
  for (let seconds = 0; seconds < 5; seconds++) await after(1);
  expect(taskCount()).toBe(3);
  expect(starts()).toEqual([{ 0: 0 }, { 1: 0 }, { 2: 0 }]);
  expect(status().state).toBe('RUNNING');
  const shown = supervisors.get('edits').spec.stored;
  expect(submit(shown)).toMatchObject({ modified: false });
  await after(1);
  for (const reader of readers()) reader.read();
  await close();
  const later = await supervising(topic, { storage });
  await later.after(0);
  expect(later.starts()).toEqual([{ 0: 0 }, { 1: 0 }, { 2: 0 }]); // as many as before
  for (let seconds = 0; seconds < 12; seconds++) {
    for (const reader of later.readers()) reader.read();
    await later.after(1);
  }
  expect(later.starts()).toEqual([{ 0: 100, 1: 100, 2: 100 }]);
  expect(later.supervisors.get('edits').spec.stored).toMatchObject({
    spec: { ioConfig: { taskCount: 1 } },
  });
});

test('without an autoScalerConfig that is enabled, the number of tasks stays as it is', async () => {
  const topic = new MemoryTopic(1000, 1000);
  const { submit, after, starts } = await supervising(topic);
  submit(edits({ taskCount: 1, autoScalerConfig: { ...scaling, enableTaskAutoScaler: false } }));
  for (let seconds = 0; seconds < 10; seconds++) await after(1);
  expect(starts()).toEqual([{ 0: 0, 1: 0 }]);
});

test('no more than the stopTaskCountRatio of the tasks publish at once for their age', async () => {
  const { submit, after, readers, status, stuck } = await supervising(new MemoryTopic(5, 5, 5, 5));
  submit(
    edits({
      autoScalerConfig: {
        ...scaling,
        taskCountMax: 4,
        taskCountStart: 4,
        scaleActionStartDelayMillis: 9e9,
        stopTaskCountRatio: 0.5,
      },
    }),
  );
  await after(0);
  for (const { id } of readers()) stuck.add(id);
  await after(3600);
  await after(1);
  expect(status().publishingTasks).toHaveLength(2);
});
