// Floats in results: the sums and the least and greatest values of several segments are merged as
// doubles (Druid: FloatSumAggregator.combineValues), those of one segment stay floats.
import { double } from '../types.ts';
import { type GroupColumn, shownIn } from './grouping.ts';
import { isNode, listOr } from './members.ts';
import { type QueryParts, sharesBuckets } from './query-parts.ts';

/** The value of a column in the result of a query that merges the results of its segments. */
export function mergedIn(
  parts: QueryParts,
  column: GroupColumn,
): Pick<GroupColumn, 'sql' | 'type'> {
  const { sql, type } = shownIn(parts, column);
  const isWide =
    type.name === 'FLOAT' &&
    column.kind === 'aggregate' &&
    parts.isOutermost &&
    mergedFloats(parts).includes(column.name) &&
    sharesBuckets(parts);
  if (!isWide) return { sql, type };
  // A value of topN in the rows of one segment only is not merged: it has the digits of a float.
  const own = parts.query.queryType === 'topN' ? `druid_float_to_text(${sql})::DOUBLE` : undefined;
  const wide = `(${sql})::DOUBLE`;
  return {
    sql: own ? `CASE WHEN "group"."segments" > 1 THEN ${wide} ELSE ${own} END` : wide,
    type: double,
  };
}

/** Whether a query has floats that are merged where several segments have them. */
export const hasMergedFloats = (parts: QueryParts): boolean =>
  parts.isOutermost === true && mergedFloats(parts).length > 0 && sharesBuckets(parts);

// First, last and any values are taken over from one segment.
function mergedFloats({ query }: QueryParts): readonly unknown[] {
  return listOr(query, 'aggregations', (given) => {
    let node: unknown = given;
    while (isNode(node) && node.type === 'filtered') node = node.aggregator;
    return isNode(node) && /^float(Sum|Min|Max)$/.test(String(node.type)) ? [node.name] : [];
  }).flat();
}
