// Conjunctions that no value of a column can meet (Calcite: RexSimplify, Sarg).
import type { Expression, Identifier } from '../ast.ts';
import { isNumeric, isText, isTime } from '../types.ts';
import { conjuncts } from './rewrite.ts';
import type { Typed } from './typed.ts';

/**
 * Whether the conjuncts that compare one column with constants exclude each other: `x > 5 AND x <
 * 3`. `resolve` returns the values of their operands.
 */
export function isContradictory(
  condition: Expression,
  resolve: (expression: Expression) => Typed,
): boolean {
  const ranges = new Map<string, ValueRange>();
  return conjuncts(condition).some((part) =>
    limitsOf(part).some(({ column, operator, bound }) => {
      const [known, limit] = [resolve(column), resolve(bound)];
      const value = comparedAs(known, limit);
      if (value === undefined) return false;
      const key = column.names.join('.');
      const range = ranges.get(key) ?? {};
      ranges.set(key, range);
      narrow(range, operator, value);
      return isEmpty(range);
    }),
  );
}

type Comparable = string | number | bigint;

interface Limit {
  readonly column: Identifier;
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
    const { operand: column, low, high } = part;
    if (column.kind !== 'identifier') return [];
    return [
      { column, operator: '>=', bound: low },
      { column, operator: '<=', bound: high },
    ];
  }
  if (part.kind !== 'binary') return [];
  const { operator, left, right } = part;
  const opposite = mirrored[operator];
  if (opposite === undefined || (left.kind === 'identifier') === (right.kind === 'identifier'))
    return [];
  if (left.kind === 'identifier') return [{ column: left, operator, bound: right }];
  return right.kind === 'identifier' ? [{ column: right, operator: opposite, bound: left }] : [];
}

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
