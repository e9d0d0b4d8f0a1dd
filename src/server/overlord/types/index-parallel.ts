// Native batch ingestion (Druid: ingestion/native-batch): files in, segments out.
import type { Interval } from '../../../model/interval.ts';
import { SpecFields } from '../../checks/spec-fields.ts';
import { readableFiles } from '../../ingestion/avro-files.ts';
import { chunksOf } from '../../ingestion/data-schema.ts';
import { completeIndexSpec, type IndexSpec, parseIndexSpec } from '../../ingestion/index-spec.ts';
import { ingestedAs } from '../../ingestion/ingested-as.ts';
import {
  checkInputSource,
  checkStoredSource,
  checkUnchanged,
  openInput,
} from '../../ingestion/input-source.ts';
import { loadBins } from '../../ingestion/load-bins.ts';
import { type LoadedRows, loadRows } from '../../ingestion/load-rows.ts';
import type { Loading } from '../../ingestion/loading.ts';
import {
  overflowFor,
  type RowSizes,
  sizesOfFiles,
  sizesOfSegments,
} from '../../ingestion/overflow.ts';
import { stageRawRows } from '../../ingestion/stage-raw-rows.ts';
import { type StoredSource, stageStoredRows } from '../../ingestion/stored-source.ts';
import { chunksIn } from '../../ingestion/time-chunks.ts';
import type { StagedSegment } from '../../storage/segment-store.ts';
import type { StoredPayload } from '../../storage/tasks.ts';
import {
  type BatchParts,
  type BatchRun,
  locksOn,
  runBatch,
  stageSegments,
} from '../../tasks/batch-run.ts';
import { compactionStateOf } from '../../tasks/compaction-state.ts';
import { batchLockType, checkLockType } from '../../tasks/lock-types.ts';
import { faultInId } from '../../tasks/task-ids.ts';
import type { TaskType } from '../../tasks/task-type.ts';

/** Type of index and index_parallel tasks. */
export const indexParallel = (parts: BatchParts): TaskType => ({
  priority: 50,
  slots: () => 1,
  prepare(given) {
    const fields = new SpecFields(given, '');
    checkLockType(given.context);
    const spec = parseIndexSpec(fields.object('spec'));
    checkInputSource(spec.inputSource, parts.outside);
    checkStoredSource(spec.inputSource, parts.segments);
    const { dataSource } = spec.dataSchema;
    const fault = faultInId('dataSource', dataSource);
    if (fault) fields.refuse(fault);
    return {
      dataSource,
      payload: { dataSource, spec: completeIndexSpec(fields.object('spec'), spec) },
    };
  },
  locks(payload) {
    const spec = specOf(payload);
    return locksOn(chunksOfSpec(spec), batchLockType(payload.context, spec.appendToExisting));
  },
  run: (task) => runBatch(task, parts, (run) => ingest(run, parts)),
});

async function ingest(
  run: BatchRun,
  { engine, outside, now }: BatchParts,
): Promise<StagedSegment[]> {
  const { session, task, progress, segments, stagingFolder } = run;
  const spec = specOf(task.payload);
  const {
    dataSchema,
    partitionsSpec,
    maxParseExceptions,
    maxSavedParseExceptions,
    appendToExisting,
    dropExisting,
  } = spec;
  progress.state = 'DETERMINE_PARTITIONS';
  const { stats, events } = progress;
  const { inputSource } = spec;
  const input =
    inputSource.type === 'druid'
      ? storedInput(inputSource, run, now())
      : await inputFiles(spec, run, { engine, outside });
  const { sizes, ...source } = input;
  const letGo = segments.hold();
  const loaded = await loadRowsFrom(
    {
      session,
      ...source,
      schema: dataSchema,
      maxParseExceptions,
      maxSavedParseExceptions,
      now,
      stats,
      events,
      log: task.log,
    },
    (loading) => {
      const overflow = overflowFor(sizes, engine.limits.memoryBytes, stagingFolder);
      return overflow
        ? loadBins(loading, overflow, chunksOf(spec.dataSchema.granularitySpec))
        : loadRows(loading);
    },
  ).finally(letGo);
  const rows = storesEmptyColumns(task.payload.context)
    ? loaded
    : { ...loaded, omittable: loaded.dimensions };
  if (spec.logParseExceptions)
    for (const { details } of events)
      task.log(`Encountered parse exception: ${details[0]}`, 'WARN');
  const replaced = dataSchema.granularitySpec.intervals && chunksOfSpec(spec);
  const given = new SpecFields(task.payload, '').object('spec');
  const staged = await stageSegments(run, rows, {
    chunks: chunksOf(spec.dataSchema.granularitySpec),
    partitionsSpec,
    locked: (chunks) =>
      locksOn(replaced ?? chunks, batchLockType(task.payload.context, appendToExisting)),
    appends: appendToExisting,
    emptied: dropExisting ? (replaced ?? []) : [],
    compactionState: compactionStateOf(
      task,
      given.object('dataSchema'),
      given.optionalObject('tuningConfig'),
    ),
    ingestion: ingestedAs(dataSchema),
  });
  // Published segments are served at once
  progress.segmentAvailabilityConfirmed = spec.awaitSegmentAvailabilityTimeoutMillis > 0;
  return staged;
}

const storesEmptyColumns = (context: unknown): boolean =>
  !(
    typeof context === 'object' &&
    context !== null &&
    'storeEmptyColumns' in context &&
    context.storeEmptyColumns === false
  );

type LoadingInput = Pick<Loading, 'files' | 'stage'> & { readonly sizes: RowSizes };

async function inputFiles(
  { inputSource, inputFormat }: IndexSpec,
  { session, task, stagingFolder }: BatchRun,
  { engine, outside }: Pick<BatchParts, 'engine' | 'outside'>,
): Promise<LoadingInput> {
  if (!inputFormat) throw new Error('Files are read without a format');
  const place = { outside, stagingFolder, memory: engine.memory, signal: task.signal };
  const files = await session.aside(async () => {
    const opened = await openInput(inputSource, place);
    for (const { name, sizeBytes } of opened) task.log(`Reading [${name}] of [${sizeBytes}] bytes`);
    return readableFiles(opened, inputFormat, place);
  });
  return {
    files,
    sizes: await sizesOfFiles(files),
    stage: (wanted) => stageRawRows(session, 'raw_rows', files, inputFormat, wanted, stagingFolder),
  };
}

const storedInput = (
  source: StoredSource,
  { session, task, segments, progress }: BatchRun,
  nowMs: number,
): LoadingInput => ({
  files: [],
  sizes: sizesOfSegments(
    segments
      .timeline(source.dataSource)
      .visible([source.interval])
      .map(({ segment }) => segment),
  ),
  async stage(wanted) {
    const { raw, sizeBytes, segmentCount } = await stageStoredRows(source, 'raw_rows', wanted, {
      session,
      segments,
      nowMs,
    });
    task.log(`Read [${segmentCount}] segments of datasource [${source.dataSource}]`);
    progress.stats.processedBytes = sizeBytes;
    progress.segmentsRead = segmentCount;
    return raw;
  },
});

// A file that changes can cause any error in its reader: the change is the error to report.
async function loadRowsFrom(
  loading: Loading,
  load: (loading: Loading) => Promise<LoadedRows>,
): Promise<LoadedRows> {
  const { files } = loading;
  const rows = await load(loading).catch(async (error: unknown) => {
    await checkUnchanged(files);
    throw error;
  });
  await checkUnchanged(files);
  return rows;
}

const specOf = ({ spec }: StoredPayload): IndexSpec =>
  parseIndexSpec(new SpecFields({ spec }, '').object('spec'));

// The intervals of the specification as whole time chunks.
const chunksOfSpec = ({ dataSchema }: IndexSpec): Interval[] =>
  chunksIn(chunksOf(dataSchema.granularitySpec));
