// topN (docs/querying/topnquery.md): the values of one dimension with the largest metric, for each
// bucket of time. Exact here.
import { granularityJson } from '../../model/granularity.ts';
import { castTo } from '../expressions/casts.ts';
import { quote } from '../runtime/quoted.ts';
import { isText, varchar } from '../types.ts';
import { cannotGroup, type Dimension, dimensionOf, groupedDimension } from './dimensions.ts';
import { checkOrder, fieldOf, type Groups, groupsOf } from './grouping.ts';
import {
  cannotRun,
  has,
  intOr,
  javaClasses,
  kindOf,
  malformed,
  NOWHERE,
  type Node,
  nodeOf,
  textIn,
  unsupportedOperation,
} from './members.ts';
import { orderingNamed, orderText } from './ordering.ts';
import { hasData, type QueryParts, rangesOf, scopeOf, timeOfAll } from './query-parts.ts';
import type { TopNStatement } from './statement.ts';
import { hasMergedFloats, mergedIn } from './wide-floats.ts';

/** Throws SqlError for an invalid query. */
export function topN(parts: QueryParts): TopNStatement {
  const { query, granularity } = parts;
  if (!has(query, 'dimension'))
    throw malformed("dimensionSpec can't be null: must have a [dimension]");
  if (!has(query, 'metric')) throw malformed('must specify a metric');
  const threshold = intOr(query, 'threshold', 0);
  if (threshold === 0) throw malformed('Threshold cannot be equal to 0.');
  if (threshold < 0) throw cannotRun('limit is negative', javaClasses.javaArgument);
  const metric = metricOf(query.metric);
  const wanted = rankedDimension(dimensionOf(query.dimension, scopeOf(parts)), metric);
  if (wanted.name === '') throw malformed('The [dimension] must have a name');
  const groups = groupsOf(
    parts,
    [wanted.kept ? { ...wanted, expression: wanted.kept.of } : wanted],
    { countsSegments: hasMergedFloats(parts) },
  );
  const [dimension] = groups.columns;
  if (dimension?.type.name === 'ARRAY') throw cannotGroup(dimension.type);
  const { order, after } = kindOf(metrics, metric, 'TopNMetricSpec')(metric, groups);
  const time = groups.bucketed ? '"group"."time"' : '0::BIGINT';
  const values = groups.columns
    .map((column, index) => `, ${mergedIn(parts, column).sql} AS "c${index}"`)
    .join('');
  const ties: Order = { sql: dimension?.sql ?? '1', way: 'ASC', nulls: 'FIRST' };
  const terms = [...order, ties].map(({ sql, way, nulls }) => `${sql} ${way} NULLS ${nulls}`);
  const rank = `row_number() OVER (PARTITION BY ${time} ORDER BY ${terms.join(', ')}) AS "rank"`;
  const conditions = [
    ...(after ? [`${after.sql} ${after.operator} ${after.limit}`] : []),
    ...(wanted.kept && dimension
      ? [wanted.kept.condition(`CAST(${dimension.sql} AS VARCHAR)`)]
      : []),
  ];
  const where = conditions.join(' AND ') || 'true';
  const ranked = `SELECT ${time} AS "time"${values}, ${rank} FROM ${groups.text} WHERE ${where}`;
  const shown = groups.columns.map((_, index) => `, "c${index}"`).join('');
  return {
    kind: 'topN',
    sql: `SELECT ${groups.bucketed ? '"time"' : timeOfAll(parts)} AS "time"${shown} FROM (${ranked}) WHERE "rank" <= ${threshold} ORDER BY ${groups.bucketed ? '"time", ' : ''}"rank"`,
    fields: groups.columns.map((column) => fieldOf(column, mergedIn(parts, column).type)),
    granularity: granularityJson(granularity),
    buckets: groups.bucketed
      ? { ranges: rangesOf(parts), intervals: parts.intervals }
      : hasData(parts)
        ? `SELECT ${timeOfAll(parts)}`
        : undefined,
  };
}

// An injective extraction comes after the ranking, unless that compares its results (Druid:
// TopNMetricSpec.canBeOptimizedUnapplied).
function rankedDimension(dimension: Dimension, metric: Node): Dimension {
  const { injective: _, ...extracted } = dimension;
  return isOfNumbers(metric) ? groupedDimension(dimension) : extracted;
}

const isOfNumbers = ({ type, metric }: Node): boolean =>
  type === 'numeric' || (type === 'inverted' && isOfNumbers(metricOf(metric)));

interface Metric {
  readonly order: readonly Order[];
  readonly after?: { readonly sql: string; readonly operator: '>' | '<'; readonly limit: string }; // the values that count
}

interface Order {
  readonly sql: string;
  readonly way: 'ASC' | 'DESC';
  readonly nulls: 'FIRST' | 'LAST';
  readonly isFixed?: true; // regardless of `inverted`
  readonly isNullLeast?: true;
}

// A node of an unknown type is the name of a metric.
function metricOf(given: unknown): Node {
  if (typeof given === 'string') return { type: 'numeric', metric: given };
  const node = nodeOf(given, 'metric');
  if (Array.isArray(node.type) && node.type.length === 0)
    throw malformed('[type] of [metric] must be a text', 'mismatch');
  const isKnown = typeof node.type === 'string' && Object.hasOwn(metrics, node.type);
  return !isKnown && typeof node.metric === 'string' ? { ...node, type: 'numeric' } : node;
}

const metrics: Readonly<Record<string, (node: Node, groups: Groups) => Metric>> = {
  numeric(node, groups) {
    const name = textIn(node, 'metric');
    const column = groups.columns.find(
      (candidate) => candidate.name === name && candidate.kind !== 'dimension',
    );
    if (!column)
      throw malformed(`Cannot find metric[${name}] among the aggregations and post-aggregations`);
    checkOrder(column);
    if (column.isUnordered)
      throw unsupportedOperation(
        `Post-aggregator [${name}] of type [fieldAccess] cannot be sorted by`,
      );
    // Unlike other nulls, that of a pair is the least value in both directions.
    return {
      order: [
        {
          sql: column.order ?? column.sql,
          way: 'DESC',
          nulls: 'LAST',
          ...(column.isNullLeast && { isNullLeast: true as const }),
        },
      ],
    };
  },
  dimension: (node, groups) =>
    byDimension(node, groups, has(node, 'ordering') ? nameOf(node.ordering) : 'lexicographic'),
  lexicographic: (node, groups) => byDimension(node, groups, 'lexicographic'),
  alphaNumeric: (node, groups) => byDimension(node, groups, 'alphanumeric'),
  inverted(node, groups) {
    const metric = metricOf(node.metric);
    const { order, after } = kindOf(metrics, metric, 'TopNMetricSpec')(metric, groups);
    return {
      order: order.map(turn),
      ...(after && { after: { ...after, operator: after.operator === '>' ? '<' : '>' } }),
    };
  },
};

const nameOf = (given: unknown) =>
  typeof given === 'string' ? given : nodeOf(given, 'ordering').type;

// Groups without a number come last in both directions, the dimension's null first.
const turn = (order: Order): Order =>
  order.isFixed
    ? order
    : {
        ...order,
        way: order.way === 'ASC' ? 'DESC' : 'ASC',
        nulls: order.isNullLeast && order.nulls === 'LAST' ? 'FIRST' : 'LAST',
      };

function byDimension(node: Node, { columns }: Groups, orderingName: unknown): Metric {
  const [dimension] = columns;
  const ordering = orderingNamed(orderingName);
  const isNumber = dimension !== undefined && !isText(dimension.type) && ordering === 'numeric';
  const text =
    dimension && isText(dimension.type)
      ? dimension.sql
      : dimension && castTo({ ...dimension, at: NOWHERE }, varchar, 'UTC').sql;
  const texts =
    isNumber || text === undefined ? [dimension?.sql ?? '1'] : orderText(text, ordering);
  const nullFirst: Order = {
    sql: `(${dimension?.sql ?? '1'} IS NULL)`,
    way: 'DESC',
    nulls: 'FIRST',
    isFixed: true,
  };
  const order = [nullFirst, ...texts.map((sql): Order => ({ sql, way: 'ASC', nulls: 'FIRST' }))];
  if (
    !has(node, 'previousStop') ||
    (isNumber && Number.isNaN(Number(textIn(node, 'previousStop'))))
  )
    return { order };
  const stop = orderText(quote(textIn(node, 'previousStop')), ordering);
  // Texts that are not numbers sort before numbers.
  const compared = (keys: readonly string[]) =>
    ordering === 'numeric' && keys.length > 1
      ? `(coalesce(${keys[0]}, '-infinity'), ${keys[1]})`
      : (keys[0] ?? '');
  // Null is the largest value in DuckDB's rows, but the smallest one here.
  return {
    order,
    after: {
      sql: `${dimension?.sql ?? '1'} IS NOT NULL AND ${compared(texts)}`,
      operator: '>',
      limit: compared(stop.slice(0, texts.length)),
    },
  };
}
