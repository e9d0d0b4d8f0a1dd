// Many comparisons of one column with constants: they mean IN, which takes less time to run than each of them (Calcite: Sarg).
import type { Binary, Expression, Identifier, In, Literal } from './ast.ts';

/** A chain of AND or OR in which `a = 1 OR a = 2 OR ...` stands as `a IN (1, 2, ...)`, and `a <> 1 AND a <> 2 AND ...` as `a NOT IN (1, 2, ...)`. */
export function withLists(chain: Binary): Expression {
  const operands = operandsOf(chain);
  if (operands.length < fewest) return chain;
  const wanted = chain.operator === 'OR' ? '=' : '<>';
  const groups = new Map<string, Comparison[]>();
  const others: Expression[] = [];
  for (const operand of operands) {
    const comparison = comparisonIn(operand, wanted);
    if (!comparison) {
      others.push(operand);
      continue;
    }
    const key = JSON.stringify([comparison.literal.type, ...comparison.column.names]);
    const group = groups.get(key) ?? [];
    group.push(comparison);
    groups.set(key, group);
  }
  if (![...groups.values()].some((group) => group.length >= fewest)) return chain;
  const lists = [...groups.values()].flatMap((group) => (group.length < fewest ? group.map(({ whole }) => whole) : [listOf(group, chain)]));
  return balanced(chain, [...lists, ...others]);
}

// With fewer comparisons there is nothing to gain.
const fewest = 20;

interface Comparison {
  readonly whole: Expression;
  readonly column: Identifier;
  readonly literal: Literal;
}

// Without recursion: a chain may be long.
function operandsOf(chain: Binary): readonly Expression[] {
  const operands: Expression[] = [];
  const open: Expression[] = [chain];
  for (let next = open.pop(); next; next = open.pop()) {
    if (next.kind === 'binary' && next.operator === chain.operator) open.push(next.right, next.left);
    else operands.push(next);
  }
  return operands;
}

function comparisonIn(whole: Expression, operator: Binary['operator']): Comparison | undefined {
  if (whole.kind !== 'binary' || whole.operator !== operator) return undefined;
  const { left, right } = whole;
  if (left.kind === 'identifier' && isPlain(right)) return { whole, column: left, literal: right };
  return right.kind === 'identifier' && isPlain(left) ? { whole, column: right, literal: left } : undefined;
}

// A number beyond 64 bits would make doubles of all the others.
const isPlain = (expression: Expression): expression is Literal =>
  expression.kind === 'literal' && (expression.type === 'string' || (expression.type === 'integer' && expression.text.length <= 18));

function listOf(group: readonly Comparison[], { operator, at }: Binary): In {
  const [first] = group;
  if (!first) throw new TypeError('A group has a comparison');
  return { kind: 'in', operand: first.column, among: group.map(({ literal }) => literal), negated: operator === 'AND', at };
}

function balanced(chain: Binary, operands: readonly Expression[]): Expression {
  const [first] = operands;
  if (!first) throw new TypeError('A chain has operands');
  if (operands.length === 1) return first;
  const middle = Math.ceil(operands.length / 2);
  return { ...chain, left: balanced(chain, operands.slice(0, middle)), right: balanced(chain, operands.slice(middle)) };
}
