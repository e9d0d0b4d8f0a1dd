// The result of segmentMetadata: one analysis for each segment, or all of them merged.
import { shownGranularity } from '../../model/granularity.ts';
import { condense, formatInterval, type Interval } from '../../model/interval.ts';
import { formatJson } from '../../model/json.ts';
import type {
  AnalyzedColumn,
  AnalyzedSegment,
  SegmentMetadataStatement,
} from '../../sql/native/statement.ts';
import { isJson, nativeTypeOf, type SqlType, varchar } from '../../sql/types.ts';
import { ingestedAs, type MergedIngestion, mergeIngestion } from './merged-ingestion.ts';
import type { Read } from './native-read.ts';

/** The items as JSON texts. */
export async function segmentMetadataItems(
  statement: SegmentMetadataStatement,
  read: Read,
): Promise<AsyncIterable<string>> {
  const { segments, merge } = statement;
  const analyses: Analysis[] = [];
  for (const segment of segments) analyses.push(await analysisOf(segment, statement, read));
  // A segment that is analyzed several times is one result.
  const groups = new Map<string, Analysis>();
  for (const analysis of analyses) {
    const key = merge ? '' : analysis.id;
    const known = groups.get(key);
    groups.set(key, known ? mergeAnalyses(known, analysis, statement) : analysis);
  }
  return (async function* () {
    for (const analysis of groups.values()) yield formatJson(formatAnalysis(analysis, statement));
  })();
}

interface ColumnAnalysis {
  readonly type: SqlType;
  readonly hasMultipleValues: boolean;
  readonly hasNulls: boolean;
  readonly cardinality: number | null;
  readonly minValue: string | null;
  readonly maxValue: string | null;
  readonly size: number; // of the values as text
  readonly error?: string; // in place of all other fields
}

interface Analysis {
  readonly id: string;
  readonly interval: Interval; // of the latest segment, which names the merged result
  readonly intervals: readonly Interval[];
  readonly size: number; // of the values as text
  readonly numRows: number;
  readonly ingestion: MergedIngestion;
  readonly columns: ReadonlyMap<string, ColumnAnalysis>;
}

async function analysisOf(
  segment: AnalyzedSegment,
  { analysisTypes }: SegmentMetadataStatement,
  read: Read,
): Promise<Analysis> {
  const { id, interval, ingestion, columns, sql } = segment;
  const values: unknown[] = [];
  for await (const batch of await read(sql))
    values.push(...batch.columns.map((column) => column[0] ?? null));
  const [rows, size, ...rest] = values;
  const analyzed = columns.map((column, index): [string, ColumnAnalysis] => [
    column.name,
    columnOf(column, rest.slice(index * 6, index * 6 + 6), analysisTypes, Number(rows)),
  ]);
  return {
    id,
    interval,
    intervals: [interval],
    size: Number(size),
    numRows: Number(rows),
    ingestion: ingestedAs(ingestion),
    columns: new Map(analyzed),
  };
}

function columnOf(
  { type, isText }: AnalyzedColumn,
  [nulls, several, different, least, greatest, size]: readonly unknown[],
  analysisTypes: readonly string[],
  rows: number,
): ColumnAnalysis {
  const hasNulls = Number(nulls) > 0 || (type.name === 'OTHER' && !isJson(type));
  // JSON that contains only null is stored as a text column without values.
  if (type.name === 'OTHER' && rows > 0 && Number(nulls) === rows)
    return {
      ...nothing,
      type: varchar,
      hasNulls,
      cardinality: analysisTypes.includes('cardinality') ? 1 : 0,
    };
  // In a text column, null is a value like others, and the smallest.
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
    size: Number(size),
  };
}

const nothing = {
  hasMultipleValues: false,
  cardinality: null,
  minValue: null,
  maxValue: null,
  size: 0,
};

// Several datasources have no common name.
const mergedId = ([dataSource, another]: readonly string[], interval: Interval): string =>
  another === undefined
    ? `${dataSource}_${formatInterval(interval).replace('/', '_')}_merged`
    : 'merged';

function mergeAnalyses(
  left: Analysis,
  right: Analysis,
  { dataSources, aggregatorMerge }: SegmentMetadataStatement,
): Analysis {
  const columns = new Map(left.columns);
  const isLater = right.interval.end > left.interval.end;
  for (const [name, column] of right.columns) {
    const known = columns.get(name);
    const [later, earlier] = isLater ? [column, known] : [known, column];
    columns.set(name, later && earlier ? mergeColumns(later, earlier) : column);
  }
  const { interval } = isLater ? right : left;
  return {
    id: left.id === right.id ? left.id : mergedId(dataSources, interval),
    interval,
    intervals: condense([...left.intervals, ...right.intervals]),
    size: left.size + right.size,
    numRows: left.numRows + right.numRows,
    ingestion: mergeIngestion(left.ingestion, right.ingestion, aggregatorMerge),
    columns,
  };
}

function mergeColumns(left: ColumnAnalysis, right: ColumnAnalysis): ColumnAnalysis {
  if (left.error !== undefined) return left;
  if (right.error !== undefined) return right;
  const [one, other] = [left, right].map(({ type }) => typeNameOf(type));
  if (one !== other)
    return {
      ...nothing,
      type: varchar,
      hasNulls: false,
      error: `error:cannot_merge_diff_types: [${one}] and [${other}]`,
    };
  const both = <Value>(
    one: Value | null,
    other: Value | null,
    pick: (one: Value, other: Value) => Value | null,
  ) => (one === null || other === null ? null : pick(one, other));
  return {
    type: left.type,
    hasNulls: left.hasNulls || right.hasNulls,
    hasMultipleValues: left.hasMultipleValues || right.hasMultipleValues,
    // The number of common values is unknown: the result is at least the larger cardinality.
    cardinality: both(left.cardinality, right.cardinality, Math.max),
    minValue: both(left.minValue, right.minValue, (one, other) => [one, other].sort()[0] ?? null),
    maxValue:
      [left.maxValue, right.maxValue]
        .filter((value) => value !== null)
        .sort()
        .at(-1) ?? null,
    size: left.size + right.size,
  };
}

function formatAnalysis(
  { id, intervals, size, numRows, ingestion, columns }: Analysis,
  { analysisTypes, hasProjections }: SegmentMetadataStatement,
) {
  const analyzes = (type: string) => analysisTypes.includes(type);
  return {
    id,
    intervals: analyzes('interval') ? intervals.map(formatInterval) : null,
    columns: Object.fromEntries([...columns].map(([name, column]) => [name, columnJson(column)])),
    size,
    numRows,
    aggregators: analyzes('aggregators') ? ingestion.aggregators : null,
    ...(hasProjections && { projections: null }),
    timestampSpec: analyzes('timestampSpec') ? ingestion.timestampSpec : null,
    queryGranularity:
      analyzes('queryGranularity') && ingestion.queryGranularity
        ? shownGranularity(ingestion.queryGranularity)
        : null,
    rollup: analyzes('rollup') ? ingestion.rollup : null,
  };
}

function columnJson({ type, error, size, ...column }: ColumnAnalysis) {
  return {
    typeSignature: signatureOf(type),
    type: typeNameOf(type),
    size: error === undefined ? size : -1,
    errorMessage: error ?? null,
    ...column,
  };
}

const signatureOf = (type: SqlType) => nativeTypeOf({ ...type, multiValue: false });

const typeNameOf = (type: SqlType) =>
  type.name === 'ARRAY' ? 'ARRAY' : (type.complex ?? signatureOf(type));
