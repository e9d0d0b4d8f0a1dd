// Queries that the engine computes by vectors. It compares numbers with texts in another way there.
import { isText } from '../types.ts';
import { isNode, type Node } from './members.ts';
import { type NativeExpression, partsOf } from './native-expression.ts';
import { parseNativeExpression } from './parse-expression.ts';
import type { NativeSource } from './source.ts';

/**
 * Whether the engine computes a query over a source by vectors (Druid: `canVectorize` of cursors,
 * aggregators, filters and dimensions). Throws SqlError for an expression that cannot be parsed.
 */
export function isByVectors(query: Node, source: NativeSource): boolean {
  const isSummary =
    query.queryType === 'groupBy' || (query.queryType === 'timeseries' && !query.descending);
  if (!isSummary || !source.segments || isSwitchedOff(query.context)) return false;
  return (
    nodesIn(query.virtualColumns).every(isVirtualByVectors) &&
    nodesIn(query.dimensions).every(isPlain) &&
    nodesIn(query.aggregations).every((aggregator) => isAggregated(aggregator, source)) &&
    isFiltered(query.filter)
  );
}

const nodesIn = (given: unknown): readonly Node[] =>
  Array.isArray(given) ? given.filter(isNode) : [];

const isSwitchedOff = (context: unknown): boolean =>
  isNode(context) && String(context.vectorize ?? true).toLowerCase() === 'false';

// Texts are plain dimensions, too.
const isPlain = ({ type }: Node): boolean => typeof type !== 'string' || !decorated.has(type);

const decorated: ReadonlySet<string> = new Set([
  'extraction',
  'listFiltered',
  'lookup',
  'prefixFiltered',
  'regexFiltered',
]);

const isVirtualByVectors = (column: Node): boolean =>
  column.type === 'nested-field' ||
  (column.type === 'expression' &&
    typeof column.expression === 'string' &&
    isComputed(parseNativeExpression(column.expression)));

function isComputed(expression: NativeExpression): boolean {
  if (expression.kind === 'call' && !computed.has(expression.name)) return false;
  return [...partsOf(expression)].every(isComputed);
}

// Not all that the engine computes by vectors, but what is most common.
const computed: ReadonlySet<string> = new Set(['cast', 'concat', 'timestamp_floor']);

function isAggregated(aggregator: Node, source: NativeSource): boolean {
  const { type, fieldName, fields, byRow } = aggregator;
  const column = source.columns.find(({ name }) => name === fieldName);
  const isOfText = column !== undefined && isText(column.type);
  switch (type) {
    case 'expression':
      return false;
    case 'filtered':
      return (
        isFiltered(aggregator.filter) &&
        (!isNode(aggregator.aggregator) || isAggregated(aggregator.aggregator, source))
      );
    case 'cardinality':
      return byRow !== true && nodesIn(fields).every(isPlain);
    case 'stringAny':
      return column === undefined || isOfText;
    default:
      return !(isOfText && /^(long|double|float)(Sum|Min|Max)$/.test(String(type)));
  }
}

function isFiltered(filter: unknown): boolean {
  if (!isNode(filter)) return true;
  if (filter.type === 'columnComparison') return false;
  return [filter.field, ...nodesIn(filter.fields)].every(isFiltered);
}
