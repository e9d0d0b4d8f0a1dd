// Unpublished rows of a stream task: sequences of files, published as segments together with their
// end offsets in one transaction.
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { bucketOf } from '../../../model/granularity.ts';
import { formatInterval } from '../../../model/interval.ts';
import type { DataSchema } from '../../ingestion/data-schema.ts';
import { divisionOf } from '../../ingestion/divide-rows.ts';
import { ingestedAs } from '../../ingestion/ingested-as.ts';
import { sortRows } from '../../ingestion/sort-rows.ts';
import { type SegmentPlace, writeSegments } from '../../ingestion/write-segments.ts';
import type { RealtimeFile, RealtimeSequence } from '../../segments/realtime-rows.ts';
import type { Transaction } from '../../storage/metadata.ts';
import type { StagedSegment } from '../../storage/segment-store.ts';
import { nextPartitionNum } from '../../storage/segments.ts';
import { listTaskLocks, type TaskLock } from '../../storage/task-locks.ts';
import type { IngestionProgress } from '../../tasks/ingestion-report.ts';
import { appendLockType } from '../../tasks/lock-types.ts';
import { appendPlace, idsOf, joinChunk } from '../../tasks/segment-places.ts';
import type { RunningTask } from '../../tasks/task-type.ts';
import { commitOffsets, committedOffsets, offsetMap } from './committed-offsets.ts';
import {
  chunkStartSql,
  joinFiles,
  type LoadedFile,
  rowsOf,
  segmentGranularity,
} from './realtime-files.ts';
import type { Checkpoint, ReplicaSet } from './replicas.ts';
import type { Offsets } from './stream.ts';
import type { StreamParts } from './stream-parts.ts';
import type { StreamSpec } from './stream-spec.ts';
import type { Turns } from './turns.ts';

export interface SequenceSettings {
  readonly task: RunningTask;
  readonly spec: StreamSpec;
  readonly schema: DataSchema;
  readonly parts: StreamParts;
  readonly publishing: Turns; // by datasource
  readonly progress: IngestionProgress;
  readonly replicas: ReplicaSet;
  // Number of records read, for comparing replicas
  readonly read: () => number;
  readonly folder: string; // of the task, for files; `close` removes it
  readonly onFailure: () => void; // a publication in the background failed
}

/**
 * Sequences of one task: the current one, which grows, and those being published. Queries see the
 * rows of all of them.
 */
export class Sequences {
  readonly #settings: SequenceSettings;
  readonly #open = new Set<RealtimeSequence>(); // not published yet
  readonly #locks = new Map<number, TaskLock>(); // by the start of the time chunk
  readonly #discovered = new Set<string>();
  #files = 0;
  #number: number;
  #current: RealtimeSequence;
  #start: Offsets;
  #startMs: number;
  #handOff: Promise<void> = Promise.resolve();
  #failure: unknown;

  constructor(settings: SequenceSettings) {
    this.#settings = settings;
    this.#start = settings.spec.start;
    this.#number = settings.replicas.sequenceAt(settings.spec.start) ?? 0;
    this.#startMs = settings.parts.now();
    this.#current = this.#newSequence();
  }

  /** Locks the time chunks of a file's rows. */
  async lock(file: RealtimeFile): Promise<void> {
    const { task, schema, parts } = this.#settings;
    const granularity = segmentGranularity(schema);
    const starts = [...file.rowsOf.keys()].filter((start) => !this.#locks.has(start));
    if (starts.length === 0) return;
    const type = appendLockType(task.payload.context);
    const wishes = starts.map((start) => ({
      interval: joinChunk(parts.segments, task.dataSource, bucketOf(granularity, start)),
      type,
    }));
    const locks = await task.lock(wishes);
    for (const [index, start] of starts.entries()) {
      const lock = locks[index];
      if (!lock) continue;
      this.#locks.set(start, lock);
      task.log(`Holding a lock on [${formatInterval(lock.interval)}], version [${lock.version}]`);
    }
  }

  /** Adds a file, whose rows are visible from now on. Its time chunks must be locked. */
  async add(file: LoadedFile): Promise<void> {
    for (const name of file.discovered) this.#discovered.add(name);
    this.#current.files = [...this.#current.files, file];
    await this.#joinSmallFiles();
  }

  /** Whether there are enough rows, or old enough ones, to publish them while reading continues. */
  isTimeToHandOff(): boolean {
    const { files } = this.#current;
    const { maxRowsPerSegment, maxTotalRows, intermediateHandoffMs } = this.#settings.spec.tuning;
    if (files.length === 0) return false;
    if (files.reduce((sum, { numRows }) => sum + numRows, 0) >= maxTotalRows) return true;
    if (this.#settings.parts.now() - this.#startMs >= intermediateHandoffMs) return true;
    const rows = new Map<number, number>();
    for (const { rowsOf } of files)
      for (const [chunk, count] of rowsOf) rows.set(chunk, (rows.get(chunk) ?? 0) + count);
    return [...rows.values()].some((count) => count >= maxRowsPerSegment);
  }

  /** The number of the current sequence. */
  get number(): number {
    return this.#number;
  }

  /**
   * Publishes the rows up to a checkpoint while reading continues; waits for earlier publications.
   * Throws the error of a failed publication.
   */
  async handOff(checkpoint: Checkpoint): Promise<void> {
    await this.waitUntilSettled();
    this.#settings.task.log(
      `Handing off the rows up to [${JSON.stringify(offsetMap(checkpoint.end))}]`,
    );
    const sealed = this.#seal(checkpoint);
    this.#number++;
    this.#current = this.#newSequence();
    this.#handOff = this.#publish(sealed).catch((error: unknown) => {
      this.#failure = error;
      this.#settings.onFailure();
    });
  }

  /** Resolves when no publication is running. Throws the error of a failed publication. */
  async waitUntilSettled(): Promise<void> {
    await this.#handOff;
    if (this.#failure !== undefined) throw this.#failure;
  }

  /** Publishes the rest, which ends at the last checkpoint, and with it the task succeeds. */
  publishRest(checkpoint: Checkpoint): Promise<void> {
    return this.#publish(this.#seal(checkpoint));
  }

  /** Discards unpublished rows, and removes all files as soon as no query reads them. */
  async close(): Promise<void> {
    await this.#handOff;
    const { realtime } = this.#settings.parts;
    for (const sequence of this.#open) realtime.remove(sequence);
    realtime.discard([this.#settings.folder]);
  }

  #seal(checkpoint: Checkpoint): Sealed {
    const sealed = { sequence: this.#current, start: this.#start, checkpoint };
    this.#start = checkpoint.end;
    this.#startMs = this.#settings.parts.now();
    return sealed;
  }

  #newSequence(): RealtimeSequence {
    const { task, spec, parts, replicas, read } = this.#settings;
    const { dataSource } = task;
    const sequence: RealtimeSequence = {
      dataSource,
      dimensions: [],
      metrics: spec.dataSchema.metrics.map(({ name }) => name),
      placeOf: (chunkStart) => {
        const place = this.#placeOf(chunkStart);
        return {
          ...place,
          partitionNum: nextPartitionNum(parts.metadata, { dataSource, ...place }),
        };
      },
      replica: {
        group: replicas,
        number: this.#number,
        progress: () => (this.#current === sequence ? read() : Number.POSITIVE_INFINITY),
      },
      files: [],
    };
    this.#open.add(sequence);
    parts.realtime.add(sequence);
    return sequence;
  }

  #placeOf(chunkStart: number): SegmentPlace {
    const { task, schema, parts } = this.#settings;
    const chunk = bucketOf(segmentGranularity(schema), chunkStart);
    return appendPlace(parts.segments, task.dataSource, chunk, [...this.#locks.values()]);
  }

  async #joinSmallFiles(): Promise<void> {
    const sequence = this.#current;
    const { task, spec, schema, parts, folder } = this.#settings;
    const small = sequence.files.filter(({ numRows }) => numRows < spec.tuning.maxRowsInMemory);
    if (small.length < manyFiles) return;
    const path = join(folder, `joined-${this.#files++}.parquet`);
    const joined = await parts.engine.session(
      (session) => joinFiles(session, small, schema, path),
      {
        signal: task.signal,
        lane: 'stream',
      },
    );
    sequence.files = [...sequence.files.filter((file) => !small.includes(file)), joined];
    parts.realtime.discard(small.map(({ file }) => file));
  }

  // One publication per datasource at a time: the place of a segment depends on the segments
  // published by other tasks.
  #publish(sealed: Sealed): Promise<void> {
    const { task, parts, progress, publishing } = this.#settings;
    return publishing.take(task.dataSource, async () => {
      const { segments, realtime } = parts;
      const { sequence, checkpoint } = sealed;
      const { isLast } = checkpoint;
      if (checkpoint.published) {
        this.#leaveToReplica(sealed, checkpoint.published);
        return;
      }
      const staged = sequence.files.length > 0 ? await this.#stage(sequence) : [];
      if (isLast) progress.state = 'COMPLETED';
      progress.segmentsPublished = (progress.segmentsPublished ?? 0) + staged.length;
      progress.segmentAvailabilityConfirmed = isLast; // published segments are served at once
      let hidden: readonly RealtimeSequence[] = [sequence];
      try {
        const records = await segments.publish(staged, (tx, records) => {
          this.#commit(tx, sealed);
          if (isLast) task.succeed(tx, idsOf(records));
          hidden = realtime.removePublished(sequence);
          this.#open.delete(sequence);
        });
        checkpoint.published = idsOf(records);
      } catch (error) {
        for (const each of hidden) realtime.add(each); // the publication has failed
        this.#open.add(sequence);
        throw error;
      } finally {
        if (!isLast) realtime.discard(sequence.files.map(({ file }) => file));
      }
      for (const { interval, version, numRows } of staged)
        task.log(
          `Published a segment of [${formatInterval(interval)}], version [${version}], with [${numRows}] rows`,
        );
    });
  }

  // Another replica has published the same rows first.
  #leaveToReplica({ sequence, checkpoint }: Sealed, published: readonly string[]): void {
    const { task, parts, progress } = this.#settings;
    task.log(
      `A replica of this task has published the rows up to [${JSON.stringify(offsetMap(checkpoint.end))}]`,
    );
    if (checkpoint.isLast) {
      progress.state = 'COMPLETED';
      progress.segmentAvailabilityConfirmed = true;
      parts.metadata.transaction((tx) => task.succeed(tx, published));
    } else parts.realtime.discard(sequence.files.map(({ file }) => file));
    parts.realtime.remove(sequence);
    this.#open.delete(sequence);
  }

  // Runs in the transaction that makes the segments visible.
  #commit(tx: Transaction, { start, checkpoint: { end } }: Sealed): void {
    const { useTransaction, committedAs, address } = this.#settings.spec;
    this.#settings.task.signal.throwIfAborted(); // a reset of its supervisor has stopped the task
    if (listTaskLocks(tx, { taskId: this.#settings.task.id }).some(({ revoked }) => revoked))
      throw new Error('A task of higher priority has taken over the locks of this task');
    if (!useTransaction) return;
    const stored = committedOffsets(tx, committedAs, address);
    if ([...start].some(([partition, offset]) => (stored.get(partition) ?? offset) !== offset))
      throw inconsistent(stored, start);
    commitOffsets(tx, committedAs, address, end);
  }

  #stage(sequence: RealtimeSequence): Promise<StagedSegment[]> {
    const { task, spec, schema, parts } = this.#settings;
    return parts.engine.session(
      async (session) => {
        const rows = await rowsOf(session, sequence.files, schema, [...this.#discovered]);
        const { maxRowsPerSegment } = spec.tuning;
        const chunk = await chunkStartSql(session, schema, rows.table);
        const division = await divisionOf(
          session,
          { type: 'dynamic', maxRowsPerSegment },
          chunk,
          rows,
        );
        const { partitions, sortedRowsOf } = await sortRows(session, rows, division);
        const folder = join(this.#settings.folder, `segments-${this.#files++}`);
        await mkdir(folder);
        return writeSegments(partitions, {
          session,
          rows,
          sortedRowsOf,
          dataSource: task.dataSource,
          folder,
          placeOf: ({ chunkStart }) => this.#placeOf(chunkStart),
          ingestion: ingestedAs(schema),
        });
      },
      { signal: task.signal, lane: 'task' },
    );
  }
}

interface Sealed {
  readonly sequence: RealtimeSequence;
  readonly start: Offsets;
  readonly checkpoint: Checkpoint;
}

const manyFiles = 10;

// In the real engine's words (IndexerSQLMetadataStorageCoordinator).
const inconsistent = (stored: Offsets, start: Offsets) =>
  new Error(
    `Inconsistency between stored metadata state[${JSON.stringify(offsetMap(stored))}] and target state[${JSON.stringify(offsetMap(start))}]. Try resetting the supervisor.`,
  );
