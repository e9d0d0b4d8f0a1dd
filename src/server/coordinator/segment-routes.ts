// Marking segments used and unused (the specification, "Segment management").

import type { SegmentFilter, SegmentUpdate } from '../../contract/segments.ts';
import { contains, eternity, parseInterval } from '../../model/interval.ts';
import { parseSegmentId } from '../../model/segment.ts';
import type { Routes } from '../routes.ts';
import { listSegments, markSegments, type SegmentRecord } from '../storage/segments.ts';
import type { Storage } from '../storage/storage.ts';
import { segmentFilterInvalid, segmentIdNotParsed } from './refusals.ts';

export function segmentRoutes(storage: Storage, now: () => number): Partial<Routes<'segments'>> {
  const mark = (segments: readonly SegmentRecord[], used: boolean): SegmentUpdate & { segmentStateChanged: boolean } => {
    const ids = segments.map(({ id }) => id);
    const numChangedSegments = storage.metadata.transaction((tx) => markSegments(tx, ids, used, now()));
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
  return {
    markUsed: ({ params: { dataSource, segmentId } }) => one(dataSource, segmentId, true),
    markUnused: ({ params: { dataSource, segmentId } }) => one(dataSource, segmentId, false),
    markSomeUsed: ({ params: { dataSource }, body }) => mark(notReplaced(dataSource, chosen(storage, dataSource, body, false)), true),
    markSomeUnused: ({ params: { dataSource }, body }) => mark(chosen(storage, dataSource, body, true), false),
    markAllUsed: ({ params: { dataSource } }) =>
      mark(notReplaced(dataSource, listSegments(storage.metadata, { dataSource, used: false })), true),
    markAllUnused: ({ params: { dataSource } }) => mark(listSegments(storage.metadata, { dataSource, used: true }), false),
  };
}

function chosen({ metadata }: Storage, dataSource: string, { interval, segmentIds, versions }: SegmentFilter, used: boolean) {
  const ids = segmentIds ?? undefined;
  if ((interval ? 1 : 0) + (ids ? 1 : 0) !== 1 || ids?.length === 0 || (versions && !interval)) throw segmentFilterInvalid();
  if (ids) return listSegments(metadata, { dataSource, used, ids });
  const range = interval ? parseInterval(interval) : eternity;
  return listSegments(metadata, { dataSource, used, ...(versions && { versions }) }).filter((segment) => contains(range, segment.interval));
}
