// timeBoundary and dataSourceMetadata (docs/querying/timeboundaryquery.md,
// docs/querying/datasourcemetadataquery.md): the first and the last time.
import { eternity } from '../../model/interval.ts';
import { castTo } from '../expressions/casts.ts';
import { bigint } from '../types.ts';
import { NOWHERE, nodeOf, textOr } from './members.ts';
import { type QueryParts, scopeOf, segmentsOf, whereOf } from './query-parts.ts';
import type { DataSourceMetadataStatement, TimeBoundaryStatement } from './statement.ts';

/** Throws SqlError for an invalid filter. */
export function timeBoundary(parts: QueryParts): TimeBoundaryStatement {
  const bound = textOr(parts.query, 'bound', '').toLowerCase();
  return {
    kind: 'timeBoundary',
    sql: extremes(parts),
    bound: bound === 'mintime' ? 'minTime' : bound === 'maxtime' ? 'maxTime' : undefined,
  };
}

/**
 * The last time of the segments that the intervals overlap. For sources other than tables, the
 * earliest possible time.
 */
export function dataSourceMetadata(parts: QueryParts): DataSourceMetadataStatement {
  const { source, query } = parts;
  const isOfTables =
    typeof query.dataSource === 'string' ||
    tableKinds.has(nodeOf(query.dataSource, 'dataSource').type);
  const texts = segmentsOf(parts).map(
    ({ stored }) => `SELECT max("__time") AS "time" FROM ${stored.scan(['__time'], [])}`,
  );
  const ofTables =
    texts.length === 0
      ? 'NULL::BIGINT'
      : `(SELECT max("time") FROM (${texts.join(' UNION ALL ')}))`;
  return {
    kind: 'dataSourceMetadata',
    sql: `SELECT NULL::BIGINT, ${source.segments && isOfTables ? ofTables : `${eternity.start}::BIGINT`}`,
  };
}

const tableKinds: ReadonlySet<unknown> = new Set(['table', 'globalTable', 'union', 'restrict']);

// The engine's query has no virtual columns.
function extremes(given: QueryParts): string {
  const { virtualColumns: _, ...query } = given.query;
  const parts = { ...given, query };
  const scope = scopeOf(parts);
  const { sql } = castTo(scope.column(['__time'], NOWHERE), bigint, 'UTC');
  const where = whereOf(parts, scope);
  return `SELECT min(${sql}), max(${sql}) FROM ${scope.text(parts.intervals)}${where}`;
}
