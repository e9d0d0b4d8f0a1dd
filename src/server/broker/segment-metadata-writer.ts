// The result of segmentMetadata: one analysis for each segment, or all of them merged.
import { shownGranularity } from '../../model/granularity.ts';
import { condensed, formatInterval, type Interval } from '../../model/interval.ts';
import { formatJson } from '../../model/json.ts';
import type {
  AnalyzedColumn,
  AnalyzedSegment,
  SegmentMetadataStatement,
} from '../../sql/native/statement.ts';
import { nativeTypeOf, type SqlType } from '../../sql/types.ts';
import { ingestionOf, type MergedIngestion, mergedIngestion } from './merged-ingestion.ts';
import type { Read } from './native-read.ts';

/** The items as JSON texts. */
export async function segmentMetadataItems(
  statement: SegmentMetadataStatement,
  read: Read,
): Promise<AsyncIterable<string>> {
  const { segments, merge } = statement;
  const analyses: Analysis[] = [];
  for (const segment of segments) analyses.push(await analysisOf(segment, statement, read));
  const [first, ...others] = analyses;
  const merged =
    first && merge
      ? [others.reduce((left, right) => mergedOf(left, right, statement), first)]
      : analyses;
  return (async function* () {
    for (const analysis of merged) yield formatJson(shown(analysis, statement));
  })();
}

interface ColumnAnalysis {
  readonly type: SqlType;
  readonly hasMultipleValues: boolean;
  readonly hasNulls: boolean;
  readonly cardinality: number | null;
  readonly minValue: string | null;
  readonly maxValue: string | null;
}

interface Analysis {
  readonly id: string;
  readonly interval: Interval; // of the latest segment, which names what is merged
  readonly intervals: readonly Interval[];
  readonly sizeBytes: number;
  readonly numRows: number;
  readonly ingestion: MergedIngestion;
  readonly columns: ReadonlyMap<string, ColumnAnalysis>;
}

async function analysisOf(
  segment: AnalyzedSegment,
  { columns, analysisTypes }: SegmentMetadataStatement,
  read: Read,
): Promise<Analysis> {
  const { id, interval, sizeBytes, ingestion, sql } = segment;
  const values: unknown[] = [];
  for await (const batch of await read(sql))
    values.push(...batch.columns.map((column) => column[0] ?? null));
  const [rows, ...rest] = values;
  const analyzed = columns.map((column, index): [string, ColumnAnalysis] => [
    column.name,
    columnOf(column, rest.slice(index * 5, index * 5 + 5), analysisTypes),
  ]);
  return {
    id,
    interval,
    intervals: [interval],
    sizeBytes,
    numRows: Number(rows),
    ingestion: ingestionOf(ingestion),
    columns: new Map(analyzed),
  };
}

function columnOf(
  { type, isText }: AnalyzedColumn,
  [nulls, several, different, least, greatest]: readonly unknown[],
  analysisTypes: readonly string[],
): ColumnAnalysis {
  const hasNulls = Number(nulls) > 0;
  // Null is a value of a text column like others, and the least of them.
  const cardinality = analysisTypes.includes('cardinality')
    ? Number(different) + (hasNulls ? 1 : 0)
    : 0;
  return {
    type,
    hasNulls,
    hasMultipleValues: Number(several) > 0,
    cardinality: isText ? cardinality : null,
    minValue: hasNulls || least === null ? null : String(least),
    maxValue: greatest === null ? null : String(greatest),
  };
}

function mergedOf(
  left: Analysis,
  right: Analysis,
  { dataSource, aggregatorMerge }: SegmentMetadataStatement,
): Analysis {
  const columns = new Map(left.columns);
  for (const [name, column] of right.columns) {
    const known = columns.get(name);
    columns.set(name, known ? mergedColumn(known, column) : column);
  }
  const interval = right.interval.end > left.interval.end ? right.interval : left.interval;
  return {
    id:
      left.id === right.id
        ? left.id
        : `${dataSource}_${formatInterval(interval).replace('/', '_')}_merged`,
    interval,
    intervals: condensed([...left.intervals, ...right.intervals]),
    sizeBytes: left.sizeBytes + right.sizeBytes,
    numRows: left.numRows + right.numRows,
    ingestion: mergedIngestion(left.ingestion, right.ingestion, aggregatorMerge),
    columns,
  };
}

function mergedColumn(left: ColumnAnalysis, right: ColumnAnalysis): ColumnAnalysis {
  const both = <Value>(
    one: Value | null,
    other: Value | null,
    pick: (one: Value, other: Value) => Value | null,
  ) => (one === null || other === null ? null : pick(one, other));
  return {
    type: left.type,
    hasNulls: left.hasNulls || right.hasNulls,
    hasMultipleValues: left.hasMultipleValues || right.hasMultipleValues,
    // How many values both have in common is not known: at least as many as either has.
    cardinality: both(left.cardinality, right.cardinality, Math.max),
    minValue: both(left.minValue, right.minValue, (one, other) => [one, other].sort()[0] ?? null),
    maxValue:
      [left.maxValue, right.maxValue]
        .filter((value) => value !== null)
        .sort()
        .at(-1) ?? null,
  };
}

function shown(
  { id, intervals, sizeBytes, numRows, ingestion, columns }: Analysis,
  { analysisTypes, hasProjections }: SegmentMetadataStatement,
) {
  const looks = (type: string) => analysisTypes.includes(type);
  return {
    id,
    intervals: looks('interval') ? intervals.map(formatInterval) : null,
    columns: Object.fromEntries([...columns].map(([name, column]) => [name, columnJson(column)])),
    size: looks('size') ? sizeBytes : 0,
    numRows,
    aggregators: looks('aggregators') ? ingestion.aggregators : null,
    ...(hasProjections && { projections: null }),
    timestampSpec: looks('timestampSpec') ? ingestion.timestampSpec : null,
    queryGranularity:
      looks('queryGranularity') && ingestion.queryGranularity
        ? shownGranularity(ingestion.queryGranularity)
        : null,
    rollup: looks('rollup') ? ingestion.rollup : null,
  };
}

function columnJson({ type, ...column }: ColumnAnalysis) {
  const typeSignature = nativeTypeOf({ ...type, multiValue: false });
  const name = type.name === 'ARRAY' ? 'ARRAY' : (type.complex ?? typeSignature);
  return { typeSignature, type: name, size: 0, errorMessage: null, ...column };
}
