// Calls of aggregate and window functions: arguments are resolved in the scope below the call, then
// FILTER and OVER are put around each aggregate in the resulting text.

import { markLimit } from '../../sketches/unique-collector.ts';
import type { Call, Expression, Position } from '../ast.ts';
import { refuseArrayMatches } from '../expressions/array-matches.ts';
import { bitRange, hasGroupTable } from '../expressions/bit-range.ts';
import { castTo, constantOf as literal } from '../expressions/casts.ts';
import { withComparedValues } from '../expressions/compared-values.ts';
import { isContradictory } from '../expressions/contradictions.ts';
import { filterForm } from '../expressions/filter-form.ts';
import { isAlwaysMet, isNeverMet } from '../expressions/known-conditions.ts';
import { isList } from '../expressions/multi-value.ts';
import { contains, nullLiteral } from '../expressions/rewrite.ts';
import { asStored, type Environment, type Typed } from '../expressions/typed.ts';
import { aggregates, resolveAggregate } from '../functions/aggregates.ts';
import { byRow } from '../functions/call-kinds.ts';
import { invalidSql, unknownStar, unsupportedSql } from '../sql-error.ts';
import { bigint, double, isInteger, isNumeric, isText } from '../types.ts';
import { isFieldOfNumbers, resolveCompared, resolveExpression } from './resolve-expression.ts';
import { resolveForRow } from './row-value.ts';
import type { QueryScope } from './scope.ts';
import type { WindowReach } from './window.ts';

/** Functions that read the first or the last row of their frame. */
export const isEndOfFrame = ({ name }: Call): boolean =>
  name === 'FIRST_VALUE' || name === 'LAST_VALUE';

/** The part of the window that a function reads. */
export function windowReach(call: Call): WindowReach {
  const { name } = call;
  if (byRow.includes(name)) return 'rows';
  if (name === 'ANY_VALUE' || aggregates[name]?.collects) return 'items';
  return isEndOfFrame(call) ? 'ends' : 'frame';
}

/** What is known of the groups of an aggregate. */
export interface KnownGroups {
  readonly most: number; // about the largest number of them
  /**
   * For all rows as one group: a query in parentheses of the distinct values of a text, as `v`, in
   * the rows that meet a filter.
   */
  readonly distinctRows?: (value: string, filter: string | undefined) => string;
}

/** Refuses a window function without OVER, after what is wrong with its arguments. */
export function refuseWithoutOver(call: Call, scope: QueryScope): never {
  resolveAggregateCall(call, scope, '');
  throw unsupportedSql(`SQL query requires '${call.name}' operator that is not supported.`);
}

/**
 * The value of a call over the rows (or groups) of `scope`. `window` is the text inside OVER.
 * `finest` is true for the groups whose lists have a size limit; by default all groups have it.
 */
export function resolveAggregateCall(
  given: Call,
  scope: QueryScope,
  window?: string,
  finest?: string,
  groups?: KnownGroups,
): Typed {
  const call =
    window === undefined ? withColumnOfCast(withFilterOfCase(given, scope), scope) : given;
  const [star, ...more] = call.args;
  const isStar = star?.kind === 'star' && more.length === 0;
  if (isStar && call.name !== 'COUNT') throw unknownStar(star, scope.environment.version);
  const written = isStar
    ? []
    : call.args.map((argument: Expression) => resolveArgument(call, argument, scope));
  for (const { expression } of call.withinGroup ?? []) resolveExpression(expression, scope);
  const args = aggregates[call.name]?.implicitTime
    ? withTime(written, scope.timeColumn(call.at))
    : written;
  if (call.filter && window !== undefined)
    throw invalidSql('OVER must be applied to aggregate function', call.at);
  const filter = call.filter && filterText(call.filter, scope);
  const over = (aggregate: string) =>
    `${aggregate}${filter === undefined ? '' : ` FILTER (WHERE ${filter})`}${window === undefined ? '' : ` OVER (${window})`}`;
  const order = window === undefined ? orderOfRows(call, scope) : '';
  const reach: Environment['window'] =
    window === undefined ? undefined : window === '' ? 'all' : 'each';
  // Windows read rows again for each row, grouping sets for each set, which the Broker merges
  const mostRows = window === undefined && finest === undefined ? scope.mostRows : undefined;
  const environment: Environment = {
    ...scope.environment,
    ...((reach || scope.isOnBroker || finest !== undefined) && { isOnBroker: true }),
    ...(reach && { window: reach }),
    ...(mostRows !== undefined && { mostRows }),
  };
  const known =
    groups === undefined ? args : args.map((arg) => withGroups(arg, groups, environment, filter));
  return { ...resolveAggregate(call, known, environment, over, order, finest), at: call.at };
}

function orderOfRows({ name, distinct, at }: Call, scope: QueryScope): string {
  const { picks, isLast = false, collects } = aggregates[name] ?? {};
  if (picks) return scope.placeOfRow(isLast) ?? '';
  return collects && !distinct ? scope.rowOrder(at) : '';
}

const withGroups = (
  arg: Typed,
  { most, distinctRows }: KnownGroups,
  environment: Environment,
  filter: string | undefined,
): Typed => ({
  ...arg,
  bits: () =>
    bitRange(arg.mark ? { ...arg, statistics: statisticsOfMarks } : arg, most, environment),
  ...(distinctRows &&
    hasGroupTable(arg, environment) && {
      distinctRows: (value) => distinctRows(value, filter),
    }),
});

const statisticsOfMarks = { range: [0, markLimit - 1] } as const;

// The time argument follows the value. Of two settings, the engine reads only the second one.
function withTime(written: readonly Typed[], time: Typed): readonly Typed[] {
  const [value, first, ...more] = written;
  if (!value) return [time];
  return more.length === 1
    ? [value, time, ...more]
    : [value, time, ...(first ? [first] : []), ...more];
}

// COUNT reads its values only where they can be null.
function resolveArgument(call: Call, argument: Expression, scope: QueryScope): Typed {
  const decided = argument.kind === 'identifier' ? scope.decided(argument) : argument;
  if (decided !== argument && (call.name === 'SUM' || call.name === 'AVG')) {
    const { type } = resolveExpression(argument, scope);
    // SUM takes the constant as written, not the nearest 32-bit number.
    if (type.name === 'FLOAT')
      return castTo(resolveExpression(decided, scope), double, scope.environment.timeZone);
  }
  const isPlainCount = call.name === 'COUNT' && !call.distinct;
  // Aggregates read the constant that WHERE equates with a multi-value column.
  const counted = countedColumn(call, argument, scope);
  if (counted) return counted;
  const zero = numberByRow(call, argument, scope);
  if (zero) return zero;
  const isCast = argument.kind === 'cast' || argument.kind === 'identifier';
  if (isCast && (call.distinct || aggregates[call.name]?.picks)) {
    const value = resolveExpression(argument, scope);
    if (value.storedText !== undefined) return asStored(value);
  }
  if (!isPlainCount && !(decided !== argument && isList(resolveExpression(argument, scope))))
    return resolveForRow(call.name === 'AVG' ? fieldOfDoubles(argument) : argument, scope);
  const value = resolveExpression(decided, scope);
  if (value.type.multiValue) return resolveForRow(argument, scope);
  return value.nullable === false ? literal(1n, bigint, argument.at) : value;
}

// Row by row, the first, last and any number of a text is 0, whatever the text is.
function numberByRow({ name }: Call, argument: Expression, scope: QueryScope): Typed | undefined {
  if (!aggregates[name]?.picks || argument.kind !== 'cast') return undefined;
  const { operand, at } = argument;
  if (operand.kind !== 'identifier' || !scope.isReadByRow(operand.names, operand.at))
    return undefined;
  const column = columnOfCast(argument, scope);
  const { type } = resolveExpression(argument, scope);
  if (!column || !isText(column.type) || !isNumeric(type)) return undefined;
  return castTo(literal(0n, bigint, at), type, scope.environment.timeZone);
}

// An average reads a field of nested data as doubles, whatever RETURNING names.
function fieldOfDoubles(argument: Expression): Expression {
  const returning = argument.kind === 'call' ? argument.json?.returning : undefined;
  if (argument.kind !== 'call' || !returning || !isFieldOfNumbers(argument)) return argument;
  return { ...argument, json: { ...argument.json, returning: { ...returning, name: 'DOUBLE' } } };
}

// Estimates of distinct values read the column of a cast, whatever the cast makes of its values.
function countedColumn(call: Call, argument: Expression, scope: QueryScope): Typed | undefined {
  if (!isEstimate(call, scope.environment.context)) return undefined;
  if (argument.kind !== 'identifier') return columnOfCast(argument, scope);
  const { counted, at } = resolveExpression(argument, scope);
  return counted && { ...counted, at };
}

/**
 * The call with a numeric column in place of the column's cast to another number. An aggregate of
 * doubles reads the column (Druid: Aggregations.toDruidExpressionForNumericAggregator).
 */
export function withColumnOfCast(call: Call, scope: QueryScope): Call {
  const [cast, ...more] = call.args;
  if (cast?.kind !== 'cast' || cast.safe || !aggregates[call.name]?.readsDoubles) return call;
  const { operand } = cast;
  const isOfNumbers = [cast, operand].every((part) =>
    isNumeric(resolveExpression(part, scope).type),
  );
  const isColumn = operand.kind === 'identifier' && scope.isStored(operand.names, operand.at);
  return isOfNumbers && (isColumn || isFieldOfNumbers(operand))
    ? { ...call, args: [operand, ...more] }
    : call;
}

/** The column of a cast between numbers and texts; undefined for other expressions. */
export function columnOfCast(expression: Expression, scope: QueryScope): Typed | undefined {
  if (expression.kind !== 'cast' || expression.safe || expression.operand.kind !== 'identifier')
    return undefined;
  const [cast, column] = [expression, expression.operand].map((part) =>
    resolveExpression(part, scope),
  );
  const isPlain = (value: Typed | undefined) =>
    value !== undefined && (isNumeric(value.type) || isText(value.type));
  return column?.constant === undefined && isPlain(cast) && isPlain(column) ? column : undefined;
}

/** Whether a call estimates the number of distinct values. */
export const isEstimate = (
  { name, distinct }: Call,
  { useApproximateCountDistinct }: Readonly<Record<string, unknown>>,
): boolean =>
  (name === 'COUNT' && distinct === true && useApproximateCountDistinct !== false) ||
  name.startsWith('APPROX_COUNT_DISTINCT');

/**
 * The call with an argument like `CASE WHEN c THEN x END` turned into a filter, as the engine does;
 * for a SUM of longs also one with ELSE 0, but not one with THEN 0 (Calcite:
 * AggregateCaseToFilterRule). Such a sum over no rows is null. A sum of ones and zeros becomes a
 * count, unless the planner knows that no row is read. A CASE whose first condition WHERE makes
 * true is the value of that branch, and one whose conditions exclude each other is that of ELSE.
 */
export function withFilterOfCase(call: Call, scope: QueryScope): Call {
  const argument = call.args[0] && caseOfNullIf(call.args[0]);
  if (argument?.kind !== 'case' || call.args.length > 1 || aggregates[call.name]?.implicitTime)
    return call;
  if (scope.isEmpty || (call.distinct && call.name !== 'COUNT')) return call;
  const { at, operand, otherwise, whens } = argument;
  const conditions = whens.map(
    ({ when }): Expression =>
      operand ? { kind: 'binary', operator: '=', left: operand, right: when, at } : when,
  );
  const anyWhen = anyOf(conditions, at);
  if (!contains(anyWhen, (part) => part.kind === 'identifier')) return call; // it is computed beforehand
  const nameOfType = (value: Expression) => resolveExpression(value, scope).type.name;
  if (isNever(scope.decided(anyWhen), scope))
    return otherwise && nameOfType(otherwise) === nameOfType(argument)
      ? { ...call, args: [otherwise] }
      : call;
  const [first] = whens;
  if (
    first &&
    conditions[0] &&
    isDecidedAlways(conditions[0], scope) &&
    nameOfType(first.then) === nameOfType(argument)
  )
    return { ...call, args: [first.then] };
  const isSum = call.name === 'SUM' && isInteger(resolveExpression(argument, scope).type);
  const isNull = (value: Expression | undefined) => !value || isLiteral(value, 'NULL');
  const isNumber = (value: Expression, number: number) =>
    Number(constantOf(value, scope) ?? Number.NaN) === number;
  const isZero = (value: Expression | undefined) => isSum && value && isNumber(value, 0);
  const withFilter = (value: Expression, condition: Expression, name = call.name): Call => ({
    ...call,
    name,
    args: [value],
    filter: call.filter
      ? { kind: 'binary', operator: 'AND', left: call.filter, right: condition, at }
      : condition,
  });
  if (isZero(otherwise) && whens.every(({ then }) => isNumber(then, 1)))
    return withFilter({ kind: 'star', qualifier: [], at }, anyWhen, 'COUNT'); // of no rows it is 0
  const [[branch, ...more], [when]] = [whens, conditions];
  if (!branch || !when || more.length > 0) return call;
  if (
    isNull(otherwise)
      ? !isNull(branch.then)
      : isZero(otherwise) && !isNull(branch.then) && !isZero(branch.then)
  )
    return withFilter(branch.then, when);
  if (otherwise && isNull(branch.then) && !isNull(otherwise))
    return withFilter(otherwise, { kind: 'is', operand: when, what: 'TRUE', negated: true, at });
  return call;
}

// The planner writes NULLIF as a CASE.
function caseOfNullIf(expression: Expression): Expression {
  const { at } = expression;
  const [value, other] = expression.kind === 'call' ? expression.args : [];
  if (expression.kind !== 'call' || expression.name !== 'NULLIF' || !value || !other)
    return expression;
  const equal: Expression = { kind: 'binary', operator: '=', left: value, right: other, at };
  return { kind: 'case', whens: [{ when: equal, then: nullLiteral(at) }], otherwise: value, at };
}

// The planner knows that the condition holds for no row, once the columns that WHERE decides have
// their values.
function isNever(condition: Expression, scope: QueryScope): boolean {
  const resolve = (part: Expression) => resolveExpression(part, scope);
  if (isNeverMet(condition, resolve) || isContradictory(condition, resolve)) return true;
  const truth = constantOf(condition, scope);
  return truth === false || truth === null;
}

// The condition holds for every row, once the columns that WHERE decides have their values.
function isDecidedAlways(condition: Expression, scope: QueryScope): boolean {
  const decided = scope.decided(condition);
  const resolve = (part: Expression) => resolveExpression(part, scope);
  return isAlwaysMet(decided, resolve) || constantOf(decided, scope) === true;
}

// The value of an expression without columns, if it is known.
const constantOf = (expression: Expression, scope: QueryScope) =>
  contains(expression, ({ kind }) => kind === 'identifier')
    ? undefined
    : resolveExpression(expression, scope).constant;

const anyOf = (conditions: readonly Expression[], at: Position) =>
  conditions.reduce(
    (left, right): Expression => ({ kind: 'binary', operator: 'OR', left, right, at }),
  );

const isLiteral = (value: Expression, text: string) =>
  value.kind === 'literal' && value.type !== 'string' && value.text === text;

function filterText(written: Expression, scope: QueryScope): string {
  const typedOf = (expression: Expression) => resolveCompared(expression, scope);
  refuseArrayMatches(written, typedOf, scope.environment.version);
  // The engine computes fields of nested data here: no index finds them.
  const isColumn = ({ kind }: Expression) => kind === 'identifier';
  const filter = withComparedValues(filterForm(written, { typedOf, isColumn }), {
    typedOf,
    isApart: () => true,
  });
  const condition = resolveExpression(filter, scope);
  if (condition.type.name !== 'BOOLEAN')
    throw invalidSql('FILTER clause must be a condition', filter.at);
  return condition.sql;
}
