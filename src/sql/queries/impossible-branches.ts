// Branches of CASE that no row takes: the planner drops a branch whose condition cannot be met
// (Calcite: RexSimplify.simplifyCase). Its columns then count as not read, which matters for
// multi-value columns.
import type { Case, Expression, Select } from '../ast.ts';
import { isContradictory } from '../expressions/contradictions.ts';
import { isNeverMet } from '../expressions/known-conditions.ts';
import {
  contains,
  isOfQuery,
  mapGrouping,
  mapOperands,
  truthLiteral,
} from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import { isAggregateCall } from '../functions/call-kinds.ts';

/** The items and groups of a SELECT without the conditions of CASE that no row meets. */
export function withoutImpossibleItems(
  select: Select,
  resolve: (operand: Expression) => Typed,
): Select {
  const { items, groupBy } = select;
  const change = (expression: Expression) => withoutImpossible(expression, resolve);
  return {
    ...select,
    items: items.map((item) => ({ ...item, expression: change(item.expression) })),
    ...(groupBy && { groupBy: groupBy.map((grouping) => mapGrouping(grouping, change)) }),
  };
}

/**
 * The expression with FALSE in place of each condition of CASE that no row meets, so that results
 * keep their common type. `resolve` returns the values of operands.
 */
export function withoutImpossible(
  expression: Expression,
  resolve: (operand: Expression) => Typed,
): Expression {
  if (!contains(expression, isSearched)) return expression;
  const inner = mapOperands(expression, (operand) => withoutImpossible(operand, resolve));
  if (!isSearched(inner)) return inner;
  const whens = inner.whens.map((branch) =>
    isImpossible(branch.when, resolve)
      ? { ...branch, when: truthLiteral(false, branch.when.at) }
      : branch,
  );
  return { ...inner, whens };
}

const isSearched = (part: Expression): part is Case =>
  part.kind === 'case' && part.operand === undefined;

const isImpossible = (condition: Expression, resolve: (operand: Expression) => Typed): boolean =>
  contains(condition, ({ kind }) => kind === 'identifier') &&
  !contains(condition, isOfOtherRows) &&
  (isNeverMet(condition, resolve) || isContradictory(condition, resolve));

const isOfOtherRows = (part: Expression): boolean =>
  isOfQuery(part) || (part.kind === 'call' && (part.over !== undefined || isAggregateCall(part)));
