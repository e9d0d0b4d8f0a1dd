// groupBy (docs/querying/groupbyquery.md): groups of rows by dimensions, with having, order, limit
// and subtotals.

import { granularityJson } from '../../model/granularity.ts';
import { eternity, type Interval } from '../../model/interval.ts';
import { checkLimit } from '../limits.ts';
import { isNumeric, isText } from '../types.ts';
import { type Dimension, dimensionOf, groupedDimension } from './dimensions.ts';
import {
  checkOrder,
  fieldOf,
  type GroupColumn,
  type Grouping,
  type Groups,
  groupsOf,
  shownIn,
} from './grouping.ts';
import { havingText } from './having.ts';
import {
  asText,
  cannotRun,
  contextTruth,
  has,
  intOr,
  javaClasses,
  listIn,
  listOr,
  malformed,
  type Node,
  nodeOf,
  textIn,
  textOr,
  wholeOr,
} from './members.ts';
import { orderingNamed, orderKeys } from './ordering.ts';
import { bucketOf, type QueryParts, scopeOf } from './query-parts.ts';
import type { GroupByStatement } from './statement.ts';

/** Throws SqlError for an invalid query. */
export function groupBy(parts: QueryParts): GroupByStatement {
  const { query, context, granularity } = parts;
  const scope = scopeOf(parts);
  const dimensions = listOr(query, 'dimensions', (given) =>
    groupedDimension(dimensionOf(given, scope)),
  );
  const outputs = ['aggregations', 'postAggregations'].flatMap((key) =>
    listOr(query, key, (given) => nodeOf(given, key).name),
  );
  const names = [...dimensions.map(({ name }) => name), ...outputs];
  if (names.includes('')) throw malformed('Column name must be provided and non-empty');
  if (names.includes('__time'))
    throw malformed(
      "'__time' cannot be used as an output name for dimensions, aggregators, or post-aggregators.",
    );
  const { fudgeTimestamp } = context;
  if (typeof fudgeTimestamp === 'number')
    throw malformed(`Expected key [fudgeTimestamp] to be a String, but got [${fudgeTimestamp}]`);
  if (fudge(context) !== undefined && granularity.type !== 'all')
    throw cannotRun('[fudgeTimestamp] leaves no time to compare, and the granularity is not [all]');
  const sets = subtotals(query, dimensions);
  const origin = has(query, 'subtotalsSpec') ? originOfSets(parts, dimensions) : {};
  const selects = sets.map((grouped, index) => {
    const groups = groupsOf(parts, dimensions, { grouped, ...origin });
    return select(parts, groups, grouped, index, sets.length > 1);
  });
  const [first] = selects;
  if (!first) throw malformed('subtotalsSpec must have at least one list of dimensions');
  const all = selects.map(({ sql }) => `(${sql})`).join(' UNION ALL ');
  const isOne = sets.length === 1;
  const { order, bounds } = isOne ? nothing : orderOfSets(parts, first.columns);
  const shown = ['"time"', ...first.columns.map((_, index) => `"c${index}"`)].join(', ');
  return {
    kind: 'groupBy',
    // The order of each part is in its rows, since a query above may not keep it.
    sql: `SELECT ${shown} FROM (${all}) ORDER BY ${[...order, '"set"', '"row"'].join(', ')}${bounds}`,
    fields: first.columns.map((column) => fieldOf(column, shownIn(parts, column).type)),
    granularity: granularityJson(granularity),
    asArray: contextTruth(context, 'resultAsArray', false),
  };
}

const nothing = { order: [], bounds: '' };

// The limit is that of all sets, and the order comes before that of the sets.
function orderOfSets({ query, context }: QueryParts, columns: readonly GroupColumn[]) {
  const spec = limitSpecOf(query);
  if (!spec) return nothing;
  const named = columns.map((column, index) => ({ ...column, sql: `"c${index}"` }));
  const { order, limit, offset } = limitOf(query, named);
  const isTimeLast = contextTruth(context, 'sortByDimsFirst', false);
  return {
    order: isTimeLast ? order : ['"time"', ...order],
    bounds: boundsText(limit, offset),
  };
}

// Grouping sets are made of the groups by all dimensions, and pass over buckets that begin outside
// the intervals.
const originOfSets = (parts: QueryParts, dimensions: readonly Dimension[]): Grouping => ({
  among: limitedGroups(parts, dimensions),
  where: (rows) => withinIntervals(parts.intervals, bucketOf(parts.granularity, rows)),
});

const withinIntervals = (intervals: readonly Interval[], bucket: string | undefined): string =>
  bucket === undefined || intervals.length === 0
    ? 'true'
    : `(${intervals.map(({ start, end }) => `${bucket} BETWEEN ${start} AND ${end - 1}`).join(' OR ')})`;

// The groups by all dimensions, if a limit leaves only some of them. A limit applies to them if it
// needs nothing but their keys (Druid: GroupByQuery.determineApplyLimitPushDown).
function limitedGroups(parts: QueryParts, dimensions: readonly Dimension[]): string | undefined {
  const { query, context } = parts;
  const spec = limitSpecOf(query);
  if (!spec || !has(spec, 'limit') || has(query, 'having')) return undefined;
  if (!contextTruth(context, 'applyLimitPushDown', true)) return undefined;
  const isKey = (name: string) => dimensions.some((dimension) => dimension.name === name);
  if (!listOr(spec, 'columns', orderedName).every(isKey)) return undefined;
  if (intOr(spec, 'offset', 0) > 0)
    throw cannotRun('Cannot push down offsets', javaClasses.javaState);
  const { aggregations: _, postAggregations: __, subtotalsSpec: ___, ...keys } = query;
  const own = { ...parts, query: keys };
  return select(own, groupsOf(own, dimensions), dimensions, 0, false).sql;
}

const boundsText = (limit: number | undefined, offset: number) =>
  `${limit === undefined ? '' : ` LIMIT ${limit}`}${offset === 0 ? '' : ` OFFSET ${offset}`}`;

function select(
  parts: QueryParts,
  groups: Groups,
  grouped: readonly Dimension[],
  set: number,
  isOneOfSets: boolean,
) {
  const { query, context } = parts;
  const start = parts.timeOfWhole ?? parts.intervals[0]?.start ?? eternity.start;
  const time = groups.bucketed ? '"group"."time"' : `${fudge(context) ?? start}::BIGINT`;
  if (contextTruth(context, 'forceLimitPushDown', false)) refuseForcedLimit(query, groups);
  const having = has(query, 'having') ? ` WHERE ${havingText(query.having, groups.scope)}` : '';
  const { order, limit, offset } = limitOf(query, groups.columns);
  const dims = groups.columns
    .filter(
      ({ kind, name }) =>
        kind === 'dimension' && grouped.some((dimension) => dimension.name === name),
    )
    .map(
      ({ sql, type }) => `${type.name === 'ARRAY' ? `druid_ordered(${sql})` : sql} ASC NULLS FIRST`,
    );
  const times = groups.bucketed ? ['"group"."time"'] : [];
  const byTime = contextTruth(context, 'sortByDimsFirst', false)
    ? [...order, ...dims, ...times]
    : [...times, ...order, ...dims];
  const row = byTime.length === 0 ? '1' : `row_number() OVER (ORDER BY ${byTime.join(', ')})`;
  const values = groups.columns
    .map((column, index) => `, ${shownIn(parts, column).sql} AS "c${index}"`)
    .join('');
  const bounds = isOneOfSets ? '' : boundsText(limit, offset);
  const sql = `SELECT ${time} AS "time"${values}, ${set} AS "set", ${row} AS "row" FROM ${groups.text}${having} ORDER BY "row"${bounds}`;
  return { sql, columns: groups.columns };
}

// The time of the single bucket, which the broker passes to the processes below it.
const fudge = (context: Node): number | undefined => wholeOr(context, 'fudgeTimestamp', undefined);

function subtotals(
  query: Node,
  dimensions: readonly Dimension[],
): readonly (readonly Dimension[])[] {
  if (!has(query, 'subtotalsSpec')) return [dimensions];
  if (Array.isArray(query.subtotalsSpec)) checkLimit('groupingSets', query.subtotalsSpec.length);
  return listIn(query, 'subtotalsSpec', (names) => {
    if (names === null) throw malformed('subtotalsSpec must not hold null');
    if (!Array.isArray(names))
      throw malformed('subtotalsSpec must be a list of lists of dimensions', 'mismatch');
    if (names.includes(null)) throw malformed('subtotalsSpec must not name null');
    return names.map((name, index) => {
      const found = dimensions.find((dimension) => dimension.name === asText(name));
      if (names.indexOf(name) !== index)
        throw cannotRun(`Subtotal spec [${names.join(', ')}] names [${name}] twice`);
      if (!found)
        throw malformed(
          `Subtotal spec [${names.join(', ')}] is either not a subset of top level dimensions.`,
        );
      return found;
    });
  });
}

// Druid: GroupByQuery.validateAndGetForceLimitPushDown, DefaultLimitSpec.
function refuseForcedLimit(query: Node, { columns }: Groups): void {
  const spec = limitSpecOf(query);
  if (!spec) throw cannotForce('When forcing limit push down, a limit spec must be provided.');
  if (!has(spec, 'limit'))
    throw cannotForce('When forcing limit push down, the provided limit spec must have a limit.');
  if (has(query, 'having'))
    throw cannotForce('Cannot force limit push down when a having spec is present.');
  const names = listOr(spec, 'columns', orderedName);
  for (const { name, kind, type } of columns) {
    if (!names.includes(name)) continue;
    if (kind === 'post')
      throw cannotRun('Limit push down when sorting by a post aggregator is not supported.');
    if (kind === 'aggregate' && !isNumeric(type))
      throw cannotRun(`Cannot order by a non-numeric aggregator [${name}]`);
  }
}

const cannotForce = (message: string) => cannotRun(message, javaClasses.argument);

interface Limit {
  readonly order: readonly string[];
  readonly limit: number | undefined;
  readonly offset: number;
}

// Any other type of specification, or a missing type, sets no limit (Druid: NoopLimitSpec is the
// default).
function limitSpecOf(query: Node): Node | undefined {
  const spec = has(query, 'limitSpec') ? nodeOf(query.limitSpec, 'limitSpec') : {};
  if (Array.isArray(spec.type)) throw malformed('[type] of [limitSpec] must be a text', 'mismatch');
  return spec.type === 'default' ? spec : undefined;
}

function limitOf(query: Node, columns: readonly GroupColumn[]): Limit {
  const spec = limitSpecOf(query);
  if (!spec) return { order: [], limit: undefined, offset: 0 };
  const limit = intOr(spec, 'limit', undefined);
  const offset = intOr(spec, 'offset', 0);
  if (limit !== undefined && limit <= 0) throw malformed(`limit[${limit}] must be >0`);
  if (offset < 0) throw malformed(`offset[${offset}] must be >= 0`);
  return {
    order: listOr(spec, 'columns', (given) => orderOf(given, columns)).flat(),
    limit,
    offset,
  };
}

const orderedNode = (given: unknown): Node =>
  typeof given === 'string' ? { dimension: given } : nodeOf(given, 'columns');

const orderedName = (given: unknown): string => textIn(orderedNode(given), 'dimension');

function orderOf(given: unknown, columns: readonly GroupColumn[]): string[] {
  const node = orderedNode(given);
  const name = orderedName(given);
  const column = columns.find((candidate) => candidate.name === name);
  if (!column)
    throw malformed(`Unknown column in order clause[OrderByColumnSpec{dimension='${name}'}]`);
  checkOrder(column);
  if (column.isUnordered)
    throw malformed(`Post-aggregator [${name}] of type [fieldAccess] cannot be sorted by`);
  if (typeof node.direction === 'number') throw malformed('[direction] must be a text');
  const descending = isDescending(textOr(node, 'direction', 'ascending'));
  return sortTexts(column, node).map((text) =>
    descending ? `${text} DESC NULLS LAST` : `${text} ASC NULLS FIRST`,
  );
}

// A direction is any beginning of its name; the engine takes all others as ascending.
function isDescending(direction: string): boolean {
  if (direction === '') throw malformed('Ambiguous directions[ascending] and [descending]');
  return 'descending'.startsWith(direction.toLowerCase());
}

// Aggregated numbers compare as numbers. A dimension compares as text by default, also a number.
// Equal texts keep the order of the groups.
function sortTexts({ sql, type, kind }: GroupColumn, node: Node): readonly string[] {
  const said = (node as Node).dimensionOrder;
  const name =
    typeof said === 'object' && said !== null
      ? nodeOf(said, 'dimensionOrder').type
      : (said ?? 'lexicographic');
  const isNatural = String(name).toLowerCase() === 'natural';
  const ordering = isNatural ? 'lexicographic' : orderingNamed(name);
  if (isNatural && !isText(type)) return [sql];
  if (isText(type)) return orderKeys(sql, ordering);
  return kind === 'dimension' && ordering !== 'numeric' && type.name !== 'ARRAY'
    ? orderKeys(`CAST(${sql} AS VARCHAR)`, ordering)
    : [sql];
}
