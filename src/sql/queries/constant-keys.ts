// Keys of GROUP BY that are several constant values, such as MV_APPEND('x', 'y'). The planner puts
// the constant in place of the key in expressions above the groups (Calcite: ReduceExpressionsRule)
// and drops a literal key that no item reads (Druid: Grouping.applyProject).
import { contains, isOfLiterals } from '../expressions/rewrite.ts';
import { isPlainAggregate } from '../functions/call-kinds.ts';
import type { GroupKey } from '../resolution/group.ts';
import type { OrderPart } from '../resolution/select-items.ts';
import { varchar } from '../types.ts';
import { isAsGrouped } from './decided-columns.ts';
import type { SelectClauses } from './select-clauses.ts';

/** True for a key of several constant values. */
export const isConstantList = ({ unnested, expression }: GroupKey): boolean =>
  unnested !== undefined && isOfLiterals(expression);

/**
 * The keys of GROUP BY without those that only the constants above the groups show. Without the
 * values of such a key, there is one group where there was one for each value.
 */
export function withoutConstantLists(
  keys: readonly GroupKey[],
  clauses: SelectClauses,
  order: readonly OrderPart[],
): readonly GroupKey[] {
  if (!keys.some(isConstantList) || isAsGrouped(clauses.select, clauses.items)) return keys;
  const isDropped = !isGroupedFirst(clauses, order);
  return keys.map((key) => {
    if (!isConstantList(key)) return key;
    return isDropped ? droppedKey(key) : { ...key, print: unread };
  });
}

function droppedKey({ unnested: _, ...key }: GroupKey): GroupKey {
  const typed = {
    type: varchar,
    sql: "ifnull('', NULL)",
    constant: '',
    at: key.expression.at,
  };
  return { ...key, typed, grouped: typed.sql, print: unread, isColumn: false };
}

const unread = '\0unread'; // the print of no expression

// Groups that are sorted or cut, and those of rows that are cut, are made before the items.
function isGroupedFirst(
  { isCut, isOrdered, source }: SelectClauses,
  order: readonly OrderPart[],
): boolean {
  const isVarying = ({ expression }: OrderPart) =>
    !isOfLiterals(expression) || contains(expression, isPlainAggregate);
  return isCut || source?.cut !== undefined || (isOrdered && order.some(isVarying));
}
