// Shared parts of native queries: data source, intervals, filter, virtual columns, granularity,
// context.
import {
  bucketStart,
  type Granularity,
  parseGranularity,
  ZeroPeriod,
} from '../../model/granularity.ts';
import { InvalidTime } from '../../model/instant.ts';
import {
  condense,
  eternity,
  formatInterval,
  type Interval,
  parseInterval,
} from '../../model/interval.ts';
import { timeZoneOf } from '../../model/time-zone.ts';
import { bucketText } from '../expressions/time-bucket.ts';
import type { Environment } from '../expressions/typed.ts';
import { checkLimit } from '../limits.ts';
import { SqlError } from '../sql-error.ts';
import { type NativeContext, sourceOf } from './data-source.ts';
import { resolveFilter } from './filter.ts';
import {
  cannotRun,
  has,
  isNode,
  listOr,
  malformed,
  NOWHERE,
  type Node,
  nodeOf,
  type ParseFault,
} from './members.ts';
import { RowScope } from './row-scope.ts';
import { namedSegmentIntervals, onlyNamedSegments } from './segment-specs.ts';
import type { NativeSource, SourceSegment } from './source.ts';
import { isByVectors } from './vectors.ts';

export interface QueryParts {
  readonly query: Node;
  readonly context: Node;
  readonly source: NativeSource;
  readonly environment: Environment;
  // For a part of the query: the start of the whole one, if that is the time of all its rows
  readonly timeOfWhole?: number | undefined;
  readonly intervals: readonly Interval[]; // ascending, without overlaps; empty means all time
  readonly granularity: Granularity;
  // Aggregates stay sketches: for a query above that reads the rows, or if the context says so
  readonly keepsSketches?: boolean;
  // No query above reads the results
  readonly isOutermost?: boolean;
}

/** Required members of a type of query. */
export interface Demands {
  readonly intervals?: true;
  readonly granularity?: true;
}

/**
 * Reads the common members of a query (parsed JSON).
 * Throws SqlError that names the missing or invalid member.
 */
export function queryPartsOf(query: Node, demands: Demands, native: NativeContext): QueryParts {
  if (!has(query, 'dataSource'))
    throw malformed("Must have a valid, non-null [dataSource]: dataSource can't be null");
  if (demands.granularity && !has(query, 'granularity'))
    throw malformed('Must specify a granularity');
  if (demands.intervals && !has(query, 'intervals'))
    throw malformed("query is missing its [intervals]: intervals can't be null");
  for (const key of columnLists)
    if (Array.isArray(query[key])) checkLimit('columns', query[key].length);
  const source = sourceOf(query.dataSource, {
    ...native,
    isNested: query.queryType === 'groupBy' && isQuery(query.dataSource),
  });
  const context = has(query, 'context') ? nodeOf(query.context, 'context') : {};
  // The granularity of a scan is ignored.
  const given = query.queryType === 'scan' ? 'all' : (query.granularity ?? 'all');
  const granularity = granularityOf(given);
  const intervals = intervalsOf(query.intervals);
  const parts = {
    query,
    context,
    source: onlyNamedSegments(source, query.intervals),
    environment: native.environment,
    intervals,
    granularity,
  };
  if (has(query, 'filter')) resolveFilter(query.filter, scopeOf(parts)); // a wrong filter is refused also where nothing is read
  return parts;
}

/**
 * Rows without segments are read in a single interval, and an empty interval does not count. Groups
 * of groups are one read.
 * Throws SqlError.
 */
export function checkSingleInterval(
  { query, source, intervals }: QueryParts,
  demands: Demands,
): void {
  const isOfGroups = query.queryType === 'groupBy' && isGroups(query.dataSource);
  if (!demands.intervals || source.segments || isOfGroups) return;
  const given = intervals.filter(({ start, end }) => start < end);
  if (given.length === 1 || !has(query, 'intervals')) return;
  const message = `Data without segments needs a single interval, got [${given.map(formatInterval).join(', ')}]`;
  if (query.queryType !== 'topN') throw cannotRun(message);
  throw new SqlError(message, { category: 'DEFENSIVE', code: 'general' });
}

const isQuery = (given: unknown) =>
  typeof given === 'object' && given !== null && 'type' in given && given.type === 'query';

const isGroups = (given: unknown): boolean =>
  isNode(given) &&
  given.type === 'query' &&
  isNode(given.query) &&
  given.query.queryType === 'groupBy';

const columnLists = [
  'aggregations',
  'columns',
  'dimensions',
  'outputSignature',
  'postAggregations',
  'virtualColumns',
];

/**
 * The intervals of a query: a text, a list of texts, or an object. A list may hold nulls, which do
 * not count; that of an object may not. Throws SqlError.
 */
export function intervalsOf(given: unknown): readonly Interval[] {
  if (given === undefined || given === null) return [];
  const intervals = namedIntervals(given).filter(({ start, end }) => start < end);
  return intervals.length === 0 ? [noTime] : intervals;
}

// An empty list means no time at all, as do empty intervals.
const noTime: Interval = { start: 0, end: 0 };

function namedIntervals(given: unknown): readonly Interval[] {
  if (typeof given === 'string') return listedIntervals(given);
  if (!Array.isArray(given)) {
    const node = nodeOf(given, 'intervals');
    if (node.type === 'segments') return intervalsOf(namedSegmentIntervals(node));
    if (!has(node, 'intervals') || (Array.isArray(node.intervals) && node.intervals.includes(null)))
      throw malformed('[intervals] must be intervals, not null');
    if (!Array.isArray(node.intervals)) throw malformed('[intervals] must be a list', 'mismatch');
    return intervalsOf(node.intervals);
  }
  checkLimit('intervals', given.length);
  return condense(given.filter((text) => text !== null).map(intervalIn));
}

// Intervals with commas between them; those at the end may be empty, as in Java.
function listedIntervals(text: string): readonly Interval[] {
  if (text === '') return intervalsOf([text]);
  const texts = text.replace(/,+$/, '');
  return texts === '' ? [] : intervalsOf(texts.split(','));
}

// A zone that is unknown is GMT, as in Java.
function granularityOf(given: unknown): Granularity {
  const node = isNode(given) ? given : {};
  const { timeZone } = node;
  const isKnown = typeof timeZone !== 'string' || knownZone(timeZone) !== undefined;
  try {
    return parseGranularity(isKnown ? given : { ...node, timeZone: 'UTC' });
  } catch (error) {
    if (!(error instanceof InvalidTime)) throw error;
    const isUnread =
      node.type === 'period' &&
      typeof node.period === 'string' &&
      node.period.trim() !== '' &&
      !(error instanceof ZeroPeriod);
    const isBuilt = typeof given === 'string' || node.type === 'duration' || node.type === 'period';
    throw malformed(
      `Invalid [granularity]: ${error.message}`,
      faultOfDuration(node) ?? (isUnread ? 'mapping' : isBuilt ? 'construction' : 'mismatch'),
    );
  }
}

// The fault of a duration that is not a number, or of an origin that is not a time.
function faultOfDuration({ type, duration, origin }: Node): ParseFault | undefined {
  if (type !== 'duration') return undefined;
  if (typeof duration === 'object' && duration !== null) return 'mismatch';
  if (typeof duration === 'string' && Number.isNaN(Number(duration))) return 'format';
  return Number(duration) > 0 && origin !== undefined && origin !== null ? 'mapping' : undefined;
}

function knownZone(id: string) {
  try {
    return timeZoneOf(id);
  } catch (error) {
    if (error instanceof InvalidTime) return undefined;
    throw error;
  }
}

function intervalIn(given: unknown): Interval {
  if (typeof given !== 'string') throw malformed('[intervals] must be texts');
  try {
    return parseInterval(given);
  } catch (error) {
    if (error instanceof InvalidTime) throw malformed(`Invalid [intervals]: ${error.message}`);
    throw error;
  }
}

/** A scope over the rows of the query's source. */
export const scopeOf = ({
  query,
  source,
  environment,
}: Pick<QueryParts, 'environment' | 'query' | 'source'>): RowScope =>
  new RowScope(
    source,
    isByVectors(query, source) ? { ...environment, isByVectors: true } : environment,
    listOr(query, 'virtualColumns', (column) => nodeOf(column, 'virtualColumns')),
  );

/** ` WHERE ...` for the query's intervals and filter, or an empty text. */
export function whereOf(
  { query, source, intervals }: QueryParts,
  scope: RowScope,
  ...others: readonly string[]
): string {
  const isFilled = (column: string) => scope.isFilledHere(column, intervals);
  const conditions = [
    ...timeConditions(intervals, scope, source.isOuter),
    ...(has(query, 'filter') ? [resolveFilter(query.filter, scope, isFilled).sql] : []),
    ...others,
  ];
  return conditions.length === 0 ? '' : ` WHERE ${conditions.join(' AND ')}`;
}

function timeConditions(
  intervals: readonly Interval[],
  scope: RowScope,
  isOuter = false,
): string[] {
  if (intervals.length === 0) return [];
  if (intervals.some(({ start, end }) => start <= eternity.start && end >= eternity.end)) return [];
  const time = scope.column(['__time'], NOWHERE).sql;
  return [
    `(${isOuter ? `${time} IS NULL OR ` : ''}${intervals.map(({ start, end }) => `(${time} >= ${start} AND ${time} < ${end})`).join(' OR ')})`,
  ];
}

/** The start of the bucket of a row; undefined if there is only one bucket. */
export function bucketOf(granularity: Granularity, scope: RowScope): string | undefined {
  if (granularity.type === 'all') return undefined;
  const { sql: time, timeRange, startOf } = scope.column(['__time'], NOWHERE);
  switch (granularity.type) {
    case 'none':
      return time;
    case 'duration':
      return `(druid_floor(${time} - (${granularity.origin}), ${granularity.durationMs}) + (${granularity.origin}))`;
    case 'period': {
      const { period, timeZone, origin } = granularity;
      return bucketText(
        time,
        period,
        timeZone.id,
        origin === undefined ? undefined : BigInt(origin),
        false,
        { ...timeRange, ...(startOf && { startOf }) },
      );
    }
  }
}

/** The whole segments, including their parts outside the intervals. */
export function segmentsOf({
  source,
  intervals,
}: Pick<QueryParts, 'intervals' | 'source'>): readonly SourceSegment[] {
  if (!source.segments) return [];
  const overlapping = new Set(source.segments(intervals).map(({ id }) => id));
  return source.segments([]).filter(({ id }) => overlapping.has(id));
}

/**
 * The time of the single bucket: the start of the interval, or the time of the first row of the
 * earliest segment if that is later (Druid: CursorGranularizer). A descending query starts with the
 * latest segment.
 */
export function timeOfAll(parts: QueryParts, isDescending = false): string {
  const intervals = parts.intervals.length > 0 ? parts.intervals : [eternity];
  const segments = segmentsOf(parts);
  const starts = segments.map(({ interval }) => interval.start);
  const first = isDescending ? Math.max(...starts) : Math.min(...starts);
  const begun = segments.filter((segment) => segment.interval.start === first);
  const [segment] = begun;
  if (segment === undefined) return `${intervals[0]?.start ?? eternity.start}::BIGINT`;
  const met = intervals.filter(
    ({ start, end }) => start < segment.interval.end && end > segment.interval.start,
  );
  const { start, end } = (isDescending ? met.at(-1) : met[0]) ?? intervals[0] ?? eternity;
  const rows = begun
    .map(({ stored }) => `SELECT "__time" FROM ${stored.scan(['__time'], [])}`)
    .join(' UNION ALL ');
  return `(SELECT CASE WHEN min("__time") < ${end} THEN greatest(${start}::BIGINT, min("__time")) ELSE ${start}::BIGINT END FROM (${rows}))`;
}

/**
 * The time of the single bucket where segments without matching rows have no result: as
 * `timeOfAll`, but of the segment with the time `met`, which is that of the first matching row.
 */
export function timeOfMatching(parts: QueryParts, met: string): string {
  const segments = segmentsOf(parts);
  const lastBefore = (starts: readonly number[]) =>
    `(SELECT max("start") FROM (SELECT unnest([${[...new Set(starts)].join(', ')}]::BIGINT[]) AS "start") WHERE "start" <= ${met})`;
  const intervals = parts.intervals.length > 0 ? parts.intervals : [eternity];
  const begun = lastBefore(segments.map(({ interval }) => interval.start));
  const rows = firstTimes(parts, segments);
  return `greatest(${lastBefore(intervals.map(({ start }) => start))}, (SELECT min("__time") FROM ${rows} WHERE "__time" >= ${begun}))`;
}

// Rows with the first time of each of the segments. DuckDB knows that of a whole table.
function firstTimes({ source, query }: QueryParts, segments: readonly SourceSegment[]): string {
  if (!isOfTable(query) || segments.length > segmentsPerRange)
    return source.scan(['__time'], condense(segments.map(({ interval }) => interval)));
  const firsts = segments.map(
    ({ stored }) => `SELECT min("__time") AS "__time" FROM ${stored.scan(['__time'], [])}`,
  );
  return `(${firsts.join(' UNION ALL ')})`;
}

/** Whether a query reads the rows of one table as they are stored. */
export const isOfTable = ({ dataSource }: Node): boolean =>
  typeof dataSource === 'string' || (isNode(dataSource) && dataSource.type === 'table');

/**
 * Queries for the first and last time of each stretch of data. Buckets are filled only within a
 * segment, so gaps between segments remain. Undefined for rows without segments, whose single
 * stretch is all time.
 */
export function rangesOf(parts: QueryParts): string[] | undefined {
  if (!parts.source.segments) return undefined;
  const segments = segmentsOf(parts);
  const texts = segments.map(
    ({ stored }) => `SELECT min("__time"), max("__time") FROM ${stored.scan(['__time'], [])}`,
  );
  const steps = Math.ceil(texts.length / segmentsPerRange);
  return Array.from({ length: steps }, (_, step) =>
    texts.slice(step * segmentsPerRange, (step + 1) * segmentsPerRange).join(' UNION ALL '),
  );
}

const segmentsPerRange = 100;

/** Whether the intervals contain data. Rows without segments always do. */
export const hasData = ({ source, intervals }: QueryParts): boolean =>
  !source.segments || source.segments(intervals).length > 0;

/** Whether a bucket may have rows of several segments. */
export function sharesBuckets({ source, intervals, granularity }: QueryParts): boolean {
  const segments = source.segments?.(intervals) ?? [];
  if (granularity.type === 'all') return segments.length > 1;
  return segments.some(({ interval: { start } }, index) => {
    const before = segments[index - 1];
    return (
      before !== undefined &&
      bucketStart(granularity, before.interval.end - 1) >= bucketStart(granularity, start)
    );
  });
}
