// Shared run of native batch tasks: rows in a session of their own, segments in a staging folder,
// one publication at the end.
import { condense, formatInterval, type Interval } from '../../model/interval.ts';
import type { SegmentIngestion } from '../../model/segment.ts';
import { withPlace } from '../checks/disk-full.ts';
import type { Engine } from '../engine/engine.ts';
import type { Session } from '../engine/session.ts';
import { divisionOf, shardSpecOf } from '../ingestion/divide-rows.ts';
import type { Outside } from '../ingestion/outside.ts';
import { memoryForRows } from '../ingestion/overflow.ts';
import type { PartitionsSpec } from '../ingestion/partitions-spec.ts';
import { sortRows } from '../ingestion/sort-rows.ts';
import { chunkFinder, chunkSql, type TimeChunks } from '../ingestion/time-chunks.ts';
import {
  groupByChunk,
  inOrderOfTime,
  type RowTable,
  writeSegments,
} from '../ingestion/write-segments.ts';
import type { Metadata } from '../storage/metadata.ts';
import type { SegmentStore, StagedSegment } from '../storage/segment-store.ts';
import type { TaskLockType } from '../storage/task-locks.ts';
import { type IngestionProgress, ingestionReports, newProgress } from './ingestion-report.ts';
import { appendPlace, idsOf, joinChunk, replacePlace, tombstones } from './segment-places.ts';
import type { LockSpec, RunningTask } from './task-type.ts';

export interface BatchParts {
  readonly engine: Engine;
  readonly metadata: Metadata;
  readonly segments: SegmentStore;
  readonly outside: Outside;
  readonly now: () => number;
}

/** A batch task while it runs. */
export interface BatchRun {
  readonly session: Session;
  readonly task: RunningTask;
  readonly progress: IngestionProgress;
  readonly stagingFolder: string;
  readonly segments: SegmentStore;
}

/**
 * Runs a batch task: `make` stages the segments, and one publication makes them visible together
 * with the task's success. The report shows the progress.
 */
export async function runBatch(
  task: RunningTask,
  { engine, segments }: Pick<BatchParts, 'engine' | 'segments'>,
  make: (run: BatchRun) => Promise<StagedSegment[]>,
): Promise<void> {
  const progress = newProgress();
  task.reportWith(() => ingestionReports(task.id, progress, task.payload.context));
  const stagingFolder = await segments.makeStagingFolder(task.id);
  try {
    const staged = await engine.session(
      (session) => make({ session, task, progress, stagingFolder, segments }),
      {
        signal: task.signal,
        lane: 'task',
        memoryBytes: memoryForRows(engine.limits.memoryBytes),
      },
    );
    progress.state = 'COMPLETED';
    progress.segmentsPublished = staged.length;
    await segments.publish(staged, (tx, records) => task.succeed(tx, idsOf(records)), task.id);
    for (const { interval, version, numRows } of staged)
      task.log(
        `Published a segment of [${formatInterval(interval)}], version [${version}], with [${numRows}] rows`,
      );
  } catch (caught) {
    const error = withPlace(caught, 'staging');
    progress.errorMsg = error instanceof Error ? error.message : String(error);
    throw error;
  } finally {
    await segments.removeStagingFolder(task.id);
  }
}

/** Plan for writing rows as segments. */
export interface SegmentPlan {
  readonly chunks: TimeChunks;
  readonly partitionsSpec: PartitionsSpec;
  // For chunks that have rows
  readonly locked: (chunks: readonly Interval[]) => readonly LockSpec[];
  readonly appends: boolean; // beside the existing segments, not in place of them
  // Chunks whose existing rows are removed even when there are no new rows
  readonly emptied: readonly Interval[];
  readonly compactionState: Readonly<Record<string, unknown>> | undefined;
  readonly ingestion: SegmentIngestion;
}

/** Divides rows into segments and writes them. Takes locks, which are held from then on. */
export async function stageSegments(
  run: BatchRun,
  rows: RowTable,
  plan: SegmentPlan,
): Promise<StagedSegment[]> {
  const { session, task, progress, stagingFolder, segments } = run;
  const { chunks, partitionsSpec, appends, emptied, compactionState, ingestion } = plan;
  const { dataSource } = task;
  const division = await divisionOf(
    session,
    partitionsSpec,
    await chunkSql(session, chunks, rows.table),
    rows,
  );
  const { partitions, sortedRowsOf } = await sortRows(session, rows, division);
  const siblingsOf = groupByChunk(partitions);
  const chunkOf = chunkFinder(chunks);
  const written = [...siblingsOf.keys()].map(chunkOf);
  const locks = await session.aside(() =>
    task.lock(
      plan.locked(
        appends ? written.map((chunk) => joinChunk(segments, dataSource, chunk)) : written,
      ),
    ),
  );
  for (const lock of locks)
    task.log(`Holding a lock on [${formatInterval(lock.interval)}], version [${lock.version}]`);
  progress.state = 'BUILD_SEGMENTS';
  const staged = await writeSegments(partitions, {
    session,
    rows,
    sortedRowsOf,
    dataSource,
    folder: stagingFolder,
    placeOf(partition) {
      const chunk = chunkOf(partition.chunkStart);
      if (appends) return appendPlace(segments, dataSource, chunk, locks);
      const siblings = siblingsOf.get(partition.chunkStart) ?? [];
      return replacePlace(
        chunk,
        siblings,
        partition,
        shardSpecOf(partitionsSpec, partition, siblings),
        locks,
      );
    },
    onWritten: ({ numRows, sizeBytes, interval }) =>
      task.log(
        `Wrote a segment of [${formatInterval(interval)}]: [${numRows}] rows in [${sizeBytes}] bytes`,
      ),
    ingestion,
    ...(compactionState && { lastCompactionState: compactionState }),
  });
  return [...inOrderOfTime(staged), ...tombstones(segments, dataSource, emptied, staged, locks)];
}

/** Lock requests for intervals, as few as possible. */
export const locksOn = (intervals: readonly Interval[], type: TaskLockType): LockSpec[] =>
  condense(intervals).map((interval) => ({ interval, type }));
