// Groups of rows by time bucket and dimensions, with the aggregates and post-aggregators of each
// group.
import { bucketStart } from '../../model/granularity.ts';
import { eternity } from '../../model/interval.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import { groupableText, groupedText } from '../expressions/signed-zero.ts';
import { losesTimes } from '../expressions/time-bucket.ts';
import type { Environment, Scope, Typed } from '../expressions/typed.ts';
import { hllSketch } from '../functions/sketches.ts';
import { uniqueSketch } from '../functions/unique.ts';
import { pairTypeOf } from '../pairs.ts';
import { dimensionValues } from '../resolution/dimension-values.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { valuesToGroup } from '../resolution/unnest.ts';
import { bigint, isNumeric, json, nativeTypeOf, type SqlType, varchar } from '../types.ts';
import type { Aggregator } from './aggregator-kind.ts';
import { aggregatorName, aggregatorOf } from './aggregators.ts';
import { type Dimension, dimensionValue } from './dimensions.ts';
import { columnNamed } from './expressions.ts';
import type { Merging } from './fold-aggregator.ts';
import {
  contextTruth,
  has,
  listOr,
  malformed,
  NOWHERE,
  nodeOf,
  notSupported,
  truthOr,
} from './members.ts';
import { mergeRanks } from './merge-order.ts';
import { postAggregate, postAggregatorName, type ResultScope } from './post-aggregators.ts';
import {
  bucketOf,
  hasData,
  type QueryParts,
  scopeOf,
  sharesBuckets,
  whereOf,
} from './query-parts.ts';
import type { RowScope } from './row-scope.ts';
import type { ResultField } from './statement.ts';

type Shown = Pick<Typed, 'sql' | 'type'>;

export interface GroupColumn {
  readonly name: string;
  readonly type: SqlType;
  readonly sql: string; // text over the groups
  readonly kind: 'dimension' | 'aggregate' | 'post';
  readonly order?: string; // what topN compares instead
  readonly isOrderedByExpression?: true;
  readonly isNullLeast?: boolean; // for topN
  readonly shown?: Shown; // in the final result
  readonly above?: Shown; // what a groupBy reads that reads these groups directly
  readonly isUnordered?: boolean; // the engine cannot compare its values
  readonly isZeroWithout?: true; // the estimate of no sketch at all is 0
  // Its type depends on whether the query is finalized, and a query above does not know that
  readonly isUntyped?: true;
}

export interface Groups {
  readonly columns: readonly GroupColumn[];
  readonly scope: ResultScope;
  readonly bucketed: boolean;
  /** The text after FROM: the groups, with their time as `"time"`. */
  readonly text: string;
}

export interface Grouping {
  /** The dimensions of this grouping set among those of the query; the others are null. */
  readonly grouped?: readonly Dimension[];
  /** Adds the first or last time of the rows of a single group. */
  readonly met?: 'max' | 'min';
  /** Adds the number of segments with rows of a group, at least 2 where they are very many. */
  readonly countsSegments?: boolean;
  /** A query for the groups by all dimensions whose rows are read. */
  readonly among?: string | undefined;
  /** The broker makes the group of the results of several others. */
  readonly isTotal?: true;
  /** Another condition of the rows. */
  readonly where?: (rows: RowScope) => string;
}

/** The groups of a query's rows. Throws SqlError. */
export function groupsOf(
  parts: QueryParts,
  dimensions: readonly Dimension[],
  { grouped = dimensions, met, countsSegments, among, isTotal, where: another }: Grouping = {},
): Groups {
  const rows = scopeOf(parts);
  const isGroupBy = parts.query.queryType === 'groupBy';
  const values = dimensions.map((dimension) => dimensionValue(dimension, rows, isGroupBy));
  const isGrouped = (dimension: Dimension) => grouped.includes(dimension);
  const bucket = bucketOf(parts.granularity, rows);
  const isOneGroup = dimensions.length === 0 && bucket === undefined;
  const isTopN = parts.query.queryType === 'topN'; // its results are copied as if they were sent
  const aggregators = aggregatorsOf(parts, {
    scope: rows,
    isOnBroker:
      isTotal === true ||
      (!isTopN && (!parts.source.segments || (isOneGroup && parts.source.isUnion === true))),
    leftOut: (name) =>
      dimensions.some((dimension) => dimension.name === name && !isGrouped(dimension)),
    merging: mergingOf(parts),
    intervals: parts.intervals,
  });
  const others = [...lostTimes(parts, bucket, rows), ...(another ? [another(rows)] : [])];
  const where = whereOf(parts, rows, ...others);
  const segments = countsSegments ? segmentsOfGroup(rows, parts) : undefined;
  const takesApart = contextTruth(parts.context, 'groupByEnableMultiValueUnnesting', true);
  // Each list of values is unnested in a query of its own. In one query DuckDB would pair them.
  let from = `${rows.text(parts.intervals)}${where}`;
  // Grouping sets are made of the groups by all dimensions.
  const allKeys = values.map((value, index) => {
    if (!value.type.multiValue) return groupableText(value.sql, value.type);
    const label = identifier(`dimension ${index}`);
    const expression = dimensions[index]?.expression;
    const list = expression
      ? dimensionValues(expression, value, (part) => resolveExpression(part, rows.ofValues()))
      : value.sql;
    // Only a groupBy has a group of rows without values.
    const items = isGroupBy ? valuesToGroup(list, dimensions[index]?.name ?? '', takesApart) : list;
    from = `(SELECT "row".*, unnest(${items}) AS ${label} FROM ${from}) AS "row"`;
    return `"row".${label}`;
  });
  if (among !== undefined) {
    const pairs = [
      ...(bucket === undefined ? [] : [[bucket, '"time"']]),
      ...allKeys.map((key, index) => [key, `"c${index}"`]),
    ].map(([own, other]) => `${own} IS NOT DISTINCT FROM "met".${other}`);
    // A group without keys has all rows.
    if (pairs.length > 0)
      from = `(SELECT "row".* FROM ${from}) AS "row" SEMI JOIN (${among}) AS "met" ON ${pairs.join(' AND ')}`;
  }
  const keys = allKeys.map((key, index) =>
    dimensions[index] && isGrouped(dimensions[index]) ? key : undefined,
  );
  const list = [
    ...(bucket === undefined ? [] : [`${bucket} AS "time"`]),
    ...keys.map((key, index) => `${key ?? 'NULL'} AS "d${index}"`),
    ...aggregators.map(({ sql }, index) => `${sql} AS "a${index}"`),
    ...aggregators.flatMap(({ time }, index) => (time ? [`${time} AS "t${index}"`] : [])),
    ...(segments === undefined ? [] : [`${segments} AS "segments"`]),
    ...(met ? [`${met}(${rows.column(['__time'], NOWHERE).sql}) AS "met"`] : []),
  ];
  const by = [
    ...(bucket === undefined ? [] : [bucket]),
    ...keys.filter((key) => key !== undefined),
  ];
  // Without an aggregate, DuckDB would not recognize a single group.
  const shown = by.length === 0 ? [...list, 'count(*) AS "rows"'] : list;
  // A set without dimensions is computed from the groups of all dimensions, so without groups it is
  // empty. Subtotals of no segments are empty, too.
  const isOfNothing = has(parts.query, 'subtotalsSpec') && !hasData(parts);
  const isOfGroups = by.length === 0 && (dimensions.length > 0 || isOfNothing);
  const grouping =
    by.length > 0 ? ` GROUP BY ${by.join(', ')}` : isOfGroups ? ' HAVING count(*) > 0' : '';
  const groups = `(SELECT ${shown.join(', ')} FROM ${from}${grouping}) AS "group"`;
  const dimensionColumns = dimensions.map((dimension, index): GroupColumn => {
    const { multiValue: _, ...type } = values[index]?.type ?? varchar;
    const sql = groupedText(`"group"."d${index}"`, type);
    return { name: dimension.name, type, sql, kind: 'dimension' };
  });
  const time =
    bucket === undefined
      ? `${parts.intervals[0]?.start ?? eternity.start}::BIGINT`
      : '"group"."time"';
  const result = resultOf(parts, dimensionColumns, aggregators, rows.environment, time);
  return {
    ...result,
    columns: [
      ...dimensions.flatMap((dimension, index) =>
        extractedColumn(dimension, result.columns[index], result.scope),
      ),
      ...result.columns.slice(dimensions.length),
    ],
    bucketed: bucket !== undefined,
    text: groups,
  };
}

function segmentsOfGroup(rows: RowScope, { intervals }: QueryParts): string {
  const segment = rows.fewSegment(intervals);
  return segment === '0' ? '2' : `count(DISTINCT ${segment})`;
}

// The column of a dimension, whose values the result may show otherwise.
function extractedColumn(
  { injective }: Dimension,
  column: GroupColumn | undefined,
  scope: ResultScope,
): GroupColumn[] {
  if (!column) return [];
  if (!injective) return [column];
  const { sql, type, name } = column;
  const value = scope.holding({ type, sql, at: NOWHERE, isRepeatable: true });
  const shown = resolveExpression(injective.shown(columnNamed(name), value), value);
  return [{ ...column, shown: { sql: shown.sql, type: varchar } }];
}

// Without buckets, each segment of a timeseries has a result, even without rows.
function mergingOf(parts: QueryParts): Merging {
  const { query, context, source, granularity, intervals } = parts;
  const { queryType } = query;
  const isWhole = queryType === 'timeseries' && granularity.type === 'all';
  const isShown = isWhole && !contextTruth(context, 'skipEmptyBuckets', false);
  const segments = source.segments?.(intervals);
  const isDescending = queryType === 'timeseries' && truthOr(query, 'descending', false);
  return {
    isGroupBy: queryType === 'groupBy',
    segments: isShown ? (segments?.length ?? 1) : 1,
    starts: [...new Set(segments?.map(({ interval }) => interval.start))].sort((a, b) => a - b),
    order: !isDescending
      ? 'ascending'
      : isWhole || !sharesBuckets(parts)
        ? 'descending'
        : 'descending in each segment',
    ...ranksOf(parts, isDescending),
  };
}

// The results of segments have the time of the bucket, if it is not the only one.
function ranksOf(parts: QueryParts, isDescending: boolean): Pick<Merging, 'ranks'> {
  const { query, context, source, granularity, intervals } = parts;
  const { queryType } = query;
  const segments = source.segments?.(intervals) ?? [];
  if (queryType === 'groupBy' || granularity.type === 'all' || segments.length > mostRanked)
    return {};
  if (!sharesBuckets(parts)) return {};
  const times = segments.map(({ interval: { start, end } }) => {
    const time = bucketStart(granularity, start);
    return bucketStart(granularity, end - 1) === time ? time : undefined;
  });
  if (!times.every((time) => time !== undefined)) return {};
  const ofSegments = mergeRanks(times, isDescending);
  const isShown = queryType === 'timeseries' && !contextTruth(context, 'skipEmptyBuckets', false);
  if (!isShown) return { ranks: { ofSegments } };
  const shown = ofSegments.map((rank, index) =>
    ofSegments.every((other, at) => times[at] !== times[index] || other >= rank),
  );
  return { ranks: { ofSegments, shown } };
}

const mostRanked = 200;

// A time before its bucket belongs to none.
function lostTimes(
  { granularity, intervals }: QueryParts,
  bucket: string | undefined,
  rows: RowScope,
): readonly string[] {
  const isEarly = intervals.length === 0 || intervals.some(({ start }) => start < 0);
  if (bucket === undefined || !isEarly || !losesTimes(granularity)) return [];
  return [`${rows.column(['__time'], NOWHERE).sql} >= ${bucket}`];
}

type AggregatorContext = Parameters<typeof aggregatorOf>[1];

function aggregatorsOf({ query }: QueryParts, context: AggregatorContext): Aggregator[] {
  const names = new Set<string>();
  return listOr(query, 'aggregations', (given) => {
    refuseDuplicate(names, aggregatorName(given), 'aggregator');
    return aggregatorOf(given, context);
  });
}

function refuseDuplicate(names: Set<string>, name: string, what: string): void {
  if (names.has(name))
    throw malformed(`[${name}] already defined: duplicate output name of a [${what}]`);
  names.add(name);
}

function resultOf(
  { query, keepsSketches }: QueryParts,
  dimensions: readonly GroupColumn[],
  aggregators: readonly Aggregator[],
  environment: Environment,
  time: string,
) {
  const columns: GroupColumn[] = [
    ...dimensions,
    ...aggregators.map(
      (
        { name, type, finalType, final, order, isOrderedByExpression, isPair, time },
        index,
      ): GroupColumn => ({
        name,
        type: keepsSketches ? type : finalType,
        sql: keepsSketches ? `"group"."a${index}"` : final(`"group"."a${index}"`),
        kind: 'aggregate',
        ...(order && { order: order(`"group"."a${index}"`) }),
        ...(isOrderedByExpression && { isOrderedByExpression }),
        isNullLeast: time !== undefined,
        ...((isPair || nativeTypeOf(type) !== nativeTypeOf(finalType)) && { isUntyped: true }),
        ...(keepsSketches && time && { shown: pairAt(index), above: pairAt(index, type) }),
        ...(isNumeric(finalType) &&
          !keepsSketches &&
          zeroWithout.has(type.complex) && { isZeroWithout: true as const }),
      }),
    ),
  ];
  const names = new Set<string>();
  for (const { name, kind } of columns) refuseDuplicate(names, name, kind);
  const scope = new GroupScope(environment, columns, aggregators, time);
  for (const given of listOr(query, 'postAggregations', (each) => each)) {
    const name = postAggregatorName(given);
    refuseDuplicate(names, name, 'post-aggregator');
    const { type, sql, variant } = scope.whole(name, () => postAggregate(given, scope));
    const { type: kind, fieldName } = nodeOf(given, 'postAggregations');
    const pair = aggregators.findIndex((each) => each.time && each.name === fieldName);
    const isPair = kind === 'fieldAccess' && pair >= 0;
    const shown = isPair
      ? pairAt(pair)
      : variant === undefined
        ? undefined
        : { sql: variant, type: json };
    columns.push({
      name,
      type: type.name === 'BOOLEAN' ? bigint : type,
      sql,
      kind: 'post',
      isUnordered: kind === 'fieldAccess',
      ...(kind === 'fieldAccess' &&
        columns.some((column) => column.name === fieldName && column.isUntyped) && {
          isUntyped: true,
        }),
      ...(shown && { shown }),
      ...(isPair && keepsSketches && { above: pairAt(pair, aggregators[pair]?.type) }),
    });
  }
  return { columns, scope };
}

const zeroWithout: ReadonlySet<string | undefined> = new Set([
  hllSketch.complex,
  uniqueSketch.complex,
]);

/** The value of a column in the result. A query above reads the value without its JSON form. */
export const shownIn = ({ isOutermost }: QueryParts, column: GroupColumn): Shown =>
  (isOutermost ? column.shown : column.above) ?? column;

/** A column as a field of the result, with the type that it has there. */
export const fieldOf = ({ name, isUntyped }: GroupColumn, type: SqlType): ResultField => ({
  name,
  type,
  ...(isUntyped && { isUntyped }),
});

/** Throws SqlError for a column whose values are compared by an expression. */
export function checkOrder({ name, isOrderedByExpression }: GroupColumn): void {
  if (isOrderedByExpression)
    throw notSupported(
      `Sorting by [${name}] is not supported: its [compare] is an expression of pairs of values`,
    );
}

// A first or last value with its time (Druid: SerializablePair).
const pairAt = (index: number, of?: SqlType): Shown => ({
  sql: `json_object('lhs', "group"."t${index}", 'rhs', "group"."a${index}")`,
  type: of ? pairTypeOf(of) : json,
});

// Names above the groups: the columns of the result. An unknown name is null, except as an input of
// a post-aggregator.
class GroupScope implements ResultScope {
  readonly environment: Environment;
  readonly #columns: readonly GroupColumn[];
  readonly #aggregators: readonly Aggregator[];
  readonly #time: string;
  readonly #missing = new Set<string>();

  constructor(
    environment: Environment,
    columns: readonly GroupColumn[],
    aggregators: readonly Aggregator[],
    time: string,
  ) {
    this.#time = time;
    this.environment = environment;
    this.#columns = columns;
    this.#aggregators = aggregators;
  }

  /** A value made from existing columns only. Throws SqlError that names missing columns. */
  whole<Value>(name: string, make: () => Value): Value {
    this.#missing.clear();
    try {
      const value = make();
      if (this.#missing.size === 0) return value;
    } catch (error) {
      if (this.#missing.size === 0) throw error;
    }
    throw malformed(
      `Missing fields [[${[...this.#missing].join(', ')}]] for postAggregator [${name}]`,
    );
  }

  column(names: readonly string[]): Typed {
    const name = names.at(-1) ?? '';
    const found = this.#columns.find((column) => column.name === name);
    if (!found) this.#missing.add(name);
    if (!found && name === '__time') return { type: bigint, sql: this.#time, at: NOWHERE };
    return found
      ? { type: found.type, sql: found.sql, at: NOWHERE }
      : { type: varchar, sql: 'NULL::VARCHAR', at: NOWHERE };
  }

  aggregator(name: string): Aggregator | undefined {
    return this.#aggregators.find((aggregator) => aggregator.name === name);
  }

  raw(name: string): Typed {
    const index = this.#aggregators.findIndex((aggregator) => aggregator.name === name);
    const aggregator = this.#aggregators[index];
    return aggregator
      ? { type: aggregator.type, sql: `"group"."a${index}"`, at: NOWHERE, isRepeatable: true }
      : this.column([name]);
  }

  holding(value: Typed): Scope {
    const scope = new GroupScope(this.environment, this.#columns, this.#aggregators, this.#time);
    scope.column = () => value;
    return scope;
  }

  subquery(): never {
    throw misplaced();
  }
  exists(): never {
    throw misplaced();
  }
  inQuery(): never {
    throw misplaced();
  }
  quantified(): never {
    throw misplaced();
  }
  aggregate(): never {
    throw misplaced();
  }
}

const misplaced = () =>
  malformed('A native expression cannot contain a query or an aggregate function');
