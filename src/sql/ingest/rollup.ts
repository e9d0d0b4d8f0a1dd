// Rollup by a statement: stored aggregator states of the rows of GROUP BY, so that they can be
// combined further (docs/multi-stage-query/concepts.md, "Rollup"; Druid: SegmentGenerationUtils).

import { type Granularity, granularityJson, parseGranularity } from '../../model/granularity.ts';
import type { Call, Expression, Grouping, Query, QueryBody, Select } from '../ast.ts';
import { contains, fingerprint } from '../expressions/rewrite.ts';
import type { Environment } from '../expressions/typed.ts';
import { containsWindow, isPlainAggregate } from '../functions/call-kinds.ts';
import type { OutputColumn, Rollup } from '../statement.ts';

/**
 * The rollup of a query with these columns. Undefined unless it groups and its context sets
 * `finalizeAggregations: false` and `groupByEnableMultiValueUnnesting: false`: final values and
 * unnested values cannot be combined further.
 */
export function rollupOf(
  { body }: Query,
  columns: readonly OutputColumn[],
  { context, timeZone }: Environment,
): Rollup | undefined {
  const isOff = (key: string) => String(context[key]) === 'false';
  if (!isOff('finalizeAggregations') || !isOff('groupByEnableMultiValueUnnesting'))
    return undefined;
  const select = selectIn(body);
  if (!select || !isGrouped(select)) return undefined;
  return {
    queryGranularity: queryGranularity(select, columns, timeZone),
    // Above groups, DISTINCT groups by all columns.
    aggregators: select.distinct
      ? []
      : columns.flatMap((column, index) => {
          const type = aggregatorType(select.items[index]?.expression, column);
          return type === undefined ? [] : [{ type, name: column.name, fieldName: column.name }];
        }),
  };
}

const selectIn = (body: QueryBody): Select | undefined =>
  body.kind === 'select' ? body : body.kind === 'query' ? selectIn(body.body) : undefined;

function isGrouped({ distinct, groupBy, having, qualify, items }: Select): boolean {
  const expressions = items.map(({ expression }) => expression);
  if (qualify || expressions.some(containsWindow)) return false;
  return (
    distinct ||
    groupBy !== undefined ||
    having !== undefined ||
    expressions.some((item) => contains(item, isPlainAggregate))
  );
}

// The Druid aggregator that combines stored states of an aggregate. An aggregate inside a larger
// expression is final and stored as a dimension.
function aggregatorType(
  expression: Expression | undefined,
  { nativeType }: OutputColumn,
): string | undefined {
  if (expression?.kind !== 'call' || !isPlainAggregate(expression)) return undefined;
  if (Object.hasOwn(sketches, expression.name)) return sketches[expression.name];
  if (expression.name === 'COUNT') return 'longSum';
  const kind = { SUM: 'Sum', MIN: 'Min', MAX: 'Max', ANY_VALUE: 'Any' }[expression.name];
  const type = { LONG: 'long', DOUBLE: 'double', FLOAT: 'float', STRING: 'string' }[
    nativeType ?? ''
  ];
  return kind && type && (type !== 'string' || kind === 'Any') ? `${type}${kind}` : undefined;
}

const sketches: Readonly<Record<string, string>> = {
  DS_HLL: 'HLLSketchMerge',
  DS_THETA: 'thetaSketch',
  DS_QUANTILES_SKETCH: 'quantilesDoublesSketchMerge',
};

// The query granularity: that of the only key that floors __time to whole periods and is stored as
// __time.
function queryGranularity(
  { groupBy = [], items }: Select,
  columns: readonly OutputColumn[],
  timeZone: string,
): Granularity {
  const none: Granularity = { type: 'none' };
  const floors = groupBy.flatMap(expressionsOf).flatMap((written) => {
    const isOrdinal = written.kind === 'literal' && written.type === 'integer';
    const expression = isOrdinal ? items[Number(written.text) - 1]?.expression : written;
    const period = expression?.kind === 'call' ? periodOf(expression) : undefined;
    return expression && period !== undefined ? [{ expression, period }] : [];
  });
  const [floor, another] = floors;
  const time = items[columns.findIndex(({ name }) => name === '__time')]?.expression;
  if (!floor || another || !time || print(time) !== print(floor.expression)) return none;
  return parseGranularity({ type: 'period', period: floor.period, timeZone });
}

const print = (expression: Expression) =>
  fingerprint(expression, ({ names }) => names.at(-1) ?? '');

function expressionsOf(grouping: Grouping): readonly Expression[] {
  switch (grouping.kind) {
    case 'empty':
      return [];
    case 'expression':
      return [grouping.expression];
    case 'set':
      return grouping.items;
    case 'sets':
    case 'rollup':
    case 'cube':
      return grouping.items.flatMap(expressionsOf);
  }
}

// TIME_FLOOR(__time, 'PT1H'), FLOOR(__time TO HOUR) and DATE_TRUNC('HOUR', __time).
function periodOf({ name, args, unit }: Call): string | undefined {
  const [first, second] = args;
  const isTime = (expression: Expression | undefined) =>
    expression?.kind === 'identifier' && expression.names.at(-1) === '__time';
  const text = (expression: Expression | undefined) =>
    expression?.kind === 'literal' && expression.type === 'string' ? expression.text : undefined;
  if (name === 'TIME_FLOOR' && args.length === 2 && isTime(first)) return text(second);
  if (name === 'FLOOR' && unit !== undefined && isTime(first)) return periodOfUnit(unit);
  const truncated = text(first);
  return name === 'DATE_TRUNC' && truncated !== undefined && isTime(second)
    ? periodOfUnit(truncated)
    : undefined;
}

function periodOfUnit(unit: string): string | undefined {
  const period = granularityJson(parseGranularity(unit.toUpperCase())).period;
  return typeof period === 'string' ? period : undefined;
}
