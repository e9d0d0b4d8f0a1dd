// Segments: what a datasource's data is made of, one time chunk, version and partition each (Druid:
// design/segments).
import { formatInstant, InvalidTime, parseInstant } from './instant.ts';
import { formatInterval, type Interval } from './interval.ts';

export interface Segment {
  readonly dataSource: string;
  readonly interval: Interval;
  readonly version: string; // ISO time of the lock it was written under; compared as text
  readonly partitionNum: number;
}

/**
 * A column of a segment. `type` as the wire spells native types: STRING, LONG, FLOAT, DOUBLE,
 * ARRAY<STRING>, COMPLEX<json>.
 */
export interface SegmentColumn {
  readonly name: string;
  readonly type: string;
  readonly multiValue: boolean;
  // Of HLL, theta and quantiles sketches: files of older versions hold the list of their values
  // instead
  readonly isSerialized?: true;
}

/**
 * How the rows of a segment were ingested (Druid: org.apache.druid.segment.Metadata), as the API
 * writes it.
 */
export interface SegmentIngestion {
  readonly rollup: boolean;
  readonly queryGranularity: Readonly<Record<string, unknown>>;
  readonly aggregators: readonly SegmentAggregator[]; // what combines the stored metrics further
  readonly timestampSpec: Readonly<Record<string, unknown>>;
}

export interface SegmentAggregator {
  readonly type: string;
  readonly name: string;
  readonly fieldName: string;
}

/**
 * How a partition stands among the others of its chunk. `type` is `numbered`, `range`, `hashed`,
 * `single`, `tombstone`, ...
 */
export interface ShardSpec {
  readonly type: string;
  readonly partitionNum?: number;
  readonly partitions?: number;
  readonly numCorePartitions?: number;
  readonly [field: string]: unknown;
}

/** `<datasource>_<start>_<end>_<version>`, and `_<partition>` unless it is 0. */
export function segmentId({ dataSource, interval, version, partitionNum }: Segment): string {
  const suffix = partitionNum === 0 ? '' : `_${partitionNum}`;
  return `${dataSource}_${formatInstant(interval.start)}_${formatInstant(interval.end)}_${version}${suffix}`;
}

/**
 * Reads an id of a known datasource (a name may hold underscores, so the id alone is ambiguous);
 * undefined when it is not one of it.
 */
export function parseSegmentId(dataSource: string, id: string): Segment | undefined {
  if (!id.startsWith(`${dataSource}_`)) return undefined;
  const parts = id.slice(dataSource.length + 1).split('_');
  const [start, end, version, ...rest] = parts;
  if (start === undefined || end === undefined || !version || rest.length > 1) return undefined;
  const partition = rest[0] ?? '0';
  if (!/^\d+$/.test(partition)) return undefined;
  try {
    return {
      dataSource,
      interval: { start: parseInstant(start), end: parseInstant(end) },
      version,
      partitionNum: Number(partition),
    };
  } catch (error) {
    if (error instanceof InvalidTime) return undefined;
    throw error;
  }
}

/**
 * How many partitions a chunk must have before any of them counts; 0 when it grows partition by
 * partition.
 */
export const corePartitions = (shardSpec: ShardSpec): number =>
  shardSpec.type === 'tombstone' ? 1 : (shardSpec.numCorePartitions ?? shardSpec.partitions ?? 0);

/**
 * Whether it marks an interval as replaced by nothing: such a segment holds no rows and no file.
 */
export const isTombstone = (shardSpec: ShardSpec): boolean => shardSpec.type === 'tombstone';

/**
 * The key of the time chunk and version a segment belongs to: segments of one chunk replace others
 * together.
 */
export const chunkKey = ({ interval, version }: Pick<Segment, 'interval' | 'version'>): string =>
  `${formatInterval(interval)} ${version}`;
