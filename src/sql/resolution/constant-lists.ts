// Conditions on several values that are known while planning.
import type { Expression } from '../ast.ts';
import { isList } from '../expressions/multi-value.ts';
import { contains } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';

/**
 * The value of a condition on several constant values, such as `MV_APPEND('a', 'b') = 'a'`:
 * unknown, or false for LIKE. The planner computes it, and reads the list of truths as one truth.
 * Undefined for other expressions.
 */
export function ofConstantLists(
  expression: Expression,
  resolve: (part: Expression) => Typed,
): null | false | undefined {
  const isOfList = (operands: readonly Expression[]) =>
    operands.some((part) => part.kind === 'call' && listCalls.has(part.name)) &&
    operands.every((part) => !contains(part, isOfRows)) &&
    operands.some((part) => isList(resolve(part)));
  switch (expression.kind) {
    case 'binary':
      return comparisons.has(expression.operator) && isOfList([expression.left, expression.right])
        ? null
        : undefined;
    case 'between':
      return isOfList([expression.operand, expression.low, expression.high]) ? null : undefined;
    case 'in':
      return expression.operand.kind === 'call' &&
        Array.isArray(expression.among) &&
        isOfList([expression.operand, ...expression.among])
        ? null
        : undefined;
    case 'like':
      return isOfList([expression.operand, expression.pattern]) ? false : undefined;
    default:
      return undefined;
  }
}

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);

const isOfRows = ({ kind }: Expression) =>
  ['exists', 'identifier', 'parameter', 'quantified', 'subquery'].includes(kind);

// Functions that make several values of constants.
const listCalls: ReadonlySet<string> = new Set([
  'ARRAY_TO_MV',
  'MV_APPEND',
  'MV_CONCAT',
  'MV_PREPEND',
  'MV_SLICE',
  'STRING_TO_MV',
]);
