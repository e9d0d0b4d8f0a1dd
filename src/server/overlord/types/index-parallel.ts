// Native batch ingestion (Druid: ingestion/native-batch): files in, segments out.
import { bucketOf, bucketsIn } from '../../../model/granularity.ts';
import { condensed, formatInterval, type Interval } from '../../../model/interval.ts';
import type { Engine } from '../../engine/engine.ts';
import type { Session } from '../../engine/session.ts';
import { divisionOf, shardSpecOf } from '../../ingestion/divide-rows.ts';
import { bucketStartSql } from '../../ingestion/granularities.ts';
import { completeIndexSpec, type IndexSpec, parseIndexSpec } from '../../ingestion/index-spec.ts';
import { openInput } from '../../ingestion/input-source.ts';
import { type LoadedRows, loadRows, timeRange } from '../../ingestion/load-rows.ts';
import { SpecFields } from '../../ingestion/spec-fields.ts';
import { groupedByChunk, sortRows, writeSegments } from '../../ingestion/write-segments.ts';
import type { SegmentStore, StagedSegment } from '../../storage/segment-store.ts';
import type { TaskPayload } from '../../storage/tasks.ts';
import { type IngestionProgress, ingestionReports, newProgress } from '../ingestion-report.ts';
import { appendPlace, idsOf, replacePlace, tombstones } from '../segment-places.ts';
import { faultInId } from '../task-ids.ts';
import type { LockWish, RunningTask, TaskType } from '../task-type.ts';

export interface BatchParts {
  readonly engine: Engine;
  readonly segments: SegmentStore;
  readonly allowedFolders: readonly string[]; // from where local files may be read
  readonly now: () => number;
}

/** The type of index and index_parallel tasks. */
export const indexParallel = (parts: BatchParts): TaskType => ({
  priority: 50,
  slots: () => 1,
  prepare(given) {
    const fields = new SpecFields(given, '');
    const spec = parseIndexSpec(fields.object('spec'));
    const { dataSource } = spec.dataSchema;
    const fault = faultInId('dataSource', dataSource);
    if (fault) fields.refuse(fault);
    return { dataSource, payload: { dataSource, spec: completeIndexSpec(fields.object('spec'), spec) } };
  },
  locks: (payload) => givenChunks(specOf(payload)),
  async run(task) {
    const progress = newProgress();
    task.reportWith(() => ingestionReports(task.id, progress, task.payload.context));
    const stagingFolder = await parts.segments.makeStagingFolder(task.id);
    try {
      const options = { signal: task.signal, lane: 'task' } as const;
      const staged = await parts.engine.session((session) => ingest(session, task, progress, stagingFolder, parts), options);
      progress.state = 'COMPLETED';
      progress.segmentAvailabilityConfirmed = specOf(task.payload).awaitSegmentAvailabilityTimeoutMillis > 0; // what is published is served at once
      progress.segmentsPublished = staged.length;
      await parts.segments.publish(staged, (tx, records) => task.succeed(tx, idsOf(records)));
      for (const { interval, version, numRows } of staged)
        task.log(`Published a segment of [${formatInterval(interval)}], version [${version}], with [${numRows}] rows`);
    } catch (error) {
      progress.errorMsg = error instanceof Error ? error.message : String(error);
      throw error;
    } finally {
      await parts.segments.removeStagingFolder(task.id);
    }
  },
});

async function ingest(
  session: Session,
  task: RunningTask,
  progress: IngestionProgress,
  stagingFolder: string,
  parts: BatchParts,
): Promise<StagedSegment[]> {
  const { segments, allowedFolders, now } = parts;
  const spec = specOf(task.payload);
  const { dataSchema, partitionsSpec, maxParseExceptions, maxSavedParseExceptions } = spec;
  progress.state = 'DETERMINE_PARTITIONS';
  const files = await openInput(spec.inputSource, { allowedFolders, stagingFolder, signal: task.signal });
  for (const { name, sizeBytes } of files) task.log(`Reading [${name}] of [${sizeBytes}] bytes`);
  const { stats, events } = progress;
  const limits = { maxParseExceptions, maxSavedParseExceptions };
  const rows = await loadRows({
    session,
    files,
    format: spec.inputFormat,
    schema: dataSchema,
    stagingFolder,
    ...limits,
    now,
    stats,
    events,
    log: task.log,
  });
  if (spec.logParseExceptions) for (const { details } of events) task.log(`Encountered parse exception: ${details[0]}`, 'WARN');
  const partitions = await sortRows(
    session,
    rows,
    divisionOf(partitionsSpec, await chunkSql(session, spec, rows), rows.columns, rows.dimensions),
  );
  const chunkOf = chunkFinder(spec);
  const locks = await task.lock(
    locksFor(
      spec,
      partitions.map(({ chunkStart }) => chunkOf(chunkStart)),
    ),
  );
  for (const lock of locks) task.log(`Holding a lock on [${formatInterval(lock.interval)}], version [${lock.version}]`);
  progress.state = 'BUILD_SEGMENTS';
  const siblingsOf = groupedByChunk(partitions);
  const staged = await writeSegments(partitions, {
    session,
    rows,
    dataSource: task.dataSource,
    folder: stagingFolder,
    placeOf(partition) {
      const chunk = chunkOf(partition.chunkStart);
      if (spec.appendToExisting) return appendPlace(segments, task.dataSource, chunk, locks);
      const siblings = siblingsOf.get(partition.chunkStart) ?? [];
      return replacePlace(chunk, siblings, partition, shardSpecOf(partitionsSpec, partition, siblings), locks);
    },
    onWritten: ({ numRows, sizeBytes, interval }) =>
      task.log(`Wrote a segment of [${formatInterval(interval)}]: [${numRows}] rows in [${sizeBytes}] bytes`),
  });
  const emptied = spec.dropExisting ? tombstones(segments, task.dataSource, chunksOf(spec), staged, locks) : [];
  return [...staged, ...emptied];
}

const specOf = ({ spec }: TaskPayload): IndexSpec => parseIndexSpec(new SpecFields({ spec }, '').object('spec'));

function givenChunks(spec: IndexSpec): LockWish[] {
  return condensed(chunksOf(spec)).map((interval) => ({ interval, type: 'EXCLUSIVE' as const }));
}

// The intervals of the specification as whole time chunks.
function chunksOf({ dataSchema: { granularitySpec } }: IndexSpec): Interval[] {
  const { intervals = [], segmentGranularity } = granularitySpec;
  if (!segmentGranularity || segmentGranularity.type === 'none' || segmentGranularity.type === 'all') return [...intervals];
  return intervals.flatMap((interval) => [...bucketsIn(segmentGranularity, interval)]);
}

const locksFor = (spec: IndexSpec, chunks: readonly Interval[]): LockWish[] =>
  spec.dataSchema.granularitySpec.intervals
    ? givenChunks(spec)
    : condensed(chunks).map((interval) => ({ interval, type: 'EXCLUSIVE' as const }));

async function chunkSql(session: Session, { dataSchema: { granularitySpec } }: IndexSpec, rows: LoadedRows): Promise<string> {
  const { segmentGranularity, intervals = [] } = granularitySpec;
  if (segmentGranularity) return bucketStartSql(session, segmentGranularity, 't', () => timeRange(session, rows.table), 'chunk_buckets');
  return `CASE ${intervals.map(({ start, end }) => `WHEN t >= ${start} AND t < ${end} THEN ${start}::BIGINT`).join(' ')} END`;
}

function chunkFinder({ dataSchema: { granularitySpec } }: IndexSpec): (start: number) => Interval {
  const { segmentGranularity, intervals = [] } = granularitySpec;
  const known = new Map<number, Interval>();
  const find = (start: number): Interval => (segmentGranularity ? bucketOf(segmentGranularity, start) : intervalFrom(intervals, start));
  return (start) => {
    const chunk = known.get(start) ?? find(start);
    known.set(start, chunk);
    return chunk;
  };
}

function intervalFrom(intervals: readonly Interval[], start: number): Interval {
  const found = intervals.find((interval) => interval.start === start);
  if (!found) throw new Error(`No interval of the granularitySpec starts at [${start}]`);
  return found;
}
