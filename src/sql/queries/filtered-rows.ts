// Queries that only filter the rows of a table and choose columns. The planner merges such a query
// with the query above it, which then sees the values that the filter decides.
import type { Expression, Identifier } from '../ast.ts';
import { conjuncts, contains, mapOperands } from '../expressions/rewrite.ts';
import type { FilteredRows, RelationColumn } from '../resolution/relation.ts';
import type { FilteredQuery } from '../resolution/translation.ts';
import { allOf } from './conditions-below.ts';

/** The rows of such a query as the query above sees them, by its own columns. */
export function filteredRows(
  { where, table, chosen, columnOf }: FilteredQuery,
  visible: readonly RelationColumn[],
): FilteredRows {
  const nameOf = (identifier: Identifier) => {
    const column = columnOf(identifier);
    return column && visible[chosen.indexOf(column)]?.name;
  };
  const isHidden = (part: Expression) => part.kind === 'identifier' && nameOf(part) === undefined;
  const inTermsOf = (expression: Expression): Expression => {
    if (expression.kind !== 'identifier') return mapOperands(expression, inTermsOf);
    const name = nameOf(expression);
    return name === undefined ? expression : { ...expression, names: [name], quoted: [true] };
  };
  const conditions = conjuncts(where);
  const known = conditions.filter((condition) => !contains(condition, isHidden));
  return {
    condition: allOf(known.map(inTermsOf)),
    isWhole: known.length === conditions.length,
    table,
    origin: (column) => chosen[visible.indexOf(column)],
  };
}
