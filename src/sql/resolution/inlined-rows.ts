// Queries in FROM and in expressions whose rows the native engine first reads into memory (Druid:
// ClientQuerySegmentWalker).

import type { Position } from '../ast.ts';
import { identifier } from '../expressions/duckdb-text.ts';
import type { InlinedRows, QueryPlan } from '../statement.ts';
import type { NativePlan } from './native-plan.ts';
import type { QueryRead, Source } from './relation.ts';
import type { QueryContext, ResolvedQuery, Translation } from './translation.ts';

/** The native read of a query's rows. A query above may choose from its columns. */
export function queryRead(
  plan: QueryPlan,
  native: (() => NativePlan | undefined) | undefined,
): QueryRead {
  const below = mergedQuery(plan);
  const inner = below && queryRead(below, undefined);
  const isFiltered = plan.filter !== undefined || inner?.isFiltered === true;
  return {
    isFiltered,
    isCut: plan.limit !== undefined || inner?.isCut === true,
    type: () => (inner && plan.limit === undefined ? inner.type() : nativeType(plan, native)),
  };
}

// A query that only chooses columns of another query is merged with it.
function mergedQuery({ queryType, filter, orderBy, dataSource }: QueryPlan): QueryPlan | undefined {
  if (queryType !== 'scan' || filter !== undefined || orderBy !== undefined) return undefined;
  if (typeof dataSource !== 'object' || dataSource === null) return undefined;
  return 'type' in dataSource && dataSource.type === 'query' && 'query' in dataSource
    ? (dataSource.query as QueryPlan)
    : undefined;
}

// Groups by one time bucket make a timeseries, which can only read tables.
function nativeType(
  { queryType, dataSource, dimensions }: QueryPlan,
  native: (() => NativePlan | undefined) | undefined,
): string {
  const isTable =
    typeof dataSource === 'object' &&
    dataSource !== null &&
    'type' in dataSource &&
    dataSource.type === 'table';
  if (queryType === 'timeseries') return isTable ? queryType : 'groupBy';
  const mayBeTimeseries =
    queryType === 'groupBy' && isTable && Array.isArray(dimensions) && dimensions.length === 1;
  const known = mayBeTimeseries ? native?.()?.query.queryType : undefined;
  return typeof known === 'string' ? known : queryType;
}

/** Whether a grouped query reads the rows of its FROM separately. Groups of groups are one read. */
export const isApartBelowGroups = ({ kind, query, isWindowed }: Source): boolean =>
  kind === 'query' && query !== undefined && (isWindowed === true || query.type() !== 'groupBy');

/**
 * Whether a query that filters or sorts reads the rows of its FROM separately. Rows that are cut
 * off or that windows read must exist first.
 */
export const isApartBelowFilter = ({
  kind,
  query,
  isWindowed,
}: Pick<Source, 'kind' | 'query' | 'isWindowed'>): boolean =>
  kind === 'query' && query !== undefined && (query.isCut || isWindowed === true);

/**
 * Whether a join reads the rows of its left side separately. A join begins directly with tables.
 */
export const isApartOnLeft = ({ kind, query }: Pick<Source, 'kind' | 'query'>): boolean =>
  kind === 'query' || (kind !== 'inline' && kind !== 'metadata' && query?.isFiltered === true);

/** Whether a join reads the rows of its right side separately. Lookups are already in memory. */
export const isApartOnRight = (source: Source): boolean =>
  source.kind === 'table' || source.kind === 'join' || isApartOnLeft(source);

/** Whether a part of a query needs the rows of its FROM before it computes anything from them. */
export function isReadApart(
  source: Pick<Source, 'kind' | 'query' | 'isWindowed'>,
  reader: QueryContext['reader'],
): boolean {
  switch (reader) {
    case 'filter':
      return isApartBelowFilter(source);
    case 'left':
      return isApartOnLeft(source);
    case 'right':
      return true;
    case undefined:
      return false;
  }
}

/** Records the rows of a source as read separately, if its text was requested. */
export function noteSource(translation: Translation, source: Source, from: string): void {
  const columns = source.used?.() ?? [];
  noteInlined(translation, {
    from,
    columns: columns.map((column) => ({ sql: column.text(), type: column.type })),
  });
}

/**
 * Records the rows of a query within an expression, which becomes a side of a join. IN counts each
 * value once; NOT IN first counts the values.
 */
export function noteQuery(
  translation: Translation,
  { sql, columns }: ResolvedQuery,
  operator: 'IN' | 'NOT IN' | undefined,
  at: Position,
): void {
  if (operator === 'NOT IN') noteInlined(translation, { from: '(SELECT 1)', columns: [] });
  noteInlined(translation, {
    from: operator === undefined ? `(${sql})` : `(SELECT DISTINCT * FROM (${sql}))`,
    columns: columns.map(({ label, type }) => ({ sql: identifier(label), type })),
    ...(operator === 'IN' && areTexts(columns) && { among: at }),
  });
}

const areTexts = ([only, second]: ResolvedQuery['columns']) =>
  only?.type.name === 'VARCHAR' && !only.type.multiValue && second === undefined;

/** Records rows that the native engine reads separately. */
export function noteInlined(
  { engine, inlined, commonTexts }: Translation,
  rows: Omit<InlinedRows, 'common'>,
): void {
  if (engine !== 'native') return;
  const common = commonTexts.length === 0 ? '' : `WITH ${commonTexts.join(', ')} `;
  inlined.push({ common, ...rows });
}
