// The aggregator `expression` (docs/querying/aggregations.md). Sums, products, the largest and the
// smallest number do not depend on the division of rows into segments: they are aggregates of
// DuckDB. All others are folded row by row.
import { bindOnce } from '../expressions/bind-once.ts';
import { castTo } from '../expressions/casts.ts';
import { constantText, long } from '../expressions/duckdb-text.ts';
import { isList } from '../expressions/multi-value.ts';
import { scopeWith, type Typed } from '../expressions/typed.ts';
import { bigint, double, isInteger, isNumeric, type SqlType, varchar } from '../types.ts';
import { type Fold, foldAggregate, literalValue, type Merging } from './fold-aggregator.ts';
import { asText, has, listIn, malformed, type Node, textIn, textOr, truthOr } from './members.ts';
import type { NativeExpression } from './native-expression.ts';
import { parseNativeExpression } from './parse-expression.ts';
import { resolveNativeExpression } from './resolve.ts';
import type { RowScope } from './row-scope.ts';

export interface ExpressionAggregate {
  readonly type: SqlType; // type of the accumulator
  readonly sql: string;
  readonly finalType: SqlType;
  final(sql: string): string;
  // Results are sorted by an expression of pairs
  readonly isOrderedByExpression?: true;
}

/**
 * The aggregate over the rows of a scope that meet the conditions; `over` adds the conditions to an
 * aggregate. Throws SqlError.
 */
export function expressionAggregate(
  node: Node,
  scope: RowScope,
  over: (aggregate: string) => string,
  conditions: readonly string[],
  merging: Merging,
): ExpressionAggregate {
  const fold = foldOf(node, scope);
  const { type } = fold.combineInitial;
  const found =
    simpleAggregate(fold, node, scope, over, conditions, merging) ??
    foldAggregate(fold, scope, conditions, merging);
  return {
    type,
    sql: found,
    ...(has(node, 'compare') && { isOrderedByExpression: true }),
    ...finalizeWith(node, type, scope),
  };
}

function foldOf(node: Node, scope: RowScope): Fold {
  const fields = has(node, 'fields') ? listIn(node, 'fields', asText) : [];
  const name = textIn(node, 'name');
  const foldText = textIn(node, 'fold');
  if (!has(node, 'combine') && fields.length !== 1)
    throw malformed('Must have a single input field if no combine expression is supplied');
  const combineText = has(node, 'combine')
    ? textIn(node, 'combine')
    : foldText.replaceAll(fields[0] ?? '', name);
  const skipsNulls = !truthOr(node, 'shouldAggregateNullInputs', true);
  const first = textIn(node, 'initialValue');
  return {
    name,
    accumulator: textOr(node, 'accumulatorIdentifier', '__acc'),
    isOfRows: fields.length > 0,
    initial: literalValue(parseNativeExpression(first), 'initialValue', scope),
    combineInitial: literalValue(
      parseNativeExpression(textOr(node, 'initialCombineValue', first)),
      'initialCombineValue',
      scope,
    ),
    fold: parseNativeExpression(foldText),
    combine: parseNativeExpression(combineText),
    skipsNulls,
    combineSkipsNulls: !truthOr(node, 'shouldCombineAggregateNullInputs', !skipsNulls),
    isNullAlone: truthOr(node, 'isNullUnlessAggregated', true),
    mostBytes: bytesIn(node, 'maxSizeBytes', 1024),
  };
}

// A number of bytes, or a text with a unit.
function bytesIn(node: Node, key: string, otherwise: number): number {
  if (!has(node, key)) return otherwise;
  const [, digits, unit = ''] = /^(\d+)([kmg]i?b?)?$/i.exec(String(node[key])) ?? [];
  if (digits === undefined) throw malformed(`Invalid format of number: ${String(node[key])}`);
  const power = ' kmg'.indexOf(unit.charAt(0).toLowerCase() || ' ');
  return Math.min(Number(digits) * (/i/i.test(unit) ? 1024 : 1000) ** power, 2 ** 31 - 1);
}

// Undefined if the result may depend on the order or on the segments of the rows.
function simpleAggregate(
  fold: Fold,
  node: Node,
  scope: RowScope,
  over: (aggregate: string) => string,
  conditions: readonly string[],
  merging: Merging,
): string | undefined {
  const { skipsNulls, isNullAlone } = fold;
  const initial = initialOf(fold);
  const step = initial && stepOfBoth(fold, node, initial);
  if (!initial || !step || skipsNulls !== fold.combineSkipsNulls) return undefined;
  const { operation, operand } = step;
  if (skipsNulls && operand.kind !== 'name') return undefined;
  const isPartlyNull = conditions.length > 0 || merging.segments > 1;
  if (isPartlyNull && !skipsNulls && isNullAlone) return undefined;
  const isMissing = operand.kind === 'name' && !scope.has(operand.name);
  const value = isMissing
    ? `NULL::${initial.type.name}`
    : numberOf(resolveNativeExpression(operand, scope), initial.type, scope);
  if (value === undefined) return undefined;
  const found = operation.sql(over(operation.aggregate(value)), initial);
  const none = isNullAlone ? 'NULL' : initial.sql;
  const nulls = skipsNulls
    ? ''
    : `WHEN ${over('count(*)')} > ${over(`count(${value})`)} THEN NULL `;
  return `CASE ${nulls}WHEN ${over(`count(${value})`)} = 0 THEN ${none} ELSE ${found} END`;
}

// A number to begin with.
function initialOf({ initial, combineInitial }: Fold): Initial | undefined {
  const { type, constant, sql } = initial;
  if (combineInitial.sql !== sql) return undefined;
  if (typeof constant === 'bigint' && type.name !== 'ARRAY')
    return { type: bigint, value: constant, sql: long(constant) };
  return typeof constant === 'number' && type.name === 'DOUBLE'
    ? { type: double, value: constant, sql: constantText(constant, double) }
    : undefined;
}

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
const bits = (aggregate: 'bit_and' | 'bit_or' | 'bit_xor', neutral: number): Operation => ({
  neutral,
  types: ['BIGINT'],
  aggregate: (value) => `${aggregate}(${value})`,
  sql: (found) => found,
});
const calls: Readonly<Record<string, Operation>> = {
  bitwiseand: bits('bit_and', -1),
  bitwiseor: bits('bit_or', 0),
  bitwisexor: bits('bit_xor', 0),
  max: extreme('max', 'greatest'),
  min: extreme('min', 'least'),
};

interface Step {
  readonly operation: Operation;
  readonly operand: NativeExpression;
}

// The step of `fold` and `combine` if both are the same, from a neutral initial value.
function stepOfBoth(
  { name, accumulator, fold, combine, isOfRows }: Fold,
  node: Node,
  initial: Initial,
): Step | undefined {
  const step = isOfRows ? stepOf(fold, accumulator) : undefined;
  const merged = stepOf(combine, accumulator);
  const [only] = has(node, 'combine') ? [name] : listIn(node, 'fields', asText);
  const isPlain = merged?.operand.kind === 'name' && [name, only].includes(merged.operand.name);
  if (!step || merged?.operation !== step.operation || !isPlain) return undefined;
  const { neutral, types } = step.operation;
  const isNeutral = neutral === undefined || Number(initial.value) === neutral;
  return isNeutral && types.includes(initial.type.name) ? step : undefined;
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

// Undefined for a value of another type.
function numberOf(value: Typed, type: SqlType, scope: RowScope): string | undefined {
  const fits =
    !isList(value) && (type.name === 'BIGINT' ? isInteger(value.type) : isNumeric(value.type));
  return fits ? castTo(value, type, scope.environment.timeZone).sql : undefined;
}

function finalizeWith(
  node: Node,
  type: SqlType,
  scope: RowScope,
): Pick<ExpressionAggregate, 'final' | 'finalType'> {
  if (!has(node, 'finalize')) return { final: (sql) => sql, finalType: type };
  const finalize = parseNativeExpression(textIn(node, 'finalize'));
  const finalValue = (sql: string): Typed => {
    const column = (names: readonly string[]): Typed =>
      names.join('.') === 'o'
        ? { type, sql, at: finalize.at }
        : { type: varchar, sql: 'NULL::VARCHAR', at: finalize.at };
    return resolveNativeExpression(finalize, scopeWith(scope, { column }));
  };
  return {
    final: (sql) => bindOnce([sql], ([value = sql]) => finalValue(value).sql),
    finalType: finalValue('o').type,
  };
}
