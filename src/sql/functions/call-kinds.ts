// Kinds of calls: aggregates of rows, windows, ranks.

import type { Call, Expression, Position } from '../ast.ts';
import { contains } from '../expressions/rewrite.ts';
import { invalidSql } from '../sql-error.ts';
import { aggregates } from './aggregates.ts';

/** GROUPING is not an aggregate of rows: it returns which keys a row of groups has. */
export const isGroupingCall = (name: string): boolean => name === 'GROUPING';

export const ranks = ['RANK', 'DENSE_RANK', 'PERCENT_RANK', 'CUME_DIST'];

export const byRow = ['ROW_NUMBER', 'NTILE', 'LAG', 'LEAD'];

/** Whether a call aggregates rows: an aggregate (by its name in capitals) or GROUPING. */
export const isAggregateCall = ({ name }: Call): boolean =>
  Object.hasOwn(aggregates, name) || isGroupingCall(name);

/** Functions that require a window. */
export const isWindowFunction = ({ name }: Call): boolean => aggregates[name]?.windowOnly === true;

/** Whether an expression is an aggregate over the rows of its own SELECT, not over a window. */
export const isPlainAggregate = (expression: Expression): boolean =>
  expression.kind === 'call' &&
  !expression.over &&
  isAggregateCall(expression) &&
  !isWindowFunction(expression);

/** Whether an expression contains a call with OVER. */
export const containsWindow = (expression: Expression): boolean =>
  contains(expression, (part) => part.kind === 'call' && part.over !== undefined);

// The place of a call with its OVER.
const placeWithWindow = ({ at, over }: Call): Position =>
  over ? { ...at, endLine: over.at.endLine, endColumn: over.at.endColumn } : at;

/** The refusal of an aggregate in a clause that takes none, such as `in WHERE clause`. */
export const illegalAggregate = (call: Call, where: string): Error =>
  invalidSql(
    `${call.over ? 'Windowed aggregate' : 'Aggregate'} expression is illegal ${where}`,
    placeWithWindow(call),
  );

/** Functions that require an order. */
export const isRankFunction = ({ name }: Call): boolean => ranks.includes(name);

/** Functions of rows in order and of ranks, which take no frame. */
export const isUnframed = (call: Call): boolean =>
  isRankFunction(call) || byRow.includes(call.name);
