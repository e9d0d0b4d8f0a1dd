// Entry point: translates a native query (parsed JSON) to DuckDB SQL, with all facts needed to run
// it and to write its result.
import { type EngineVersion, lacksOf } from '../../model/engine-version.ts';
import type { Interval } from '../../model/interval.ts';
import { timeZoneOf } from '../../model/time-zone.ts';
import type { StatementSize } from '../ast.ts';
import type { Catalog } from '../catalog.ts';
import { identifiersOf } from '../expressions/column-names.ts';
import { checkLimit } from '../limits.ts';
import { pairedType } from '../pairs.ts';
import type { SqlError } from '../sql-error.ts';
import type { InlinedRows, Resource } from '../statement.ts';
import { timestamp } from '../types.ts';
import type { NativeContext } from './data-source.ts';
import { checkFields } from './field-types.ts';
import { groupBy } from './group-by.ts';
import { inlinedQueries } from './inlined-queries.ts';
import {
  contextTruth,
  has,
  listOr,
  malformed,
  type Node,
  notSupported,
  textIn,
  textOr,
} from './members.ts';
import { postAggregatorName } from './post-aggregators.ts';
import {
  checkSingleInterval,
  type Demands,
  type QueryParts,
  queryPartsOf,
  scopeOf,
} from './query-parts.ts';
import { columnsOf, innerValue, scan, scanRows } from './scan.ts';
import { search } from './search.ts';
import { segmentMetadata } from './segment-metadata.ts';
import { type NativeSource, rowsId, type SourceSegment } from './source.ts';
import type { NativeQueryStatement, NativeStatement } from './statement.ts';
import { dataSourceMetadata, timeBoundary } from './time-boundary.ts';
import { timeseries } from './timeseries.ts';
import { topN } from './top-n.ts';
import { windowOperator } from './window-operator.ts';

export interface TranslateNativeOptions {
  readonly catalog: Catalog;
  readonly nowMs: bigint;
  readonly version: EngineVersion;
}

/**
 * Translates a native query (docs/querying/querying.md). Times are milliseconds since 1970.
 * Throws SqlError that names the missing, invalid or unknown part.
 */
export function translateNative(
  query: Node,
  { catalog, nowMs, version }: TranslateNativeOptions,
): NativeStatement {
  const resources: Resource[] = [];
  const native: NativeContext = {
    catalog,
    environment: {
      now: () => nowMs,
      version,
      timeZone: timeZoneOf('UTC').id,
      context: {},
      parameters: [],
      lookup: (name) => catalog.findLookup(name),
      inPlanning: (check) => check(),
      isNative: true,
    },
    resources,
    subquery: sourceOfQuery,
    depth: 0,
    isNested: false,
    met: { sources: 0, numRows: 0 },
  };
  checkFields(query);
  const { read, translate: translateKind } = kindOfQuery(query);
  const lacked = lacksOf(version).replyDetails;
  const translate = (given: QueryParts) => {
    const statement = translateKind(given);
    return lacked.has('FEWEST DIGITS OF LARGE FLOATS') ? withLongFloats(statement) : statement;
  };
  const parts = queryPartsOf(query, read, native);
  const { context } = parts;
  const shown: QueryParts = {
    ...parts,
    keepsSketches: !contextTruth(context, 'finalize', true),
    isOutermost: true,
  };
  const body = translate(shown);
  checkSingleInterval(parts, read);
  return {
    body,
    bySegment: contextTruth(context, 'bySegment', false)
      ? segmentStatements(shown, translate)
      : undefined,
    resources,
    inlined: inlinedQueries(query).map((each) => inlinedRows(each, native)),
    context,
    size: { ...sizeOf(query), tables: native.met.sources },
    numRows: native.met.numRows,
  };
}

const withLongFloats = (statement: NativeQueryStatement): NativeQueryStatement =>
  'fields' in statement
    ? { ...statement, fields: statement.fields.map((field) => ({ ...field, hasLongFloats: true })) }
    : statement;

// Iterative, since a query may be nested deeply.
function sizeOf(query: Node): Omit<StatementSize, 'tables'> {
  let [nodes, depth, calls, operators] = [0, 0, 0, 0];
  let level: readonly unknown[] = [query];
  for (; level.length > 0; depth++) {
    nodes += level.length;
    const next: unknown[] = [];
    for (const value of level)
      if (typeof value === 'object' && value !== null)
        for (const [key, part] of Object.entries(value)) {
          if (key === 'aggregations' && Array.isArray(part)) calls += part.length;
          if (operatorLists.has(key) && Array.isArray(part)) operators += part.length;
          next.push(part);
        }
    level = next;
  }
  return {
    nodes,
    depth: depth + operators,
    calls,
    groupingSets: Array.isArray(query.subtotalsSpec) ? query.subtotalsSpec.length : 0,
  };
}

// Each operator is one more query around those before it.
const operatorLists: ReadonlySet<string> = new Set([
  'leafOperators',
  'operatorDefinition',
  'processors',
]);

interface QueryKind {
  readonly read: Demands;
  readonly translate: (parts: QueryParts) => NativeQueryStatement;
}

const timeless: Demands = {};

const queryKinds: Readonly<Record<string, QueryKind>> = {
  timeseries: { read: { intervals: true, granularity: true }, translate: timeseries },
  topN: { read: { intervals: true, granularity: true }, translate: topN },
  groupBy: { read: { intervals: true, granularity: true }, translate: groupBy },
  scan: { read: { intervals: true }, translate: scan },
  search: { read: { intervals: true }, translate: search },
  timeBoundary: { read: timeless, translate: timeBoundary },
  segmentMetadata: { read: timeless, translate: segmentMetadata },
  dataSourceMetadata: { read: timeless, translate: dataSourceMetadata },
  windowOperator: { read: { intervals: true }, translate: windowOperator },
};

// Alternative names of query types in the specification ("Native queries").
const otherNames: Readonly<Record<string, string>> = {
  timeBoundaries: 'timeBoundary',
  datasourceMetadata: 'dataSourceMetadata',
};

/** The main name of a query type with two names; any other text unchanged. */
export const queryTypeOf = (type: string): string =>
  Object.hasOwn(otherNames, type) ? (otherNames[type] ?? type) : type;

/** The supported query types. */
export const queryTypes: readonly string[] = Object.keys(queryKinds);

/** Throws SqlError for a missing or unknown query type. */
export const checkQueryType = (query: Node): void => void kindOfQuery(query);

function kindOfQuery(query: Node): QueryKind {
  if (typeof query.queryType !== 'string')
    throw malformed("missing type id property 'queryType'", 'typeId');
  const type = queryTypeOf(textIn(query, 'queryType'));
  const kind = Object.hasOwn(queryKinds, type) ? queryKinds[type] : undefined;
  if (!kind) throw unknownQueryType(type);
  return kind;
}

/** The error for an unknown query type. */
export const unknownQueryType = (type: string): SqlError =>
  type === 'select'
    ? malformed("The 'select' query has been removed, use 'scan' instead.")
    : malformed(
        `Could not resolve type id '${type}' as a subtype of [Query]: known type ids = [${queryTypes.join(', ')}]`,
        'typeId',
      );

function segmentStatements(parts: QueryParts, translate: QueryKind['translate']) {
  const segments = askedSegments(parts.query, parts.source.segments?.(parts.intervals) ?? []);
  let count = 0;
  const pieces = segments.flatMap((segment) => {
    const own = piecesOf(segment.interval, parts.intervals);
    count += own.length;
    checkLimit('intervals', count);
    return own.map((piece) => ({ ...segment, ...piece }));
  });
  return pieces.map(({ id, interval, source, intervals, queried }) => {
    const body = translate({
      ...parts,
      timeOfWhole: parts.intervals[0]?.start,
      intervals,
      query: partOfSegment(parts.query),
      source: { ...source, segments: (within) => onlySegment(parts, id, within) },
    });
    const isOfTimes = body.kind === 'timeBoundary' || body.kind === 'dataSourceMetadata';
    return {
      id,
      interval,
      queried,
      body: isOfTimes ? { ...body, time: interval.start } : body,
    };
  });
}

// The first and the last time are sought only in the segments that may have them (Druid:
// filterSegments of the tool chests).
function askedSegments(query: Node, segments: readonly SourceSegment[]): readonly SourceSegment[] {
  const type = queryTypeOf(textIn(query, 'queryType'));
  const isOfLast = type === 'dataSourceMetadata';
  if (!isOfLast && (type !== 'timeBoundary' || has(query, 'filter'))) return segments;
  const bound = isOfLast ? 'maxtime' : textOr(query, 'bound', '').toLowerCase();
  const wanted = [
    ...(bound === 'maxtime' ? [] : segments.slice(0, 1)),
    ...(bound === 'mintime' ? [] : segments.slice(-1)),
  ];
  return segments.filter(({ interval }) =>
    wanted.some((one) => one.interval.start < interval.end && interval.start < one.interval.end),
  );
}

// Groups of one segment are neither selected nor limited yet.
function partOfSegment(query: Node): Node {
  if (query.queryType !== 'groupBy') return query;
  const { having: _, limitSpec: __, ...rest } = query;
  return {
    ...rest,
    postAggregations: listOr(query, 'postAggregations', (given) => ({
      type: 'expression',
      name: postAggregatorName(given),
      expression: 'null',
    })),
  };
}

const onlySegment = ({ source }: QueryParts, id: string, intervals: readonly Interval[]) =>
  (source.segments?.(intervals) ?? []).filter((segment) => segment.id === id);

// A segment is read once for each interval that it meets.
function piecesOf(segment: Interval, intervals: readonly Interval[]) {
  const pieces = intervals
    .filter(({ start, end }) => start < segment.end && end > segment.start)
    .map(
      ({ start, end }): Interval => ({
        start: Math.max(segment.start, start),
        end: Math.min(segment.end, end),
      }),
    );
  return pieces.length === 0
    ? [{ intervals, queried: segment }]
    : pieces.map((piece) => ({ intervals: [piece], queried: piece }));
}

function inlinedRows(query: Node, native: NativeContext): InlinedRows {
  const source = sourceOfQuery(query, {
    ...native,
    resources: [],
    met: { sources: 0, numRows: 0 },
  });
  const name = identifiersOf(source.columns);
  return {
    common: '',
    from: source.scan(
      source.columns.map((column) => column.name),
      [],
    ),
    columns: source.columns.map((column) => ({ sql: name(column.name), type: column.type })),
    isUntyped: query.queryType === 'scan' && !has(query, 'columnTypes'),
  };
}

// The rows of an inner query as a source.
function sourceOfQuery(query: Node, native: NativeContext): NativeSource {
  const { read, translate } = kindOfQuery(query);
  const parts = queryPartsOf(query, read, native);
  // Only a groupBy that another one reads directly is not finalized.
  const isDirect = native.isNested && query.queryType === 'groupBy';
  const statement = translate({
    ...parts,
    keepsSketches: !contextTruth(parts.context, 'finalize', !isDirect),
  });
  checkSingleInterval(parts, read);
  switch (statement.kind) {
    case 'scan': {
      const scope = scopeOf(parts);
      const columns = [...new Set(columnsOf(parts))].map((name) => ({
        name,
        type: name === '__time' ? timestamp : innerValue(scope, name).type,
        ...(name !== '__time' &&
          !has(query, 'columnTypes') &&
          scope.declaredType(name) === undefined && { isUntyped: true as const }),
      }));
      const rows = scanRows(parts, columns);
      return {
        columns,
        id: rowsId('inline'),
        scan: (wanted) => `(SELECT ${listOf(wanted, identifiersOf(columns))} FROM (${rows}))`,
      };
    }
    case 'windowOperator': {
      const { fields } = statement;
      const own = identifiersOf(fields);
      const value = (name: string) => `"c${fields.findIndex((field) => field.name === name)}"`;
      const list = (wanted: readonly string[]) =>
        listOf(wanted, (name) => `${value(name)} AS ${own(name)}`);
      return {
        columns: fields,
        id: rowsId('inline'),
        scan: (wanted) => `(SELECT ${list(wanted)} FROM (${statement.sql}))`,
      };
    }
    case 'groupBy':
    case 'timeseries':
    case 'topN': {
      const { fields } = statement;
      // Groups of all time have no time column.
      const isTimed =
        native.isNested || statement.kind !== 'groupBy' || parts.granularity.type !== 'all';
      const columns = [
        ...(isTimed ? [{ name: '__time', type: timestamp }] : []),
        ...fields
          .filter(({ name }) => name !== '__time')
          .map((field) => ({
            ...field,
            ...(pairedType(field.type) && isDirect && { isComputedPair: true as const }),
          })),
      ];
      const labels = [
        '"time"',
        ...(statement.kind === 'timeseries' ? ['"total"'] : []),
        ...fields.map((_, index) => `"c${index}"`),
      ];
      const value = (name: string) =>
        name === '__time' ? '"time"' : `"c${fields.findIndex((field) => field.name === name)}"`;
      const own = identifiersOf(columns);
      const list = (wanted: readonly string[]) =>
        listOf(wanted, (name) => `${value(name)} AS ${own(name)}`);
      return {
        columns,
        id: rowsId('inline'),
        scan: (wanted) =>
          `(SELECT ${list(wanted)} FROM (${statement.sql}) AS "rows"(${labels.join(', ')}))`,
      };
    }
    default:
      throw notSupported(`A query of type [${statement.kind}] cannot be a data source`);
  }
}

const listOf = (wanted: readonly string[], text: (name: string) => string) =>
  wanted.map(text).join(', ') || '1 AS "no column"';
