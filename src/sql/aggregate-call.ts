// A call of an aggregate or window function: its arguments in the scope below it, then FILTER and OVER around each aggregate of its text.
import { aggregates, resolveAggregate } from './aggregates.ts';
import type { Call, Expression } from './ast.ts';
import { isGroupingCall } from './group.ts';
import { resolveExpression } from './resolve-expression.ts';
import { contains } from './rewrite.ts';
import type { QueryScope } from './scope.ts';
import { invalidSql } from './sql-error.ts';
import type { Typed } from './typed.ts';
import type { WindowReach } from './window.ts';

const ranks = ['RANK', 'DENSE_RANK', 'PERCENT_RANK', 'CUME_DIST'];
const byRow = ['ROW_NUMBER', 'NTILE', 'LAG', 'LEAD'];

/** Whether a call needs rows to work on: an aggregate by its name (in capitals), or GROUPING. */
export const isAggregateCall = ({ name }: Call): boolean => Object.hasOwn(aggregates, name) || isGroupingCall(name);

/** Functions that exist over a window only. */
export const isWindowFunction = ({ name }: Call): boolean => aggregates[name]?.windowOnly === true;

/** Whether an expression is an aggregate of the rows of its own SELECT, and not of a window. */
export const isPlainAggregate = (expression: Expression): boolean =>
  expression.kind === 'call' && !expression.over && isAggregateCall(expression) && !isWindowFunction(expression);

/** Whether a call with OVER stands in an expression. */
export const containsWindow = (expression: Expression): boolean =>
  contains(expression, (part) => part.kind === 'call' && part.over !== undefined);

/** Functions that mean nothing without an order. */
export const isRankFunction = ({ name }: Call): boolean => ranks.includes(name);

/** What of its window a function looks at. */
export function windowReach({ name }: Call): WindowReach {
  if (byRow.includes(name)) return 'rows';
  return name === 'FIRST_VALUE' || name === 'LAST_VALUE' ? 'ends' : 'frame';
}

/** The value of a call over the rows (or groups) of `scope`. `window` is the text inside of OVER. */
export function resolveAggregateCall(call: Call, scope: QueryScope, window?: string): Typed {
  const isStar = call.args.length === 1 && call.args[0]?.kind === 'star';
  const written = isStar ? [] : call.args.map((argument: Expression) => resolveExpression(argument, scope));
  const args = aggregates[call.name]?.implicitTime ? [...written.slice(0, 1), scope.timeColumn(call.at), ...written.slice(1)] : written;
  if (call.filter && window !== undefined) throw invalidSql('OVER must be applied to aggregate function', call.at);
  const filter = call.filter && filterText(call.filter, scope);
  const over = (aggregate: string) =>
    `${aggregate}${filter === undefined ? '' : ` FILTER (WHERE ${filter})`}${window === undefined ? '' : ` OVER (${window})`}`;
  return { ...resolveAggregate(call, args, scope.environment, over), at: call.at };
}

function filterText(filter: Expression, scope: QueryScope): string {
  const condition = resolveExpression(filter, scope);
  if (condition.type.name === 'NULL') return 'false';
  if (condition.type.name !== 'BOOLEAN') throw invalidSql('FILTER clause must be a condition', filter.at);
  return condition.sql;
}
