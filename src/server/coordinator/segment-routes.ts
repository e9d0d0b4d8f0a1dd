// Endpoints that mark segments used and unused (the specification, "Segment management").
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SegmentFilter, SegmentUpdate } from '../../contract/segments.ts';
import type { Dialect } from '../../model/dialect.ts';
import {
  contains,
  eternity,
  formatInterval,
  type Interval,
  overlaps,
  parseInterval,
  parsePathInterval,
} from '../../model/interval.ts';
import { parseSegmentId } from '../../model/segment.ts';
import { Timeline } from '../../model/timeline.ts';
import type { Routes } from '../handlers/routes.ts';
import {
  eachSegment,
  listSegments,
  revisionOf,
  type SegmentRecord,
  type SegmentFilter as StoredFilter,
} from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import { faultInId, newTaskId } from '../tasks/task-ids.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import {
  killNeedsInterval,
  segmentFilterInvalid,
  segmentIdNotParsed,
  segmentsNotMarked,
  wrongDataSource,
} from './refusals.ts';

export interface SegmentMarking {
  readonly storage: Storage;
  readonly queue: TaskQueue;
  readonly dialect: Dialect;
  readonly now: () => number;
}

export function segmentRoutes({
  storage,
  queue,
  dialect,
  now,
}: SegmentMarking): Routes<'segments'> {
  const mark = (
    segments: readonly SegmentRecord[],
    used: boolean,
    inside?: IntervalSelection,
  ): SegmentUpdate & { segmentStateChanged: boolean } => {
    const numChangedSegments = storage.segments.mark(segments, used, now(), inside);
    return { numChangedSegments, segmentStateChanged: numChangedSegments > 0 };
  };
  const one = (dataSource: string, id: string, used: boolean) => {
    if (dialect.unparsableSegmentIds === 'invalidInput' && !parseSegmentId(dataSource, id))
      throw segmentIdNotParsed(id, dataSource);
    return mark(listSegments(storage.metadata, { dataSource, ids: [id] }), used);
  };
  // Overshadowed segments stay unused, whether the newer segments are used already or become used
  // by the same request (Druid: SqlSegmentsMetadataManager.markAsUsedNonOvershadowedSegments).
  const markNotReplaced = (
    dataSource: string,
    unused: readonly SegmentRecord[],
    inside?: IntervalSelection,
  ) => {
    const span = spanOf(unused);
    const beside = span
      ? storage.segments.used(dataSource).filter(({ interval }) => overlaps(interval, span))
      : [];
    const newest = new Timeline([...beside, ...unused]);
    const wanted = unused.filter((segment) => !newest.isOvershadowed(segment));
    return mark(wanted, true, wanted.length === unused.length ? inside : undefined);
  };
  // Other work gets turns while many segments are read. Its changes are read again at the end, in
  // the same turn as the marks.
  const markUsedInside = async (dataSource: string, inside: IntervalSelection) => {
    const which = { dataSource, used: false, ...inside };
    const before = revisionOf(storage.metadata, dataSource);
    const found: SegmentRecord[] = [];
    for (const segment of eachSegment(storage.metadata, which))
      if (found.push(segment) % 5000 === 0) await nextTurn();
    const isCurrent = revisionOf(storage.metadata, dataSource) === before;
    return markNotReplaced(
      dataSource,
      isCurrent ? found : listSegments(storage.metadata, which),
      inside,
    );
  };
  const known = (dataSource: string, ids: readonly string[]) => {
    const found = new Set(listSegments(storage.metadata, { dataSource, ids }).map(({ id }) => id));
    const unknown = ids.filter((id) => !found.has(id));
    if (unknown.length > 0) throw segmentsNotMarked(unknown, dataSource);
  };
  // Refuses an invalid datasource name.
  const hasSegments = (dataSource: string): boolean => {
    if (dialect.markedDataSource === 'any') return true;
    const fault = faultInId('dataSource', dataSource);
    if (fault !== undefined) throw wrongDataSource(fault);
    return !eachSegment(storage.metadata, { dataSource, max: 1 }).next().done;
  };
  const kill = (dataSource: string, interval: string): undefined => {
    const text = formatInterval(parsePathInterval(interval));
    queue.submit({
      type: 'kill',
      id: newTaskId('api-issued_kill', dataSource, now()),
      dataSource,
      interval: text,
    });
  };
  return {
    markUsed: ({ params: { dataSource, segmentId } }) => one(dataSource, segmentId, true),
    markUnused: ({ params: { dataSource, segmentId } }) => one(dataSource, segmentId, false),
    markSomeUsed({ params: { dataSource }, body }) {
      const { ids, ...inside } = chooseSegments(body);
      if (!hasSegments(dataSource)) return undefined;
      if (!ids) return markUsedInside(dataSource, inside);
      const segments = listSegments(storage.metadata, { dataSource, used: false, ids });
      if (dialect.unknownSegmentIds === 'runtimeFailure') known(dataSource, ids);
      return markNotReplaced(dataSource, segments);
    },
    markSomeUnused({ params: { dataSource }, body }) {
      const { ids, interval = eternity, versions } = chooseSegments(body);
      if (!hasSegments(dataSource)) return undefined;
      if (ids) return mark(listSegments(storage.metadata, { dataSource, used: true, ids }), false);
      const isMeant = (segment: SegmentRecord) =>
        contains(interval, segment.interval) && (versions?.includes(segment.version) ?? true);
      return mark(storage.segments.used(dataSource).filter(isMeant), false, {
        interval,
        ...(versions && { versions }),
      });
    },
    markAllUsed: ({ params: { dataSource } }) => markUsedInside(dataSource, {}),
    markAllUnused({ params: { dataSource }, query }) {
      if (!query.kill) return mark(storage.segments.used(dataSource), false, {});
      if (query.interval === undefined) throw killNeedsInterval();
      return kill(dataSource, query.interval);
    },
    kill: ({ params: { dataSource, interval } }) => kill(dataSource, interval),
  };
}

function spanOf(segments: readonly SegmentRecord[]): Interval | undefined {
  if (segments.length === 0) return undefined;
  let [start, end] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { interval } of segments) {
    start = Math.min(start, interval.start);
    end = Math.max(end, interval.end);
  }
  return { start, end };
}

type IntervalSelection = Pick<StoredFilter, 'interval' | 'versions'>;

// Selected by ids, or by an interval and versions.
function chooseSegments({
  interval,
  segmentIds,
  versions,
}: SegmentFilter): IntervalSelection & { readonly ids?: readonly string[] } {
  const ids = segmentIds ?? undefined;
  if ((interval ? 1 : 0) + (ids ? 1 : 0) !== 1 || ids?.length === 0 || (versions && !interval))
    throw segmentFilterInvalid();
  if (ids) return { ids };
  return { ...(interval && { interval: parseInterval(interval) }), ...(versions && { versions }) };
}
