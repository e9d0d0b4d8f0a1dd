// search (docs/querying/searchquery.md): values of dimensions that match a pattern, with their
// numbers of rows.
import { bucketStart, granularityJson } from '../../model/granularity.ts';
import { eternity } from '../../model/interval.ts';
import { isList } from '../expressions/multi-value.ts';
import { type Scope, scopeWith, type Typed, withText } from '../expressions/typed.ts';
import { checkLimit } from '../limits.ts';
import { dimensionValues } from '../resolution/dimension-values.ts';
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
    granularity: granularityJson(parts.granularity),
    results: bucketsOf(parts).map(({ time, isMerged, from }) => ({
      time,
      isMerged,
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
function bucketsOf({ source, intervals, granularity }: QueryParts): readonly Bucket[] {
  if (!source.segments) return [{ time: eternity.start, isMerged: false, from: source }];
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
      isMerged: false,
      from: source,
    }));
  return [...buckets].map(([start, segments]) => {
    const isMerged = segments.length > 1 || segments.some((segment) => divided.has(segment));
    return {
      time: isMerged ? start : (segments[0]?.interval.start ?? start),
      isMerged,
      from: together(source, segments),
    };
  });
}

interface Bucket {
  readonly time: number;
  readonly isMerged: boolean;
  readonly from: NativeSource;
}

function together(
  { columns, hasIndexes, indexed }: NativeSource,
  segments: readonly SourceSegment[],
): NativeSource {
  const rowsOf =
    (sources: readonly NativeSource[]): NativeSource['scan'] =>
    (wanted, intervals) =>
      `(${sources.map((source) => `SELECT * FROM ${source.scan(wanted, intervals)}`).join(' UNION ALL ')})`;
  const below = segments.flatMap(({ source, ...segment }) =>
    source.indexed ? [{ ...segment, source: source.indexed }] : [],
  );
  return {
    columns,
    ...(hasIndexes && { hasIndexes }),
    ...(indexed && {
      indexed: {
        ...indexed,
        scan: rowsOf(below.map(({ source }) => source)),
        segments: () => below,
      },
    }),
    scan: rowsOf(segments.map(({ source }) => source)),
    segments: () => segments,
  };
}

// With too many hits in a segment, the first ones are kept in the order in which the engine finds
// them: value by value in the dictionaries of indexed columns, then row by row (Druid:
// UseIndexesStrategy).
function hitsOf(parts: QueryParts, dimensions: readonly unknown[], wanted: Node): string {
  const { query } = parts;
  const indexed = parts.source.hasIndexes ? parts.source : parts.source.indexed;
  const ofIndexes = indexed && { ...parts, source: indexed };
  const known = dimensions
    .filter((dimension) => isKnown(dimension, ofIndexes ?? parts))
    .map((given, at) => ({ given, at }));
  const isByRow = parts.context.searchStrategy === 'cursorOnly';
  const byValue = ofIndexes && !isByRow ? indexedColumns(known, ofIndexes) : [];
  // Dimensions with an index come last in a row (Druid: UseIndexesStrategy.getExecutionPlan).
  const others = known.filter((dimension) => !byValue.includes(dimension));
  const isIndexedHere = dictionaryTest(parts);
  const byRow = isByRow
    ? others
    : [...others.filter((dimension) => !isIndexedHere(dimension)), ...others.filter(isIndexedHere)];
  const given = wholeOr(query, 'limit', mostHits);
  if (given < 0) throw cannotRun('limit is negative');
  const limit = Math.min(given || mostHits, mostHits);
  const isWanted = condition({ type: varchar, sql: '"value"', at: NOWHERE }, wanted, parts);
  const ordering = orderingNamed(
    (has(query, 'sort') ? nodeOf(query.sort, 'sort').type : null) ?? 'lexicographic',
  );
  const order = [...orderText('"value"', ordering), '"dimension"'].map(
    (text) => `${text} ASC NULLS FIRST`,
  );
  const found = [searchByValue(ofIndexes ?? parts, byValue, isWanted, limit)];
  const ofRows = byRow.length > 0 ? searchByRow(parts, byRow, isWanted, limit) : [];
  const all = `FROM "by value"${byRow.length > 0 ? ' UNION ALL FROM "by row"' : ''}`;
  const ofSegments = `SELECT "segment", "dimension", "value", sum("count")::BIGINT AS "count" FROM (${all}) GROUP BY "segment", "dimension", "value" QUALIFY row_number() OVER (PARTITION BY "segment" ORDER BY ${order.join(', ')}) <= ${limit}`;
  // Buckets have no limit of their own (Druid: SearchBinaryFn).
  const most = parts.granularity.type === 'all' ? ` LIMIT ${limit}` : '';
  return `WITH ${[...found, ...ofRows].join(', ')} SELECT "dimension", "value", sum("count")::BIGINT AS "count" FROM (${ofSegments}) GROUP BY "dimension", "value" ORDER BY ${order.join(', ')}${most}`;
}

const mostHits = 1000;

// The dimensions with an index, if the filter has one, too.
function indexedColumns(dimensions: readonly Searched[], parts: QueryParts): readonly Searched[] {
  const { query } = parts;
  return has(query, 'filter') && !isIndexed(nodeOf(query.filter, 'filter'), scopeOf(parts))
    ? []
    : dimensions.filter(dictionaryTest(parts));
}

function dictionaryTest(parts: QueryParts): (dimension: Searched) => boolean {
  const scope = scopeOf(parts);
  return ({ given }) => scope.isDictionary(dimensionOf(withoutFilter(given), scope).source);
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
    const { name, source, values } = entriesOf(given, scope);
    const segment = scope.fewSegment(parts.intervals, dimensions.length);
    const isFilled = scope.isFilled(source, parts.intervals, () => segment, dimensions.length);
    const where = whereOf(parts, scope, ...(isFilled === undefined ? [] : [isFilled]));
    return `SELECT ${at} AS "at", "segment", ${quote(name)} AS "dimension", "value", count(*) AS "count" FROM (SELECT ${segment} AS "segment", unnest(${values}) AS "value" FROM ${scope.text(parts.intervals)}${where}) WHERE ${isWanted} GROUP BY "segment", "value"`;
  });
  const rows = selects.join(' UNION ALL ') || noHits;
  return `"by value" AS (SELECT "segment", "dimension", "value", "count" FROM (${rows}) QUALIFY row_number() OVER (PARTITION BY "segment" ORDER BY "at", "value" ASC NULLS FIRST) <= ${limit})`;
}

const noHits =
  'SELECT 0 AS "at", 0 AS "segment", NULL::VARCHAR AS "dimension", NULL::VARCHAR AS "value", 0::BIGINT AS "count" WHERE false';

// Rows are read value by value until there are enough hits. If there are enough already, only the
// first dimension of the first row is read, until it has a hit.
function searchByRow(
  parts: QueryParts,
  dimensions: readonly Searched[],
  isWanted: string,
  limit: number,
): string[] {
  const scope = scopeOf(parts);
  const lists = dimensions.map(({ given }) => valuesOf(given, scope));
  const where = whereOf(parts, scope);
  const segment = scope.fewSegment(parts.intervals);
  const columns = lists.map(({ values }, index) => `, ${values} AS "list${index}"`).join('');
  const place = (row: string, index: number) =>
    `(${row} * ${lists.length} + ${index}) * ${mostValues}`;
  const hits = lists.map(
    ({ name, source, kept }, index) =>
      `SELECT "segment", "at", ${quote(name)} AS "dimension", "value" FROM (SELECT "segment", ${place('"row"', index)} + generate_subscripts("list${index}", 1) AS "at", unnest("list${index}") AS "value" FROM "rows" WHERE ${scope.isFilled(source, parts.intervals, () => '"segment"', lists.length) ?? 'true'}) WHERE ${kept?.condition('"value"') ?? 'true'}`,
  );
  return [
    `"rows" AS (SELECT row_number() OVER () AS "row", ${segment} AS "segment"${columns} FROM ${scope.text(parts.intervals)}${where})`,
    `"hits" AS (SELECT * FROM (${hits.join(' UNION ALL ')}) WHERE ${isWanted})`,
    `"firsts" AS (SELECT "segment", min("at") AS "at", row_number() OVER (PARTITION BY "segment" ORDER BY min("at")) AS "number" FROM "hits" GROUP BY "segment", "dimension", "value")`,
    `"limits" AS (SELECT "segment", ${limit} - coalesce("found", 0) AS "rest", "second" FROM (SELECT "segment", ${place('min("row")', 1)} AS "second" FROM "rows" GROUP BY "segment") LEFT JOIN (SELECT "segment", count(*) AS "found" FROM "by value" GROUP BY "segment") USING ("segment"))`,
    `"last" AS (SELECT "segment", CASE WHEN "rest" > 0 THEN coalesce(max("at") FILTER (WHERE "number" = "rest"), ${Number.MAX_SAFE_INTEGER}) WHEN min("at") < "second" THEN min("at") ELSE 0 END AS "end" FROM "firsts" JOIN "limits" USING ("segment") GROUP BY "segment", "rest", "second")`,
    `"by row" AS (SELECT "segment", "dimension", "value", count(*) AS "count" FROM "hits" JOIN "last" USING ("segment") WHERE "at" <= "end" GROUP BY "segment", "dimension", "value")`,
  ];
}

const mostValues = 1_000_000; // in a row

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

// A row counts once for each of its values in the dictionary, which is read value by value.
// Dictionaries have also the values that a filtered dimension leaves out.
function entriesOf(given: unknown, scope: RowScope) {
  const dimension = dimensionOf(withoutFilter(given), scope);
  const entries = scopeWith(scope, {
    column(names, at) {
      const value = scope.column(names, at);
      return names.at(-1) === dimension.source && isList(value)
        ? { ...value, sql: `druid_set(druid_values(${value.sql}))` }
        : value;
    },
  });
  const text = textOf(dimension, entries);
  return { ...dimension, values: isList(text) ? text.sql : `[${text.sql}]` };
}

// A row counts for each of its values, even if they are equal.
function valuesOf(given: unknown, scope: RowScope) {
  const dimension = dimensionOf(withoutFilter(given), scope);
  const text = textOf(dimension, scope);
  return {
    ...dimension,
    kept: dimensionOf(given, scope).kept,
    values: isList(text) ? listed(dimension, text, scope) : `[${text.sql}]`,
  };
}

const listed = ({ expression }: Dimension, text: Typed, scope: RowScope): string =>
  dimensionValues(expression, text, (part) => resolveExpression(part, scope.ofValues()));

function textOf(dimension: Dimension, scope: Scope): Typed {
  const value = resolveExpression(dimension.expression, scope);
  if (value.type.name === 'ARRAY') throw cannotGroup(value.type);
  return value.type.name === 'OTHER'
    ? { ...withText(value, 'NULL::VARCHAR'), type: varchar }
    : dimensionValue({ ...dimension, outputType: 'STRING' }, scope);
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
