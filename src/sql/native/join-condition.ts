// Join conditions that the engine can compute (Druid: JoinConditionAnalysis, JoinableFactory).
import type { Catalog } from '../catalog.ts';
import { cannotRun, isNode, javaClasses, type Node, nodeOf, textIn } from './members.ts';
import { type NativeExpression, partsOf } from './native-expression.ts';
import { parseNativeExpression } from './parse-expression.ts';

/** Refuses a join whose right side is not in memory. Throws SqlError. */
export function refuseUnheld(node: Node): void {
  if (unheldKinds.has(kindOfRight(node)))
    throw cannotRun('Cannot handle subquery structure for dataSource');
}

/**
 * Refuses an unknown lookup and a condition that cannot be computed. Each part must be a constant
 * or compare a value of the left side with a column of the right side; for a lookup, with its key.
 * Throws SqlError.
 */
export function refuseUnjoinable(node: Node, catalog: Catalog): void {
  const kind = kindOfRight(node);
  const isUnknown =
    kind === 'lookup' &&
    !catalog.findTable('lookup', textIn(nodeOf(node.right, 'right'), 'lookup'));
  if (isUnknown) throw notJoinable();
  const prefix = textIn(node, 'rightPrefix');
  for (const part of conjuncts(parseNativeExpression(textIn(node, 'condition')))) {
    if (isConstant(part)) continue;
    const column = rightColumn(part, prefix);
    if (column === undefined) throw notJoinable();
    if (kind === 'lookup' && column !== 'k')
      throw cannotRun('Cannot join lookup with condition referring to non-key column');
  }
}

const notJoinable = () => cannotRun('dataSource is not joinable', javaClasses.state);

const kindOfRight = ({ right }: Node): string => (isNode(right) ? String(right.type) : 'table');

const unheldKinds: ReadonlySet<string> = new Set(['table', 'globalTable', 'union']);

// The engine computes an expression without names while it reads the condition.
const isConstant = (expression: NativeExpression): boolean =>
  expression.kind !== 'name' && partsOf(expression).every(isConstant);

const conjuncts = (expression: NativeExpression): readonly NativeExpression[] =>
  expression.kind === 'binary' && expression.operator === '&&'
    ? [...conjuncts(expression.left), ...conjuncts(expression.right)]
    : [expression];

// The column of the right side in an equality with a value of the left side.
function rightColumn(part: NativeExpression, prefix: string): string | undefined {
  const [one, other] = equated(part);
  if (!one || !other) return undefined;
  const isRight = (name: string) => name.startsWith(prefix) && name.length > prefix.length;
  const isOfLeft = (side: NativeExpression): boolean =>
    side.kind === 'name' ? !isRight(side.name) : partsOf(side).every(isOfLeft);
  const sides = [
    [one, other],
    [other, one],
  ] as const;
  for (const [value, column] of sides)
    if (column.kind === 'name' && isRight(column.name) && isOfLeft(value))
      return column.name.slice(prefix.length);
  return undefined;
}

// Both sides of an equality, of which nulls may be equal.
function equated(part: NativeExpression): readonly NativeExpression[] {
  if (part.kind === 'binary' && part.operator === '==') return [part.left, part.right];
  return part.kind === 'call' && part.name === 'notdistinctfrom' && part.args.length === 2
    ? part.args
    : [];
}
