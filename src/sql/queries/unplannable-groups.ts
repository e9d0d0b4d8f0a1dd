// Grouped queries that the real engine cannot plan.
import { lacksOf } from '../../model/engine-version.ts';
import type { Expression } from '../ast.ts';
import { contains, printOf, walk } from '../expressions/rewrite.ts';
import { isPlainAggregate } from '../functions/call-kinds.ts';
import { isEstimate } from '../resolution/aggregate-call.ts';
import { differentSets, type GroupedRows } from '../resolution/group.ts';
import { refuseUnionsIn } from '../resolution/native-union.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { OrderPart } from '../resolution/select-items.ts';
import { invalidSql, unplannable, unsupportedSql } from '../sql-error.ts';
import { isJson, nativeTypeOf, typeText } from '../types.ts';
import { refuseSortBelowItems } from './native-limits.ts';
import { refuseHiddenOrder, type SelectClauses } from './select-clauses.ts';

/** Clauses with references to groups in place of keys and aggregates. */
export interface GroupedClauses {
  readonly groups: GroupedRows;
  readonly items: readonly Expression[];
  readonly parts: readonly OrderPart[];
  readonly condition: Expression | undefined; // HAVING
}

/** Refuses grouped queries that the planner cannot plan. Throws SqlError. */
export function refuseUnplannableGroups(
  clauses: SelectClauses,
  { groups, items, parts, condition }: GroupedClauses,
): void {
  if (clauses.select.distinct) refuseHiddenOrder(parts);
  for (const { typed } of groups.keys)
    if (typed.type.name === 'OTHER' && !isJson(typed.type))
      throw unsupportedSql(
        `SQL requires a group-by on a column with type [${nativeTypeOf(typed.type)}] that is unsupported.`,
      );
  for (const { index } of parts)
    refuseMixedArray(clauses, groups, clauses.items[index ?? -1]?.expression);
  refuseUnionsIn(clauses.source);
  refuseMetadataAggregates(clauses, [...items, ...parts.map((part) => part.expression)]);
  refuseOrderOfJoined(clauses, items, parts, groups);
  if (clauses.translation.engine === 'native')
    refuseRepeatedSets(
      clauses,
      groups,
      items,
      condition !== undefined || (clauses.isOrdered && parts.length > 0),
    );
}

// Calcite's own interpreter reads the metadata tables. It knows only the aggregates of Calcite.
function refuseMetadataAggregates(
  { source, translation }: SelectClauses,
  expressions: readonly Expression[],
): void {
  const { version, context } = translation.environment;
  if (
    source?.kind !== 'metadata' ||
    !lacksOf(version).syntax.has('APPROXIMATE AGGREGATES OF METADATA')
  )
    return;
  const isUnknown = (part: Expression) =>
    part.kind === 'call' &&
    isPlainAggregate(part) &&
    (!interpretedAggregates.has(part.name) || isEstimate(part, context));
  if (expressions.some((expression) => contains(expression, isUnknown))) throw unplannable();
}

const interpretedAggregates: ReadonlySet<string> = new Set([
  'AVG',
  'BIT_AND',
  'BIT_OR',
  'BIT_XOR',
  'COUNT',
  'EARLIEST',
  'GROUPING',
  'LATEST',
  'MAX',
  'MIN',
  'SUM',
]);

// A query within an item is joined with the groups, which are sorted by keys and aggregates before
// items are computed.
function refuseOrderOfJoined(
  { isOrdered, translation, items: named }: SelectClauses,
  items: readonly Expression[],
  order: readonly OrderPart[],
  groups: GroupedRows,
): void {
  if (!isOrdered || translation.engine !== 'native' || order.length === 0) return;
  if (!items.some((item) => contains(item, ({ kind }) => kind === 'subquery'))) return;
  const sorted = order.map(({ expression, index }) => ({
    expression,
    name: named[index ?? -1]?.name ?? '$f1',
  }));
  refuseSortBelowItems(
    items,
    sorted,
    (item) =>
      groups.keyOf(item) !== undefined ||
      isPlainAggregate(item) ||
      item.kind === 'subquery' ||
      item.kind === 'literal',
  );
}

// An array sorted by its alias or ordinal is compared with the original key, before its constants
// are converted to the type of the others (Calcite: SqlValidatorImpl).
function refuseMixedArray(
  { rows }: SelectClauses,
  groups: GroupedRows,
  item: Expression | undefined,
): void {
  if (item?.kind !== 'array') return;
  const typeOf = (element: Expression) => typeText(resolveExpression(element, rows).type);
  const others = item.items.filter(({ kind }) => kind !== 'literal');
  const types = new Set(others.map(typeOf));
  const isMixed = item.items.some(
    (element) =>
      element.kind === 'literal' &&
      element.type !== 'null' &&
      [...types].some((type) => type !== typeOf(element)),
  );
  if (!isMixed) return;
  for (const element of others)
    walk(element, (part) => {
      if (part.kind === 'identifier' && !groups.keyOf(part))
        throw invalidSql(`Expression '${part.names.join('.')}' is not being grouped`, part.at);
      return true;
    });
}

// A repeated grouping set makes a union of groups. A projection of whole columns in their order is
// pushed below it (Calcite: ProjectSetOpTransposeRule), and any other remains above it.
function refuseRepeatedSets(
  { source }: SelectClauses,
  groups: GroupedRows,
  items: readonly Expression[],
  isFilteredOrSorted: boolean,
): void {
  const { sets } = groups;
  if (!sets || differentSets(sets).length === sets.length) return;
  if (!isFilteredOrSorted && areColumnsInOrder(items, groups)) return;
  const isWhole = source?.kind === 'table' || (source?.kind === 'query' && !source.cut);
  if (!isWhole) throw unplannable();
  throw unsupportedSql(
    'SQL requires union between inputs that are not simple table scans and involve a filter or aliasing. Or column types of tables being unioned are not of same type.',
  );
}

// The columns of groups are the keys and then the aggregates as they are first named.
function areColumnsInOrder(items: readonly Expression[], groups: GroupedRows): boolean {
  const places = items.map((item) => {
    const key = groups.keyOf(item);
    if (key) return groups.keys.indexOf(key);
    const isGrouping = item.kind === 'identifier' && groups.marked(item.names, item.at);
    return isGrouping || isPlainAggregate(item) ? groups.keys.length : -1;
  });
  const prints = items.map(printOf);
  return (
    new Set(prints).size === prints.length &&
    places.every((place, index) => place >= Math.max(0, ...places.slice(0, index)))
  );
}
