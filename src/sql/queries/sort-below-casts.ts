// Sorting by casts. The planner sorts rows before it computes items, if each item of ORDER BY is a
// value of the rows or a cast of one that keeps their order (Calcite: SortProjectTransposeRule).
// The rows are then sorted by the value without the cast, so that `ORDER BY CAST(__time AS DATE)`
// sorts by `__time`.
import type { Expression } from '../ast.ts';
import { printOf } from '../expressions/rewrite.ts';
import { typeOfName } from '../expressions/type-name.ts';
import type { OrderPart } from '../resolution/select-items.ts';
import { isNumeric, isText, type SqlType } from '../types.ts';

/**
 * The parts of ORDER BY without casts, if the rows can be sorted before their items are computed.
 * `typeOf` returns the type of a value of the rows, and undefined for computed expressions.
 */
export function sortedBelowCasts(
  order: readonly OrderPart[],
  typeOf: (expression: Expression) => SqlType | undefined,
): readonly OrderPart[] {
  const below = order.map((part): OrderPart | undefined => {
    const { expression, index: _, ...rest } = part;
    if (typeOf(expression)) return part;
    if (expression.kind !== 'cast' || expression.safe) return undefined;
    const from = typeOf(expression.operand);
    return from && keepsOrder(from, typeOfName(expression.type))
      ? { ...rest, expression: expression.operand }
      : undefined;
  });
  return below.every((part) => part !== undefined) ? withoutRepeated(below) : order;
}

function withoutRepeated(order: readonly OrderPart[]): readonly OrderPart[] {
  const known = new Set<string>();
  return order.filter(({ expression }) => {
    const print = printOf(expression);
    const isNew = !known.has(print);
    known.add(print);
    return isNew;
  });
}

function keepsOrder(from: SqlType, to: SqlType): boolean {
  if (from.multiValue || [from, to].some(({ name }) => name === 'ARRAY' || name === 'OTHER'))
    return false;
  return !(isNumeric(from) && isText(to)) && !(isText(from) && isNumeric(to));
}
