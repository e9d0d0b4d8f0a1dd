// Task queue of a service with its task types.
import type { Dialect } from '../../model/dialect.ts';
import type { Interval } from '../../model/interval.ts';
import { isDrop, isLoaded, ruleFor } from '../../model/retention-rule.ts';
import type { Catalog } from '../../sql/catalog.ts';
import type { RetentionRules } from '../configuration/retention-rules.ts';
import type { Engine } from '../engine/engine.ts';
import type { Outside } from '../ingestion/outside.ts';
import type { Planner } from '../planning/planner.ts';
import type { Clock } from '../process/clock.ts';
import type { RealtimeRows } from '../segments/realtime-rows.ts';
import { mainPort, portOf, type RouterPorts } from '../settings/port-numbers.ts';
import type { Storage } from '../storage/storage.ts';
import { TaskLogs } from '../tasks/task-logs.ts';
import { TaskQueue, type TaskQueueParts } from '../tasks/task-queue.ts';
import type { TaskType } from '../tasks/task-type.ts';
import type { SegmentSource } from './multi-stage/segment-source.ts';
import { indexKafka } from './stream/index-kafka.ts';
import { kafkaStreams } from './stream/kafka.ts';
import type { RunningStreamTasks } from './stream/stream.ts';
import { compact } from './types/compact.ts';
import { indexParallel } from './types/index-parallel.ts';
import { kill } from './types/kill.ts';
import { noop } from './types/noop.ts';
import { queryController } from './types/query-controller.ts';

export interface TaskQueueSettings {
  readonly storage: Storage;
  readonly engine: Engine;
  readonly outside: Outside;
  readonly dialect: Dialect;
  readonly capacity: number; // task slots
  readonly host: string;
  readonly place: RouterPorts; // of the Router; determines the worker's ports
  readonly planner: Planner; // for SQL tasks
  readonly catalog: (source: SegmentSource) => Catalog; // for SQL tasks
  readonly keptFromWorker?: NonNullable<TaskQueueParts['keptFromWorker']>;
  readonly rules: Pick<RetentionRules, 'withDefaults'>;
  // Registry of tasks that read streams, for their supervisors
  readonly streamTasks: RunningStreamTasks;
  readonly realtime: RealtimeRows; // rows of stream tasks
  readonly clock: Clock;
}

// Port of the worker; -1 while it is unknown.
const knownPort = (router: number) => portOf('middleManager', router) || -1;

/** The task queue of a service; it is not started yet. */
export function createTaskQueue(settings: TaskQueueSettings): TaskQueue {
  const {
    storage,
    engine,
    outside,
    dialect,
    capacity,
    host,
    planner,
    catalog,
    realtime,
    streamTasks,
    clock,
    rules,
    place,
  } = settings;
  const { metadata } = storage;
  const { now } = clock;
  const parts = { engine, metadata, segments: storage.segments, outside, now };
  const batch = indexParallel(parts);
  const loadingOf = (dataSource: string, interval: Interval) => {
    const rule = ruleFor(rules.withDefaults(dataSource), interval, now());
    return !rule || isDrop(rule) ? 'dropped' : isLoaded(rule) ? 'loaded' : 'onDemand';
  };
  // The ports open later: with --port 0 they are unknown until then.
  const worker = {
    get host() {
      return `${host}:${knownPort(mainPort(place))}`;
    },
    location: {
      host,
      get port() {
        return knownPort(place.plain);
      },
      get tlsPort() {
        return knownPort(place.tls);
      },
    },
  };
  const types = new Map<string, TaskType>([
    ['compact', compact(parts)],
    ['index', batch],
    [
      'index_kafka',
      indexKafka({ ...parts, realtime, running: streamTasks, openStream: kafkaStreams(outside) }),
    ],
    ['index_parallel', batch],
    ['kill', kill(storage)],
    ['noop', noop(clock)],
    [
      'query_controller',
      queryController({
        ...parts,
        dialect,
        capacity,
        results: storage.results,
        lookupFiles: storage.lookupFiles,
        planner,
        catalog,
        worker,
        loadingOf,
      }),
    ],
  ]);
  return new TaskQueue({
    metadata: storage.metadata,
    logs: new TaskLogs(storage.folder.taskLogs, now),
    types,
    dialect,
    capacity,
    location: worker.location,
    ...(settings.keptFromWorker && { keptFromWorker: settings.keptFromWorker }),
    now,
  });
}
