// One SELECT: with groups or without.

import type { Expression, Select } from '../ast.ts';
import { contains, isOfQuery, walk } from '../expressions/rewrite.ts';
import { illegalAggregate, isPlainAggregate, isWindowFunction } from '../functions/call-kinds.ts';
import {
  expandAliases,
  expandOrder,
  type OrderPart,
  type Tail,
} from '../resolution/select-items.ts';
import type { QueryContext, ResolvedQuery, Translation } from '../resolution/translation.ts';
import { isDescending } from '../resolution/window.ts';
import { invalidSql } from '../sql-error.ts';
import { groupedSelect } from './grouped-select.ts';
import { plainSelect } from './plain-select.ts';
import { SelectClauses } from './select-clauses.ts';

/**
 * Resolves a SELECT with the ORDER BY, LIMIT and OFFSET that follow it. Throws SqlError for queries
 * that the engine would refuse.
 */
export function resolveSelect(
  written: Select,
  tail: Tail,
  translation: Translation,
  context: QueryContext,
): ResolvedQuery {
  const dropRefusals = translation.planApart();
  const clauses = new SelectClauses(written, tail, translation, context);
  refuseBareWindowFunctions(written);
  const { select, items } = clauses;
  const order = clauses.tail.orderBy.map(
    (item): OrderPart => ({ ...expandOrder(item, items), descending: isDescending(item), item }),
  );
  const having = select.having && expandAliases(select.having, items, isPlainAggregate);
  const expressions = [...items, ...order].map(({ expression }) => expression);
  if (!written.groupBy && !written.having) refuseLoneAggregates(items, order);
  const isGrouped =
    select.groupBy !== undefined ||
    having !== undefined ||
    expressions.some((item) => contains(item, isPlainAggregate));
  const query = isGrouped ? groupedSelect(clauses, order, having) : plainSelect(clauses, order);
  if (query.isEmpty || clauses.isEmpty) dropRefusals();
  const isOfRows = (part: Expression) => part.kind === 'identifier' || isOfQuery(part);
  return clauses.where?.constant === undefined &&
    written.where &&
    !contains(written.where, isOfRows)
    ? { ...query, isConditional: true }
    : query;
}

// Of a SELECT that is not grouped, only aggregates among the items make one group of all rows.
function refuseLoneAggregates(
  items: readonly { readonly expression: Expression }[],
  order: readonly OrderPart[],
): void {
  const isGroup = (part: Expression) =>
    isPlainAggregate(part) && !(part.kind === 'call' && part.name === 'GROUPING');
  if (items.some(({ expression }) => contains(expression, isGroup))) return;
  for (const { expression } of [...items, ...order])
    walk(expression, (part) => {
      if (part.kind !== 'call' || !isPlainAggregate(part)) return true;
      if (part.name === 'GROUPING')
        throw invalidSql('GROUPING operator may only occur in an aggregate query', part.at);
      throw illegalAggregate(part, 'in ORDER BY clause of non-aggregating SELECT');
    });
}

// Calcite reports a missing OVER only where the item has no alias.
function refuseBareWindowFunctions(select: Select): void {
  for (const { expression, alias } of select.items) {
    if (
      alias === undefined &&
      expression.kind === 'call' &&
      !expression.over &&
      isWindowFunction(expression)
    ) {
      throw invalidSql('OVER clause is necessary for window functions', expression.at);
    }
  }
}
