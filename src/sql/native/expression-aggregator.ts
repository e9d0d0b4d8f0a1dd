// The aggregator `expression` (docs/querying/aggregations.md), if its result does not depend on the
// division of rows into segments: sums, products, the largest and the smallest number. Others are
// refused.
import { bindOnce } from '../expressions/bind-once.ts';
import { castTo } from '../expressions/casts.ts';
import { constantText, long } from '../expressions/duckdb-text.ts';
import { isList } from '../expressions/multi-value.ts';
import { scopeWith, type Typed } from '../expressions/typed.ts';
import { bigint, double, isInteger, isNumeric, nativeTypeOf, type SqlType } from '../types.ts';
import {
  asText,
  has,
  listIn,
  malformed,
  type Node,
  notSupported,
  textIn,
  textOr,
  truthOr,
} from './members.ts';
import type { NativeExpression } from './native-expression.ts';
import { parseNativeExpression } from './parse-expression.ts';
import { resolveNativeExpression } from './resolve.ts';
import type { RowScope } from './row-scope.ts';

export interface ExpressionAggregate {
  readonly type: SqlType; // type of the accumulator
  readonly sql: string;
  readonly finalType: SqlType;
  final(sql: string): string;
}

/**
 * The aggregate over the rows of a scope; `over` adds a filter to each aggregate, if `isFiltered`.
 * Throws SqlError.
 */
export function expressionAggregate(
  node: Node,
  scope: RowScope,
  over: (aggregate: string) => string,
  isFiltered: boolean,
): ExpressionAggregate {
  const initial = constantIn(node, 'initialValue', textIn(node, 'initialValue'));
  const { operation, operand } = stepsOf(node, initial);
  const isMissing = operand.kind === 'name' && !scope.has(operand.name);
  const value = isMissing
    ? `NULL::${initial.type.name}`
    : numberOf(resolveNativeExpression(operand, scope), initial.type, scope);
  const skipsNulls = !truthOr(node, 'shouldAggregateNullInputs', true);
  if (skipsNulls === truthOr(node, 'shouldCombineAggregateNullInputs', !skipsNulls))
    throw refuseAggregator(
      'takes [shouldAggregateNullInputs] and [shouldCombineAggregateNullInputs] only with one value',
    );
  if (skipsNulls && operand.kind !== 'name')
    throw refuseAggregator('skips null inputs only where [fold] takes a column as it is');
  const isNullAlone = truthOr(node, 'isNullUnlessAggregated', true);
  if (isFiltered && !skipsNulls && isNullAlone)
    throw refuseAggregator(
      'stands in a filter only with [shouldAggregateNullInputs] or [isNullUnlessAggregated] false: segments without rows make it null',
    );
  if (has(node, 'compare'))
    throw refuseAggregator('takes no [compare]: results are ordered by their values');
  const found = operation.sql(over(operation.aggregate(value)), initial);
  const none = isNullAlone ? 'NULL' : initial.sql;
  const nulls = skipsNulls
    ? ''
    : `WHEN ${over('count(*)')} > ${over(`count(${value})`)} THEN NULL `;
  const sql = `CASE ${nulls}WHEN ${over(`count(${value})`)} = 0 THEN ${none} ELSE ${found} END`;
  return { type: initial.type, sql, ...finalizeWith(node, initial.type, scope) };
}

const refuseAggregator = (what: string) => notSupported(`Aggregator [expression] ${what}`);

interface Initial {
  readonly type: SqlType;
  readonly value: number | bigint;
  readonly sql: string;
}

interface Operation {
  readonly neutral?: number; // initial value of a fold; absent if any value will do
  readonly types: readonly SqlType['name'][];
  aggregate(value: string): string;
  sql(aggregate: string, initial: Initial): string;
}

const sum: Operation = {
  neutral: 0,
  types: ['BIGINT', 'DOUBLE'],
  aggregate: (value) => `sum(${value})`,
  sql: (aggregate, { type }) => (type.name === 'BIGINT' ? `druid_wrap(${aggregate})` : aggregate),
};
// A product of longs can exceed what DuckDB computes without an error.
const product: Operation = {
  neutral: 1,
  types: ['DOUBLE'],
  aggregate: (value) => `product(${value})`,
  sql: (aggregate) => aggregate,
};
const extreme = (aggregate: 'max' | 'min', of: 'greatest' | 'least'): Operation => ({
  types: ['BIGINT', 'DOUBLE'],
  aggregate: (value) => `${aggregate}(${value})`,
  sql: (found, initial) => `${of}(${found}, ${initial.sql})`,
});

const operators: Readonly<Record<string, Operation>> = { '+': sum, '*': product };
const calls: Readonly<Record<string, Operation>> = {
  max: extreme('max', 'greatest'),
  min: extreme('min', 'least'),
};

interface Step {
  readonly operation: Operation;
  readonly operand: NativeExpression;
}

// Steps of `fold` and `combine` that do the same, with a neutral initial value.
function stepsOf(node: Node, initial: Initial): Step {
  const name = textIn(node, 'name');
  const accumulator = textOr(node, 'accumulatorIdentifier', '__acc');
  const fields = has(node, 'fields') ? listIn(node, 'fields', asText) : [];
  const fold = stepOf(parseNativeExpression(textIn(node, 'fold')), accumulator);
  if (!has(node, 'combine') && fields.length !== 1)
    throw malformed('Must have a single input field if no combine expression is supplied');
  const combine = has(node, 'combine')
    ? stepOf(parseNativeExpression(textIn(node, 'combine')), accumulator)
    : fold;
  const combined = has(node, 'combine') ? name : fields[0];
  const isPlain = combine?.operand.kind === 'name' && combine.operand.name === combined;
  if (
    fold === undefined ||
    combine?.operation !== fold.operation ||
    !isPlain ||
    !has(node, 'fields')
  )
    throw refuseAggregator(
      `folds and combines only by [${accumulator} + x], [${accumulator} * x], [max(${accumulator}, x)] and [min(${accumulator}, x)], the same in [fold] and with [${name}] in [combine]`,
    );
  const { operation } = fold;
  const combineInitial = constantIn(
    node,
    'initialCombineValue',
    textOr(node, 'initialCombineValue', textIn(node, 'initialValue')),
  );
  if (combineInitial.sql !== initial.sql)
    throw refuseAggregator('takes [initialCombineValue] only where it is the [initialValue]');
  if (operation.neutral !== undefined && Number(initial.value) !== operation.neutral)
    throw refuseAggregator(
      `begins with [${operation.neutral}] here, not [${initial.value}]: each segment would add its own`,
    );
  if (!operation.types.includes(initial.type.name))
    throw refuseAggregator('multiplies only as doubles: give the [initialValue] as [1.0]');
  return fold;
}

function stepOf(expression: NativeExpression, accumulator: string): Step | undefined {
  const [operation, sides] =
    expression.kind === 'binary'
      ? [operators[expression.operator], [expression.left, expression.right]]
      : expression.kind === 'call'
        ? [calls[expression.name], expression.args]
        : [];
  const isAccumulator = (side: NativeExpression) =>
    side.kind === 'name' && side.name === accumulator;
  const [operand, ...others] = sides?.filter((side) => !isAccumulator(side)) ?? [];
  if (!operation || !operand || others.length > 0 || sides?.length !== 2) return undefined;
  return { operation, operand };
}

function constantIn(node: Node, key: string, text: string): Initial {
  const given = parseNativeExpression(text);
  const negative = given.kind === 'unary' && given.operator === '-';
  const literal = negative ? given.operand : given;
  if (literal.kind === 'array') throw refuseAggregator(`takes only a number as [${key}]`);
  if (literal.kind !== 'literal')
    throw malformed(`[${key}] of [${String(node.type)}] must be constant`);
  if (literal.type !== 'integer' && literal.type !== 'double')
    throw refuseAggregator(`takes only a number as [${key}]`);
  const signed = `${negative ? '-' : ''}${literal.text}`;
  if (literal.type === 'integer')
    return { type: bigint, value: BigInt(signed), sql: long(BigInt(signed)) };
  return { type: double, value: Number(signed), sql: constantText(Number(signed), double) };
}

function numberOf(value: Typed, type: SqlType, scope: RowScope): string {
  const fits =
    !isList(value) && (type.name === 'BIGINT' ? isInteger(value.type) : isNumeric(value.type));
  if (!fits)
    throw refuseAggregator(`folds no [${nativeTypeOf(value.type)}] into a [${nativeTypeOf(type)}]`);
  return castTo(value, type, scope.environment.timeZone).sql;
}

function finalizeWith(
  node: Node,
  type: SqlType,
  scope: RowScope,
): Pick<ExpressionAggregate, 'final' | 'finalType'> {
  if (!has(node, 'finalize')) return { final: (sql) => sql, finalType: type };
  const finalize = parseNativeExpression(textIn(node, 'finalize'));
  const finalValue = (sql: string): Typed => {
    const column = (names: readonly string[]): Typed => {
      if (names.join('.') !== 'o')
        throw malformed(`[finalize] reads the accumulator as [o], not [${names.join('.')}]`);
      return { type, sql, at: finalize.at };
    };
    return resolveNativeExpression(finalize, scopeWith(scope, { column }));
  };
  return {
    final: (sql) => bindOnce([sql], ([value = sql]) => finalValue(value).sql),
    finalType: finalValue('o').type,
  };
}
