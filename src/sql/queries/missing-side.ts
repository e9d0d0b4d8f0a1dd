// The rows of an outer join that lack one side, and the conditions of WHERE that leave them out.
import type { Binary, Call, Case, Expression } from '../ast.ts';
import { conjuncts, disjuncts, isCoalesce, nullLiteral } from '../expressions/rewrite.ts';

/** What is known of the columns of the side that may be missing, and of constants. */
export interface MissingSide {
  isColumn(expression: Expression): boolean;
  isNeverMet(condition: Expression): boolean; // of constants
}

/**
 * Whether a condition holds for no row that lacks the side. The planner does not recognize this for
 * lists, ranges and several comparisons of one column with constants, and for most calls (Calcite:
 * Strong, Sarg).
 */
export const rejectsMissing = (condition: Expression, side: MissingSide): boolean =>
  isNever(true, condition, side);

// NOT is never true if its operand is never false.
function isNever(truth: boolean, condition: Expression, side: MissingSide): boolean {
  if (condition.kind === 'unary' && condition.operator === 'NOT')
    return isNever(!truth, condition.operand, side);
  const [needed, enough] = truth
    ? [conjuncts(condition), disjuncts(condition)]
    : [disjuncts(condition), conjuncts(condition)];
  if (needed.length > 1) return outsideRanges(needed).some((part) => isNever(truth, part, side));
  if (enough.length > 1) {
    const apart = outsideRanges(enough);
    return apart.length === enough.length && apart.every((part) => isNever(truth, part, side));
  }
  if (condition.kind === 'is') {
    const { what, negated, operand } = condition;
    return what === 'NULL'
      ? negated === truth && isNullWithout(operand, side)
      : negated !== truth && isNever(what === 'TRUE', operand, side);
  }
  if (truth && condition.kind === 'case') return isUnmetChoice(condition, (value) => value, side);
  if (condition.kind !== 'binary' || !comparisons.has(condition.operator))
    return isNullWithout(condition, side);
  const { left, right } = condition;
  return (
    isNullWithout(left, side) ||
    isNullWithout(right, side) ||
    (truth &&
      (isUnmetChoice(left, (value) => ({ ...condition, left: value }), side) ||
        isUnmetChoice(right, (value) => ({ ...condition, right: value }), side)))
  );
}

// A value without which a comparison is unknown.
function isNullWithout(expression: Expression, side: MissingSide): boolean {
  const isNull = (part: Expression) => isNullWithout(part, side);
  switch (expression.kind) {
    case 'identifier':
      return side.isColumn(expression);
    case 'literal':
      return expression.type === 'null';
    case 'cast':
    case 'like':
    case 'unary':
      return isNull(expression.operand);
    case 'in':
      // A list of one value is an equality, and so is each value beside a computed one.
      return (
        Array.isArray(expression.among) &&
        (expression.among.length === 1 || expression.operand.kind !== 'identifier') &&
        isNull(expression.operand)
      );
    case 'between':
      return expression.operand.kind !== 'identifier' && isNull(expression.operand);
    case 'binary':
      return (
        strict.has(expression.operator) && (isNull(expression.left) || isNull(expression.right))
      );
    case 'case':
    case 'call':
      return (
        choicesOf(expression)?.every(({ then }) => isNull(then)) ??
        (expression.kind === 'call' && isStrictCall(expression) && expression.args.some(isNull))
      );
    default:
      return false;
  }
}

// A comparison with the value of a CASE, COALESCE or NULLIF, none of whose values meets it without
// the side: the planner compares each of them by itself (Calcite: RexSimplify).
function isUnmetChoice(
  value: Expression,
  compared: (value: Expression) => Expression,
  side: MissingSide,
): boolean {
  const choices = choicesOf(value);
  return (
    choices?.every(
      ({ when, then }) =>
        isNullWithout(then, side) ||
        side.isNeverMet(compared(then)) ||
        (when !== undefined && isNever(true, when, side)),
    ) ?? false
  );
}

interface Choice {
  readonly when?: Expression;
  readonly then: Expression;
}

// The values that a CASE, COALESCE or NULLIF chooses from; undefined for any other expression.
function choicesOf(expression: Expression): readonly Choice[] | undefined {
  if (expression.kind === 'case') return choicesOfCase(expression);
  return expression.kind === 'call' ? choicesOfCall(expression) : undefined;
}

function choicesOfCase({ operand, whens, otherwise, at }: Case): readonly Choice[] {
  const tested = whens.map(({ when, then }) => ({
    when: operand ? equality(operand, when) : when,
    then,
  }));
  return [...tested, { then: otherwise ?? nullLiteral(at) }];
}

function choicesOfCall(call: Call): readonly Choice[] | undefined {
  const { name, args } = call;
  if (isCoalesce(call)) return args.map((then) => ({ then }));
  const [value] = args;
  return name === 'NULLIF' && value ? [{ then: value }] : undefined;
}

const isStrictCall = ({ name }: Call): boolean =>
  ['TRIM', 'LTRIM', 'RTRIM', 'CONCAT', 'EXTRACT', 'CEIL', 'FLOOR'].includes(name);

const equality = (left: Expression, right: Expression): Binary => ({
  kind: 'binary',
  operator: '=',
  left,
  right,
  at: left.at,
});

// Two or more comparisons of one column with constants are one range, or one list.
function outsideRanges(parts: readonly Expression[]): readonly Expression[] {
  const keys = parts.map(comparedWithConstant);
  const times = new Map<string, number>();
  for (const key of keys) if (key !== undefined) times.set(key, (times.get(key) ?? 0) + 1);
  return parts.filter((_, at) => (times.get(keys[at] ?? '') ?? 0) < 2);
}

function comparedWithConstant(part: Expression): string | undefined {
  if (part.kind !== 'binary' || !comparisons.has(part.operator)) return undefined;
  const { left, right } = part;
  const value = isConstant(right) ? left : isConstant(left) ? right : undefined;
  return value?.kind === 'identifier' ? value.names.join('.') : undefined;
}

const isConstant = ({ kind }: Expression): boolean => kind === 'literal' || kind === 'parameter';

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=']);
const strict: ReadonlySet<string> = new Set([...comparisons, '+', '-', '*', '/', '%']);
