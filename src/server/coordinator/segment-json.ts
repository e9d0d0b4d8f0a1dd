// A segment as the interface shows it (Druid: DataSegment).
import type { DataSegment } from '../../contract/segments.ts';
import { formatInterval } from '../../model/interval.ts';
import type { SegmentRecord } from '../storage/segments.ts';

/** Dimensions and metrics are names with commas between them, not lists. */
export function segmentJson(segment: SegmentRecord): DataSegment {
  const known = written.get(segment);
  if (known) return known;
  const json = jsonOf(segment);
  written.set(segment, json);
  return json;
}

// A record never changes and is the same one until its datasource does: large lists are asked for again and again.
const written = new WeakMap<SegmentRecord, DataSegment>();

const jsonOf = (segment: SegmentRecord): DataSegment => ({
  dataSource: segment.dataSource,
  interval: formatInterval(segment.interval),
  version: segment.version,
  loadSpec: segment.path === undefined ? { type: 'tombstone', path: null } : { type: 'local', path: segment.path },
  dimensions: segment.dimensions.join(','),
  metrics: segment.metrics.join(','),
  shardSpec: segment.shardSpec,
  ...(segment.lastCompactionState && { lastCompactionState: segment.lastCompactionState }),
  binaryVersion: 9,
  size: segment.sizeBytes,
  ...(segment.path === undefined ? {} : { totalRows: segment.numRows }),
  identifier: segment.id,
});
