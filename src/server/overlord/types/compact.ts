// Compaction: rewrites the visible rows of an interval as better segments (Druid:
// data-management/manual-compaction).

import {
  bucketOf,
  granularityJson,
  isBucket,
  parseGranularity,
} from '../../../model/granularity.ts';
import {
  contains,
  formatInterval,
  type Interval,
  intersection,
  overlaps,
} from '../../../model/interval.ts';
import type { VisibleSegment } from '../../../model/timeline.ts';
import { isObject, SpecFields, type SpecValues } from '../../checks/spec-fields.ts';
import { type CompactionSpec, parseCompactionSpec } from '../../ingestion/compaction-spec.ts';
import { reingestedAs } from '../../ingestion/ingested-as.ts';
import { overflowFor, sizesOfSegments } from '../../ingestion/overflow.ts';
import {
  type CompleteCompaction,
  completeCompaction,
  reloadRows,
} from '../../ingestion/stored-rows.ts';
import { chunksIn, type TimeChunks } from '../../ingestion/time-chunks.ts';
import { hashOf, inOrder } from '../../segments/hash-of-segments.ts';
import type { SegmentStore, StagedSegment } from '../../storage/segment-store.ts';
import type { SegmentRecord } from '../../storage/segments.ts';
import type { StoredPayload } from '../../storage/tasks.ts';
import { segmentsToUpgrade } from '../../storage/upgrade-segments.ts';
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

/** Type of compact tasks. */
export const compact = (parts: BatchParts): TaskType => ({
  priority: 25,
  slots: () => 1,
  prepare(given) {
    const fields = new SpecFields(given, '');
    checkLockType(given.context);
    const { dataSource, interval, segmentIds, dropExisting, allowNonAlignedInterval } =
      parseCompactionSpec(fields);
    const fault = faultInId('dataSource', dataSource);
    if (fault) fields.refuse(fault);
    const {
      type: _,
      id: __,
      groupId: ___,
      resource: ____,
      context: _____,
      interval: ______,
      segments: _______,
      ...rest
    } = given;
    const io = fields.optionalObject('ioConfig');
    const inputSpec = segmentIds
      ? { type: 'segments', segments: segmentIds }
      : { type: 'interval', ...io?.object('inputSpec').values, interval: formatInterval(interval) };
    return {
      dataSource,
      payload: {
        ...rest,
        dataSource,
        ioConfig: {
          type: 'compact',
          ...io?.values,
          allowNonAlignedInterval,
          dropExisting,
          inputSpec,
        },
      },
    };
  },
  locks: (payload) =>
    locksOn([spanOf(specOf(payload), parts.segments)], batchLockType(payload.context, false)),
  run: (task) => runBatch(task, parts, (run) => rewrite(run, parts)),
});

const specOf = (payload: StoredPayload): CompactionSpec =>
  parseCompactionSpec(new SpecFields(payload, ''));

async function rewrite(
  run: BatchRun,
  { engine, metadata, now }: BatchParts,
): Promise<StagedSegment[]> {
  const { session, task, progress, segments, stagingFolder } = run;
  const given = specOf(task.payload);
  const span = spanOf(given, segments);
  const later = new Set(segmentsToUpgrade(metadata, task.id).map(({ id }) => id));
  const found = segments.timeline(given.dataSource).visible([span]);
  const visible = inputOf(
    given,
    span,
    found.filter(({ segment }) => !later.has(segment.id)),
  );
  const spec = completeCompaction(
    given,
    visible.map(({ segment }) => segment),
  );
  task.log(`Compacting [${visible.length}] segments of [${formatInterval(spec.interval)}]`);
  progress.state = 'DETERMINE_PARTITIONS';
  const chunks = chunksOf(spec, visible);
  const sizes = sizesOfSegments(visible.map(({ segment }) => segment));
  const overflow = overflowFor(sizes, engine.limits.memoryBytes, stagingFolder);
  const rows = await reloadRows(
    { session, segments, visible, span, stats: progress.stats, now, overflow, chunks },
    spec,
  );
  progress.segmentsRead = visible.length;
  const fields = new SpecFields(task.payload, '');
  return stageSegments(run, rows, {
    chunks,
    partitionsSpec: spec.partitionsSpec,
    locked(written) {
      const outside = written.find((chunk) => !contains(span, chunk));
      if (outside) throw notAligned(spec, outside);
      return locksOn([span], batchLockType(task.payload.context, false));
    },
    appends: false,
    emptied: findEmptied(spec, chunks, span),
    ingestion: reingestedAs(spec, rows.aggregators),
    compactionState: completeState(
      compactionStateOf(task, fields, fields.optionalObject('tuningConfig')),
      spec,
      chunks.intervals,
    ),
  });
}

// Rows that are filtered out must not stay visible in chunks that end up empty.
function findEmptied(
  { filter, dropExisting }: CompactionSpec,
  { granularity, intervals }: TimeChunks,
  span: Interval,
): Interval[] {
  if (!filter && !dropExisting) return [];
  const inside = dropExisting
    ? [span]
    : intervals.flatMap((interval) => intersection(interval, span) ?? []);
  return chunksIn({ granularity, intervals: inside });
}

// The state includes defaults that the task omits: they, too, determined the segments.
function completeState(
  state: SpecValues | undefined,
  { queryGranularity, rollup }: CompleteCompaction,
  intervals: readonly Interval[],
) {
  const segmentGranularity = defaultGranularities.find((name) =>
    intervals.every((chunk) => isBucket(parseGranularity(name), chunk)),
  );
  return (
    state && {
      dimensionsSpec: { dimensions: [] },
      metricsSpec: [],
      transformSpec: null,
      ...state,
      granularitySpec: {
        type: 'uniform',
        ...(segmentGranularity !== undefined && { segmentGranularity }),
        queryGranularity: granularityJson(queryGranularity),
        rollup,
        ...(isObject(state.granularitySpec) && state.granularitySpec),
        intervals: intervals.map(formatInterval),
      },
    }
  );
}

const defaultGranularities = ['HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'];

// Whole time chunks, if the task may extend its interval to them.
function spanOf(
  {
    dataSource,
    interval,
    segmentGranularity: granularity,
    allowNonAlignedInterval,
  }: CompactionSpec,
  segments: SegmentStore,
): Interval {
  if (
    !granularity ||
    !allowNonAlignedInterval ||
    granularity.type === 'all' ||
    granularity.type === 'none'
  )
    return interval;
  const inside = segments.timeline(dataSource).visible([interval]);
  const starts = inside.map(({ segment }) => Math.max(segment.interval.start, interval.start));
  const ends = inside.map(({ segment }) => Math.min(segment.interval.end, interval.end));
  return {
    start: Math.min(interval.start, ...starts.map((start) => bucketOf(granularity, start).start)),
    end: Math.max(interval.end, ...ends.map((end) => bucketOf(granularity, end - 1).end)),
  };
}

// Without a new granularity, a segment is compacted completely or not at all. Throws for missing or
// unexpected segments.
function inputOf(
  { segmentGranularity, segmentIds, segmentIdsHash }: CompactionSpec,
  span: Interval,
  found: readonly VisibleSegment<SegmentRecord>[],
): readonly VisibleSegment<SegmentRecord>[] {
  if (found.length === 0)
    throw new Error(
      'No segments found for compaction. Please check that datasource name and interval are correct.',
    );
  const present = [...new Set(found.map(({ segment }) => segment))]
    .sort(inOrder)
    .map(({ id }) => id);
  const isExpected =
    (segmentIds === undefined || sameTexts(segmentIds, present)) &&
    (segmentIdsHash === undefined || segmentIdsHash === hashOf(present));
  if (!isExpected) {
    throw new Error(
      'Specified segments in the spec are different from the current used segments. Possibly new segments would have been added or some segments have been unpublished.',
    );
  }
  return segmentGranularity
    ? found
    : found.filter(({ segment }) => contains(span, segment.interval));
}

const sameTexts = (some: readonly string[], others: readonly string[]) => {
  const all = new Set(some);
  return all.size === others.length && others.every((text) => all.has(text));
};

// Without a granularity the time chunks stay the same, and overlapping ones become one.
function chunksOf(
  { segmentGranularity }: CompactionSpec,
  visible: readonly VisibleSegment<SegmentRecord>[],
): TimeChunks {
  const chunks: Interval[] = [];
  for (const { interval } of visible.map(({ segment }) => segment).sort(inOrder)) {
    const last = chunks.at(-1);
    if (last && overlaps(last, interval))
      chunks[chunks.length - 1] = { start: last.start, end: Math.max(last.end, interval.end) };
    else chunks.push(interval);
  }
  return { granularity: segmentGranularity, intervals: chunks };
}

const notAligned = ({ interval }: CompactionSpec, chunk: Interval) =>
  new Error(
    `Interval [${formatInterval(interval)}] to compact is not aligned with the segmentGranularity: it contains a part of [${formatInterval(chunk)}]. Set allowNonAlignedInterval to compact whole time chunks`,
  );
