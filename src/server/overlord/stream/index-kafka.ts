// Reading a stream (Druid: ingestion/kafka-ingestion): from given offsets on, rows are seen by queries as soon as they are read, and become segments
// together with the offsets they end at, in one transaction. What is read but not published is gone with the task, and is read again by the next one.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { bucketOf } from '../../../model/granularity.ts';
import { maxInstant, minInstant } from '../../../model/instant.ts';
import { formatInterval } from '../../../model/interval.ts';
import type { Engine } from '../../engine/engine.ts';
import type { DataSchema } from '../../ingestion/data-schema.ts';
import { divisionOf } from '../../ingestion/divide-rows.ts';
import { ingestedAs } from '../../ingestion/ingested-as.ts';
import type { RowStats, UnparseableEvent } from '../../ingestion/loading.ts';
import { SpecFields } from '../../ingestion/spec-fields.ts';
import { type Place, sortRows, writeSegments } from '../../ingestion/write-segments.ts';
import type { Metadata, Transaction } from '../../storage/metadata.ts';
import type { SegmentStore, StagedSegment } from '../../storage/segment-store.ts';
import { nextPartitionNum } from '../../storage/segments.ts';
import { listTaskLocks, type TaskLock } from '../../storage/task-locks.ts';
import { type IngestionProgress, newProgress } from '../ingestion-report.ts';
import { appendLockType } from '../lock-types.ts';
import { appendPlace, idsOf, joinedChunk } from '../segment-places.ts';
import { faultInId } from '../task-ids.ts';
import type { RunningTask, TaskType } from '../task-type.ts';
import { commitOffsets, committedOffsets, offsetMap } from './committed-offsets.ts';
import { chunkStartSql, joinFiles, type LoadedFile, loadFile, rowsOf, segmentGranularity } from './realtime-files.ts';
import type { RealtimeFile, RealtimeRows, RealtimeSequence } from './realtime-rows.ts';
import { recordLines } from './record-lines.ts';
import {
  type Offsets,
  OffsetsOutOfRange,
  type OpenReadStream,
  type ReadStream,
  type RunningStreamTask,
  type RunningStreamTasks,
  type StreamBatch,
  StreamUnavailable,
} from './stream.ts';
import { streamReports } from './stream-report.ts';
import { completeStreamSpec, parseStreamSpec, type StreamSpec } from './stream-spec.ts';

export interface StreamParts {
  readonly metadata: Metadata;
  readonly engine: Engine;
  readonly segments: SegmentStore;
  readonly realtime: RealtimeRows;
  readonly running: RunningStreamTasks;
  readonly openStream: OpenReadStream;
  readonly now: () => number;
}

/** The type of index_kafka tasks. */
export const indexKafka = (parts: StreamParts): TaskType => {
  const publishing = new Turns();
  return {
    priority: 75,
    slots: () => 1,
    prepare(given) {
      const fields = new SpecFields(given, '');
      const spec = parseStreamSpec(fields);
      const { dataSource } = spec.dataSchema;
      const fault = faultInId('dataSource', dataSource);
      if (fault) fields.refuse(fault);
      return { dataSource, payload: completeStreamSpec(given, spec) };
    },
    locks: () => [], // a time chunk is locked when its first row has come
    run: (task) => new StreamReader(task, parseStreamSpec(new SpecFields(task.payload, '')), parts, publishing).run(),
  };
};

/** Work on the same thing, one after the other. */
class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  take<Answer>(key: string, work: () => Promise<Answer>): Promise<Answer> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    this.#last.set(
      key,
      turn.catch(() => undefined),
    );
    return turn;
  }
}

class StreamReader {
  readonly #task: RunningTask;
  readonly #spec: StreamSpec;
  readonly #schema: DataSchema;
  readonly #parts: StreamParts;
  readonly #publishing: Turns;
  readonly #progress: IngestionProgress = newProgress();
  readonly #recordsOf = new Map<number, number>();
  readonly #positions: Map<number, number>;
  readonly #locks = new Map<number, TaskLock>(); // by the start of their time chunk
  readonly #discovered = new Set<string>();
  readonly #stopReading = new AbortController();
  readonly #startedMs: number;
  #waitedMs = 0;
  #folder = '';
  #files = 0;
  #sequence: RealtimeSequence; // what is being read; those that are handed off are not published yet
  readonly #sequences = new Set<RealtimeSequence>();
  #sequenceStart: Offsets;
  #sequenceStartMs: number;
  #handOff: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(task: RunningTask, spec: StreamSpec, parts: StreamParts, publishing: Turns) {
    this.#task = task;
    this.#spec = spec;
    this.#parts = parts;
    this.#publishing = publishing;
    this.#positions = new Map(spec.start);
    this.#sequenceStart = spec.start;
    this.#sequence = this.#newSequence();
    this.#startedMs = parts.now();
    this.#sequenceStartMs = this.#startedMs;
    const { dataSchema, messageTimes } = spec;
    const isLimited = messageTimes.start > minInstant || messageTimes.end < maxInstant;
    const intervals = isLimited ? [messageTimes] : undefined;
    this.#schema = { ...dataSchema, granularitySpec: { ...dataSchema.granularitySpec, intervals } };
  }

  async run(): Promise<void> {
    const task = this.#task;
    const parts = this.#parts;
    task.reportWith(() => streamReports(task.id, this.#progress, this.#recordsOf, task.payload.context));
    task.signal.addEventListener('abort', () => this.#stopReading.abort(), { once: true });
    if (task.signal.aborted) this.#stopReading.abort();
    this.#folder = await parts.segments.makeStagingFolder(task.id);
    let end = () => {};
    const ended = new Promise<void>((settle) => {
      end = settle;
    });
    let stop = (_: Offsets) => {};
    const stopped = new Promise<Offsets>((settle) => {
      stop = settle;
    });
    parts.running.set(task.id, this.#handle(stopped, ended));
    parts.realtime.add(this.#sequence);
    try {
      this.#progress.state = 'BUILD_SEGMENTS';
      const stream = await this.#opened();
      try {
        if (stream) await this.#readToTheEnd(stream);
      } finally {
        await stream?.close();
      }
      stop(new Map(this.#positions));
      await this.#handOff;
      if (this.#failure !== undefined) throw this.#failure;
      task.signal.throwIfAborted();
      task.log(`Read up to [${JSON.stringify(offsetMap(this.#positions))}]; publishing`);
      await this.#publish(this.#sealed(), true);
    } catch (error) {
      this.#progress.errorMsg = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      await this.#handOff;
      for (const sequence of this.#sequences) parts.realtime.remove(sequence);
      parts.running.delete(task.id);
      parts.realtime.discard([this.#folder]);
      end();
    }
  }

  #handle(stopped: Promise<Offsets>, ended: Promise<void>): RunningStreamTask {
    return {
      taskId: this.#task.id,
      offsets: () => new Map(this.#positions),
      stopped: () => stopped,
      finish: () => {
        this.#stopReading.abort();
        return ended;
      },
      rowStats: () => ({ ...this.#progress.stats }),
      parseErrors: () => [...this.#progress.events],
      pollIdleRatio: () => Math.min(1, this.#waitedMs / Math.max(1, this.#parts.now() - this.#startedMs)),
    };
  }

  // Undefined when the reading ends before the stream is there.
  async #opened(): Promise<ReadStream | undefined> {
    const { signal } = this.#stopReading;
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        const stream = await this.#parts.openStream(this.#spec.address);
        this.#task.log(`Reading [${this.#spec.address.topic}] from [${JSON.stringify(offsetMap(this.#positions))}]`);
        return stream;
      } catch (error) {
        if (!(error instanceof StreamUnavailable)) throw error;
        this.#trouble(error.message, attempt);
        await sleep(Math.min(5000, 200 * 2 ** Math.min(attempt, 5)), undefined, { signal }).catch(() => undefined);
      }
    }
    return undefined;
  }

  // Every time at first, then less and less often.
  #trouble(message: string, times: number): void {
    if ((times & (times - 1)) === 0) this.#task.log(`${message}; trying again (failures in a row: [${times}])`, 'WARN');
  }

  async #readToTheEnd(stream: ReadStream): Promise<void> {
    const { signal } = this.#stopReading;
    for (;;) {
      try {
        return await this.#read(stream);
      } catch (error) {
        if (!(error instanceof OffsetsOutOfRange)) throw error;
        if (!this.#spec.tuning.resetOffsetAutomatically) throw noLongerAvailable(error);
        const earliest = await stream.earliest([...error.offsets.keys()]);
        for (const [partition, offset] of earliest) {
          this.#task.log(`Offset [${error.offsets.get(partition)}] of partition [${partition}] is gone; going on at [${offset}]`, 'WARN');
          this.#positions.set(partition, offset);
        }
        if (signal.aborted) return;
      }
    }
  }

  async #read(stream: ReadStream): Promise<void> {
    const { signal } = this.#stopReading;
    const onTrouble = (message: string, times: number) => this.#trouble(message, times);
    const loading: Promise<LoadedBatch>[] = []; // in the order of the stream, which is that in which they count
    const take = async (mayWait: number) => {
      try {
        for (let next = loading[0]; next && loading.length > mayWait; next = loading[0]) {
          await this.#take(await next);
          loading.shift();
        }
      } catch (error) {
        loading.length = 0; // nothing counts that comes after what has failed
        throw error;
      }
    };
    let waitingSince = performance.now();
    try {
      for await (const batch of stream.read({ from: this.#positions, to: this.#spec.end, maxBytes, signal, onTrouble })) {
        this.#waitedMs += performance.now() - waitingSince;
        const isLarge = batch.records.length >= fewRecords;
        if (batch.next.size > 0) {
          const loaded = this.#load(batch);
          loaded.catch(() => undefined); // heard of in its turn
          loading.push(loaded);
        }
        await take(isLarge ? 1 : 0);
        if (this.#isTimeToHandOff()) await this.#startHandOff();
        waitingSince = performance.now();
        // Few rows come in small batches, each of which costs as much as a large one: let some more come together.
        if (batch.next.size > 0 && !isLarge) await sleep(lingerMs, undefined, { signal }).catch(() => undefined);
      }
    } finally {
      await take(0);
    }
  }

  async #load({ records, next }: StreamBatch): Promise<LoadedBatch> {
    const { engine, now } = this.#parts;
    const { tuning, format, address } = this.#spec;
    const rows = recordLines(records, address.topic, format);
    const counts = { processed: 0, processedBytes: 0, processedWithError: 0, thrownAway: rows.tombstones, unparseable: 0 };
    const events: UnparseableEvent[] = [];
    const loading = {
      rows,
      format,
      schema: this.#schema,
      folder: this.#folder,
      name: `batch-${this.#files++}`,
      stats: counts,
      events,
      maxSavedParseExceptions: tuning.maxSavedParseExceptions,
      now,
    };
    const options = { signal: this.#task.signal, lane: 'stream' } as const;
    const file = rows.lines.length === 0 ? undefined : await engine.session((session) => loadFile({ session, ...loading }), options);
    counts.processedBytes = records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
    return { records, next, file, counts, events };
  }

  async #take({ records, next, file, counts, events: seen }: LoadedBatch): Promise<void> {
    const { stats, events } = this.#progress;
    const { tuning } = this.#spec;
    if (file) await this.#lock(file);
    // From here on nothing waits: rows, offsets and counts change together.
    for (const name of ['processed', 'processedBytes', 'processedWithError', 'thrownAway', 'unparseable'] as const)
      stats[name] += counts[name];
    for (const { partition } of records) this.#recordsOf.set(partition, (this.#recordsOf.get(partition) ?? 0) + 1);
    if (tuning.logParseExceptions) for (const { details } of seen) this.#task.log(`Encountered parse exception: ${details[0]}`, 'WARN');
    events.push(...seen);
    events.splice(0, Math.max(0, events.length - tuning.maxSavedParseExceptions));
    const failures = stats.unparseable + stats.processedWithError;
    if (failures > tuning.maxParseExceptions) throw new Error(`Max parse exceptions[${tuning.maxParseExceptions}] exceeded`);
    for (const [partition, offset] of next) this.#positions.set(partition, offset);
    if (!file) return;
    for (const name of file.discovered) this.#discovered.add(name);
    this.#sequence.files = [...this.#sequence.files, file];
    await this.#joinSmallFiles();
  }

  async #lock(file: RealtimeFile): Promise<void> {
    const granularity = segmentGranularity(this.#schema);
    const starts = [...file.rowsOf.keys()].filter((start) => !this.#locks.has(start));
    if (starts.length === 0) return;
    const { dataSource, payload } = this.#task;
    const type = appendLockType(payload.context);
    const wishes = starts.map((start) => ({
      interval: joinedChunk(this.#parts.segments, dataSource, bucketOf(granularity, start)),
      type,
    }));
    const locks = await this.#task.lock(wishes);
    for (const [index, start] of starts.entries()) {
      const lock = locks[index];
      if (!lock) continue;
      this.#locks.set(start, lock);
      this.#task.log(`Holding a lock on [${formatInterval(lock.interval)}], version [${lock.version}]`);
    }
  }

  async #joinSmallFiles(): Promise<void> {
    const sequence = this.#sequence;
    const { maxRowsInMemory } = this.#spec.tuning;
    const small = sequence.files.filter(({ numRows }) => numRows < maxRowsInMemory);
    if (small.length < manyFiles) return;
    const path = join(this.#folder, `joined-${this.#files++}.parquet`);
    const joined = await this.#parts.engine.session((session) => joinFiles(session, small, this.#schema, path), {
      signal: this.#task.signal,
      lane: 'stream',
    });
    sequence.files = [...sequence.files.filter((file) => !small.includes(file)), joined];
    this.#parts.realtime.discard(small.map(({ file }) => file));
  }

  #isTimeToHandOff(): boolean {
    const { files } = this.#sequence;
    const { maxRowsPerSegment, maxTotalRows, intermediateHandoffMs } = this.#spec.tuning;
    if (files.length === 0) return false;
    if (files.reduce((sum, { numRows }) => sum + numRows, 0) >= maxTotalRows) return true;
    if (this.#parts.now() - this.#sequenceStartMs >= intermediateHandoffMs) return true;
    const rows = new Map<number, number>();
    for (const { rowsOf } of files) for (const [chunk, count] of rowsOf) rows.set(chunk, (rows.get(chunk) ?? 0) + count);
    return [...rows.values()].some((count) => count >= maxRowsPerSegment);
  }

  // Reading goes on while what is read so far is published; it waits only when the next stretch is full before that is done.
  async #startHandOff(): Promise<void> {
    await this.#handOff;
    if (this.#failure !== undefined) throw this.#failure;
    this.#task.log(`Handing off what was read up to [${JSON.stringify(offsetMap(this.#positions))}]`);
    const sealed = this.#sealed();
    this.#sequence = this.#newSequence();
    this.#parts.realtime.add(this.#sequence);
    this.#handOff = this.#publish(sealed, false).catch((error: unknown) => {
      this.#failure = error;
      this.#stopReading.abort();
    });
  }

  #sealed(): Sealed {
    const sealed = { sequence: this.#sequence, start: this.#sequenceStart, end: new Map(this.#positions) };
    this.#sequenceStart = sealed.end;
    this.#sequenceStartMs = this.#parts.now();
    return sealed;
  }

  #newSequence(): RealtimeSequence {
    const { dataSource } = this.#task;
    const { metrics } = this.#spec.dataSchema;
    const sequence: RealtimeSequence = {
      dataSource,
      dimensions: [],
      metrics: metrics.map(({ name }) => name),
      placeOf: (chunkStart) => {
        const place = this.#placeOf(chunkStart);
        return { ...place, partitionNum: nextPartitionNum(this.#parts.metadata, { dataSource, ...place }) };
      },
      files: [],
    };
    this.#sequences.add(sequence);
    return sequence;
  }

  #placeOf(chunkStart: number): Place {
    const chunk = bucketOf(segmentGranularity(this.#schema), chunkStart);
    return appendPlace(this.#parts.segments, this.#task.dataSource, chunk, [...this.#locks.values()]);
  }

  // One task of a datasource at a time: where a segment belongs depends on what the others have published.
  #publish(sealed: Sealed, isLast: boolean): Promise<void> {
    return this.#publishing.take(this.#task.dataSource, async () => {
      const { segments, realtime } = this.#parts;
      const { sequence } = sealed;
      const staged = sequence.files.length > 0 ? await this.#staged(sequence) : [];
      if (isLast) this.#progress.state = 'COMPLETED';
      this.#progress.segmentsPublished = (this.#progress.segmentsPublished ?? 0) + staged.length;
      this.#progress.segmentAvailabilityConfirmed = isLast; // what is published is served at once
      try {
        await segments.publish(staged, (tx, records) => {
          this.#commit(tx, sealed);
          if (isLast) this.#task.succeed(tx, idsOf(records));
          realtime.remove(sequence);
          this.#sequences.delete(sequence);
        });
      } catch (error) {
        realtime.add(sequence); // it was not published after all
        this.#sequences.add(sequence);
        throw error;
      } finally {
        if (!isLast) this.#parts.realtime.discard(sequence.files.map(({ file }) => file));
      }
      for (const { interval, version, numRows } of staged)
        this.#task.log(`Published a segment of [${formatInterval(interval)}], version [${version}], with [${numRows}] rows`);
    });
  }

  // In the transaction that makes the segments visible.
  #commit(tx: Transaction, { start, end }: Sealed): void {
    const { useTransaction, committedAs, address } = this.#spec;
    if (listTaskLocks(tx, { taskId: this.#task.id }).some(({ revoked }) => revoked))
      throw new Error('A task of higher priority has taken over the locks of this task');
    if (!useTransaction) return;
    const stored = committedOffsets(tx, committedAs, address.topic);
    if ([...start].some(([partition, offset]) => (stored.get(partition) ?? offset) !== offset)) throw inconsistent(stored, start);
    commitOffsets(tx, committedAs, address.topic, end);
  }

  #staged(sequence: RealtimeSequence): Promise<StagedSegment[]> {
    const schema = this.#schema;
    return this.#parts.engine.session(
      async (session) => {
        const rows = await rowsOf(session, sequence.files, schema, [...this.#discovered]);
        const { maxRowsPerSegment } = this.#spec.tuning;
        const chunk = await chunkStartSql(session, schema, rows.table);
        const division = await divisionOf(session, { type: 'dynamic', maxRowsPerSegment }, chunk, rows);
        const partitions = await sortRows(session, rows, division);
        const folder = join(this.#folder, `segments-${this.#files++}`);
        await mkdir(folder);
        return writeSegments(partitions, {
          session,
          rows,
          dataSource: this.#task.dataSource,
          folder,
          placeOf: ({ chunkStart }) => this.#placeOf(chunkStart),
          ingestion: ingestedAs(schema),
        });
      },
      { signal: this.#task.signal, lane: 'task' },
    );
  }
}

// A batch whose rows are in a file that nobody sees yet.
interface LoadedBatch extends StreamBatch {
  readonly file: LoadedFile | undefined; // absent when no row is left
  readonly counts: RowStats;
  readonly events: readonly UnparseableEvent[];
}

interface Sealed {
  readonly sequence: RealtimeSequence;
  readonly start: Offsets;
  readonly end: Offsets;
}

const maxBytes = 4 * 1024 * 1024;
const fewRecords = 2000;
const lingerMs = 200;
const manyFiles = 10;

// As the real engine words it (IndexerSQLMetadataStorageCoordinator).
const inconsistent = (stored: Offsets, start: Offsets) =>
  new Error(
    `Inconsistency between stored metadata state[${JSON.stringify(offsetMap(stored))}] and target state[${JSON.stringify(offsetMap(start))}]. Try resetting the supervisor.`,
  );

function noLongerAvailable({ offsets }: OffsetsOutOfRange): Error {
  const [[partition, offset] = []] = offsets;
  return new Error(
    `Previous sequenceNumber [${offset}] is no longer available for partition [${partition}]. You can clear the previous sequenceNumber and start reading from a valid message by using the supervisor's reset API.`,
  );
}
