// segmentMetadata (docs/querying/segmentmetadataquery.md): columns and sizes of segments, found by
// reading them.
import { lacksOf } from '../../model/engine-version.ts';
import type { Interval } from '../../model/interval.ts';
import { lambda } from '../expressions/bind-once.ts';
import { identifiersOf } from '../expressions/column-names.ts';
import { isNumeric, isText } from '../types.ts';
import { tableNames } from './data-source.ts';
import { asText, has, listIn, malformed, type Node, nodeOf, textIn, truthOr } from './members.ts';
import { type QueryParts, segmentsOf } from './query-parts.ts';
import type { NativeSource, SourceSegment } from './source.ts';
import type { AggregatorMerge, AnalyzedColumn, SegmentMetadataStatement } from './statement.ts';

/** Throws SqlError for an invalid query. */
export function segmentMetadata(parts: QueryParts): SegmentMetadataStatement {
  const { query, source } = parts;
  if (
    typeof query.dataSource !== 'string' &&
    !analyzedKinds.has(nodeOf(query.dataSource, 'dataSource').type)
  )
    throw malformed(
      'Invalid dataSource type of [segmentMetadata]: it must be a table or a union of tables',
    );
  const lacked = lacksOf(parts.environment.version).analysisTypes;
  const analysisTypes = has(query, 'analysisTypes')
    ? listIn(query, 'analysisTypes', (name) => name)
        .filter((name) => name !== null)
        .map((name) => knownType(name, lacked))
    : ['cardinality', 'interval', 'minmax'];
  const columns = source.columns
    .filter(includerOf(query))
    .map(({ name, type }): AnalyzedColumn => ({ name, type, isText: isText(type) }));
  return {
    kind: 'segmentMetadata',
    // A segment is analyzed once for each interval that it overlaps.
    segments: analyzedSegments(parts).flatMap(
      ({ id, interval, ingestion, source: own, stored }) => {
        // A segment of a union has only the columns of its own datasource.
        const known = new Set(stored.columns.map(({ name }) => name));
        const analyzed = columns.filter(({ name }) => known.has(name));
        const stores = source.columns.filter(({ name }) => known.has(name));
        const sql = analysis(own, analyzed, stores, analysisTypes);
        const segment = { id, interval, ingestion, columns: analyzed, sql };
        const times = Math.max(1, overlapping(parts.intervals, interval));
        return Array.from({ length: times }, () => segment);
      },
    ),
    analysisTypes,
    hasProjections: !lacked.has('projections'),
    merge: truthOr(query, 'merge', false),
    aggregatorMerge: aggregatorMergeOf(query),
    dataSources: tableNames(query.dataSource),
  };
}

const analyzedKinds: ReadonlySet<unknown> = new Set(['table', 'globalTable', 'union', 'restrict']);

function aggregatorMergeOf(query: Node): AggregatorMerge {
  const isLenient = truthOr(query, 'lenientAggregatorMerge', false);
  if (has(query, 'lenientAggregatorMerge') && has(query, 'aggregatorMergeStrategy'))
    throw malformed(
      'Both [lenientAggregatorMerge] and [aggregatorMergeStrategy] are set: use [aggregatorMergeStrategy] alone',
    );
  if (!has(query, 'aggregatorMergeStrategy')) return isLenient ? 'lenient' : 'strict';
  const given = textIn(query, 'aggregatorMergeStrategy');
  const known = aggregatorMerges.find((one) => one === given.toLowerCase());
  if (!known)
    throw malformed(
      `Unknown aggregatorMergeStrategy [${given}]; known are [${aggregatorMerges.join(', ')}]`,
    );
  return known;
}

const aggregatorMerges: readonly AggregatorMerge[] = ['strict', 'lenient', 'earliest', 'latest'];

const analysisNames = [
  'cardinality',
  'interval',
  'minmax',
  'size',
  'timestampSpec',
  'queryGranularity',
  'aggregators',
  'rollup',
  'projections',
];

function knownType(name: unknown, lacked: ReadonlySet<string>): string {
  const known = analysisNames.filter((one) => !lacked.has(one));
  if (typeof name !== 'string') throw malformed(`A text is expected, not [${String(name)}]`);
  const found = known.find((one) => one.toLowerCase() === name.toLowerCase());
  if (found === undefined)
    throw malformed(`Unknown analysis type [${name}]; known are [${known.join(', ')}]`);
  return found;
}

function includerOf(query: Node): (column: { readonly name: string }) => boolean {
  if (!has(query, 'toInclude')) return () => true;
  const include = nodeOf(query.toInclude, 'toInclude');
  if (include.type === 'all') return () => true;
  if (include.type === 'none') return () => false;
  if (include.type !== 'list')
    throw malformed(
      `Could not resolve type id '${String(include.type)}' as a subtype of [ColumnIncluderator]`,
      'typeId',
    );
  const names = listIn(include, 'columns', asText);
  return ({ name }) => names.includes(name);
}

// The default interval is the last week of each datasource (Druid:
// druid.query.segmentMetadata.defaultHistory). The segments of a union are in the order of ids.
function analyzedSegments(parts: QueryParts): readonly SourceSegment[] {
  const { query } = parts;
  const segments = segmentsOf(parts).toSorted(({ id: one }, { id: other }) =>
    one < other ? -1 : Number(one > other),
  );
  if (has(query, 'intervals') && !truthOr(query, 'usingDefaultInterval', false)) return segments;
  const ends = new Map<string, number>();
  for (const { dataSource, interval } of segments)
    ends.set(dataSource, Math.max(interval.end, ends.get(dataSource) ?? interval.end));
  return segments.filter(
    ({ dataSource, interval }) => interval.end > (ends.get(dataSource) ?? 0) - weekMs,
  );
}

const overlapping = (intervals: readonly Interval[], { start, end }: Interval): number =>
  intervals.filter((interval) => interval.start < end && start < interval.end).length;

const weekMs = 7 * 24 * 3_600_000;

function analysis(
  source: NativeSource,
  columns: readonly AnalyzedColumn[],
  stored: readonly SizedColumn[],
  analysisTypes: readonly string[],
): string {
  const analyzes = (type: string) => analysisTypes.includes(type);
  const sizeOf = (column: SizedColumn) =>
    bytesAsText(column, identifiersOf(source.columns)(column.name));
  // The size of a segment is that of all its columns, with one byte for each value's separator.
  const size = analyzes('size')
    ? [`count(*) * ${stored.length}`, ...stored.map(sizeOf)].join(' + ')
    : '0';
  const list = columns.flatMap(({ name, type, isText: isDimension }) => {
    const column = identifiersOf(source.columns)(name);
    const isMany = type.multiValue === true;
    const value = isMany ? `druid_values(${column})` : column;
    const values = isMany ? `flatten(list(${value}))` : undefined;
    const nulls = isMany
      ? `count(CASE WHEN druid_has_null(${value}) THEN 1 END)`
      : `count(*) - count(${column})`;
    const several = isMany ? `count(CASE WHEN len(${column}) > 1 THEN 1 END)` : '0';
    const different =
      values === undefined ? `count(DISTINCT ${column})` : `len(list_distinct(${values}))`;
    const extreme = (name: 'max' | 'min') =>
      values === undefined ? `${name}(${column})` : `list_${name}(${values})`;
    return [
      nulls,
      several,
      isDimension && analyzes('cardinality') ? different : 'NULL',
      isDimension && analyzes('minmax') ? extreme('min') : 'NULL',
      isDimension && analyzes('minmax') ? extreme('max') : 'NULL',
      analyzes('size') ? sizeOf({ name, type }) : '0',
    ];
  });
  const scan = source.scan(
    (analyzes('size') ? stored : columns).map(({ name }) => name),
    [],
  );
  return `SELECT ${['count(*)', size, ...list].join(', ')} FROM ${scan}`;
}

type SizedColumn = Pick<AnalyzedColumn, 'name' | 'type'>;

// The bytes of a column in a text file (Druid: SegmentAnalyzer). Equal values of one row count
// once.
function bytesAsText({ name, type }: SizedColumn, column: string): string {
  if (name === '__time') return 'count(*) * 10';
  if (isNumeric(type)) return 'count(*) * 8';
  if (!isText(type)) return '0';
  if (!type.multiValue) return `coalesce(sum(strlen(${column})), 0)::BIGINT`;
  const bytes = lambda((item) => `strlen(${item})`);
  return `coalesce(sum(list_sum(list_transform(list_distinct(${column}), ${bytes}))), 0)::BIGINT`;
}
