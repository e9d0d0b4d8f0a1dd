// timeBoundary and dataSourceMetadata (docs/querying/timeboundaryquery.md, docs/querying/datasourcemetadataquery.md): the first and the last time.
import { castTo } from '../casts.ts';
import { bigint } from '../types.ts';
import { NOWHERE, textOr } from './members.ts';
import { type QueryParts, scopeOf, whereOf } from './query-parts.ts';
import type { DataSourceMetadataStatement, TimeBoundaryStatement } from './statement.ts';

/** @throws SqlError for a filter that cannot be */
export function timeBoundary(parts: QueryParts): TimeBoundaryStatement {
  const bound = textOr(parts.query, 'bound', '').toLowerCase();
  return {
    kind: 'timeBoundary',
    sql: extremes(parts),
    bound: bound === 'mintime' ? 'minTime' : bound === 'maxtime' ? 'maxTime' : undefined,
  };
}

/** The last time there is data of. @throws SqlError for a filter that cannot be */
export const dataSourceMetadata = (parts: QueryParts): DataSourceMetadataStatement => ({
  kind: 'dataSourceMetadata',
  sql: extremes(parts),
});

function extremes(parts: QueryParts): string {
  const scope = scopeOf(parts);
  const { sql } = castTo(scope.column(['__time'], NOWHERE), bigint, 'UTC');
  const where = whereOf(parts, scope);
  return `SELECT min(${sql}), max(${sql}) FROM ${scope.text(parts.intervals)}${where}`;
}
