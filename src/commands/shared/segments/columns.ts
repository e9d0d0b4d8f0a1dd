import { columnsOf } from '../../../cli/lists/columns.ts';
import type { DataSegment } from '../../../contract/segments.ts';
import { formatIntervalCell } from '../datasources/shown-times.ts';

export const segmentColumns = columnsOf<DataSegment>({
  id: { value: (segment) => segment.identifier, wide: true },
  datasource: (segment) => segment.dataSource,
  interval: { value: (segment) => segment.interval, show: formatIntervalCell },
  version: { value: (segment) => segment.version, wide: true },
  partition: (segment) => partitionOf(segment),
  size: { value: (segment) => segment.size, kind: 'bytes' },
  rows: (segment) => segment.numRows ?? segment.totalRows,
  replicas: { value: (segment) => segment.replicationFactor, wide: true },
  overshadowed: { value: (segment) => segment.overshadowed, wide: true },
  realtime: { value: (segment) => segment.realtime, wide: true },
});

function partitionOf({ shardSpec }: DataSegment): number | undefined {
  const number = shardSpec?.partitionNum;
  return typeof number === 'number' ? number : undefined;
}
