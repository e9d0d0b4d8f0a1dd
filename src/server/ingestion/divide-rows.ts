// How a partitionsSpec divides the rows of a time chunk, as expressions of the engine, and what the segments' shard specs then say.
import type { SegmentColumn, ShardSpec } from '../../model/segment.ts';
import type { PartitionsSpec } from './partitions-spec.ts';
import { columnSql, type Division, type Partition } from './write-segments.ts';

/** The division of rows with the given columns; sorted by time and dimensions within each partition. */
export function divisionOf(
  spec: PartitionsSpec,
  chunk: string,
  columns: readonly SegmentColumn[],
  dimensions: readonly string[],
): Division {
  const order = ['t', ...dimensions.flatMap((name) => columnSql(columns, name) ?? [])];
  const own = (names: readonly string[]) => names.flatMap((name) => columnSql(columns, name === '__time' ? '__time' : name) ?? []);
  switch (spec.type) {
    case 'dynamic':
      return { chunk, part: '0', order, boundaries: [], maxRows: spec.maxRowsPerSegment };
    case 'hashed': {
      const keys = own(spec.partitionDimensions.length > 0 ? spec.partitionDimensions : dimensions);
      const shards = spec.numShards ?? `greatest(1, ceil(count(*) OVER (PARTITION BY chunk) / ${spec.targetRowsPerSegment}.0))::BIGINT`;
      return {
        chunk,
        part: keys.length === 0 ? '0' : `(hash(${keys.join(', ')}) % ${shards})::BIGINT`,
        order,
        boundaries: [],
        maxRows: Number.POSITIVE_INFINITY,
      };
    }
    case 'range':
    case 'single_dim': {
      const keys = own(spec.partitionDimensions);
      // Rows with equal values stay together.
      const part =
        keys.length === 0 ? '0' : `(rank() OVER (PARTITION BY chunk ORDER BY ${keys.join(', ')}) - 1) // ${spec.targetRowsPerSegment}`;
      return { chunk, part, order, boundaries: keys.map((key) => `${key}::VARCHAR`), maxRows: Number.POSITIVE_INFINITY };
    }
  }
}

/** The shard spec of a partition among those of its chunk. */
export function shardSpecOf(spec: PartitionsSpec, partition: Partition, siblings: readonly Partition[]): ShardSpec {
  const partitionNum = siblings.indexOf(partition);
  const count = siblings.length;
  switch (spec.type) {
    case 'dynamic':
      return { type: 'numbered', partitionNum, partitions: count };
    case 'hashed': {
      const { partitionDimensions } = spec;
      return {
        type: 'hashed',
        partitionNum,
        partitions: count,
        bucketId: partitionNum,
        numBuckets: count,
        partitionDimensions,
        partitionFunction: 'murmur3_32_abs',
      };
    }
    case 'range':
    case 'single_dim': {
      const start = partitionNum === 0 ? null : partition.start;
      const end = siblings[partitionNum + 1]?.start ?? null;
      const rest = { partitionNum, numCorePartitions: count };
      return spec.type === 'range'
        ? { type: 'range', dimensions: spec.partitionDimensions, start, end, ...rest }
        : { type: 'single', dimension: spec.partitionDimensions[0], start: start?.[0] ?? null, end: end?.[0] ?? null, ...rest };
    }
  }
}
