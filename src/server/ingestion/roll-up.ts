// Final step of every ingestion: truncates times to the queryGranularity, and merges equal rows if
// rollup is enabled.
import type { Granularity } from '../../model/granularity.ts';
import type { Session } from '../engine/session.ts';
import { bucketStartSql, timeRange } from './granularities.ts';
import type { Metric } from './metrics.ts';
import { chunkSql, type TimeChunks } from './time-chunks.ts';

/**
 * Creates the table `loaded_rows` (`t`, `c0`, `c1`, ...: dimensions, then metrics) from the table
 * `converted_rows` (`t`, dimensions `c0`, ..., inputs of metrics `m0`, ...), and drops the latter.
 */
export async function rollUp(
  session: Session,
  numDimensions: number,
  metrics: readonly RolledMetric[],
  { queryGranularity, rollup }: RollUp,
  chunks: TimeChunks,
): Promise<void> {
  if (!rollup && queryGranularity.type === 'none' && !metrics.some(({ toStored }) => toStored))
    return rename(session, numDimensions, metrics.length);
  const bucket = await storedTimeSql(session, queryGranularity, chunks, 'converted_rows');
  const rolled = rolledSql('converted_rows', bucket, { numDimensions, metrics, rollup });
  await session.run(`CREATE TEMP TABLE loaded_rows AS ${rolled}; DROP TABLE converted_rows`);
}

export interface RollUp {
  readonly queryGranularity: Granularity;
  readonly rollup: boolean;
}

/**
 * The stored time of the rows of a relation: the start of the queryGranularity's bucket, but not
 * before the row's time chunk (Druid: IncrementalIndexSchema.minTimestamp).
 */
export async function storedTimeSql(
  session: Session,
  queryGranularity: Granularity,
  chunks: TimeChunks,
  table: string,
): Promise<string> {
  const range = () => timeRange(session, table);
  const bucket = await bucketStartSql(session, queryGranularity, 't', range, 'query_buckets');
  if (queryGranularity.type === 'none') return bucket;
  return `greatest(${bucket}, ${await chunkSql(session, chunks, table, 'row_chunks')})`;
}

/** The start of the queryGranularity's bucket for the times of `converted_rows`, as DuckDB text. */
export const queryBucketSql = (
  session: Session,
  queryGranularity: Granularity,
): ReturnType<typeof bucketStartSql> =>
  bucketStartSql(
    session,
    queryGranularity,
    't',
    () => timeRange(session, 'converted_rows'),
    'query_buckets',
  );

// Unchanged rows need no copy.
async function rename(session: Session, numDimensions: number, numMetrics: number): Promise<void> {
  const renamed = Array.from(
    { length: numMetrics },
    (_, index) => `ALTER TABLE converted_rows RENAME m${index} TO c${numDimensions + index};`,
  );
  await session.run([...renamed, 'ALTER TABLE converted_rows RENAME TO loaded_rows'].join(' '));
}

/**
 * The query that truncates the times of a relation to a bucket, and merges equal rows for rollup.
 * The relation has `t`, dimensions `c0`, ..., and inputs of metrics `m0`, ...; the query has `t`,
 * `c0`, `c1`, ...: dimensions, then metrics.
 */
export function rolledSql(
  relation: string,
  bucket: string,
  {
    numDimensions,
    metrics,
    rollup,
  }: {
    readonly numDimensions: number;
    readonly metrics: readonly RolledMetric[];
    readonly rollup: boolean;
  },
): string {
  const names = Array.from({ length: numDimensions }, (_, index) => `c${index}`);
  const inputs = metrics.map(
    ({ toStored }, index) => `${toStored?.(`m${index}`, 't') ?? `m${index}`} AS m${index}`,
  );
  const stored = metrics.map(
    ({ combined }, index) =>
      `${rollup ? combined(`m${index}`, 'row') : `m${index}`} AS c${numDimensions + index}`,
  );
  const order = rollup && metrics.some(({ none }) => none) ? ['row_number() OVER () AS row'] : [];
  const rows = `(SELECT ${[`${bucket} AS t`, ...order, ...names, ...inputs].join(', ')} FROM ${relation})`;
  const grouping = rollup ? ` GROUP BY ${['t', ...names].join(', ')}` : '';
  return `SELECT ${['t', ...names, ...stored].join(', ')} FROM ${rows}${grouping}`;
}

/** How the values of a metric are stored and merged. */
export type RolledMetric = Pick<Metric, 'combined' | 'none' | 'toStored'>;
