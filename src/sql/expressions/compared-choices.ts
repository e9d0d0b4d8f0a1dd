// Comparisons of NULLIF, COALESCE and CASE as conditions on their parts, which is the form in which
// the planner finds contradictions (Calcite: RexSimplify, simplifyUsingPredicates).
import type { Binary, Case, Expression, In } from '../ast.ts';
import { isNeverMet } from './known-conditions.ts';
import { isCoalesce, isListed, mapOperands, nullLiteral } from './rewrite.ts';
import type { Typed } from './typed.ts';

/**
 * A condition that holds wherever the given one holds. It compares the parts of NULLIF, COALESCE
 * and CASE instead of their values. `resolve` returns the values of constants.
 */
export function withoutChoices(
  condition: Expression,
  resolve: (expression: Expression) => Typed,
): Expression {
  const inner = (part: Expression) => withoutChoices(part, resolve);
  switch (condition.kind) {
    case 'binary': {
      if (condition.operator === 'AND' || condition.operator === 'OR')
        return mapOperands(condition, inner);
      const { left, right } = condition;
      if (right.kind === 'literal')
        return ofChoice(left, (operand) => ({ ...condition, left: operand }), resolve) ?? condition;
      return left.kind === 'literal'
        ? (ofChoice(right, (operand) => ({ ...condition, right: operand }), resolve) ?? condition)
        : condition;
    }
    case 'in':
    case 'between':
    case 'is':
      if (condition.kind === 'in' && comparedPairs(condition) > mostComparedPairs) return condition;
      return (
        ofChoice(condition.operand, (operand) => ({ ...condition, operand }), resolve) ?? condition
      );
    default:
      return condition;
  }
}

// Each result of a CASE is compared with each value of a list.
const mostComparedPairs = 100_000;

const comparedPairs = ({ operand, among }: In): number =>
  operand.kind === 'case' && isListed(among) ? operand.whens.length * among.length : 0;

function ofChoice(
  choice: Expression,
  compare: (operand: Expression) => Expression,
  resolve: (expression: Expression) => Typed,
): Expression | undefined {
  const { at } = choice;
  const binary = (
    operator: Binary['operator'],
    left: Expression,
    right: Expression,
  ): Expression => ({ kind: 'binary', operator, left, right, at });
  const mayMeet = (value: Expression) => !isNeverMet(compare(value), resolve);
  if (choice.kind === 'case') {
    const met = conditionsOf(choice).filter(({ then }) => mayMeet(then));
    const [first, ...more] = met.map(({ when }) => withoutChoices(when, resolve));
    const isOtherwise = mayMeet(choice.otherwise ?? nullLiteral(at));
    return first && !isOtherwise
      ? more.reduce((one, other) => binary('OR', one, other), first)
      : undefined;
  }
  if (choice.kind !== 'call') return undefined;
  const [value, other, ...more] = choice.args;
  if (!value || other?.kind !== 'literal' || more.length > 0) return undefined;
  if (choice.name === 'NULLIF') {
    const isMet = compare(value);
    return mayMeet(nullLiteral(at)) ? binary('OR', binary('=', value, other), isMet) : isMet;
  }
  if (!isCoalesce(choice)) return undefined;
  const isNull: Expression = { kind: 'is', operand: value, what: 'NULL', negated: false, at };
  return mayMeet(other) ? binary('OR', compare(value), isNull) : compare(value);
}

const conditionsOf = ({ operand, whens, at }: Case): Case['whens'] =>
  operand
    ? whens.map(({ when, then }) => ({
        when: { kind: 'binary', operator: '=', left: operand, right: when, at },
        then,
      }))
    : whens;
