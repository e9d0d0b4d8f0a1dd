// timeseries (docs/querying/timeseriesquery.md): one group of rows for each bucket of time.
import { granularityJson } from '../../model/granularity.ts';
import { groupsOf } from './grouping.ts';
import { truthOr, wholeOr } from './members.ts';
import { type QueryParts, scopeOf, segmentsOf, timeOfAll, whereOf } from './query-parts.ts';
import { emptySource } from './source.ts';
import type { TimeseriesStatement } from './statement.ts';

/** @throws SqlError for a query that cannot be */
export function timeseries(parts: QueryParts): TimeseriesStatement {
  const { query, context, granularity } = parts;
  const descending = truthOr(query, 'descending', false);
  const groups = groupsOf(parts, []);
  const values = groups.columns.map(({ sql }) => `, ${sql}`).join('');
  const isAll = granularity.type === 'all';
  const skipEmpty = truthOr(context, 'skipEmptyBuckets', false);
  // One group is there also when no row is: it counts as empty then.
  const someRows = isAll && skipEmpty ? ' WHERE "group"."rows" > 0' : '';
  const rows = `SELECT ${isAll ? timeOfAll(parts) : '"group"."time"'} AS "time", false AS "total"${values} FROM ${groups.text}${someRows}`;
  const sorted = `SELECT * FROM (${rows}) ORDER BY "time"${descending ? ' DESC' : ''}`;
  const limit = wholeOr(query, 'limit', 0);
  return {
    kind: 'timeseries',
    sql: truthOr(context, 'grandTotal', false) ? `SELECT * FROM (${sorted}) UNION ALL ${totalOf(parts)}` : sorted,
    fields: groups.columns.map(({ name, type }) => ({ name, type })),
    granularity: granularityJson(granularity),
    descending,
    limit: limit > 0 ? limit : undefined,
    empty: isAll || skipEmpty ? undefined : { row: emptyRow(parts), ranges: rangesOf(parts), intervals: parts.intervals },
  };
}

function totalOf(parts: QueryParts): string {
  const all = groupsOf({ ...parts, granularity: { type: 'all' } }, []);
  return `SELECT NULL::BIGINT, true${all.columns.map(({ sql }) => `, ${sql}`).join('')} FROM ${all.text}`;
}

function emptyRow(parts: QueryParts): string {
  const none = groupsOf({ ...parts, source: { ...parts.source, scan: noRows(parts) }, granularity: { type: 'all' } }, []);
  return `SELECT ${none.columns.map(({ sql }) => sql).join(', ') || '0'} FROM ${none.text}`;
}

const noRows =
  ({ source }: QueryParts) =>
  (wanted: readonly string[]) =>
    wanted.length === 0 ? emptySource.scan([], []) : `(SELECT * FROM ${source.scan(wanted, [])} WHERE false)`;

// Each segment is filled between its own first and last row, so a hole without a segment stays one.
function rangesOf(parts: QueryParts): string[] {
  const segments = segmentsOf(parts);
  if (!parts.source.segments) {
    const scope = scopeOf({ ...parts, query: {} });
    if (!scope.has('__time')) return [];
    const { sql } = scope.column(['__time'], { line: 1, column: 1, endLine: 1, endColumn: 1 });
    const where = whereOf({ ...parts, query: {} }, scope);
    return [`SELECT min(${sql}), max(${sql}) FROM ${scope.text(parts.intervals)}${where}`];
  }
  const texts = segments.map(({ stored }) => `SELECT min("__time"), max("__time") FROM ${stored.scan(['__time'], [])}`);
  const steps = Math.ceil(texts.length / perStep);
  return Array.from({ length: steps }, (_, step) => texts.slice(step * perStep, (step + 1) * perStep).join(' UNION ALL '));
}

const perStep = 100;
