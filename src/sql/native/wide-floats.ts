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
    isMerged(parts, column.name) &&
    sharesBuckets(parts);
  return isWide ? { sql: `(${sql})::DOUBLE`, type: double } : { sql, type };
}

// First, last and any values are taken over from one segment.
function isMerged({ query }: QueryParts, name: string): boolean {
  return listOr(query, 'aggregations', (given) => {
    let node: unknown = given;
    while (isNode(node) && node.type === 'filtered') node = node.aggregator;
    return isNode(node) && node.name === name && /^float(Sum|Min|Max)$/.test(String(node.type));
  }).includes(true);
}
