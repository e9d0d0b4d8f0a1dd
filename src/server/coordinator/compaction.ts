// Automatic compaction: a duty that finds time chunks to compact, submits tasks for them, and
// stores its findings (Druid: CompactSegments).
import type {
  CompactionConfig,
  CompactionSimulation,
  CompactionStatus,
} from '../../contract/compaction.ts';
import { formatInterval, parseInterval } from '../../model/interval.ts';
import { Refusal } from '../checks/refusals.ts';
import { isObject } from '../checks/spec-fields.ts';
import { supervisedCompactions } from '../configuration/autocompact-spec.ts';
import { wantedPartitions } from '../configuration/compaction-config.ts';
import { hashOfSegments } from '../segments/hash-of-segments.ts';
import type { Metadata } from '../storage/metadata.ts';
import type { SegmentStore } from '../storage/segment-store.ts';
import {
  findTask,
  findTaskPayload,
  listTasks,
  type StoredPayload,
  type TaskRecord,
} from '../storage/tasks.ts';
import { batchLockType } from '../tasks/lock-types.ts';
import { newTaskId } from '../tasks/task-ids.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import {
  type Candidate,
  candidatesOf,
  cutsChunks,
  granularityOf,
} from './compaction-candidates.ts';
import type { ClusterCompaction, CompactionConfigs } from './compaction-configs.ts';
import { chooseByPolicy } from './compaction-policy.ts';
import { unknownDataSource } from './refusals.ts';

export interface CompactionParts {
  readonly configs: CompactionConfigs;
  readonly segments: SegmentStore;
  readonly metadata: Metadata;
  readonly queue: TaskQueue;
  readonly now: () => number; // milliseconds since 1970
}

export class Compaction {
  readonly #parts: CompactionParts;
  readonly #statuses = new Map<string, CompactionStatus>(); // results of the last run
  // Task ids by their input: a failed compaction of the same segments is not repeated
  readonly #submitted = new Map<string, string>();

  constructor(parts: CompactionParts) {
    this.#parts = parts;
  }

  /**
   * Checks all configured datasources, submits tasks within the free slots, and stores the
   * findings. Returns the ids of the tasks.
   */
  run(): string[] {
    const { configs } = this.#parts;
    const known = this.#configs();
    const cluster = configs.cluster();
    const found = known.map((config) => ({ config, candidates: this.#candidatesOf(config) }));
    const { chosen: wanted, left } = chooseByPolicy(
      cluster.compactionPolicy,
      found.flatMap(({ candidates }) => candidates),
    );
    const free = Math.max(0, this.#slots(cluster) - this.#active().length);
    const taskIds: string[] = [];
    const changed = new Map(left);
    for (const candidate of wanted) {
      if (taskIds.length >= free) break;
      const config = known.find(({ dataSource }) => dataSource === candidate.dataSource);
      if (!config) continue;
      try {
        taskIds.push(this.#submit(candidate, config));
        changed.set(candidate, { ...candidate, state: 'compacted' }); // a chunk counts as compacted once its task is submitted
      } catch (error) {
        // An invalid configuration skips only its own datasource.
        if (!(error instanceof Refusal)) throw error;
        changed.set(candidate, { ...candidate, state: 'skipped', reason: error.message });
      }
    }
    for (const { config, candidates } of found) {
      const now = candidates.map((candidate) => changed.get(candidate) ?? candidate);
      this.#statuses.set(config.dataSource, statusOf(config.dataSource, now));
    }
    return taskIds;
  }

  /**
   * The compaction progress of a datasource, or of all that have or had a configuration. Refuses a
   * datasource that never had one.
   */
  statuses(dataSource?: string): CompactionStatus[] {
    const known = new Map(this.#configs().map((config) => [config.dataSource, config]));
    const names =
      dataSource === undefined
        ? new Set([...known.keys(), ...this.#statuses.keys()])
        : [dataSource];
    return [...names].map((name) => {
      const config = known.get(name);
      const last = this.#statuses.get(name);
      if (config) return last?.scheduleStatus === 'RUNNING' ? last : this.#look(config);
      if (!last) throw unknownDataSource();
      return { ...statusOf(name, []), scheduleStatus: 'NOT_ENABLED' };
    });
  }

  /** The compaction progress of a datasource with a supervisor. */
  supervisedStatus(dataSource: string, suspended: boolean): CompactionStatus {
    const idle = { ...statusOf(dataSource, []), scheduleStatus: 'NOT_ENABLED' as const };
    return suspended ? idle : (this.statuses(dataSource)[0] ?? idle);
  }

  /** Keeps a datasource that lost its configuration in the list, as not enabled. */
  forget(dataSource: string): void {
    this.#statuses.set(dataSource, { ...statusOf(dataSource, []), scheduleStatus: 'NOT_ENABLED' });
  }

  /** The result of a compaction run with other settings, as tables by state. */
  simulate(changed: Partial<ClusterCompaction>): CompactionSimulation {
    const { configs } = this.#parts;
    const cluster = { ...configs.cluster(), ...changed };
    const found = this.#configs().flatMap((config) => this.#candidatesOf(config));
    const { chosen: waiting, left } = chooseByPolicy(cluster.compactionPolicy, found);
    const candidates = found.map((candidate) => left.get(candidate) ?? candidate);
    const table = (listed: readonly Candidate[]) => ({
      columnNames: ['dataSource', 'interval', 'numSegments', 'bytes', 'reasonToCompactOrSkip'],
      rows: listed.map((one) => [
        one.dataSource,
        formatInterval(one.interval),
        one.segments.length,
        sizeOf(one),
        one.reason,
      ]),
    });
    const ofState = (state: Candidate['state']) =>
      candidates.filter((candidate) => candidate.state === state);
    const tables = {
      COMPLETE: ofState('compacted'),
      PENDING: waiting,
      SKIPPED: ofState('skipped'),
    };
    const filled = Object.entries(tables).filter(([, listed]) => listed.length > 0);
    return {
      compactionStates: Object.fromEntries(filled.map(([state, listed]) => [state, table(listed)])),
    };
  }

  // A supervisor's configuration takes precedence for its datasource.
  #configs(): CompactionConfig[] {
    const { configs, metadata } = this.#parts;
    const found = [...configs.list(), ...supervisedCompactions(metadata)];
    return [...new Map(found.map((config) => [config.dataSource, config])).values()];
  }

  #look(config: CompactionConfig): CompactionStatus {
    const candidates = this.#candidatesOf(config);
    const { left } = chooseByPolicy(this.#parts.configs.cluster().compactionPolicy, candidates);
    return statusOf(
      config.dataSource,
      candidates.map((candidate) => left.get(candidate) ?? candidate),
    );
  }

  #candidatesOf(config: CompactionConfig): Candidate[] {
    const { dataSource } = config;
    const { segments, metadata, queue } = this.#parts;
    const visible = new Set(
      segments
        .timeline(dataSource)
        .visible()
        .map(({ segment }) => segment),
    );
    const active = this.#active(dataSource);
    const compacting = active.flatMap(({ id }) => intervalIn(findTaskPayload(metadata, id)));
    const mine = new Set(active.map(({ id }) => id));
    const replaces = batchLockType(config.taskContext, false) === 'REPLACE'; // then appending tasks do not block it
    const locked = queue.lockbox
      .list({ dataSource })
      .flatMap(({ taskId, interval, type, revoked }) =>
        mine.has(taskId) || revoked || (replaces && type === 'APPEND') ? [] : [interval],
      );
    return candidatesOf(config, [...visible], { locked, compacting }).map((candidate) => {
      if (candidate.state !== 'awaiting') return candidate;
      const task = this.#submitted.get(keyOf(candidate, config));
      if (task === undefined || findTask(metadata, task)?.status !== 'FAILED') return candidate;
      return { ...candidate, state: 'skipped', reason: `Task [${task}] failed` };
    });
  }

  // Active tasks of the duty, of one datasource or of all.
  #active(dataSource?: string): TaskRecord[] {
    const filter = {
      type: 'compact',
      status: ['RUNNING'],
      ...(dataSource !== undefined && { dataSource }),
    } as const;
    return listTasks(this.#parts.metadata, filter).filter(({ id }) => id.startsWith(prefix));
  }

  #slots({ compactionTaskSlotRatio, maxCompactionTaskSlots }: ClusterCompaction): number {
    const { capacity } = this.#parts.queue;
    return Math.max(
      1,
      Math.min(maxCompactionTaskSlots, Math.floor(capacity * compactionTaskSlotRatio)),
    );
  }

  #submit(candidate: Candidate, config: CompactionConfig): string {
    const { queue, segments, now } = this.#parts;
    const id = queue.submit({
      ...taskFor(candidate, config, segments),
      id: newTaskId(`${prefix}compact`, config.dataSource, now()),
    });
    if (this.#submitted.size >= 10_000) this.#submitted.clear();
    this.#submitted.set(keyOf(candidate, config), id);
    return id;
  }
}

const prefix = 'coordinator-issued_';

// Task in the form that the real engine submits (Druid: ClientCompactionTaskQuery).
function taskFor(
  candidate: Candidate,
  config: CompactionConfig,
  segments: SegmentStore,
): StoredPayload {
  const { interval, dataSource } = candidate;
  // All visible segments of the interval, including tombstones. If they change before the task
  // runs, the task fails and the next run checks again.
  const expected = segments.timeline(dataSource).visible([interval]);
  const {
    taskPriority,
    tuningConfig,
    granularitySpec,
    dimensionsSpec,
    metricsSpec,
    transformSpec,
    projections,
    ioConfig,
    taskContext,
  } = config;
  return {
    type: 'compact',
    dataSource,
    ioConfig: {
      type: 'compact',
      inputSpec: {
        type: 'interval',
        interval: formatInterval(interval),
        sha256OfSortedSegmentIds: hashOfSegments(new Set(expected.map(({ segment }) => segment))),
      },
      // When a chunk is divided, the remaining old rows would stay visible and be compacted
      // forever.
      dropExisting: ioConfig?.dropExisting === true || cutsChunks(candidate, granularityOf(config)),
    },
    tuningConfig: {
      ...tuningConfig,
      type: 'index_parallel',
      partitionsSpec: wantedPartitions(config),
    },
    ...(granularitySpec && { granularitySpec }),
    ...(dimensionsSpec && { dimensionsSpec }),
    ...(metricsSpec && { metricsSpec }),
    ...(transformSpec && { transformSpec }),
    ...(projections && { projections }),
    context: { ...taskContext, priority: taskPriority, storeCompactionState: true },
  };
}

function statusOf(dataSource: string, candidates: readonly Candidate[]): CompactionStatus {
  const sums = (state: Candidate['state']) => {
    const listed = candidates.filter((candidate) => candidate.state === state);
    return {
      bytes: listed.reduce((sum, candidate) => sum + sizeOf(candidate), 0),
      segments: listed.reduce((sum, { segments }) => sum + segments.length, 0),
      intervals: new Set(
        listed.flatMap(({ segments }) => segments.map(({ interval }) => formatInterval(interval))),
      ).size,
    };
  };
  const [awaiting, compacted, skipped] = [sums('awaiting'), sums('compacted'), sums('skipped')];
  return {
    dataSource,
    scheduleStatus: 'RUNNING',
    bytesAwaitingCompaction: awaiting.bytes,
    bytesCompacted: compacted.bytes,
    bytesSkipped: skipped.bytes,
    segmentCountAwaitingCompaction: awaiting.segments,
    segmentCountCompacted: compacted.segments,
    segmentCountSkipped: skipped.segments,
    intervalCountAwaitingCompaction: awaiting.intervals,
    intervalCountCompacted: compacted.intervals,
    intervalCountSkipped: skipped.intervals,
  };
}

const sizeOf = ({ segments }: Candidate) =>
  segments.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

const keyOf = ({ segments, dataSource }: Candidate, config: CompactionConfig) =>
  JSON.stringify([
    dataSource,
    segments.map(({ id }) => id).sort(),
    config.granularitySpec,
    config.tuningConfig,
  ]);

function intervalIn(payload: StoredPayload | undefined) {
  const ioConfig = payload && isObject(payload.ioConfig) ? payload.ioConfig : {};
  const inputSpec = isObject(ioConfig.inputSpec) ? ioConfig.inputSpec : {};
  return typeof inputSpec.interval === 'string' ? [parseInterval(inputSpec.interval)] : [];
}
