// Segments, the units of a datasource's data: each has a time chunk, a version and a partition
// (Druid: design/segments).
import { formatInstant, InvalidTime, parseInstant } from './instant.ts';
import { formatInterval, type Interval } from './interval.ts';

export interface Segment {
  readonly dataSource: string;
  readonly interval: Interval;
  readonly version: string; // ISO time of the lock that covered the write; compared as text
  readonly partitionNum: number;
}

/**
 * A column of a segment. `type` is a native type in the notation of the API: STRING, LONG, FLOAT,
 * DOUBLE, ARRAY<STRING>, COMPLEX<json>.
 */
export interface SegmentColumn {
  readonly name: string;
  readonly type: string;
  readonly multiValue: boolean;
  // Of HLL, theta and quantiles sketches: files of older versions store a list of values instead
  readonly isSerialized?: true;
}

/**
 * The ingestion settings of a segment's rows (Druid: org.apache.druid.segment.Metadata), in the
 * form of the API.
 */
export interface SegmentIngestion {
  readonly rollup: boolean;
  readonly queryGranularity: Readonly<Record<string, unknown>>;
  readonly aggregators: readonly SegmentAggregator[]; // they combine stored metrics further
  readonly timestampSpec: Readonly<Record<string, unknown>>;
}

export interface SegmentAggregator {
  readonly type: string;
  readonly name: string;
  readonly fieldName: string;
  readonly timeColumn?: string; // of first and last values
  readonly maxStringBytes?: number;
}

/**
 * The place of a partition in its chunk. `type` is `numbered`, `range`, `hashed`, `single`,
 * `tombstone`, ...
 */
export interface ShardSpec {
  readonly type: string;
  readonly partitionNum?: number;
  readonly partitions?: number;
  readonly numCorePartitions?: number;
  readonly [field: string]: unknown;
}

/** The id `<datasource>_<start>_<end>_<version>`, with `_<partition>` unless it is 0. */
export function segmentId({ dataSource, interval, version, partitionNum }: Segment): string {
  const suffix = partitionNum === 0 ? '' : `_${partitionNum}`;
  return `${dataSource}_${formatInstant(interval.start)}_${formatInstant(interval.end)}_${version}${suffix}`;
}

/**
 * Parses a segment id of a known datasource; undefined when it does not match. A name may hold
 * underscores, so the id alone is ambiguous.
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
 * The number of partitions that a chunk needs before any of them is visible; 0 when partitions
 * become visible one by one.
 */
export const corePartitions = (shardSpec: ShardSpec): number =>
  shardSpec.type === 'tombstone' ? 1 : (shardSpec.numCorePartitions ?? shardSpec.partitions ?? 0);

/** Whether the segment replaces an interval by nothing: it has neither rows nor a file. */
export const isTombstone = (shardSpec: ShardSpec): boolean => shardSpec.type === 'tombstone';

/** The key of a segment's time chunk and version: segments of one chunk replace others together. */
export const chunkKey = ({ interval, version }: Pick<Segment, 'interval' | 'version'>): string =>
  `${formatInterval(interval)} ${version}`;
