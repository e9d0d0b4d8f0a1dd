// Intermediate results for `finalizeAggregations: false`: an aggregate that stands alone in a
// result yields its stored state, not its final value (Druid: multi-stage-query/reference).
import type { Expression, Query } from '../ast.ts';
import { unsupportedSql } from '../sql-error.ts';

/**
 * The query with sketches instead of their estimates. Throws SqlError for an aggregate whose
 * intermediate value is not supported.
 */
export function withIntermediates(query: Query): Query {
  const { body } = query;
  if (body.kind !== 'select') return query;
  return {
    ...query,
    body: {
      ...body,
      items: body.items.map((item) => ({ ...item, expression: intermediate(item.expression) })),
    },
  };
}

function intermediate(expression: Expression): Expression {
  if (expression.kind !== 'call' || expression.over) return expression;
  const { name, distinct } = expression;
  if (name === 'COUNT' ? distinct : withoutSketch.has(name)) {
    throw unsupportedSql(
      `Aggregation [${name}] has an intermediate value that this service does not store: use a sketch such as DS_HLL, or set [finalizeAggregations: true] in query context.`,
    );
  }
  const sketch = sketches[name];
  if (sketch === undefined) return expression;
  const args =
    name === 'APPROX_QUANTILE_DS'
      ? [...expression.args.slice(0, 1), ...expression.args.slice(2)]
      : expression.args;
  return { ...expression, name: sketch, args };
}

const sketches: Readonly<Record<string, string>> = {
  APPROX_COUNT_DISTINCT_DS_HLL: 'DS_HLL',
  APPROX_COUNT_DISTINCT_DS_THETA: 'DS_THETA',
  APPROX_QUANTILE_DS: 'DS_QUANTILES_SKETCH',
};

const withoutSketch: ReadonlySet<string> = new Set([
  'APPROX_COUNT_DISTINCT',
  'APPROX_COUNT_DISTINCT_BUILTIN',
  'APPROX_QUANTILE',
  'APPROX_QUANTILE_FIXED_BUCKETS',
  'VAR_POP',
  'VAR_SAMP',
  'VARIANCE',
  'STDDEV_POP',
  'STDDEV_SAMP',
  'STDDEV',
  'EARLIEST',
  'LATEST',
  'EARLIEST_BY',
  'LATEST_BY',
]);
