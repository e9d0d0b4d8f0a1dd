// Values that a filter compares in another form than an item of SELECT shows. Numbers computed from
// multi-value strings: where the engine looks a condition up in the dictionary of the column, a row
// matches if one of its values does; elsewhere a row with several values has no number (Druid:
// ExpressionColumnValueSelector). The text of a FLOAT: the engine reads the column itself. An array
// that a function made: a filter finds each of its values.
import type { ComparedAs, Expression } from '../ast.ts';
import { isText } from '../types.ts';
import { isList } from './multi-value.ts';
import { isListed, mapOperands } from './rewrite.ts';
import type { Typed } from './typed.ts';

/** The parts of a filter that decide which values it compares. */
export interface FilterParts {
  readonly typedOf: (expression: Expression) => Typed;
  /** Whether the engine does not look up an operand in a dictionary. */
  readonly isApart: (operand: Expression) => boolean;
}

/** The filter with its comparisons with constants marked by what they compare. */
export function withComparedValues(filter: Expression, parts: FilterParts): Expression {
  const readsOf = (operand: Expression): ComparedAs | undefined => {
    if (operand.kind === 'literal' || operand.kind === 'row') return undefined;
    const value = parts.typedOf(operand);
    if (value.storedText !== undefined) return 'stored';
    if (value.type.isComputed) return 'values';
    // The engine compares a column instead of its cast.
    const isOfColumn = operand.kind === 'cast' && operand.operand.kind === 'identifier';
    const isOfNumbers = isList(value) && !isText(value.type) && !isOfColumn;
    return isOfNumbers && parts.isApart(operand) ? 'row' : undefined;
  };
  const isConstant = (part: Expression) =>
    part.kind === 'literal' || (part.kind !== 'row' && parts.typedOf(part).constant !== undefined);
  const comparedIn = (condition: Expression): ComparedAs | undefined => {
    switch (condition.kind) {
      case 'binary': {
        const { left, right } = condition;
        const [operand, other] = isConstant(right) ? [left, right] : [right, left];
        return isConstant(other) ? readsOf(operand) : undefined;
      }
      case 'between':
        return isConstant(condition.low) && isConstant(condition.high)
          ? readsOf(condition.operand)
          : undefined;
      case 'in': {
        const { operand, among } = condition;
        const reads = readsOf(operand);
        const isOfConstants = isListed(among) && among.every(isConstant);
        return reads === 'values' && !isOfConstants ? undefined : reads;
      }
      case 'is':
      case 'like':
        return readsOf(condition.operand);
      default:
        return undefined;
    }
  };
  const inCases = (part: Expression) => (part.kind === 'case' ? mark(part) : part);
  function mark(condition: Expression): Expression {
    switch (condition.kind) {
      case 'case':
        return {
          ...condition,
          whens: condition.whens.map(({ when, then }) => ({ when: mark(when), then })),
        };
      case 'unary':
        return condition.operator === 'NOT' ? mapOperands(condition, mark) : condition;
      case 'is':
        if (condition.what !== 'NULL') return mapOperands(condition, mark);
        break;
      case 'binary':
        if (condition.operator === 'AND' || condition.operator === 'OR')
          return mapOperands(condition, mark);
        if (condition.left.kind === 'case' || condition.right.kind === 'case')
          return mapOperands(condition, inCases);
        break;
      default:
        break;
    }
    const reads = comparedIn(condition);
    return reads ? ({ ...condition, reads } as Expression) : condition;
  }
  return mark(filter);
}
