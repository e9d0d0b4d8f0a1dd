// A topic in memory and tasks that read it by word of their test: what a supervisor sees of Kafka,
// without waiting for it.
import { setImmediate as turn } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { dialectOf } from '../../src/model/dialect.ts';
import { isObject } from '../../src/server/checks/spec-fields.ts';
import { commitOffsets, offsetMap } from '../../src/server/overlord/stream/committed-offsets.ts';
import {
  type Offsets,
  type OpenStream,
  type RunningStreamTasks,
  type StreamAddress,
  StreamUnavailable,
} from '../../src/server/overlord/stream/stream.ts';
import { type Partition, placeOf } from '../../src/server/overlord/stream/topics.ts';
import { supervisorDefaults } from '../../src/server/overlord/supervisors/defaults.ts';
import { statusOf } from '../../src/server/overlord/supervisors/status.ts';
import { assignmentOf } from '../../src/server/overlord/supervisors/stream-task-payload.ts';
import { Supervisors } from '../../src/server/overlord/supervisors/supervisors.ts';
import { Clock } from '../../src/server/process/clock.ts';
import { Properties } from '../../src/server/settings/properties.ts';
import type { Storage } from '../../src/server/storage/storage.ts';
import { TaskLogs } from '../../src/server/tasks/task-logs.ts';
import { TaskQueue } from '../../src/server/tasks/task-queue.ts';
import type { RunningTask, TaskType } from '../../src/server/tasks/task-type.ts';
import { outsideWith } from './outside.ts';
import { temporaryStorage } from './storage.ts';

const nobody = { author: '', comment: '', ip: '' };

export class MemoryTopic {
  begins: number[];
  ends: number[];
  isAway = false;
  address: StreamAddress | undefined; // under which it was opened last
  #whenAsked: (() => void) | undefined;

  /** `ends` are the offsets of the next record in each partition. */
  constructor(...ends: number[]) {
    this.ends = ends;
    this.begins = ends.map(() => 0);
  }

  /** Calls `act` once, while the earliest offsets are awaited. */
  onceAsked(act: () => void): void {
    this.#whenAsked = act;
  }

  /** Whether `onceAsked` has not called yet. */
  get isAwaited(): boolean {
    return this.#whenAsked !== undefined;
  }

  readonly open: OpenStream = async (address) => {
    this.address = address;
    const asked = <Answer>(answer: () => Answer): Promise<Answer> =>
      this.isAway
        ? Promise.reject(new StreamUnavailable('The broker is away'))
        : Promise.resolve(answer());
    const pick = (offsets: readonly number[], partitions: readonly Partition[]): Offsets =>
      new Map(
        partitions.map((partition) => [partition, offsets[placeOf(partition, '').number] ?? 0]),
      );
    await asked(() => undefined);
    return {
      partitions: () => asked(() => this.ends.map((_, partition) => partition)),
      earliest: (partitions) => {
        const act = this.#whenAsked;
        this.#whenAsked = undefined;
        act?.();
        return asked(() => pick(this.begins, partitions));
      },
      latest: (partitions) => asked(() => pick(this.ends, partitions)),
      close: async () => undefined,
    };
  };
}

interface Reader {
  readonly id: string;
  readonly start: Offsets;
  /** Reads up to the end of the topic. */
  read(): void;
  fail(): void;
}

/** Supervisors of a topic whose clock stands still until it is moved. */
export async function supervising(
  topic: MemoryTopic,
  {
    storage: given,
    capacity = 10,
    properties = {},
  }: { storage?: Storage; capacity?: number; properties?: Record<string, string> } = {},
) {
  const storage = given ?? (await temporaryStorage());
  const { metadata } = storage;
  let nowMs = Date.parse('2024-05-01T12:00:00Z');
  const now = () => nowMs;
  const streamTasks: RunningStreamTasks = new Map();
  const readers = new Map<string, Reader>();
  const stuck = new Set<string>(); // tasks that never publish
  const published: { start: Record<string, number>; end: Record<string, number> }[] = [];

  async function read(task: RunningTask): Promise<void> {
    const { start = new Map<number, number>() } = assignmentOf(task.payload) ?? {};
    const io = isObject(task.payload.ioConfig) ? task.payload.ioConfig : {};
    const ends =
      isObject(io.endSequenceNumbers) && isObject(io.endSequenceNumbers.partitionOffsetMap)
        ? io.endSequenceNumbers.partitionOffsetMap
        : {};
    let positions: Offsets = start;
    const counts = {
      processed: 0,
      processedBytes: 0,
      processedWithError: 0,
      thrownAway: 0,
      unparseable: 0,
    };
    let stop = (_: Offsets) => {};
    const stopped = new Promise<Offsets>((settle) => {
      stop = settle;
    });
    await new Promise<void>((end, fail) => {
      const isAtEnd = () =>
        [...positions].every(([partition, offset]) => offset >= Number(ends[partition]));
      readers.set(task.id, {
        id: task.id,
        start,
        read() {
          positions = new Map(
            [...start.keys()].map((partition) => [
              partition,
              Math.min(topic.ends[placeOf(partition, '').number] ?? 0, Number(ends[partition])),
            ]),
          );
          if (isAtEnd()) end();
        },
        fail: () => fail(new Error('Something broke')),
      });
      streamTasks.set(task.id, {
        taskId: task.id,
        offsets: () => positions,
        stopped: () => stopped,
        finish: async () => {
          stop(positions);
          if (!stuck.has(task.id)) end();
        },
        rowStats: () => counts,
        parseErrors: () => [{ input: 'broken' }],
        pollIdleRatio: () => 0.5,
      });
      task.signal.addEventListener('abort', () => fail(task.signal.reason));
    }).finally(() => {
      streamTasks.delete(task.id);
      readers.delete(task.id);
    });
    await turn(); // publishing takes its time
    metadata.transaction((tx) => {
      task.succeed(tx);
      commitOffsets(tx, String(task.payload.supervisorId), { topic: 'edits' }, positions);
    });
    published.push({ start: offsetMap(start), end: offsetMap(positions) });
  }

  const reader: TaskType = {
    priority: 75,
    slots: () => 1,
    prepare: (given) => ({ dataSource: 'edits', payload: { ...given } }),
    locks: () => [],
    run: read,
  };
  const queue = new TaskQueue({
    metadata,
    logs: new TaskLogs(storage.folder.taskLogs, now),
    types: new Map([['index_kafka', reader]]),
    dialect: dialectOf('svc'),
    capacity,
    location: { host: 'localhost', port: 0, tlsPort: -1 },
    now,
  });
  queue.start();
  const supervisors = new Supervisors({
    metadata,
    queue,
    openStream: topic.open,
    outside: outsideWith(),
    streamTasks,
    ...supervisorDefaults(new Properties('svc', properties)),
    now,
    every: new Clock(now).every,
  });
  supervisors.start();
  const close = async () => {
    await supervisors.close();
    await queue.close();
  };
  onTestFinished(close);

  /** Lets the clock go on by some seconds, and everybody do what is then to be done. */
  async function after(seconds: number): Promise<void> {
    nowMs += seconds * 1000;
    for (let turns = 0; turns < 12; turns++) {
      await supervisors.tick();
      await turn();
    }
  }

  return {
    storage,
    supervisors,
    queue,
    published,
    stuck,
    after,
    close,
    submit: (spec: Record<string, unknown>) => supervisors.submit(spec, false, nobody),
    suspend: (id = 'edits') => supervisors.setSuspended(id, true, nobody),
    resume: (id = 'edits') => supervisors.setSuspended(id, false, nobody),
    resetToLatest: (id = 'edits') => supervisors.resetToLatest(id, undefined, nobody),
    /** The tasks that read now, by the partitions they read. */
    readers: () =>
      [...readers.values()].sort((a, b) =>
        [...a.start.keys()].join() < [...b.start.keys()].join() ? -1 : 1,
      ),
    starts: () => [...readers.values()].map(({ start }) => offsetMap(start)),
    status(id = 'edits') {
      const { running } = supervisors.get(id);
      if (!running) throw new Error(`Supervisor [${id}] does nothing`);
      return statusOf(running, now()).payload;
    },
  };
}
