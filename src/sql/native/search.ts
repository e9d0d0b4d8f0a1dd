// search (docs/querying/searchquery.md): values of dimensions that match a pattern, with their
// numbers of rows.
import { bucketStart } from '../../model/granularity.ts';
import { eternity } from '../../model/interval.ts';
import { isList } from '../expressions/multi-value.ts';
import { type Scope, type Typed, withText } from '../expressions/typed.ts';
import { checkLimit } from '../limits.ts';
import { resolveCondition, resolveExpression } from '../resolution/resolve-expression.ts';
import { quote } from '../runtime/quoted.ts';
import { varchar } from '../types.ts';
import {
  cannotGroup,
  type Dimension,
  dimensionOf,
  dimensionValue,
  withoutFilter,
} from './dimensions.ts';
import { columnNamed } from './expressions.ts';
import {
  cannotRun,
  has,
  listIn,
  malformed,
  NOWHERE,
  type Node,
  nodeOf,
  textIn,
  wholeOr,
} from './members.ts';
import { columnsOf } from './native-expression.ts';
import { orderingNamed, orderText } from './ordering.ts';
import { parseNativeExpression } from './parse-expression.ts';
import { type QueryParts, scopeOf, whereOf } from './query-parts.ts';
import type { RowScope } from './row-scope.ts';
import { searchCondition } from './search-query.ts';
import type { NativeSource, SourceSegment } from './source.ts';
import type { SearchStatement } from './statement.ts';

/** Throws SqlError for an invalid query. */
export function search(parts: QueryParts): SearchStatement {
  const { query, source } = parts;
  const wanted = has(query, 'query') ? nodeOf(query.query, 'query') : { type: 'all' };
  const given = has(query, 'searchDimensions')
    ? listIn(query, 'searchDimensions', (each) => each)
    : [];
  const dimensions = given.length > 0 ? given : searchedColumns(source, parts);
  return {
    kind: 'search',
    results: bucketsOf(parts).map(({ time, from }) => ({
      time,
      sql: hitsOf({ ...parts, source: from }, dimensions, wanted),
    })),
  };
}

// All columns but time and metrics.
function searchedColumns(
  { columns, segments }: NativeSource,
  { intervals }: QueryParts,
): readonly string[] {
  const metrics = new Set(
    segments?.(intervals).flatMap(
      ({ ingestion }) => ingestion?.aggregators.map(({ name }) => name) ?? [],
    ),
  );
  return columns.map(({ name }) => name).filter((name) => name !== '__time' && !metrics.has(name));
}

// Whole segments are searched, each in the bucket of its start (Druid: SearchQueryQueryToolChest).
// A single segment in a single interval keeps its own start.
function bucketsOf({
  source,
  intervals,
  granularity,
}: QueryParts): { readonly time: number; readonly from: NativeSource }[] {
  if (!source.segments) return [{ time: eternity.start, from: source }];
  const buckets = new Map<number, SourceSegment[]>();
  const divided = new Set<SourceSegment>();
  for (const segment of source.segments(intervals)) {
    const start =
      granularity.type === 'all'
        ? eternity.start
        : bucketStart(granularity, segment.interval.start);
    const pieces = intervals.filter(
      (interval) => interval.start < segment.interval.end && segment.interval.start < interval.end,
    ).length;
    if (pieces > 1) divided.add(segment);
    buckets.set(start, [...(buckets.get(start) ?? []), segment]);
    checkLimit('emptyBuckets', buckets.size);
  }
  if (granularity.type === 'all')
    return [...buckets.values()].map(([first]) => ({
      time: Math.max(first?.interval.start ?? eternity.start, eternity.start),
      from: source,
    }));
  return [...buckets].map(([start, segments]) => ({
    time:
      segments.length === 1 && !segments.some((segment) => divided.has(segment))
        ? (segments[0]?.interval.start ?? start)
        : start,
    from: together(source, segments),
  }));
}

function together(
  { columns, hasIndexes, indexed }: NativeSource,
  segments: readonly SourceSegment[],
): NativeSource {
  const rowsOf =
    (sources: readonly NativeSource[]): NativeSource['scan'] =>
    (wanted, intervals) =>
      `(${sources.map((source) => `SELECT * FROM ${source.scan(wanted, intervals)}`).join(' UNION ALL ')})`;
  const below = segments.flatMap(({ source }) => source.indexed ?? []);
  return {
    columns,
    ...(hasIndexes && { hasIndexes }),
    ...(indexed && { indexed: { ...indexed, scan: rowsOf(below) } }),
    scan: rowsOf(segments.map(({ source }) => source)),
  };
}

// With too many hits, the first ones are kept in the order in which the engine finds them: value by
// value in the dictionaries of indexed columns, then row by row (Druid: UseIndexesStrategy).
function hitsOf(parts: QueryParts, dimensions: readonly unknown[], wanted: Node): string {
  const { query } = parts;
  const indexed = parts.source.hasIndexes ? parts.source : parts.source.indexed;
  const ofIndexes = indexed && { ...parts, source: indexed };
  const known = dimensions
    .filter((dimension) => isKnown(dimension, ofIndexes ?? parts))
    .map((given, at) => ({ given, at }));
  const byValue = ofIndexes ? indexedColumns(known, ofIndexes) : [];
  const byRow = known.filter((dimension) => !byValue.includes(dimension));
  const given = wholeOr(query, 'limit', 1000);
  if (given < 0) throw cannotRun('limit is negative');
  const limit = given || 1000;
  const isWanted = condition({ type: varchar, sql: '"value"', at: NOWHERE }, wanted, parts);
  const ordering = orderingNamed(
    (has(query, 'sort') ? nodeOf(query.sort, 'sort').type : null) ?? 'lexicographic',
  );
  const order = [...orderText('"value"', ordering), '"dimension"'].map(
    (text) => `${text} ASC NULLS FIRST`,
  );
  const found = [searchByValue(ofIndexes ?? parts, byValue, isWanted, limit)];
  const ofRows = byRow.length > 0 ? searchByRow(parts, byRow, isWanted, limit) : [];
  return `WITH ${[...found, ...ofRows].join(', ')} SELECT "dimension", "value", "count" FROM (FROM "by value"${byRow.length > 0 ? ' UNION ALL FROM "by row"' : ''}) ORDER BY ${order.join(', ')} LIMIT ${limit}`;
}

// The dimensions with an index, if the filter has one, too.
function indexedColumns(dimensions: readonly Searched[], parts: QueryParts): readonly Searched[] {
  const { query } = parts;
  const scope = scopeOf(parts);
  return has(query, 'filter') && !isIndexed(nodeOf(query.filter, 'filter'), scope)
    ? []
    : dimensions.filter(({ given }) =>
        scope.isDictionary(dimensionOf(withoutFilter(given), scope).source),
      );
}

interface Searched {
  readonly given: unknown;
  readonly at: number;
}

function searchByValue(
  parts: QueryParts,
  dimensions: readonly Searched[],
  isWanted: string,
  limit: number,
): string {
  const selects = dimensions.map(({ given, at }) => {
    const scope = scopeOf(parts);
    const { name, values } = valuesOf(given, scope);
    const where = whereOf(parts, scope);
    return `SELECT ${at} AS "at", ${quote(name)} AS "dimension", "value", count(*) AS "count" FROM (SELECT unnest(${values}) AS "value" FROM ${scope.text(parts.intervals)}${where}) WHERE ${isWanted} GROUP BY "value"`;
  });
  const rows = selects.join(' UNION ALL ') || noHits;
  return `"by value" AS (SELECT "dimension", "value", "count" FROM (${rows}) ORDER BY "at", "value" ASC NULLS FIRST LIMIT ${limit})`;
}

const noHits =
  'SELECT 0 AS "at", NULL::VARCHAR AS "dimension", NULL::VARCHAR AS "value", 0::BIGINT AS "count" WHERE false';

// The rows behind the one with the last hit are not counted. The first hit counts even if there are
// enough already.
function searchByRow(
  parts: QueryParts,
  dimensions: readonly Searched[],
  isWanted: string,
  limit: number,
): string[] {
  const scope = scopeOf(parts);
  const lists = dimensions.map(({ given }) => valuesOf(given, scope));
  const where = whereOf(parts, scope);
  const columns = lists.map(({ values }, index) => `, ${values} AS "list${index}"`).join('');
  const hits = lists.map(
    ({ name, kept }, index) =>
      `SELECT "at", ${quote(name)} AS "dimension", "value" FROM (SELECT "row" * ${lists.length} + ${index} AS "at", unnest("list${index}") AS "value" FROM "rows") WHERE ${kept?.condition('"value"') ?? 'true'}`,
  );
  const rest = `greatest(1, ${limit} - (SELECT count(*) FROM "by value"))`;
  return [
    `"rows" AS (SELECT row_number() OVER () AS "row"${columns} FROM ${scope.text(parts.intervals)}${where})`,
    `"hits" AS (SELECT * FROM (${hits.join(' UNION ALL ')}) WHERE ${isWanted})`,
    `"firsts" AS (SELECT "dimension", "value", min("at") AS "at" FROM "hits" GROUP BY "dimension", "value" QUALIFY row_number() OVER (ORDER BY min("at"), "value") <= ${rest})`,
    `"last" AS (SELECT CASE WHEN count(*) >= ${rest} THEN max("at") ELSE ${Number.MAX_SAFE_INTEGER} END AS "at" FROM "firsts")`,
    `"by row" AS (SELECT "dimension", "value", count(*) AS "count" FROM "hits" WHERE "at" <= (SELECT "at" FROM "last") GROUP BY ALL)`,
  ];
}

// A filter has an index if all its columns are indexed texts (Druid: Filter.getBitmapColumnIndex).
function isIndexed(filter: Node, scope: RowScope): boolean {
  const inner = (given: unknown) => isIndexed(nodeOf(given, 'filter'), scope);
  switch (filter.type) {
    case 'and':
    case 'or':
      return listIn(filter, 'fields', inner).every(Boolean);
    case 'not':
    case 'istrue':
    case 'isfalse':
      return inner(filter.field);
    case 'true':
    case 'false':
    case 'spatial':
      return true;
    case 'expression': {
      const [column, ...others] = columnsOf(parseNativeExpression(textIn(filter, 'expression')));
      return others.length === 0 && (column === undefined || scope.isDictionary(column));
    }
    default: {
      const column = filter.column ?? filter.dimension;
      if (typeof column !== 'string' || column === '__time') return false;
      if (!scope.has(column) || scope.isDictionary(column)) return true;
      return filter.type === 'null' && !scope.virtualColumns.includes(column);
    }
  }
}

// An unknown column has no values, not even null.
function isKnown(given: unknown, parts: QueryParts): boolean {
  const scope = scopeOf(parts);
  return scope.has(dimensionOf(withoutFilter(given), scope).source);
}

// A row counts once for each of its values. Dictionaries have also the values that a filtered
// dimension leaves out.
function valuesOf(
  given: unknown,
  scope: RowScope,
): { name: string; values: string; kept: Dimension['kept'] } {
  const dimension = dimensionOf(withoutFilter(given), scope);
  const value = resolveExpression(dimension.expression, scope);
  if (value.type.name === 'ARRAY') throw cannotGroup(value.type);
  const text =
    value.type.name === 'OTHER'
      ? { ...withText(value, 'NULL::VARCHAR'), type: varchar }
      : dimensionValue({ ...dimension, outputType: 'STRING' }, scope);
  return {
    name: dimension.name,
    kept: dimensionOf(given, scope).kept,
    values: isList(text) ? `druid_set(druid_values(${text.sql}))` : `[${text.sql}]`,
  };
}

function condition(
  value: Typed,
  wanted: Parameters<typeof searchCondition>[1],
  { environment }: QueryParts,
): string {
  const scope: Scope = { ...nothingElse, environment, column: () => value };
  return resolveCondition(searchCondition(columnNamed('value'), wanted), scope).sql;
}

const misplaced = (): never => {
  throw malformed('A search reads texts only');
};
const nothingElse = {
  subquery: misplaced,
  exists: misplaced,
  inQuery: misplaced,
  quantified: misplaced,
  aggregate: misplaced,
};
