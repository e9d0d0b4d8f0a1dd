// Division of a time chunk's rows by a partitionsSpec, as engine expressions, and the resulting
// shard specs.
import type { SegmentColumn, ShardSpec } from '../../model/segment.ts';
import type { Session } from '../engine/session.ts';
import { groupKeySql } from './hash-buckets.ts';
import type { PartitionsSpec } from './partitions-spec.ts';
import { rangeParts } from './range-parts.ts';
import { columnSql, textSql } from './stored-values.ts';
import type { Division, RowTable, SegmentPartition } from './write-segments.ts';

/**
 * The division of rows into partitions of their chunks (`chunk` is an expression for its start),
 * sorted by time and dimensions within each partition.
 */
export async function divisionOf(
  session: Session,
  spec: PartitionsSpec,
  chunk: string,
  rows: RowTable,
): Promise<Division> {
  const { columns, dimensions } = rows;
  const order = ['t', ...dimensions.flatMap((name) => columnSql(columns, name) ?? [])];
  const whole = { chunk, part: '0', order, boundaries: [], maxRows: Number.POSITIVE_INFINITY };
  switch (spec.type) {
    case 'dynamic':
      return { ...whole, maxRows: spec.maxRowsPerSegment };
    case 'hashed':
      return { ...whole, ...(await hashRows(session, spec, chunk, rows)) };
    case 'range':
    case 'single_dim': {
      const keys = spec.partitionDimensions.map((name) => rangeKey(columns, name));
      const ranges = { chunk, keys, targetRows: spec.targetRowsPerSegment };
      return { ...whole, ...(await rangeParts(session, ranges, rows)) };
    }
  }
}

// Without a number of shards, it is computed from the distinct keys of each chunk (Druid:
// ParallelIndexSupervisorTask, determineNumShardsFromCardinality).
async function hashRows(
  session: Session,
  { numShards, targetRowsPerSegment, partitionDimensions }: PartitionsSpec & { type: 'hashed' },
  chunk: string,
  { table, bins, columns, dimensions }: RowTable,
): Promise<Pick<Division, 'part' | 'numBuckets'>> {
  const key = groupKeySql(columns, partitionDimensions, dimensions);
  if (numShards !== undefined)
    return { part: `druid_hash_bucket(${key}, ${numShards}::BIGINT)`, numBuckets: () => numShards };
  await session.run('CREATE TEMP TABLE hash_buckets (chunk BIGINT, buckets BIGINT)');
  for (const rows of bins?.relations ?? [table])
    await session.run(
      `INSERT INTO hash_buckets SELECT chunk, ceil(count(DISTINCT key) / ${targetRowsPerSegment}.0)::BIGINT ` +
        `FROM (SELECT ${chunk} AS chunk, ${key} AS key FROM ${rows}) GROUP BY chunk`,
    );
  const found = new Map(
    (await session.rows('SELECT chunk, buckets FROM hash_buckets')).map(([start, count]) => [
      Number(start),
      Number(count),
    ]),
  );
  if ([...found.values()].every((count) => count === 1)) return { part: '0', numBuckets: () => 1 };
  const own = '(SELECT buckets FROM hash_buckets WHERE hash_buckets.chunk = divided.chunk)';
  return {
    part: `druid_hash_bucket(${key}, ${own})`,
    numBuckets: (start) => found.get(start) ?? 1,
  };
}

// Ranges compare texts, whatever the type of the column (Druid: StringTuple).
function rangeKey(columns: readonly SegmentColumn[], name: string): string {
  if (columns.find((column) => column.name === name)?.multiValue)
    throw new Error(
      `Cannot partition on multi-value dimension [${name}]: choose other partitionDimensions`,
    );
  return textSql(columns, name);
}

/** The shard spec of a partition among those of its chunk. */
export function shardSpecOf(
  spec: PartitionsSpec,
  partition: SegmentPartition,
  siblings: readonly SegmentPartition[],
): ShardSpec {
  const partitionNum = siblings.indexOf(partition);
  const count = siblings.length;
  switch (spec.type) {
    case 'dynamic':
      return { type: 'numbered', partitionNum, partitions: count };
    case 'hashed':
      // Buckets without rows have no segment, so bucket and partition numbers may differ.
      return {
        type: 'hashed',
        partitionNum,
        partitions: count,
        bucketId: partition.part,
        numBuckets: partition.numBuckets,
        partitionDimensions: spec.partitionDimensions,
        partitionFunction: 'murmur3_32_abs',
      };
    case 'range':
    case 'single_dim': {
      const start = partitionNum === 0 ? null : partition.start;
      const end = siblings[partitionNum + 1]?.start ?? null;
      const rest = { partitionNum, numCorePartitions: count };
      return spec.type === 'range'
        ? { type: 'range', dimensions: spec.partitionDimensions, start, end, ...rest }
        : {
            type: 'single',
            dimension: spec.partitionDimensions[0],
            start: start?.[0] ?? null,
            end: end?.[0] ?? null,
            ...rest,
          };
    }
  }
}
