// Stream reader (Druid: ingestion/kafka-ingestion): starts at given offsets. Rows are visible to
// queries as soon as they are read. They become segments together with their end offsets, in one
// transaction. Unpublished rows are lost with the task, and the next task reads them again.
import { setTimeout as sleep } from 'node:timers/promises';
import { maxInstant, minInstant } from '../../../model/instant.ts';
import { withPlace } from '../../checks/disk-full.ts';
import type { DataSchema } from '../../ingestion/data-schema.ts';
import type { RowStats, UnparseableEvent } from '../../ingestion/loading.ts';
import { type IngestionProgress, newProgress } from '../../tasks/ingestion-report.ts';
import type { RunningTask } from '../../tasks/task-type.ts';
import { offsetMap } from './committed-offsets.ts';
import { type LoadedFile, loadFile } from './realtime-files.ts';
import { recordLines } from './record-lines.ts';
import {
  type Checkpoint,
  isSameOffsets,
  type Replica,
  type ReplicaSet,
  type ReplicaSets,
} from './replicas.ts';
import { Sequences } from './sequences.ts';
import {
  type Offsets,
  OffsetsOutOfRange,
  type ReadStream,
  type RunningStreamTask,
  type StreamBatch,
  StreamUnavailable,
} from './stream.ts';
import type { StreamParts } from './stream-parts.ts';
import { streamReports } from './stream-report.ts';
import type { StreamSpec } from './stream-spec.ts';
import type { Partition } from './topics.ts';
import type { Turns } from './turns.ts';

/**
 * Reads until `finish` is called, or to the end offsets of the specification; then publishes and
 * lets the task succeed. Throws the error of a failure.
 */
export async function readStream(
  task: RunningTask,
  spec: StreamSpec,
  parts: StreamParts,
  shared: SharedByTasks,
): Promise<void> {
  const folder = await parts.segments.makeStagingFolder(task.id);
  await new StreamReader(task, spec, parts, shared, folder).run();
}

/** State shared by the tasks of this type. */
export interface SharedByTasks {
  readonly publishing: Turns; // by datasource
  readonly replicas: ReplicaSets;
}

class StreamReader {
  readonly #task: RunningTask;
  readonly #spec: StreamSpec;
  readonly #schema: DataSchema;
  readonly #parts: StreamParts;
  readonly #progress: IngestionProgress = newProgress();
  readonly #recordsOf = new Map<Partition, number>();
  readonly #positions: Map<Partition, number>;
  readonly #folder: string;
  readonly #sequences: Sequences;
  readonly #shared: SharedByTasks;
  readonly #replicas: ReplicaSet;
  readonly #replica: Replica;
  readonly #stop = new AbortController(); // the task fails or is stopped
  #pause = new AbortController(); // pauses the current read
  #isFinishing = false;
  readonly #startedMs: number;
  #waitedMs = 0;
  #batches = 0;

  constructor(
    task: RunningTask,
    spec: StreamSpec,
    parts: StreamParts,
    shared: SharedByTasks,
    folder: string,
  ) {
    this.#task = task;
    this.#spec = spec;
    this.#parts = parts;
    this.#folder = folder;
    this.#positions = new Map(spec.start);
    this.#startedMs = parts.now();
    this.#shared = shared;
    this.#replica = { offsets: () => this.#positions, interrupt: () => this.#pause.abort() };
    this.#replicas = shared.replicas.join(this.#groupName(), spec.start, this.#replica);
    this.#stop.signal.addEventListener('abort', () => this.#pause.abort(), { once: true });
    const { dataSchema, messageTimes } = spec;
    const isLimited = messageTimes.start > minInstant || messageTimes.end < maxInstant;
    const granularitySpec = { ...dataSchema.granularitySpec, intervals: undefined };
    this.#schema = { ...dataSchema, granularitySpec, ...(isLimited && { messageTimes }) };
    this.#sequences = new Sequences({
      task,
      spec,
      schema: this.#schema,
      parts,
      publishing: shared.publishing,
      progress: this.#progress,
      replicas: this.#replicas,
      read: () => [...this.#positions.values()].reduce((sum, offset) => sum + offset, 0),
      folder,
      onFailure: () => this.#stop.abort(),
    });
  }

  async run(): Promise<void> {
    const task = this.#task;
    const parts = this.#parts;
    task.reportWith(() =>
      streamReports(task.id, this.#progress, this.#recordsOf, task.payload.context),
    );
    task.signal.addEventListener('abort', () => this.#stop.abort(), { once: true });
    if (task.signal.aborted) this.#stop.abort();
    let end = () => {};
    const ended = new Promise<void>((settle) => {
      end = settle;
    });
    let stop = (_: Offsets) => {};
    const stopped = new Promise<Offsets>((settle) => {
      stop = settle;
    });
    parts.running.set(task.id, this.#handle(stopped, ended));
    try {
      this.#progress.state = 'BUILD_SEGMENTS';
      const last = await this.#readToTheEnd();
      if (last) stop(last.end);
      await this.#sequences.waitUntilSettled();
      task.signal.throwIfAborted();
      if (!last) throw new Error('The task was stopped');
      task.log(`Read up to [${JSON.stringify(offsetMap(last.end))}]; publishing`);
      await this.#sequences.publishRest(last);
    } catch (caught) {
      const error = withPlace(caught, 'staging');
      this.#progress.errorMsg = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      await this.#sequences.close();
      this.#shared.replicas.leave(this.#groupName(), this.#replicas, this.#replica);
      parts.running.delete(task.id);
      end();
    }
  }

  // A task without a sequence name has no replicas.
  #groupName(): string {
    const { sequenceName, committedAs, address } = this.#spec;
    return JSON.stringify(
      sequenceName
        ? [this.#task.dataSource, committedAs, address.topic, sequenceName]
        : [this.#task.id],
    );
  }

  #handle(stopped: Promise<Offsets>, ended: Promise<void>): RunningStreamTask {
    return {
      taskId: this.#task.id,
      offsets: () => new Map(this.#positions),
      stopped: () => stopped,
      finish: () => {
        this.#isFinishing = true;
        // A task that reads alone ends after the records in progress.
        if (this.#replicas.size > 1) this.#replicas.seal(this.#replica, true);
        this.#pause.abort();
        return ended;
      },
      rowStats: () => ({ ...this.#progress.stats }),
      parseErrors: () => [...this.#progress.events],
      pollIdleRatio: () =>
        Math.min(1, this.#waitedMs / Math.max(1, this.#parts.now() - this.#startedMs)),
    };
  }

  // Undefined when reading ends before the stream is open.
  async #open(signal: AbortSignal): Promise<ReadStream | undefined> {
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const stream = await this.#parts.openStream(this.#spec.address);
        this.#task.log(
          `Reading [${this.#spec.address.topic}] from [${JSON.stringify(offsetMap(this.#positions))}]`,
        );
        return stream;
      } catch (error) {
        if (!(error instanceof StreamUnavailable)) throw error;
        this.#trouble(error.message, attempt);
        await sleep(Math.min(5000, 200 * 2 ** Math.min(attempt, 5)), undefined, { signal }).catch(
          () => undefined,
        );
      }
    }
    return undefined;
  }

  // Logged each time at first, then at growing intervals.
  #trouble(message: string, times: number): void {
    if ((times & (times - 1)) === 0)
      this.#task.log(`${message}; trying again (failures in a row: [${times}])`, 'WARN');
  }

  // Sequence by sequence, up to the last checkpoint; undefined when the task is stopped first.
  async #readToTheEnd(): Promise<Checkpoint | undefined> {
    let stream: ReadStream | undefined;
    try {
      while (!this.#stop.signal.aborted) {
        this.#pause = new AbortController();
        const { number } = this.#sequences;
        const checkpoint = this.#replicas.checkpoint(number);
        const to = checkpoint?.end ?? this.#spec.end;
        if (checkpoint?.published) this.#moveTo(checkpoint.end); // its rows are already published
        const isRead = () =>
          [...this.#positions].every(
            ([partition, offset]) => offset >= (to.get(partition) ?? Number.POSITIVE_INFINITY),
          );
        if (!isRead() && (checkpoint || !this.#isFinishing)) {
          stream ??= await this.#open(this.#pause.signal);
          if (stream) await this.#readOn(stream, to, checkpoint);
        }
        if (this.#stop.signal.aborted) return undefined;
        if (checkpoint && isRead()) {
          this.#moveTo(checkpoint.end);
          if (checkpoint.isLast) return checkpoint;
          await this.#sequences.handOff(checkpoint);
        } else if (
          !checkpoint &&
          !this.#replicas.checkpoint(this.#sequences.number) &&
          (this.#isFinishing || isRead())
        ) {
          this.#replicas.seal(this.#replica, true);
        }
      }
      return undefined;
    } finally {
      await stream?.close();
    }
  }

  #moveTo(offsets: Offsets): void {
    for (const [partition, offset] of offsets)
      this.#positions.set(partition, Math.max(offset, this.#positions.get(partition) ?? 0));
  }

  async #readOn(
    stream: ReadStream,
    to: Offsets,
    checkpoint: Checkpoint | undefined,
  ): Promise<void> {
    for (;;) {
      try {
        return await this.#read(stream, to, checkpoint);
      } catch (error) {
        if (!(error instanceof OffsetsOutOfRange)) throw error;
        if (!this.#spec.tuning.resetOffsetAutomatically) throw noLongerAvailable(error);
        const earliest = await stream.earliest([...error.offsets.keys()]);
        for (const [partition, offset] of earliest) {
          this.#task.log(
            `Offset [${error.offsets.get(partition)}] of partition [${partition}] is gone; continuing at [${offset}]`,
            'WARN',
          );
          this.#positions.set(partition, offset);
        }
        if (this.#pause.signal.aborted) return;
      }
    }
  }

  // Without a checkpoint, reads until a replica makes one; records after it are read again for the
  // next sequence.
  async #read(stream: ReadStream, to: Offsets, checkpoint: Checkpoint | undefined): Promise<void> {
    const { signal } = this.#pause;
    const onTrouble = (message: string, times: number) => this.#trouble(message, times);
    // In stream order, in which the batches are added
    const loading: Promise<LoadedBatch>[] = [];
    const isSealed = () =>
      !checkpoint && this.#replicas.checkpoint(this.#sequences.number) !== undefined;
    const take = async (mayWait: number) => {
      try {
        for (let next = loading[0]; next && loading.length > mayWait; next = loading[0]) {
          await this.#take(await next, isSealed);
          loading.shift();
        }
      } catch (error) {
        loading.length = 0; // after a failure, later batches are discarded
        throw error;
      }
    };
    let waitingSince = performance.now();
    try {
      for await (const batch of stream.read({
        from: this.#positions,
        to,
        maxBytes,
        signal,
        onTrouble,
      })) {
        this.#waitedMs += performance.now() - waitingSince;
        const isLarge = batch.records.length >= fewRecords;
        if (batch.next.size > 0) {
          const loaded = this.#load(batch);
          loaded.catch(() => undefined); // reported in its turn
          loading.push(loaded);
        }
        await take(isLarge ? 1 : 0);
        if (!checkpoint && this.#sequences.isTimeToHandOff() && !(await this.#handOff())) return;
        waitingSince = performance.now();
        // Few rows come in small batches, and each costs as much as a large one: wait for more.
        if (batch.next.size > 0 && !isLarge)
          await sleep(lingerMs, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      await take(0);
    }
  }

  // False when a replica has read more: the missing rows must be read first.
  async #handOff(): Promise<boolean> {
    const { number } = this.#sequences;
    if (!this.#replicas.checkpoint(number)) this.#replicas.seal(this.#replica, false);
    const checkpoint = this.#replicas.checkpoint(number);
    if (!checkpoint || checkpoint.isLast || !isSameOffsets(checkpoint.end, this.#positions))
      return false;
    await this.#sequences.handOff(checkpoint);
    return true;
  }

  async #load({ records, next }: StreamBatch): Promise<LoadedBatch> {
    const { engine, now } = this.#parts;
    const { tuning, format, address } = this.#spec;
    const rows = recordLines(records, address.topic, format);
    const counts = {
      processed: 0,
      processedBytes: 0,
      processedWithError: 0,
      thrownAway: rows.tombstones,
      unparseable: 0,
    };
    const events: UnparseableEvent[] = [];
    const loading = {
      rows,
      format,
      schema: this.#schema,
      folder: this.#folder,
      name: `batch-${this.#batches++}`,
      stats: counts,
      events,
      maxSavedParseExceptions: tuning.maxSavedParseExceptions,
      now,
    };
    const options = { signal: this.#task.signal, lane: 'stream' } as const;
    const file =
      rows.lines.length === 0
        ? undefined
        : await engine.session((session) => loadFile({ session, ...loading }), options);
    counts.processedBytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    return { records, next, file, counts, events };
  }

  async #take(
    { records, next, file, counts, events: seen }: LoadedBatch,
    isSealed: () => boolean,
  ): Promise<void> {
    const { stats, events } = this.#progress;
    const { tuning } = this.#spec;
    if (file) await this.#sequences.lock(file);
    if (isSealed()) return;
    // Synchronous from here on: rows, offsets and counts change together.
    for (const name of [
      'processed',
      'processedBytes',
      'processedWithError',
      'thrownAway',
      'unparseable',
    ] as const)
      stats[name] += counts[name];
    for (const { partition } of records)
      this.#recordsOf.set(partition, (this.#recordsOf.get(partition) ?? 0) + 1);
    if (tuning.logParseExceptions)
      for (const { details } of seen)
        this.#task.log(`Encountered parse exception: ${details[0]}`, 'WARN');
    events.push(...seen);
    events.splice(0, Math.max(0, events.length - tuning.maxSavedParseExceptions));
    const failures = stats.unparseable + stats.processedWithError;
    if (failures > tuning.maxParseExceptions)
      throw new Error(`Max parse exceptions[${tuning.maxParseExceptions}] exceeded`);
    for (const [partition, offset] of next) this.#positions.set(partition, offset);
    if (file) await this.#sequences.add(file);
  }
}

// A batch whose rows are in a file that is not visible yet.
interface LoadedBatch extends StreamBatch {
  readonly file: LoadedFile | undefined; // absent when no row is left
  readonly counts: RowStats;
  readonly events: readonly UnparseableEvent[];
}

const maxBytes = 4 * 1024 * 1024;
const fewRecords = 2000;
const lingerMs = 200;

function noLongerAvailable({ offsets }: OffsetsOutOfRange): Error {
  const [[partition, offset] = []] = offsets;
  return new Error(
    `Previous sequenceNumber [${offset}] is no longer available for partition [${partition}]. You can clear the previous sequenceNumber and start reading from a valid message by using the supervisor's reset API.`,
  );
}
