// Intervals, versions and partition numbers of a task's new segments.
import {
  contains,
  formatInterval,
  type Interval,
  overlaps,
  sameInterval,
} from '../../model/interval.ts';
import { corePartitions, type ShardSpec } from '../../model/segment.ts';
import type { SegmentPartition, SegmentPlace } from '../ingestion/write-segments.ts';
import type { SegmentStore, StagedSegment } from '../storage/segment-store.ts';
import type { TaskLock } from '../storage/task-locks.ts';

/** The ids of segments in the form a task stores after publication. */
export const idsOf = (records: readonly { readonly id: string }[]): readonly string[] =>
  records.map(({ id }) => id);

/**
 * The version under which a task may write an interval: the version of its lock on the interval.
 */
function versionOf(locks: readonly TaskLock[], interval: Interval): string {
  const lock = locks.find((held) => contains(held.interval, interval));
  if (!lock) throw new Error(`The task has no lock on interval [${formatInterval(interval)}]`);
  return lock.version;
}

/**
 * The place of a partition that is appended: the visible version of its chunk and the next
 * partition number. Throws when the existing segments have other time chunks than the new one.
 */
export function appendPlace(
  segments: SegmentStore,
  dataSource: string,
  chunk: Interval,
  locks: readonly TaskLock[],
): SegmentPlace {
  const [visible, ...others] = segments
    .timeline(dataSource)
    .visible([chunk])
    .map(({ segment }) => segment);
  if (!visible)
    return {
      interval: chunk,
      version: versionOf(locks, chunk),
      partitionNum: undefined,
      shardSpec: { type: 'numbered', partitions: 0 },
    };
  const clash = [visible, ...others].find(({ interval }) => !contains(interval, chunk));
  if (clash) {
    throw new Error(
      `Could not allocate a segment for interval [${formatInterval(chunk)}]: datasource [${dataSource}] already has segments of interval [${formatInterval(clash.interval)}]. Append with their segmentGranularity`,
    );
  }
  return {
    interval: visible.interval,
    version: visible.version,
    partitionNum: undefined,
    shardSpec: { type: 'numbered', partitions: corePartitions(visible.shardSpec) },
  };
}

/** The time chunk that a partition of `chunk` joins: its own, or a longer existing one. */
export const joinChunk = (segments: SegmentStore, dataSource: string, chunk: Interval): Interval =>
  segments
    .timeline(dataSource)
    .visible([chunk])
    .find(({ segment }) => contains(segment.interval, chunk))?.segment.interval ?? chunk;

/** The place of a partition that replaces existing segments. */
export const replacePlace = (
  chunk: Interval,
  siblings: readonly SegmentPartition[],
  partition: SegmentPartition,
  shardSpec: ShardSpec,
  locks: readonly TaskLock[],
): SegmentPlace => ({
  interval: chunk,
  version: versionOf(locks, chunk),
  partitionNum: siblings.indexOf(partition),
  shardSpec,
});

/** Segments without rows that hide the visible segments of chunks without new rows. */
export function tombstones(
  segments: SegmentStore,
  dataSource: string,
  chunks: Iterable<Interval>,
  written: readonly StagedSegment[],
  locks: readonly TaskLock[],
): StagedSegment[] {
  const staged: StagedSegment[] = [];
  const timeline = segments.timeline(dataSource);
  for (const chunk of chunks) {
    if (written.some(({ interval }) => sameInterval(interval, chunk) || overlaps(interval, chunk)))
      continue;
    if (timeline.visible([chunk]).length === 0) continue;
    staged.push({
      dataSource,
      interval: chunk,
      version: versionOf(locks, chunk),
      partitionNum: 0,
      file: undefined,
      sizeBytes: 1,
      numRows: 0,
      columns: [],
      dimensions: [],
      metrics: [],
      shardSpec: { type: 'tombstone', partitions: 1 },
    });
  }
  return staged;
}
