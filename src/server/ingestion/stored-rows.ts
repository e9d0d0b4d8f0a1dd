// Rows of segments, read again under another specification: other dimensions, types, metrics or
// granularity (Druid: compaction's data schema).
import { itemType, unifiedColumns } from '../../model/column-types.ts';
import { bucketOf, type Granularity, parseGranularity } from '../../model/granularity.ts';
import type { Interval } from '../../model/interval.ts';
import type { SegmentColumn } from '../../model/segment.ts';
import type { VisibleSegment } from '../../model/timeline.ts';
import { identifiersOf } from '../../sql/expressions/column-names.ts';
import { resolveFilter } from '../../sql/native/filter.ts';
import { sqlTypeOfNative } from '../../sql/types.ts';
import { duckdbTypeOf } from '../engine/native-types.ts';
import { segmentScan } from '../engine/segment-scan.ts';
import type { Session } from '../engine/session.ts';
import type { SegmentStore } from '../storage/segment-store.ts';
import type { SegmentRecord } from '../storage/segments.ts';
import { spatialValue, valueSql } from './column-values.ts';
import type { CompactionSpec } from './compaction-spec.ts';
import type { IngestedDimension } from './dimensions.ts';
import type { NamedAggregator } from './ingested-as.ts';
import type { RowStats } from './loading.ts';
import {
  aggregatorsNamed,
  type Metric,
  type MetricAggregator,
  metricOf,
  type StoredAggregator,
} from './metrics.ts';
import { binOf, distribute, limitThreads, type Overflow } from './overflow.ts';
import { rollUp } from './roll-up.ts';
import { binKey, rollUpBins } from './roll-up-bins.ts';
import { fieldScope } from './row-scope.ts';
import type { TimeChunks } from './time-chunks.ts';
import type { RowTable } from './write-segments.ts';

export interface StoredRows {
  readonly session: Session;
  readonly segments: SegmentStore;
  readonly visible: readonly VisibleSegment<SegmentRecord>[];
  readonly span: Interval; // rows outside are left out
  readonly stats: RowStats; // incremented
  readonly now: () => number;
  readonly chunks: TimeChunks; // into which the rows will be divided
  readonly overflow: Overflow | undefined; // room for rows that are too many for memory
}

/**
 * A complete specification: missing parts are taken from the segments (Druid:
 * ExistingSegmentAnalyzer).
 */
export type CompleteCompaction = CompactionSpec & {
  readonly queryGranularity: Granularity;
  readonly rollup: boolean;
};

/**
 * Completes a specification for its segments: with rollup if all of them have it, and with the
 * finest of their granularities.
 */
export function completeCompaction(
  spec: CompactionSpec,
  records: readonly SegmentRecord[],
): CompleteCompaction {
  const known = records.filter(({ numRows }) => numRows > 0).map(({ ingestion }) => ingestion);
  const granularities = known.map((ingestion) =>
    parseGranularity(ingestion?.queryGranularity ?? 'NONE'),
  );
  const finest = granularities.reduce<Granularity>(
    (a, b) => (lengthOf(b) < lengthOf(a) ? b : a),
    granularities[0] ?? { type: 'none' },
  );
  return {
    ...spec,
    queryGranularity: spec.queryGranularity ?? finest,
    rollup: spec.rollup ?? (known.length > 0 && known.every((ingestion) => ingestion?.rollup)),
  };
}

const lengthOf = (granularity: Granularity): number => {
  if (granularity.type === 'none') return 0;
  const { start, end } = bucketOf(granularity, 0);
  return end - start;
};

export interface ReloadedRows extends RowTable {
  readonly aggregators: readonly NamedAggregator[]; // of its metrics, if known
}

/**
 * Reads the rows of segments by a specification. Throws for an invalid filter, and for metrics
 * without a known combination.
 */
export async function reloadRows(
  { session, segments, visible, span, stats, now, overflow, chunks }: StoredRows,
  spec: CompleteCompaction,
): Promise<ReloadedRows> {
  const records = visible.map(({ segment }) => segment);
  const stored = unifiedColumns(newestFirst(records).map(({ columns }) => columns));
  const storedMetrics = [...new Set(records.flatMap(({ metrics }) => metrics))];
  const dimensions = dimensionsOf(spec, stored, storedMetrics);
  const known = storedAggregators(records);
  const metrics = spec.metrics
    ? spec.metrics.map((aggregator) => combining(aggregator, stored, storedMetrics))
    : findKeptMetrics(spec, stored, storedMetrics, known);
  const values = [
    '"__time" AS t',
    ...dimensions.map(({ sql }, index) => `${sql} AS c${index}`),
    ...metrics.map(({ input }, index) => `${input} AS m${index}`),
  ];
  const scan = segmentScan(visible, stored, segments);
  const inside = `"__time" >= ${span.start} AND "__time" < ${span.end}`;
  const [[total] = []] = await session.rows(`SELECT count(*) FROM ${scan} WHERE ${inside}`);
  const query = `SELECT ${values.join(', ')} FROM ${scan} WHERE ${inside} AND ${storedCondition(spec.filter, stored, now())}`;
  const columns: SegmentColumn[] = [
    { name: '__time', type: 'LONG', multiValue: false },
    ...dimensions.map(({ column }) => column),
    ...metrics.map(({ name, type }) => ({ name, type, multiValue: false })),
  ];
  if (overflow) await limitThreads(session, overflow);
  const { kept, ...rows } = overflow
    ? await storeInBins(session, query, { columns, metrics }, { ...overflow, chunks }, spec)
    : await storeInTable(session, query, { columns, metrics }, spec, chunks);
  stats.processed = kept;
  stats.thrownAway = Number(total) - kept;
  stats.processedBytes = records.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  return {
    ...rows,
    columns,
    dimensions: dimensions.map(({ column }) => column.name),
    metrics: metrics.map(({ name }) => name),
    discovered: [],
    omittable: [],
    aggregators: spec.metrics ?? storedMetrics.flatMap((name) => known.get(name) ?? []),
  };
}

interface ReadColumns {
  readonly columns: readonly SegmentColumn[];
  readonly metrics: readonly Metric[];
}

type StoredTable = Pick<RowTable, 'table' | 'bins'> & { readonly kept: number }; // rows before rollup

async function storeInTable(
  session: Session,
  query: string,
  { columns, metrics }: ReadColumns,
  spec: CompleteCompaction,
  chunks: TimeChunks,
): Promise<StoredTable> {
  await session.run(`CREATE TEMP TABLE converted_rows AS ${query}`);
  const [[kept] = []] = await session.rows('SELECT count(*) FROM converted_rows');
  await rollUp(session, columns.length - 1 - metrics.length, metrics, spec, chunks);
  return { table: 'loaded_rows', kept: Number(kept) };
}

async function storeInBins(
  session: Session,
  query: string,
  { columns, metrics }: ReadColumns,
  overflow: Overflow & { readonly chunks: TimeChunks },
  spec: CompleteCompaction,
): Promise<StoredTable> {
  const key = binKey(overflow.chunks);
  const wanted = { name: 'rows', query, ...binOf(key, overflow, columns.length) };
  const bins = await distribute(session, overflow, wanted, columns.length);
  const [[kept] = [0]] =
    bins.length === 0
      ? []
      : await session.rows(
          `SELECT sum(n)::BIGINT FROM (${bins.map((bin) => `SELECT count(*) AS n FROM ${bin}`).join(' UNION ALL ')})`,
        );
  const numDimensions = columns.length - 1 - metrics.length;
  const rows = await rollUpBins(session, bins, { columns, numDimensions, metrics }, overflow, spec);
  return { ...rows, kept: Number(kept) };
}

const newestFirst = (records: readonly SegmentRecord[]) =>
  [...records].sort((a, b) =>
    a.version < b.version ? 1 : a.version > b.version ? -1 : b.interval.start - a.interval.start,
  );

interface StoredDimension {
  readonly column: SegmentColumn;
  readonly sql: string;
}

// Named dimensions as specified; all existing ones if none are named, or if the specification
// requests the others, too.
function dimensionsOf(
  { dimensionsSpec, metrics }: CompactionSpec,
  stored: readonly SegmentColumn[],
  storedMetrics: readonly string[],
): StoredDimension[] {
  const own = identifiersOf(stored);
  const named = (dimensionsSpec?.dimensions ?? []).filter(({ name }) => name !== '__time');
  const taken = new Set([
    '__time',
    ...named.flatMap(({ name, dims = [] }) => [name, ...dims]),
    ...(dimensionsSpec?.exclusions ?? []),
    ...storedMetrics,
    ...(metrics ?? []).flatMap(({ name, fieldName }) => [name, fieldName ?? name]),
  ]);
  const others =
    named.length === 0 || dimensionsSpec?.includeAllDimensions
      ? stored.filter(({ name }) => !taken.has(name))
      : [];
  const coordinates = new Set(named.flatMap(({ dims = [] }) => dims));
  const findColumn = (wanted: string) =>
    coordinates.has(wanted) ? undefined : stored.find(({ name }) => name === wanted);
  return [
    ...named.map((dimension) =>
      dimension.type === 'spatial'
        ? spatial(dimension, stored, own)
        : convert(dimension, findColumn(dimension.name), own),
    ),
    ...others.map((column) => ({ column, sql: own(column.name) })),
  ];
}

function spatial(
  dimension: IngestedDimension,
  stored: readonly SegmentColumn[],
  own: (name: string) => string,
): StoredDimension {
  const fields = new Map(
    stored.map((column) => [column.name, storedField(column, own(column.name))]),
  );
  const { type, multiValue, sql } = spatialValue(dimension, { listDelimiter: undefined }, fields);
  return { column: { name: dimension.name, type, multiValue }, sql };
}

function convert(
  { name, type, castToType }: IngestedDimension,
  from: SegmentColumn | undefined,
  own: (name: string) => string,
): StoredDimension {
  const to = typeOf(type, castToType, from);
  const multiValue = to === 'STRING' && (from?.multiValue ?? false);
  const column = { name, type: to, multiValue };
  if (!from) return { column, sql: `NULL::${duckdbTypeOf(column)}` };
  const sql = own(name);
  if (from.type === to) return { column, sql };
  const raw = { listDelimiter: undefined, parseNumbers: false };
  return { column, sql: `(${valueSql(to, raw, storedField(from, sql))})::${duckdbTypeOf(column)}` };
}

function typeOf(
  type: IngestedDimension['type'],
  castToType: string | undefined,
  from: SegmentColumn | undefined,
): string {
  if (type === 'auto') return castToType ?? from?.type ?? 'STRING';
  return type === 'json' ? 'COMPLEX<json>' : type.toUpperCase();
}

// Aggregated rows have the metric, but no longer its input: it is combined further. Counts then
// become sums.
function combining(
  aggregator: MetricAggregator,
  stored: readonly SegmentColumn[],
  storedMetrics: readonly string[],
): Metric {
  const own = identifiersOf(stored);
  const find = (name: string | undefined) => stored.find((column) => column.name === name);
  const made = storedMetrics.includes(aggregator.name) ? find(aggregator.name) : undefined;
  const input = aggregator.type === 'count' ? made : (find(aggregator.fieldName) ?? made);
  if (aggregator.type === 'count' && !made) return metricOf(aggregator, undefined);
  const metric = metricOf(
    aggregator.type === 'count' ? { ...aggregator, type: 'longSum' } : aggregator,
    input && storedField(input, own(input.name)),
  );
  if (input && /^COMPLEX/.test(metric.type) && input.type === metric.type)
    return { ...metric, input: own(input.name), toStored: undefined };
  if (aggregator.pair) return metric;
  const native = { LONG: 'BIGINT', DOUBLE: 'DOUBLE', FLOAT: 'FLOAT' }[input?.type ?? ''];
  return native
    ? { ...metric, input: numeric(own(input?.name ?? ''), input?.type ?? '', metric.type) }
    : metric;
}

/** A stored column as a field of raw rows. */
export const storedField = ({ name, type, multiValue }: SegmentColumn, sql: string) =>
  type === 'STRING' && !multiValue
    ? { name, sql, kind: 'text' as const }
    : { name, sql: `to_json(${sql})`, kind: 'json' as const };

const numeric = (sql: string, from: string, to: string) =>
  to === 'LONG' && from !== 'LONG'
    ? `TRY_CAST(trunc(${sql}) AS BIGINT)`
    : `${sql}::${to === 'LONG' ? 'BIGINT' : to}`;

// Aggregators that combine the metrics of segments further, if all segments with a metric agree on
// it.
function storedAggregators(
  records: readonly SegmentRecord[],
): ReadonlyMap<string, StoredAggregator> {
  const found = new Map<string, StoredAggregator | undefined>();
  for (const { metrics, ingestion } of records) {
    for (const name of metrics) {
      const [aggregator] = aggregatorsNamed(ingestion?.aggregators ?? [], name);
      const other = found.get(name);
      found.set(
        name,
        !found.has(name) || other?.type === aggregator?.type ? aggregator : undefined,
      );
    }
  }
  return new Map(
    [...found].flatMap(([name, aggregator]) => (aggregator ? [[name, aggregator]] : [])),
  );
}

function findKeptMetrics(
  { rollup }: CompleteCompaction,
  stored: readonly SegmentColumn[],
  storedMetrics: readonly string[],
  known: ReadonlyMap<string, StoredAggregator>,
): Metric[] {
  const columns = stored.filter(({ name }) => storedMetrics.includes(name));
  const unknown = columns.filter(({ name }) => !known.has(name));
  if (rollup && unknown.length > 0) {
    throw new Error(
      `Failed to merge existing aggregators when generating metricsSpec: the merge of [${unknown.map(({ name }) => name).join(', ')}] is not supported; try providing explicit metricsSpec`,
    );
  }
  return columns.map(({ name, type }) => {
    const aggregator = rollup ? known.get(name) : undefined;
    if (aggregator && !('combined' in aggregator))
      return combining(aggregator, stored, storedMetrics);
    return {
      name,
      type,
      input: identifiersOf(stored)(name),
      combined: aggregator?.combined ?? ((input) => input),
    };
  });
}

/**
 * A filter of rows as a condition on stored columns; true without a filter. Throws SqlError for a
 * filter that cannot be evaluated.
 */
export function storedCondition(
  filter: CompactionSpec['filter'],
  stored: readonly SegmentColumn[],
  nowMs: number,
): string {
  if (!filter) return 'true';
  const scope = fieldScope(nowMs, (name, at) => {
    const column = stored.find((known) => known.name === name);
    if (!column) return { type: { name: 'VARCHAR' }, sql: 'NULL::VARCHAR', at, nullable: true };
    const multiValue = column.multiValue || itemType(column.type) === 'STRING';
    const type = multiValue
      ? { name: 'VARCHAR' as const, multiValue }
      : (sqlTypeOfNative(column.type) ?? { name: 'VARCHAR' as const });
    return { type, sql: identifiersOf(stored)(name), at, nullable: true };
  });
  return `coalesce(${resolveFilter(filter, scope).sql}, false)`;
}
