// A segment as the interface shows it (Druid: DataSegment).
import type { DataSegment } from '../../contract/segments.ts';
import { formatInterval } from '../../model/interval.ts';
import type { SegmentRecord } from '../storage/segments.ts';

/** Dimensions and metrics are names with commas between them, not lists. */
export const segmentJson = (segment: SegmentRecord): DataSegment => ({
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
