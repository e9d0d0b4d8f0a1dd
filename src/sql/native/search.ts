// search (docs/querying/searchquery.md): values of dimensions that match a pattern, with their
// numbers of rows.
import { bucketStart } from '../../model/granularity.ts';
import { eternity } from '../../model/interval.ts';
import { castTo } from '../expressions/casts.ts';
import { isList } from '../expressions/multi-value.ts';
import { type Scope, type Typed, withText } from '../expressions/typed.ts';
import { checkLimit } from '../limits.ts';
import { resolveCondition, resolveExpression } from '../resolution/resolve-expression.ts';
import { quote } from '../runtime/quoted.ts';
import { isText, varchar } from '../types.ts';
import { dimensionOf, unfiltered } from './dimensions.ts';
import { columnNamed } from './expressions.ts';
import { has, listIn, malformed, NOWHERE, type Node, nodeOf, wholeOr } from './members.ts';
import { orderingNamed, orderText } from './ordering.ts';
import { type QueryParts, scopeOf, whereOf } from './query-parts.ts';
import { searchCondition } from './search-query.ts';
import type { NativeSource, SourceSegment } from './source.ts';
import type { SearchStatement } from './statement.ts';

/** @throws SqlError for an invalid query */
export function search(parts: QueryParts): SearchStatement {
  const { query, source } = parts;
  const wanted = has(query, 'query') ? nodeOf(query.query, 'query') : { type: 'all' };
  const given = has(query, 'searchDimensions')
    ? listIn(query, 'searchDimensions', (each) => each)
    : [];
  const dimensions =
    given.length > 0
      ? given
      : source.columns.filter(({ type }) => isText(type)).map(({ name }) => name);
  return {
    kind: 'search',
    results: bucketsOf(parts).map(({ time, from }) => ({
      time,
      sql: hitsOf({ ...parts, source: from }, dimensions, wanted),
    })),
  };
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

const together = ({ columns }: NativeSource, segments: readonly SourceSegment[]): NativeSource => ({
  columns,
  scan: (wanted, intervals) =>
    `(${segments.map(({ source }) => `SELECT * FROM ${source.scan(wanted, intervals)}`).join(' UNION ALL ')})`,
});

// With too many hits, the first ones are kept: those of the first dimensions.
function hitsOf(parts: QueryParts, dimensions: readonly unknown[], wanted: Node): string {
  const { query } = parts;
  const known = dimensions.filter((dimension) => isKnown(dimension, parts));
  const selects = known.map((dimension, index) =>
    selectOf(parts, dimension, index, (value) => condition(value, wanted, parts)),
  );
  const ordering = orderingNamed(
    has(query, 'sort') ? nodeOf(query.sort, 'sort').type : 'lexicographic',
  );
  const order = [...orderText('"value"', ordering), '"dimension"'].map(
    (text) => `${text} ASC NULLS FIRST`,
  );
  const rows =
    selects.join(' UNION ALL ') ||
    'SELECT 0 AS "at", NULL::VARCHAR AS "dimension", NULL::VARCHAR AS "value", 0 AS "count" WHERE false';
  const limit = wholeOr(query, 'limit', 1000);
  const first = `SELECT * FROM (${rows}) ORDER BY "at", "value" ASC NULLS FIRST LIMIT ${limit > 0 ? limit : 1000}`;
  return `SELECT "dimension", "value", "count" FROM (${first}) ORDER BY ${order.join(', ')}`;
}

// An unknown column has no values, not even null.
function isKnown(given: unknown, parts: QueryParts): boolean {
  const scope = scopeOf(parts);
  return scope.has(dimensionOf(unfiltered(given), scope).source);
}

function selectOf(
  parts: QueryParts,
  given: unknown,
  at: number,
  conditionOf: (value: Typed) => string,
): string {
  const scope = scopeOf(parts);
  const { name, expression } = dimensionOf(unfiltered(given), scope);
  const value = resolveExpression(expression, scope);
  const text =
    value.type.name === 'ARRAY' || value.type.name === 'OTHER'
      ? { ...withText(value, 'NULL::VARCHAR'), type: varchar }
      : castTo(value, varchar, 'UTC');
  // A row counts once for each of its values.
  const values = isList(text) ? `unnest(druid_set(druid_values(${text.sql})))` : text.sql;
  const where = whereOf(parts, scope);
  const rows = `SELECT ${values} AS "value" FROM ${scope.text(parts.intervals)}${where}`;
  const matching = conditionOf({ type: varchar, sql: '"value"', at: NOWHERE });
  return `SELECT ${at} AS "at", ${quote(name)} AS "dimension", "value", count(*) AS "count" FROM (${rows}) WHERE ${matching} GROUP BY "value"`;
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
  throw malformed('A search looks at texts only');
};
const nothingElse = {
  subquery: misplaced,
  exists: misplaced,
  inQuery: misplaced,
  quantified: misplaced,
  aggregate: misplaced,
};
