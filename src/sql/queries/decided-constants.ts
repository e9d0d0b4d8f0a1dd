// Columns that WHERE limits to a single constant. The planner replaces them by that constant in
// expressions above the filter (Calcite: ReduceExpressionsRule).
import type { Expression, Identifier, Literal } from '../ast.ts';
import { decidedTexts } from '../expressions/constant-ranges.ts';
import { conjuncts, mapOperands, nullLiteral } from '../expressions/rewrite.ts';
import { findColumn, type RelationColumn, type Source } from '../resolution/relation.ts';
import { isNumeric, isText } from '../types.ts';

/** A function that replaces columns in an expression by the constants that a condition decides. */
export function decidedConstants(
  condition: Expression,
  source: Source,
): (expression: Expression) => Expression {
  const columnOf = ({ names, at }: Identifier) => findColumn(source, names, at);
  const constants = new Map<RelationColumn, Expression>();
  for (const { operand, text } of decidedTexts(condition)) {
    const column = columnOf(operand);
    if (!column) continue;
    const value = textLiteral(text, operand);
    // A null keeps the type of its column, which functions ask for.
    const isPlain = isText(column.type) || isNumeric(column.type);
    constants.set(column, text === null && isPlain ? castOf(value, column.type.name) : value);
  }
  for (const part of conjuncts(condition)) {
    const [operand, number] = decidedNumber(part) ?? [];
    const column = operand && columnOf(operand);
    if (column && number) constants.set(column, number);
  }
  if (constants.size === 0) return (expression) => expression;
  return function decide(expression) {
    if (expression.kind !== 'identifier') return mapOperands(expression, decide);
    const column = columnOf(expression);
    return (column && constants.get(column)) ?? expression;
  };
}

/** A cast of an expression to a type that needs no precision. */
export const castOf = (operand: Expression, name: string): Expression => ({
  kind: 'cast',
  operand,
  type: { name, array: false, native: false, at: operand.at },
  safe: false,
  at: operand.at,
});

/** A text as a literal at the place of an expression; null is NULL. */
export const textLiteral = (text: string | null, { at }: Identifier): Literal =>
  text === null ? nullLiteral(at) : { kind: 'literal', type: 'string', text, at };

/** The column and the number of a condition that only this number meets. */
export function decidedNumber(
  condition: Expression,
): readonly [Identifier, Expression] | undefined {
  if (condition.kind === 'in' && !condition.negated && Array.isArray(condition.among)) {
    const [first, ...more]: readonly Expression[] = condition.among;
    return first && isNumber(first) && more.every((item) => isSameNumber(item, first))
      ? ofColumn(condition.operand, first)
      : undefined;
  }
  if (condition.kind !== 'binary' || condition.operator !== '=') return undefined;
  const { left, right } = condition;
  if (isNumber(right)) return ofColumn(left, right);
  return isNumber(left) ? ofColumn(right, left) : undefined;
}

const ofColumn = (operand: Expression, number: Expression) =>
  operand.kind === 'identifier' ? ([operand, number] as const) : undefined;

const isNumber = (expression: Expression): boolean =>
  expression.kind === 'unary' && expression.operator === '-'
    ? isNumber(expression.operand)
    : expression.kind === 'literal' &&
      ['integer', 'decimal', 'double', 'timestamp'].includes(expression.type);

const isSameNumber = (one: Expression, other: Expression): boolean =>
  one.kind === 'literal' && other.kind === 'literal' && one.text === other.text;
