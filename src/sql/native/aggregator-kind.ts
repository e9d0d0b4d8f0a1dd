// Base of native aggregators: their results, their context, and what they read.

import type { Interval } from '../../model/interval.ts';
import type { Call } from '../ast.ts';
import { bindOutside } from '../expressions/bind-once.ts';
import { castTo, toDouble } from '../expressions/casts.ts';
import { long } from '../expressions/duckdb-text.ts';
import { isList, singleValued } from '../expressions/multi-value.ts';
import { type Environment, type Typed, withText } from '../expressions/typed.ts';
import { findAggregate, resolveAggregate } from '../functions/aggregates.ts';
import { bigint, isNumeric, isText, type SqlType, varchar } from '../types.ts';
import { callTo } from './expressions.ts';
import type { Merging } from './fold-aggregator.ts';
import { failingLate, has, malformed, NOWHERE, type Node, textIn } from './members.ts';
import { numberOfColumn } from './native-values.ts';
import { resolveNativeExpression } from './resolve.ts';
import type { RowScope } from './row-scope.ts';

export interface Aggregator {
  readonly name: string;
  readonly sql: string; // DuckDB text over the rows of a group
  readonly type: SqlType; // type of the value while it can still be merged
  readonly finalType: SqlType;
  // A value with its time, or a sum with its count, while it can still be merged
  readonly isPair?: true;
  readonly time?: string; // of such a value
  /** The value shown in the result, from the text of the merged value. */
  final(sql: string): string;
  /** The value that topN compares, if it differs from the shown value. */
  order?(sql: string): string;
  readonly isOrderedByExpression?: true;
}

export interface AggregatorContext {
  readonly scope: RowScope;
  /** Whether this grouping set leaves out a dimension of the query. Used by `grouping`. */
  readonly leftOut: (dimension: string) => boolean;
  /** Used by `expression`. */
  readonly merging: Merging;
  readonly intervals: readonly Interval[];
  /** The broker itself aggregates the rows, or merges the results of several datasources. */
  readonly isOnBroker?: boolean;
  readonly window?: string; // inside OVER, for an aggregate of the frame of each row
}

/** Adds FILTER and OVER to each aggregate of a text. */
export type Over = (aggregate: string) => string;

/** The value of an aggregator, before it has a name. */
export type Value = Pick<Aggregator, 'sql' | 'type'> &
  Partial<
    Pick<Aggregator, 'final' | 'finalType' | 'isOrderedByExpression' | 'isPair' | 'order' | 'time'>
  >;

/** How a type of aggregators is computed. Throws SqlError. */
export type Kind = (
  node: Node,
  context: AggregatorContext,
  over: Over,
  conditions: readonly string[],
) => Value;

/** The column or the expression that an aggregator reads. Throws SqlError. */
export function field(node: Node, { scope }: AggregatorContext): Typed {
  if (!takesExpression.test(String(node.type)) && !has(node, 'fieldName'))
    throw malformed(`Must have a valid, non-null fieldName of [${String(node.type)}]`);
  if (!takesExpression.test(String(node.type)))
    return scope.column([textIn(node, 'fieldName')], NOWHERE);
  if (has(node, 'expression') === has(node, 'fieldName'))
    throw malformed(
      `Must have a valid, non-null fieldName or expression of [${String(node.type)}], and not both`,
    );
  if (!has(node, 'expression')) return scope.column([textIn(node, 'fieldName')], NOWHERE);
  const expression = textIn(node, 'expression');
  return failingLate(() => resolveNativeExpression(expression, scope));
}

// Other aggregators ignore an expression.
const takesExpression = /^(long|double|float)(Sum|Min|Max)$/;

/** As `field`, as a number of a type. A text that is not a number is null. */
export function numberField(node: Node, type: SqlType, context: AggregatorContext): Typed {
  const value = field(node, context);
  const { timeZone } = context.scope.environment;
  // An expression with several values has no number, nor has a virtual column of several numbers.
  const element = singleValued(value.type);
  if (isList(value) && (has(node, 'expression') || isNumeric(element))) {
    const one = bindOutside(
      [value.sql],
      ([list = '']) => `CASE WHEN len(${list}) = 1 THEN ${list}[1] END`,
    );
    return castTo({ type: element, at: NOWHERE, sql: one }, type, timeZone);
  }
  if (isList(value))
    return castTo({ ...withText(value, `(${value.sql})[1]`), type: varchar }, type, timeZone);
  if (value.type.name === 'ARRAY' || value.type.name === 'OTHER')
    return castTo({ ...withText(value, 'NULL::VARCHAR'), type: varchar }, type, timeZone);
  if (isText(value.type) && has(node, 'fieldName')) return numberOfColumn(value, type);
  return castTo(value.type.name === 'FLOAT' ? toDouble(value, timeZone) : value, type, timeZone);
}

/**
 * An aggregate of SQL's table over arguments. `order` is DuckDB text that decides between rows of
 * the same time. Throws SqlError.
 */
export function resolveCall(
  name: string,
  args: readonly Typed[],
  { scope }: AggregatorContext,
  over: Over,
  { order, ...given }: PickedRow = {},
): Pick<Typed, 'nullable' | 'sql' | 'type'> {
  const call: Call = callTo(name);
  const environment = { ...scope.environment, context: {}, ...given };
  const places = order ?? (findAggregate(name)?.isLast ? scope.place() : '');
  return resolveAggregate(call, args, environment, over, places);
}

/** The row whose value an aggregate takes. */
export interface PickedRow extends Pick<Environment, 'anyIs'> {
  readonly order?: string;
}

/** A whole number as an argument. */
export const constant = (value: bigint): Typed => ({
  type: bigint,
  sql: long(value),
  constant: value,
  isLiteral: true,
  at: NOWHERE,
});

/** Whether a value is a text or several. */
export const isTextual = (value: Typed): boolean => isText(value.type) || isList(value);
