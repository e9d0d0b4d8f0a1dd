// The values of a multi-value string by which rows are grouped. A groupBy has a group of the rows
// without any value, a topN has none (Druid: DimensionSelector.getRow).
import type { Call, Expression } from '../ast.ts';
import { isOfQuery, walk } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import { isText } from '../types.ts';

/**
 * DuckDB text of the list of values, empty for a row without any. The functions of a single column
 * are applied to each of its values, and not to the lack of values. `typed` is the value of the
 * expression; `resolve` returns it over columns as lists that are empty without a value.
 */
export function dimensionValues(
  expression: Expression,
  typed: Typed,
  resolve: (expression: Expression) => Typed,
): string {
  const values = valuesIn(expression);
  if (!values) return itemsOf(typed.sql);
  const own = `coalesce(${resolve(values).sql}, [])`;
  if (values === expression && isText(typed.type)) return own;
  return `CASE WHEN len(${own}) > 0 THEN ${itemsOf(typed.sql)} ELSE [] END`;
}

/** A list in which a null is a value. */
export const itemsOf = (list: string): string => `druid_items(${list})`;

// The only column of an expression, or the filter of its values; undefined if the expression has
// several columns, or a function that takes the values as one list.
function valuesIn(expression: Expression): Expression | undefined {
  const columns = new Map<string, Expression>();
  const filters: Call[] = [];
  let isPlain = true;
  walk(expression, (part) => {
    if (part.kind === 'identifier') columns.set(part.names.join('.'), part);
    if (part.kind === 'call' && isFilter(part)) filters.push(part);
    isPlain &&= !isOfQuery(part) && !(part.kind === 'call' && takesList(part));
    return isPlain;
  });
  const [[column] = [], [filter]] = [[...columns.values()], filters];
  if (!isPlain || columns.size !== 1 || filters.length > 1) return undefined;
  if (!filter) return column;
  return filter.args[0]?.kind === 'identifier' ? filter : undefined;
}

const isFilter = ({ name }: Call): boolean => name.startsWith('MV_FILTER_');

const takesList = (call: Call): boolean =>
  !isFilter(call) && /^(MV|ARRAY|STRING_TO)_/.test(call.name);
