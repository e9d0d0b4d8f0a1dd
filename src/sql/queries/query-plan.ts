// Description of a SELECT in the style of a native query, for EXPLAIN PLAN FOR
// (docs/querying/sql-translation.md).
import type { Expression, OrderItem } from '../ast.ts';
import type { Typed } from '../expressions/typed.ts';
import type { GroupedRows } from '../resolution/group.ts';
import { type Source, STAR_COLUMN } from '../resolution/relation.ts';
import type { NamedItem } from '../resolution/select-items.ts';
import type { QueryPlan } from '../statement.ts';
import { nativeTypeOf } from '../types.ts';

export interface PlannedSelect {
  readonly source: Source | undefined;
  readonly items: readonly NamedItem[];
  readonly values: readonly Typed[];
  readonly where: Typed | undefined;
  readonly kind: QueryPlan['queryType'];
  readonly order: readonly OrderItem[];
  readonly limit: bigint | undefined;
  readonly groups?: GroupedRows;
  readonly having?: Typed | undefined;
}

/**
 * The description of a SELECT that has no native query. It has no intervals, so it cannot be posted
 * as a query.
 */
export function selectPlan({
  source,
  items,
  values,
  where,
  kind,
  order,
  limit,
  groups,
  having,
}: PlannedSelect): QueryPlan {
  const isMetadata = source?.kind === 'metadata';
  const orderBy = order.map(({ expression, descending }) => ({
    columnName: nameOf(expression, items),
    order: descending ? 'descending' : 'ascending',
  }));
  return {
    queryType: isMetadata ? 'metadata' : kind,
    dataSource: source?.plan ?? {
      type: 'inline',
      columnNames: items.map(({ name }) => name),
      rows: 1,
    },
    ...(where && { filter: { type: 'expression' } }),
    ...(groups
      ? groupedParts(groups, items)
      : {
          columns: items.map(({ name }) => name),
          columnTypes: values.map(({ type }) => nativeTypeOf(type)),
          resultFormat: 'compactedList',
        }),
    ...(having && { having: { type: 'filter' } }),
    ...(orderBy.length > 0 && { orderBy }),
    ...(limit !== undefined && { limit: Number(limit) }),
    granularity: { type: 'all' },
  };
}

function groupedParts(
  { keys, aggregates }: GroupedRows,
  items: readonly NamedItem[],
): Readonly<Record<string, unknown>> {
  const dimensions = keys.map(({ expression, typed }, index) => {
    const name = nameOf(expression, items);
    return {
      type: 'default',
      dimension: name,
      outputName: `d${index}`,
      outputType: nativeTypeOf(typed.type),
    };
  });
  return {
    dimensions,
    aggregations: aggregates.map(({ typed }, index) => ({
      name: `a${index}`,
      outputType: nativeTypeOf(typed.type),
    })),
  };
}

function nameOf(expression: Expression, items: readonly NamedItem[]): string {
  if (expression.kind === 'identifier' && expression.names[0] !== STAR_COLUMN)
    return expression.names.at(-1) ?? '';
  return items.find((item) => item.expression === expression)?.name ?? 'v0';
}
