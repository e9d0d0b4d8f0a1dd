// Lateral queries on the right side of a join.
import type { Expression, From, Join } from '../ast.ts';
import { contains } from '../expressions/rewrite.ts';
import { isPlainAggregate } from '../functions/call-kinds.ts';

/**
 * The right side of a join. The planner joins with the groups of a lateral query that it
 * aggregates: a row of the left side that finds nothing has no group (Calcite: RelDecorrelator).
 */
export function rightOf({ type, right }: Join): From {
  if (right.kind !== 'derived' || !right.lateral || type === 'LEFT' || type === 'FULL')
    return right;
  const { body } = right.query;
  if (body.kind !== 'select' || body.groupBy || body.having || !body.where) return right;
  if (!body.items.some(({ expression }) => contains(expression, isPlainAggregate))) return right;
  const { at } = body;
  const star: Expression = { kind: 'star', qualifier: [], at };
  const count: Expression = { kind: 'call', name: 'COUNT', nameAt: at, args: [star], at };
  const none: Expression = { kind: 'literal', type: 'integer', text: '0', at };
  const having: Expression = { kind: 'binary', operator: '>', left: count, right: none, at };
  return { ...right, query: { ...right.query, body: { ...body, having } } };
}
