// Conjunctions that no value of a column can meet (Calcite: RexSimplify, Sarg).
import type { Binary, Expression } from '../ast.ts';
import { isNumeric, isText, isTime } from '../types.ts';
import { withoutChoices } from './compared-choices.ts';
import { leaveNoValue } from './constant-ranges.ts';
import { conjuncts, contains, printOf } from './rewrite.ts';
import type { Typed } from './typed.ts';

/**
 * Whether the conjuncts exclude each other: they compare one operand with constants that no value
 * meets, as in `x > 5 AND x < 3`, or one is the negation of another. `resolve` returns the values
 * of operands.
 */
export function isContradictory(
  condition: Expression,
  resolve: (expression: Expression) => Typed,
): boolean {
  if (condition.kind === 'binary' && condition.operator === 'OR')
    return isContradictory(condition.left, resolve) && isContradictory(condition.right, resolve);
  const parts = conjuncts(condition).filter((part) => !contains(part, isUnrepeatable));
  return (
    hasNegation(parts) ||
    hasEmptyRange(parts, resolve) ||
    leaveNoValue(
      parts.map((part) => withoutChoices(part, resolve)),
      (operand, constants) => (constants === 'string' ? isText : isNumeric)(resolve(operand).type),
    ) ||
    (parts.length > 1 && parts.some((part) => isOr(part) && isContradictory(part, resolve)))
  );
}

const isOr = (part: Expression): boolean => part.kind === 'binary' && part.operator === 'OR';

// Queries and windows, and parameters, which have no value of their own.
const isUnrepeatable = (part: Expression): boolean =>
  ['exists', 'parameter', 'quantified', 'subquery'].includes(part.kind) ||
  (part.kind === 'in' && !Array.isArray(part.among)) ||
  (part.kind === 'call' && part.over !== undefined);

function hasNegation(parts: readonly Expression[]): boolean {
  const known = new Map<string, boolean>();
  return parts.some((part) => {
    const { condition, isNegated } = withoutNegation(part);
    if (condition.kind === 'binary' && condition.operator.endsWith('DISTINCT FROM')) return false;
    const print = printOf(condition);
    const isOther = known.get(print) === !isNegated;
    known.set(print, isNegated);
    return isOther;
  });
}

interface Negatable {
  readonly condition: Expression;
  readonly isNegated: boolean;
}

function withoutNegation(part: Expression): Negatable {
  switch (part.kind) {
    case 'unary': {
      if (part.operator !== 'NOT') break;
      const { condition, isNegated } = withoutNegation(part.operand);
      return { condition, isNegated: !isNegated };
    }
    case 'between':
    case 'in':
    case 'is':
    case 'like':
      return { condition: { ...part, negated: false }, isNegated: part.negated };
    case 'binary': {
      const opposite = opposites[part.operator];
      if (opposite) return { condition: { ...part, operator: opposite }, isNegated: true };
    }
  }
  return { condition: part, isNegated: false };
}

const opposites: Readonly<Partial<Record<Binary['operator'], Binary['operator']>>> = {
  '<>': '=',
  '>': '<=',
  '>=': '<',
};

function hasEmptyRange(
  parts: readonly Expression[],
  resolve: (expression: Expression) => Typed,
): boolean {
  const limits = new Map<string, Limit[]>();
  for (const limit of parts.flatMap(limitsOf)) {
    const print = printOf(limit.operand);
    const known = limits.get(print);
    if (known) known.push(limit);
    else limits.set(print, [limit]);
  }
  return [...limits.values()].some((group) => {
    const [first, second] = group;
    if (!first || !second) return false;
    const operand = resolve(first.operand);
    const range: ValueRange = {};
    return group.some(({ operator, bound }) => {
      const value = comparedAs(operand, resolve(bound));
      if (value !== undefined) narrow(range, operator, value);
      return isEmpty(range);
    });
  });
}

type Comparable = string | number | bigint;

interface Limit {
  readonly operand: Expression;
  readonly operator: string;
  readonly bound: Expression;
}

const mirrored: Readonly<Record<string, string>> = {
  '=': '=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
};

function limitsOf(part: Expression): readonly Limit[] {
  if (part.kind === 'between' && !part.negated && !part.symmetric) {
    const { operand, low, high } = part;
    if (isConstant(operand)) return [];
    return [
      { operand, operator: '>=', bound: low },
      { operand, operator: '<=', bound: high },
    ];
  }
  if (part.kind !== 'binary') return [];
  const { operator, left, right } = part;
  const opposite = mirrored[operator];
  if (opposite === undefined || isConstant(left) === isConstant(right)) return [];
  return isConstant(left)
    ? [{ operand: right, operator: opposite, bound: left }]
    : [{ operand: left, operator, bound: right }];
}

const isConstant = (expression: Expression): boolean =>
  !contains(expression, ({ kind }) => kind === 'identifier');

// A text that is compared with a number counts as a number.
function comparedAs(column: Typed, limit: Typed): Comparable | undefined {
  const { constant } = limit;
  if (isOfOneKind(column, limit)) return isComparable(constant) ? constant : undefined;
  const isNumber = isNumeric(column.type) && typeof constant === 'string';
  return isNumber && /^-?\d{1,15}$/.test(constant) ? Number(constant) : undefined;
}

const isOfOneKind = (column: Typed, limit: Typed): boolean =>
  [isNumeric, isText, isTime].some((isKind) => isKind(column.type) && isKind(limit.type));

const isComparable = (value: unknown): value is Comparable =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';

interface Bound {
  readonly value: Comparable;
  readonly isIncluded: boolean;
}

interface ValueRange {
  low?: Bound;
  high?: Bound;
}

function narrow(range: ValueRange, operator: string, value: Comparable): void {
  const bound = { value, isIncluded: operator.includes('=') };
  const { low, high } = range;
  if (operator !== '<' && operator !== '<=' && (!low || isTighter(bound, low, value > low.value)))
    range.low = bound;
  if (
    operator !== '>' &&
    operator !== '>=' &&
    (!high || isTighter(bound, high, value < high.value))
  )
    range.high = bound;
}

const isTighter = (bound: Bound, known: Bound, isBeyond: boolean): boolean =>
  // Numbers may be bigint or number.
  isBeyond || (!bound.isIncluded && `${bound.value}` === `${known.value}`);

const isEmpty = ({ low, high }: ValueRange): boolean =>
  low !== undefined &&
  high !== undefined &&
  (low.value > high.value ||
    (!(low.isIncluded && high.isIncluded) && `${low.value}` === `${high.value}`));
