// Queries in data sources whose rows the engine first reads into memory (Druid:
// ClientQuerySegmentWalker).
import { isNode, type Node } from './members.ts';

/**
 * The inner queries that run first, innermost first. A groupBy reads another groupBy directly,
 * unless a query below both must run first.
 */
export function inlinedQueries(query: Node): readonly Node[] {
  const inlined: Node[] = [];
  inlineBelow(query.dataSource, query.queryType === 'groupBy', inlined);
  return inlined;
}

function inlineBelow(given: unknown, isGrouped: boolean, inlined: Node[]): void {
  if (!isNode(given)) return;
  if (given.type !== 'query' || !isNode(given.query)) {
    for (const part of partsOf(given)) inlineBelow(part, false, inlined);
    return;
  }
  const { query } = given;
  if (isGrouped && isChainOfGroups(query)) {
    inlineBelow(baseOf(query), false, inlined);
    return;
  }
  // A query that can run directly includes the queries below it.
  if (!canRun(query)) inlineBelow(query.dataSource, false, inlined);
  inlined.push(query);
}

const partsOf = (node: Node): readonly unknown[] => [
  node.base,
  node.left,
  node.right,
  ...(Array.isArray(node.dataSources) ? node.dataSources : []),
];

const canRun = (query: Node): boolean =>
  (!isQuerySource(query.dataSource) ||
    (query.queryType === 'groupBy' && isChainOfGroups(query.dataSource.query))) &&
  !holdsQuery(baseOf(query));

function isChainOfGroups(query: unknown): boolean {
  if (!isNode(query) || query.queryType !== 'groupBy') return false;
  return !isQuerySource(query.dataSource) || isChainOfGroups(query.dataSource.query);
}

const baseOf = (query: Node): unknown =>
  isQuerySource(query.dataSource) ? baseOf(query.dataSource.query) : query.dataSource;

const holdsQuery = (given: unknown): boolean =>
  isNode(given) && (isQuerySource(given) || partsOf(given).some(holdsQuery));

const isQuerySource = (given: unknown): given is Node & { readonly query: Node } =>
  isNode(given) && given.type === 'query' && isNode(given.query);
