// Marking segments used and unused (the specification, "Segment management").
import type { SegmentFilter, SegmentUpdate } from '../../contract/segments.ts';
import type { Dialect } from '../../model/dialect.ts';
import { contains, eternity, formatInterval, parseInterval, parsePathInterval } from '../../model/interval.ts';
import { parseSegmentId } from '../../model/segment.ts';
import { newTaskId } from '../overlord/task-ids.ts';
import type { TaskQueue } from '../overlord/task-queue.ts';
import type { Routes } from '../routes.ts';
import { listSegments, type SegmentRecord } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import { killNeedsInterval, segmentFilterInvalid, segmentIdNotParsed, segmentsNotMarked } from './refusals.ts';

export interface SegmentMarking {
  readonly storage: Storage;
  readonly queue: TaskQueue;
  readonly dialect: Dialect;
  readonly now: () => number;
}

export function segmentRoutes({ storage, queue, dialect, now }: SegmentMarking): Routes<'segments'> {
  const mark = (segments: readonly SegmentRecord[], used: boolean): SegmentUpdate & { segmentStateChanged: boolean } => {
    const numChangedSegments = storage.segments.mark(segments, used, now());
    return { numChangedSegments, segmentStateChanged: numChangedSegments > 0 };
  };
  const one = (dataSource: string, id: string, used: boolean) => {
    if (!parseSegmentId(dataSource, id)) throw segmentIdNotParsed(id, dataSource);
    return mark(listSegments(storage.metadata, { dataSource, ids: [id] }), used);
  };
  // What newer segments replace stays unused: marking it used would change nothing that anybody sees.
  const notReplaced = (dataSource: string, unused: readonly SegmentRecord[]) => {
    const newest = storage.segments.timeline(dataSource);
    return unused.filter((segment) => !newest.isOvershadowed(segment));
  };
  const known = (dataSource: string, ids: readonly string[]) => {
    const found = new Set(listSegments(storage.metadata, { dataSource, ids }).map(({ id }) => id));
    const unknown = ids.filter((id) => !found.has(id));
    if (unknown.length > 0) throw segmentsNotMarked(unknown, dataSource);
  };
  const kill = (dataSource: string, interval: string): undefined => {
    const text = formatInterval(parsePathInterval(interval));
    queue.submit({ type: 'kill', id: newTaskId('api-issued_kill', dataSource, now()), dataSource, interval: text });
  };
  return {
    markUsed: ({ params: { dataSource, segmentId } }) => one(dataSource, segmentId, true),
    markUnused: ({ params: { dataSource, segmentId } }) => one(dataSource, segmentId, false),
    markSomeUsed({ params: { dataSource }, body }) {
      const segments = chosen(storage, dataSource, body, false);
      if (dialect.unknownSegmentIds === 'runtimeFailure') known(dataSource, body.segmentIds ?? []);
      return mark(notReplaced(dataSource, segments), true);
    },
    markSomeUnused: ({ params: { dataSource }, body }) => mark(chosen(storage, dataSource, body, true), false),
    markAllUsed: ({ params: { dataSource } }) =>
      mark(notReplaced(dataSource, listSegments(storage.metadata, { dataSource, used: false })), true),
    markAllUnused({ params: { dataSource }, query }) {
      if (!query.kill) return mark(storage.segments.used(dataSource), false);
      if (query.interval === undefined) throw killNeedsInterval();
      return kill(dataSource, query.interval);
    },
    kill: ({ params: { dataSource, interval } }) => kill(dataSource, interval),
  };
}

function chosen({ metadata, segments }: Storage, dataSource: string, filter: SegmentFilter, used: boolean): readonly SegmentRecord[] {
  const { interval, segmentIds, versions } = filter;
  const ids = segmentIds ?? undefined;
  if ((interval ? 1 : 0) + (ids ? 1 : 0) !== 1 || ids?.length === 0 || (versions && !interval)) throw segmentFilterInvalid();
  if (ids) return listSegments(metadata, { dataSource, used, ids });
  const range = interval ? parseInterval(interval) : eternity;
  if (!used) return listSegments(metadata, { dataSource, used, interval: range, ...(versions && { versions }) });
  return segments.used(dataSource).filter((segment) => contains(range, segment.interval) && (versions?.includes(segment.version) ?? true));
}
