// timeseries (docs/querying/timeseriesquery.md): one group of rows for each bucket of time.
import { granularityJson } from '../../model/granularity.ts';
import { contains } from '../../model/interval.ts';
import { varchar } from '../types.ts';
import { fieldOf, groupsOf } from './grouping.ts';
import { contextTruth, has, malformed, type Node, truthOr, wholeOr } from './members.ts';
import {
  bucketOf,
  hasData,
  isOfTable,
  type QueryParts,
  rangesOf,
  segmentsOf,
  timeOfAll,
  timeOfMatching,
} from './query-parts.ts';
import { emptySource, type SourceSegment } from './source.ts';
import type { TimeseriesStatement } from './statement.ts';
import { mergedIn } from './wide-floats.ts';

/** Throws SqlError for an invalid query. */
export function timeseries(parts: QueryParts): TimeseriesStatement {
  const { query, context, granularity } = parts;
  const descending = truthOr(query, 'descending', false);
  const isAll = granularity.type === 'all';
  const skipEmpty = contextTruth(context, 'skipEmptyBuckets', false);
  const isOfMatching = isAll && skipEmpty && mayLackSegments(parts);
  const met = isOfMatching ? (descending ? 'max' : 'min') : undefined;
  const groups = groupsOf(parts, [], { ...(met && { met }) });
  const shown = groups.columns.map((column) => mergedIn(parts, column));
  const values = shown.map(({ sql }) => `, ${sql}`).join('');
  const timeOfOne = isOfMatching
    ? timeOfMatching(parts, '"group"."met"')
    : timeOfAll(parts, descending);
  // A single group exists even without rows. It counts as empty then.
  const someRows = isAll && skipEmpty ? ' WHERE "group"."rows" > 0' : '';
  const rows = `SELECT ${isAll ? timeOfOne : '"group"."time"'} AS "time", false AS "total"${values} FROM ${groups.text}${someRows}`;
  const sorted = `SELECT * FROM (${rows}) ORDER BY "time"${descending ? ' DESC' : ''}`;
  const limit = wholeOr(query, 'limit', 0);
  if (limit < 0) throw malformed('limit must be greater than 0');
  const isTotaled = contextTruth(context, 'grandTotal', false);
  const isOfShown = isTotaled && limit > 0 && !isAll;
  const isNullWithout = skipEmpty || !(isAll || hasData(parts));
  return {
    kind: 'timeseries',
    sql:
      isTotaled && !isOfShown
        ? `SELECT * FROM (${sorted}) UNION ALL ${totalOf(parts, isNullWithout)}`
        : sorted,
    ...(isOfShown && {
      shownTotal: totalOf(parts, isNullWithout, descending ? '>=' : '<='),
    }),
    fields: groups.columns.map((column, index) => fieldOf(column, shown[index]?.type ?? varchar)),
    granularity: granularityJson(granularity),
    descending,
    limit: limit > 0 ? limit : undefined,
    timeField: timeFieldOf(context),
    empty:
      isAll || skipEmpty
        ? undefined
        : { row: emptyRow(parts), ranges: rangesOf(parts), intervals: parts.intervals },
  };
}

// The name under which a result also shows its time.
function timeFieldOf({ timestampResultField: given }: Node): string | undefined {
  if (given === undefined || given === null) return undefined;
  if (typeof given !== 'string')
    throw malformed(
      `Expected key [timestampResultField] to be a String, but got [${typeof given}]`,
    );
  return given;
}

// The total of no buckets is null. A bucket without rows counts unless it is skipped. With an
// operator, only the buckets up to the last shown one count.
function totalOf(parts: QueryParts, skipEmpty: boolean, upTo?: '<=' | '>='): string {
  const all = groupsOf({ ...parts, granularity: { type: 'all' } }, [], {
    ...(parts.granularity.type !== 'all' && { isTotal: true }),
    ...(upTo && {
      where: (rows) => `${bucketOf(parts.granularity, rows)} ${upTo} (SELECT "time" FROM "last")`,
    }),
  });
  const totals = all.columns.map((column) => {
    const { sql } = mergedIn(parts, column);
    const none = column.isZeroWithout ? ' ELSE 0' : '';
    return skipEmpty ? `, CASE WHEN "group"."rows" > 0 THEN ${sql}${none} END` : `, ${sql}`;
  });
  return `SELECT NULL::BIGINT, true${totals.join('')} FROM ${all.text}`;
}

function emptyRow(parts: QueryParts): string {
  const { segments: _, ...source } = parts.source;
  const none = groupsOf(
    { ...parts, source: { ...source, scan: noRows(parts) }, granularity: { type: 'all' } },
    [],
  );
  const values = none.columns.map((column) => mergedIn(parts, column).sql);
  return `SELECT ${values.join(', ') || '0'} FROM ${none.text}`;
}

const noRows =
  ({ source }: QueryParts) =>
  (wanted: readonly string[]) =>
    wanted.length === 0
      ? emptySource.scan([], [])
      : `(SELECT * FROM ${source.scan(wanted, [])} WHERE false)`;

// Each segment of a table has a row: only a filter or a cut leaves one without matching rows.
function mayLackSegments(parts: QueryParts): boolean {
  const { query, intervals } = parts;
  const segments = segmentsOf(parts);
  const isWhole = ({ interval }: SourceSegment) =>
    intervals.length === 0 || intervals.some((one) => contains(one, interval));
  return (
    segments.length > 1 && (has(query, 'filter') || !isOfTable(query) || !segments.every(isWhole))
  );
}
