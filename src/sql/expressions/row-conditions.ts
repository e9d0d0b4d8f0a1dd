// Conditions on numbers that are computed from multi-value strings. Where the engine looks such a
// condition up in the dictionary of the column, a row matches if one of its values does. Elsewhere
// a row with several values has no number (Druid: ExpressionColumnValueSelector).
import type { Expression } from '../ast.ts';
import { isText } from '../types.ts';
import { isList } from './multi-value.ts';
import { mapOperands } from './rewrite.ts';
import type { Typed } from './typed.ts';

/** The parts of a filter that decide whether it compares the only value of a row. */
export interface RowParts {
  readonly typedOf: (expression: Expression) => Typed;
  /** Whether the engine does not look up an operand in a dictionary. */
  readonly isApart: (operand: Expression) => boolean;
}

/** The filter with its comparisons of computed numbers with constants marked as those of rows. */
export function withRowConditions(filter: Expression, parts: RowParts): Expression {
  const isConstant = (part: Expression) => parts.typedOf(part).constant !== undefined;
  const isOfNumbers = (operand: Expression) => {
    // The engine compares a column instead of its cast.
    if (
      operand.kind === 'row' ||
      (operand.kind === 'cast' && operand.operand.kind === 'identifier')
    )
      return false;
    const value = parts.typedOf(operand);
    return isList(value) && !isText(value.type) && parts.isApart(operand);
  };
  const markCases = (part: Expression) => (part.kind === 'case' ? mark(part) : part);
  function mark(written: Expression): Expression {
    const isLogical = written.kind === 'unary' || written.kind === 'case';
    const condition = isLogical ? written : mapOperands(written, markCases);
    switch (condition.kind) {
      case 'case':
        return {
          ...condition,
          whens: condition.whens.map(({ when, then }) => ({ when: mark(when), then })),
        };
      case 'binary': {
        const { operator, left, right } = condition;
        if (operator === 'AND' || operator === 'OR') return mapOperands(condition, mark);
        const isOfRow =
          (isOfNumbers(left) && isConstant(right)) || (isOfNumbers(right) && isConstant(left));
        return isOfRow ? { ...condition, isOfRow } : condition;
      }
      case 'between': {
        const { operand, low, high } = condition;
        const isOfRow = isOfNumbers(operand) && isConstant(low) && isConstant(high);
        return isOfRow ? { ...condition, isOfRow } : condition;
      }
      case 'in':
        return isOfNumbers(condition.operand) ? { ...condition, isOfRow: true } : condition;
      case 'is':
        if (condition.what !== 'NULL') return mapOperands(condition, mark);
        return isOfNumbers(condition.operand) ? { ...condition, isOfRow: true } : condition;
      case 'unary':
        return condition.operator === 'NOT' ? mapOperands(condition, mark) : condition;
      default:
        return condition;
    }
  }
  return mark(filter);
}
