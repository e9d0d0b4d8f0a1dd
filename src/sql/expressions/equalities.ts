// Many comparisons of one operand with constants, merged into IN, which runs faster than separate
// comparisons (Calcite: Sarg).
import type { Binary, ComparedAs, Expression, In } from '../ast.ts';
import { contains, isOfSpelling } from './rewrite.ts';

/**
 * A chain of AND or OR in which `a = 1 OR a = 2 OR ...` becomes `a IN (1, 2, ...)`, and `a <> 1 AND
 * a <> 2 AND ...` becomes `a NOT IN (1, 2, ...)`. Few comparisons are only merged if one of them is
 * with zero and `isFractional` returns true for the operand: an item 0 of IN excludes -0.0.
 */
export function withLists(
  chain: Binary,
  isFractional: (operand: Expression) => boolean,
): Expression {
  const operands = operandsOf(chain);
  const wanted = chain.operator === 'OR' ? '=' : '<>';
  const groups = new Map<string, Comparison[]>();
  const others: Expression[] = [];
  for (const operand of operands) {
    const comparison = comparisonIn(operand, wanted);
    if (!comparison) {
      others.push(operand);
      continue;
    }
    const group = groups.get(comparison.key) ?? [];
    group.push(comparison);
    groups.set(comparison.key, group);
  }
  const isMerged = (group: readonly Comparison[]): boolean =>
    group.length >= fewest ||
    (group.length > 1 &&
      group.some(({ constant }) => isZero(constant)) &&
      group.slice(0, 1).some(({ operand }) => isFractional(operand)));
  const merged = new Set([...groups.values()].filter(isMerged));
  if (merged.size === 0) return chain;
  const lists = [...groups.values()].flatMap((group) =>
    merged.has(group) ? [listOf(group, chain)] : group.map(({ whole }) => whole),
  );
  return balance(chain, [...lists, ...others]);
}

const isZero = (constant: Expression): boolean =>
  constant.kind === 'unary'
    ? isZero(constant.operand)
    : constant.kind === 'literal' && constant.type !== 'string' && Number(constant.text) === 0;

// Fewer comparisons are not worth merging for speed.
const fewest = 20;

interface Comparison {
  readonly whole: Expression;
  readonly operand: Expression;
  readonly constant: Expression;
  readonly reads?: ComparedAs;
  readonly key: string; // the same for items of one list
}

// Iterative, since a chain may be long.
function operandsOf(chain: Binary): readonly Expression[] {
  const operands: Expression[] = [];
  const open: Expression[] = [chain];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.kind === 'binary' && next.operator === chain.operator)
      open.push(next.right, next.left);
    else operands.push(next);
  }
  return operands;
}

// `NOT a = 1` means `a <> 1`.
function comparisonIn(whole: Expression, wanted: '=' | '<>'): Comparison | undefined {
  if (wanted === '<>' && whole.kind === 'unary' && whole.operator === 'NOT') {
    const equal = comparisonIn(whole.operand, '=');
    return equal && { ...equal, whole };
  }
  if (whole.kind !== 'binary' || whole.operator !== wanted) return undefined;
  const known = compared.get(whole);
  if (known) return known;
  const { left, right } = whole;
  const type = typeOfPlain(right);
  const [operand, constant, plain] = type ? [left, right, type] : [right, left, typeOfPlain(left)];
  if (!plain || typeOfPlain(operand) || contains(operand, isOfQueryOrRow)) return undefined;
  const comparison = {
    whole,
    operand,
    constant,
    ...(whole.reads && { reads: whole.reads }),
    key: `${plain} ${JSON.stringify(operand, withoutPlaces)}`,
  };
  compared.set(whole, comparison);
  return comparison;
}

// Parts of a chain are examined again for each half of it, so comparisons are cached.
const compared = new WeakMap<Binary, Comparison>();

// A number beyond 64 bits would turn all other numbers into doubles.
function typeOfPlain(expression: Expression): 'string' | 'integer' | 'decimal' | undefined {
  if (expression.kind === 'unary' && expression.operator === '-') {
    const type = typeOfPlain(expression.operand);
    return type === 'string' ? undefined : type;
  }
  if (expression.kind !== 'literal') return undefined;
  const { type, text } = expression;
  return type === 'string' || ((type === 'integer' || type === 'decimal') && text.length <= 18)
    ? type
    : undefined;
}

const isOfQueryOrRow = ({ kind }: Expression): boolean =>
  kind === 'subquery' ||
  kind === 'exists' ||
  kind === 'quantified' ||
  kind === 'in' ||
  kind === 'row';

const withoutPlaces = (name: string, value: unknown): unknown =>
  isOfSpelling(name) ? undefined : value;

function listOf(group: readonly Comparison[], { operator, at }: Binary): In {
  const [first] = group;
  if (!first) throw new TypeError('A group has a comparison');
  return {
    kind: 'in',
    operand: first.operand,
    among: group.map(({ constant }) => constant),
    ...(first.reads && { reads: first.reads }),
    negated: operator === 'AND',
    at,
  };
}

function balance(chain: Binary, operands: readonly Expression[]): Expression {
  const [first] = operands;
  if (!first) throw new TypeError('A chain has operands');
  if (operands.length === 1) return first;
  const middle = Math.ceil(operands.length / 2);
  return {
    ...chain,
    left: balance(chain, operands.slice(0, middle)),
    right: balance(chain, operands.slice(middle)),
  };
}
