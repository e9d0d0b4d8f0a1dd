// Filters on LOOKUP. The planner replaces `LOOKUP(x, 'name') = 'value'` by a list of the keys with
// that value (Druid: ReverseLookupRule). The list is unknown only where `x` is null, and false
// without any key; the comparison itself is also unknown for keys that the lookup lacks. IS NOT
// FALSE shows the difference.
import type { Binary, Call, Case, Expression, Literal } from '../ast.ts';
import { contains, mapOperands, nullLiteral } from './rewrite.ts';

/** The condition with comparisons of LOOKUP that do not hold for keys that the lookup lacks. */
export function withReversedLookups(condition: Expression): Expression {
  return contains(condition, isLookup) ? reversed(condition) : condition;
}

function reversed(written: Expression): Expression {
  const condition = withoutTestOfTest(written);
  if (condition.kind === 'binary')
    return mapOperands(condition, isConnective(condition) ? reversed : reversedOperand);
  const isOfList = condition.kind === 'in' && Array.isArray(condition.among);
  const isOfNull = condition.kind === 'is' && condition.what === 'NULL' && condition.negated;
  if (condition.kind === 'between' || isOfList || isOfNull)
    return mapOperands(condition, reversedOperand);
  if (condition.kind === 'case' && !condition.operand)
    return { ...condition, whens: condition.whens.flatMap(reversedWhen) };
  if (condition.kind !== 'is' || condition.what === 'NULL') return condition;
  const { operand, what, negated } = condition;
  if (what === 'FALSE' && negated) return mayHold(operand) ?? condition;
  // `NOT x IS NOT TRUE` means `x IS NOT FALSE`.
  const inner = what === 'TRUE' && negated ? withoutNegation(operand) : undefined;
  return (inner && mayHold(inner)) ?? condition;
}

// A CASE that is compared, or that a compared value is computed from.
function reversedOperand(operand: Expression): Expression {
  if (operand.kind === 'case') return reversed(operand);
  if (operand.kind === 'binary' && isNeutral(operand)) return reversedOperand(operand.left);
  return isComputed(operand) ? mapOperands(operand, reversedBelow) : operand;
}

function reversedBelow(operand: Expression): Expression {
  if (operand.kind === 'case' && !operand.operand)
    return {
      ...operand,
      whens: operand.whens.map(({ when, then }) => ({ when: withReversedLookups(when), then })),
    };
  return isComputed(operand) ? mapOperands(operand, reversedBelow) : operand;
}

// `x + 0` is x.
const isNeutral = ({ operator, right }: Binary): boolean =>
  right.kind === 'literal' &&
  right.type === 'integer' &&
  ((right.text === '0' && (operator === '+' || operator === '-')) ||
    (right.text === '1' && (operator === '*' || operator === '/')));

const isComputed = (operand: Expression): boolean =>
  operand.kind === 'call' ||
  operand.kind === 'cast' ||
  (operand.kind === 'binary' && ['+', '-', '*', '/', '||'].includes(operand.operator));

// The planner splits a comparison of CASE by its branches. The later ones ask whether the condition
// as it was written is false.
function reversedWhen({ when, then }: Case['whens'][number]): Case['whens'] {
  const condition = contains(when, isLookup) ? reversed(when) : when;
  return condition === when
    ? [{ when, then }]
    : [
        { when: condition, then },
        { when, then: nullLiteral(when.at) },
      ];
}

// A test is never unknown, so that a test of it is the test itself or its opposite.
function withoutTestOfTest(condition: Expression): Expression {
  if (condition.kind === 'unary' && condition.operator === 'NOT')
    return condition.operand.kind === 'is'
      ? withoutTestOfTest({ ...condition.operand, negated: !condition.operand.negated })
      : condition;
  if (condition.kind !== 'is' || condition.operand.kind !== 'is') return condition;
  const { operand, what, negated } = condition;
  if ((what !== 'TRUE' && what !== 'FALSE') || operand.what === 'JSON') return condition;
  const isOpposite = (what === 'FALSE') !== negated;
  return withoutTestOfTest({ ...operand, negated: operand.negated !== isOpposite });
}

// The condition IS NOT FALSE, or undefined if it has no comparison of LOOKUP to replace.
function mayHold(condition: Expression): Expression | undefined {
  const { at } = condition;
  if (isConnective(condition)) {
    const [left, right] = [condition.left, condition.right].map(mayHold);
    if (!left && !right) return undefined;
    return {
      ...condition,
      left: left ?? isNotFalse(condition.left),
      right: right ?? isNotFalse(condition.right),
    };
  }
  const compared = lookupOfEquality(condition);
  return (
    compared && {
      kind: 'binary',
      operator: 'OR',
      left: { kind: 'is', operand: condition, what: 'TRUE', negated: false, at },
      right: {
        kind: 'is',
        operand: compared.key,
        what: 'NULL',
        negated: false,
        whereLookup: compared.lookup,
        at,
      },
      at,
    }
  );
}

const isNotFalse = (operand: Expression): Expression => ({
  kind: 'is',
  operand,
  what: 'FALSE',
  negated: true,
  at: operand.at,
});

// The condition of which the given one is the negation.
function withoutNegation(condition: Expression): Expression | undefined {
  if (condition.kind === 'in' && condition.negated) return { ...condition, negated: false };
  if (condition.kind === 'unary' && condition.operator === 'NOT') return condition.operand;
  return condition.kind === 'is' && condition.what === 'FALSE' && !condition.negated
    ? condition.operand
    : undefined;
}

// The lookup that an equality of LOOKUP with constants asks, and its key.
function lookupOfEquality(condition: Expression) {
  if (condition.kind === 'in') {
    const { among, negated, operand } = condition;
    return !negated && Array.isArray(among) ? lookupOf(operand, among) : undefined;
  }
  if (condition.kind !== 'binary' || condition.operator !== '=') return undefined;
  const { left, right } = condition;
  return isText(right) ? lookupOf(left, [right]) : lookupOf(right, [left]);
}

function lookupOf(expression: Expression, among: readonly Expression[]) {
  if (!isLookup(expression) || expression.args.length !== 2) return undefined;
  const [key, name] = expression.args;
  if (!key || !name || !isText(name) || !among.every(isText)) return undefined;
  return { key, lookup: { name: name.text, values: among.map(({ text }) => text) } };
}

const isLookup = (expression: Expression): expression is Call =>
  expression.kind === 'call' && expression.name === 'LOOKUP';

const isText = (expression: Expression): expression is Literal =>
  expression.kind === 'literal' && expression.type === 'string';

const isConnective = (condition: Expression): condition is Binary =>
  condition.kind === 'binary' && (condition.operator === 'AND' || condition.operator === 'OR');
