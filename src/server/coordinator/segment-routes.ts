// Endpoints that mark segments used and unused (the specification, "Segment management").
import type { SegmentFilter } from '../../contract/segments.ts';
import type { Dialect } from '../../model/dialect.ts';
import { contains, eternity, formatInterval, parsePathInterval } from '../../model/interval.ts';
import { parseSegmentId } from '../../model/segment.ts';
import type { Routes } from '../handlers/routes.ts';
import type { Metadata } from '../storage/metadata.ts';
import { eachSegment, listSegments, type SegmentRecord } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import { faultInId, newTaskId } from '../tasks/task-ids.ts';
import type { TaskQueue } from '../tasks/task-queue.ts';
import { intervalInBody } from './given-interval.ts';
import {
  killNeedsInterval,
  segmentFilterInvalid,
  segmentIdNotParsed,
  segmentsNotMarked,
  wrongDataSource,
} from './refusals.ts';
import { type IntervalSelection, SegmentMarks } from './segment-marks.ts';

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
  const marks = new SegmentMarks(storage, now);
  const markOne = (dataSource: string, id: string, used: boolean) => {
    if (dialect.unparsableSegmentIds === 'invalidInput' && !parseSegmentId(dataSource, id))
      throw segmentIdNotParsed(id, dataSource);
    return marks.mark(listSegments(storage.metadata, { dataSource, ids: [id] }), used);
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
    markUsed: ({ params: { dataSource, segmentId } }) => markOne(dataSource, segmentId, true),
    markUnused: ({ params: { dataSource, segmentId } }) => markOne(dataSource, segmentId, false),
    markSomeUsed({ params: { dataSource }, body }) {
      const { ids, ...inside } = chooseSegments(body);
      if (!hasSegments(dataSource)) return undefined;
      if (!ids) return marks.markUsedInside(dataSource, inside);
      const segments = listSegments(storage.metadata, { dataSource, used: false, ids });
      if (dialect.unknownSegmentIds === 'runtimeFailure')
        checkKnown(storage.metadata, dataSource, ids);
      return marks.markNotReplaced(dataSource, segments);
    },
    markSomeUnused({ params: { dataSource }, body }) {
      const { ids, interval = eternity, versions } = chooseSegments(body);
      if (!hasSegments(dataSource)) return undefined;
      if (ids)
        return marks.mark(listSegments(storage.metadata, { dataSource, used: true, ids }), false);
      const isMeant = (segment: SegmentRecord) =>
        contains(interval, segment.interval) && (versions?.includes(segment.version) ?? true);
      return marks.mark(storage.segments.listUsed(dataSource).filter(isMeant), false, {
        interval,
        ...(versions && { versions }),
      });
    },
    markAllUsed: ({ params: { dataSource } }) => marks.markUsedInside(dataSource, {}),
    markAllUnused({ params: { dataSource }, query }) {
      if (!query.kill) return marks.mark(storage.segments.listUsed(dataSource), false, {});
      if (query.interval === undefined) throw killNeedsInterval();
      return kill(dataSource, query.interval);
    },
    kill: ({ params: { dataSource, interval } }) => kill(dataSource, interval),
  };
}

function checkKnown(metadata: Metadata, dataSource: string, ids: readonly string[]): void {
  const found = new Set(listSegments(metadata, { dataSource, ids }).map(({ id }) => id));
  const unknown = ids.filter((id) => !found.has(id));
  if (unknown.length > 0) throw segmentsNotMarked(unknown, dataSource);
}

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
  return { ...(interval && { interval: intervalInBody(interval) }), ...(versions && { versions }) };
}
