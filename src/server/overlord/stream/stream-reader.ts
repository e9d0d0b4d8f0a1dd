// Reading a stream (Druid: ingestion/kafka-ingestion): from given offsets on, rows are seen by queries as soon as they are read, and become segments
// together with the offsets they end at, in one transaction. What is read but not published is gone with the task, and is read again by the next one.
import { setTimeout as sleep } from 'node:timers/promises';
import { maxInstant, minInstant } from '../../../model/instant.ts';
import { withPlace } from '../../disk-full.ts';
import type { DataSchema } from '../../ingestion/data-schema.ts';
import type { RowStats, UnparseableEvent } from '../../ingestion/loading.ts';
import { type IngestionProgress, newProgress } from '../ingestion-report.ts';
import type { RunningTask } from '../task-type.ts';
import { offsetMap } from './committed-offsets.ts';
import { type LoadedFile, loadFile } from './realtime-files.ts';
import { recordLines } from './record-lines.ts';
import { Sequences } from './sequences.ts';
import { type Offsets, OffsetsOutOfRange, type ReadStream, type RunningStreamTask, type StreamBatch, StreamUnavailable } from './stream.ts';
import type { StreamParts } from './stream-parts.ts';
import { streamReports } from './stream-report.ts';
import type { StreamSpec } from './stream-spec.ts';
import type { Turns } from './turns.ts';

/** Reads until the task is told to finish, or to the end that its specification names; publishes, and lets the task succeed. Throws what made it fail. */
export async function readStream(task: RunningTask, spec: StreamSpec, parts: StreamParts, publishing: Turns): Promise<void> {
  const folder = await parts.segments.makeStagingFolder(task.id);
  await new StreamReader(task, spec, parts, publishing, folder).run();
}

class StreamReader {
  readonly #task: RunningTask;
  readonly #spec: StreamSpec;
  readonly #schema: DataSchema;
  readonly #parts: StreamParts;
  readonly #progress: IngestionProgress = newProgress();
  readonly #recordsOf = new Map<number, number>();
  readonly #positions: Map<number, number>;
  readonly #folder: string;
  readonly #sequences: Sequences;
  readonly #stopReading = new AbortController();
  readonly #startedMs: number;
  #waitedMs = 0;
  #batches = 0;

  constructor(task: RunningTask, spec: StreamSpec, parts: StreamParts, publishing: Turns, folder: string) {
    this.#task = task;
    this.#spec = spec;
    this.#parts = parts;
    this.#folder = folder;
    this.#positions = new Map(spec.start);
    this.#startedMs = parts.now();
    const { dataSchema, messageTimes } = spec;
    const isLimited = messageTimes.start > minInstant || messageTimes.end < maxInstant;
    const intervals = isLimited ? [messageTimes] : undefined;
    this.#schema = { ...dataSchema, granularitySpec: { ...dataSchema.granularitySpec, intervals } };
    this.#sequences = new Sequences({
      task,
      spec,
      schema: this.#schema,
      parts,
      publishing,
      progress: this.#progress,
      folder,
      onFailure: () => this.#stopReading.abort(),
    });
  }

  async run(): Promise<void> {
    const task = this.#task;
    const parts = this.#parts;
    task.reportWith(() => streamReports(task.id, this.#progress, this.#recordsOf, task.payload.context));
    task.signal.addEventListener('abort', () => this.#stopReading.abort(), { once: true });
    if (task.signal.aborted) this.#stopReading.abort();
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
      const stream = await this.#opened();
      try {
        if (stream) await this.#readToTheEnd(stream);
      } finally {
        await stream?.close();
      }
      stop(new Map(this.#positions));
      await this.#sequences.settled();
      task.signal.throwIfAborted();
      task.log(`Read up to [${JSON.stringify(offsetMap(this.#positions))}]; publishing`);
      await this.#sequences.publishRest(new Map(this.#positions));
    } catch (caught) {
      const error = withPlace(caught, 'staging');
      this.#progress.errorMsg = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      await this.#sequences.close();
      parts.running.delete(task.id);
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
        if (this.#sequences.isTimeToHandOff()) await this.#sequences.handOff(new Map(this.#positions));
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
      name: `batch-${this.#batches++}`,
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
    if (file) await this.#sequences.lock(file);
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
    if (file) await this.#sequences.add(file);
  }
}

// A batch whose rows are in a file that nobody sees yet.
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
