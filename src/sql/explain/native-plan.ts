// A SELECT as the native query that the engine's planner builds for it (Druid: DruidQuery), for
// EXPLAIN PLAN FOR.

import type { Call, Expression, Select } from '../ast.ts';
import type { TimeRange } from '../catalog.ts';
import { parsePath } from '../expressions/json-path.ts';
import { conjuncts, fingerprint, walk } from '../expressions/rewrite.ts';
import type { Typed } from '../expressions/typed.ts';
import { containsWindow, isPlainAggregate } from '../functions/call-kinds.ts';
import { withFilterOfCase } from '../resolution/aggregate-call.ts';
import { type GroupedRows, identifyIn } from '../resolution/group.ts';
import type { NativeJson, NativePlan, PlannedSource } from '../resolution/native-plan.ts';
import { findColumn, type Source } from '../resolution/relation.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { QueryScope } from '../resolution/scope.ts';
import type { NamedItem, OrderPart, Tail } from '../resolution/select-items.ts';
import { timeRangeOf } from '../resolution/time-range.ts';
import type { ResultColumn, Translation } from '../resolution/translation.ts';
import { nativeTypeOf, nullType, type SqlType } from '../types.ts';
import { connectedFilter } from './merged-filters.ts';
import { nativeAggregation } from './native-aggregation.ts';
import { nativeDimension } from './native-dimension.ts';
import {
  type FilterNames,
  type NativeNames,
  NotNative,
  nativeText,
  timeFloor,
} from './native-expression.ts';
import { nativeFilter } from './native-filter.ts';
import { nativeNameIn } from './native-join.ts';
import { windowOperators } from './native-window.ts';

/** The clauses of one SELECT that affect its native query. */
interface PlannedClauses {
  readonly select: Select;
  readonly filter: Expression | undefined;
  readonly tail: Tail;
  readonly translation: Translation;
  readonly source: Source | undefined;
  readonly items: readonly NamedItem[];
  readonly rows: QueryScope;
  readonly windowOrder: readonly unknown[];
  readonly qualify: Expression | undefined;
  /** The expression with the columns that WHERE decides as constants. */
  decided(expression: Expression): Expression;
}

/** The scan query of a SELECT without groups; undefined if it has no native form. */
export function scanPlan(
  clauses: PlannedClauses,
  order: readonly OrderPart[],
  hasWindows: boolean,
): NativePlan | undefined {
  return natively(() => {
    if (hasWindows || clauses.qualify || clauses.select.distinct) throw new NotNative();
    if (!clauses.source) return inlinePlan(clauses);
    const rows = new PlannedRows(clauses);
    const { items, tail } = clauses;
    const outputs = items.map(({ expression }) =>
      rows.columnFor(rows.isUnnested ? expression : clauses.decided(expression)),
    );
    const types = new Map(
      outputs.map((name, index) => [
        name,
        typeOf(rows.resolve(items[index]?.expression as Expression)),
      ]),
    );
    const direction = scanOrder(order, rows, clauses);
    if (direction) types.set('__time', 'LONG');
    const { filter, ...others } = rows.parts();
    const signature = [...types].map(([name, type]) => ({ name, type }));
    const groups = groupsOf(others.dataSource);
    const isOfColumns = items.every(({ expression }) => expression.kind === 'identifier');
    const isWhole = tail.limit === undefined && tail.offset === undefined;
    // A query that only chooses columns of groups is the query of the groups.
    if (groups && isOfColumns && isWhole && !direction && !filter && !others.virtualColumns)
      return { outputs, signature, depth: rows.depth - 1, query: groups };
    return {
      outputs,
      signature,
      depth: rows.depth,
      query: {
        queryType: 'scan',
        ...others,
        resultFormat: 'compactedList',
        ...(tail.offset !== undefined && tail.offset > 0n && { offset: Number(tail.offset) }),
        ...(tail.limit !== undefined && { limit: Number(tail.limit) }),
        ...(direction && { order: direction }),
        ...(filter !== undefined && { filter }),
        columns: [...types.keys()],
        columnTypes: [...types.values()],
        granularity: { type: 'all' },
        legacy: false,
      },
    };
  });
}

const groupsOf = (dataSource: unknown): NativeJson | undefined => {
  const { query } = dataSource as { readonly query?: NativeJson };
  return query && ['groupBy', 'timeseries', 'topN'].includes(String(query.queryType))
    ? query
    : undefined;
};

// A SELECT without FROM has one known row.
function inlinePlan({ items, rows, select, tail }: PlannedClauses): NativePlan {
  if (select.where || tail.limit !== undefined || tail.offset !== undefined) throw new NotNative();
  const values = items.map(({ expression }) => resolveExpression(expression, rows));
  return plannedRows(
    items.map(({ name }) => name),
    [values],
  );
}

/** Literal rows as a native query; undefined if one of their values is unknown. */
export const valuesPlan = (
  names: readonly string[],
  rows: readonly (readonly Typed[])[],
): NativePlan | undefined => natively(() => plannedRows(names, rows));

/** The native query of a SELECT without rows, which reads no table. */
export const emptyPlan = (
  columns: readonly Pick<ResultColumn, 'name' | 'type'>[],
): NativePlan | undefined =>
  natively(() =>
    plannedRows(
      columns.map(({ name }) => name),
      [],
      columns.map(({ type }) => type),
    ),
  );

function plannedRows(
  columnNames: readonly string[],
  rows: readonly (readonly Typed[])[],
  types: readonly SqlType[] = rows[0]?.map(({ type }) => type) ?? [],
): NativePlan {
  const columnTypes = columnNames.map((_, index) => typeOf({ type: types[index] ?? nullType }));
  const inline = {
    type: 'inline',
    columnNames,
    columnTypes,
    rows: rows.map((row) => row.map(jsonOf)),
  };
  return {
    outputs: columnNames,
    signature: columnNames.map((name, index) => ({ name, type: columnTypes[index] ?? 'STRING' })),
    depth: 0,
    inline,
    query: {
      queryType: 'scan',
      dataSource: inline,
      intervals: { type: 'intervals', intervals: intervalsOf({}) },
      resultFormat: 'compactedList',
      columns: columnNames,
      columnTypes,
      granularity: { type: 'all' },
      legacy: false,
    },
  };
}

function jsonOf({ constant }: Typed): string | number | null {
  const value =
    typeof constant === 'bigint' && Number.isSafeInteger(Number(constant))
      ? Number(constant)
      : constant;
  if (value !== null && typeof value !== 'string' && typeof value !== 'number')
    throw new NotNative();
  return value;
}

/** A SELECT with groups after its keys were marked in its expressions. */
export interface PlannedGroups {
  readonly groups: GroupedRows;
  readonly scope: QueryScope;
  readonly items: readonly Expression[];
  readonly order: readonly OrderPart[];
  readonly having: Expression | undefined;
  readonly isTopN: boolean;
}

/**
 * The timeseries, topN or groupBy query of a SELECT with groups; undefined if it has no native
 * form.
 */
export function groupedPlan(
  clauses: PlannedClauses,
  planned: PlannedGroups,
): NativePlan | undefined {
  return natively(() => {
    const isWindowed = planned.items.some(containsWindow);
    if (clauses.qualify || (clauses.windowOrder.length > 0 && !isWindowed)) throw new NotNative();
    const rows = new PlannedRows(clauses);
    const dimensions = planned.groups.keys.map(({ expression }, index) => {
      const outputName = rows.reserveName(`d${index}`);
      const floor = timeFloor(expression, rows);
      const outputType = typeOf(rows.resolve(expression));
      return {
        expression,
        outputName,
        outputType,
        ...(floor && rows.column(floor.of) === '__time' && rows.isTable && { floor }),
      };
    });
    // Only the bucket of a timeseries is not a dimension.
    const [only, second] = dimensions;
    const show = () =>
      dimensions.map(({ expression, outputName, outputType }) =>
        nativeDimension(expression, outputName, outputType, rows),
      );
    const early = only?.floor !== undefined && !second ? undefined : show();
    const values = new GroupValues(
      clauses,
      planned,
      rows,
      dimensions.map(({ outputName }) => outputName),
    );
    const windows = new Map<Expression, string>();
    const outputs = planned.items.map((item) => {
      if (!containsWindow(item)) return values.columnFor(item);
      const name = `w${windows.size}`;
      windows.set(item, name);
      return name;
    });
    const order = planned.order.map(({ index, expression, descending }) => ({
      name: index === undefined ? values.columnFor(expression) : (outputs[index] ?? ''),
      descending,
    }));
    const having = planned.having && havingFilter(planned.having, values);
    const result = { outputs, signature: values.signature(outputs, dimensions), depth: rows.depth };
    const plan = { clauses, planned, rows, values, dimensions, order, having };
    const operatorDefinition = isWindowed ? operatorsOf(plan, windows) : [];
    const shown = () => early ?? show();
    const query = isTimeseries(plan)
      ? timeseriesQuery(plan)
      : isTopNPlan(plan)
        ? topNQuery(plan, shown())
        : groupByQuery(plan, shown());
    if (!isWindowed) return { ...result, query };
    const types = new Map(
      [...windows].map(([call, name]) => [name, typeOf(values.results.resolve(call))]),
    );
    const signature = outputs.map((name) => ({
      name,
      type: types.get(name) ?? values.signature([name], dimensions)[0]?.type ?? 'STRING',
    }));
    return { ...result, signature, query: windowQuery(query, signature, operatorDefinition) };
  });
}

// Windows of sorted or cut groups, and expressions of windows, are computed by a query above.
function operatorsOf(
  { clauses, planned, values, dimensions, order }: GroupedParts,
  windows: ReadonlyMap<Expression, string>,
): readonly NativeJson[] {
  const { limit, offset } = clauses.tail;
  const isPlain = order.length === 0 && limit === undefined && offset === undefined;
  if (!isPlain || clauses.select.distinct || planned.groups.sets) throw new NotNative();
  const calls = [...windows].map(([call, name]) => {
    if (call.kind !== 'call' || !call.over) throw new NotNative();
    return { call, name };
  });
  // HAVING hides the order of the groups from the planner.
  const sorted = planned.having ? [] : dimensions.map(({ outputName }) => outputName);
  const columnFor = (expression: Expression) => values.columnFor(expression);
  return windowOperators(calls, sorted, { ...values.results, columnFor });
}

const windowQuery = (
  query: NativeJson,
  outputSignature: NativePlan['signature'],
  operatorDefinition: readonly NativeJson[],
): NativeJson => ({
  queryType: 'windowOperator',
  dataSource: { type: 'query', query },
  intervals: { type: 'LegacySegmentSpec', intervals: intervalsOf({}) },
  outputSignature,
  operatorDefinition,
  leafOperators: [],
  granularity: { type: 'all' },
});

interface PlannedDimension {
  readonly expression: Expression;
  readonly outputName: string;
  readonly outputType: string;
  readonly floor?: TimeFloor;
}

interface GroupedParts {
  readonly clauses: PlannedClauses;
  readonly planned: PlannedGroups;
  readonly rows: PlannedRows;
  readonly values: GroupValues;
  readonly dimensions: readonly PlannedDimension[];
  readonly order: readonly { readonly name: string; readonly descending: boolean }[];
  readonly having: NativeJson | undefined;
}

function isTimeseries({
  clauses,
  planned,
  rows,
  dimensions,
  order,
  having,
}: GroupedParts): boolean {
  const [only, second] = dimensions;
  const { limit, offset = 0n } = clauses.tail;
  const isBucketed =
    dimensions.length === 0 ||
    (only?.floor !== undefined && !second && order.every(({ name }) => name === only.outputName));
  return (
    isBucketed &&
    !planned.groups.sets &&
    !having &&
    offset === 0n &&
    (limit === undefined || (only !== undefined && limit > 0n)) &&
    (rows.isTable || (rows.isJoin && dimensions.length === 0))
  );
}

function timeseriesQuery({ clauses, rows, values, dimensions, order }: GroupedParts) {
  const [only] = dimensions;
  const { limit } = clauses.tail;
  const { parts, aggregations } = bodyOf(rows, values);
  const { dataSource, intervals, ...others } = parts;
  return {
    queryType: 'timeseries',
    dataSource,
    intervals,
    ...(order[0]?.descending && { descending: true }),
    ...others,
    granularity: only?.floor ? granularityOf(only.floor) : { type: 'all' },
    ...aggregations,
    ...(limit !== undefined && { limit: Number(limit) }),
    ...(only && { context: { skipEmptyBuckets: true, timestampResultField: only.outputName } }),
  };
}

function isTopNPlan({ clauses, planned, dimensions, order, having }: GroupedParts): boolean {
  const { limit, offset = 0n } = clauses.tail;
  const isCut =
    order.length === 0 &&
    limit !== undefined &&
    limit > 0n &&
    offset === 0n &&
    dimensions.length === 1 &&
    !planned.groups.sets;
  return (planned.isTopN || isCut) && !having;
}

function topNQuery(
  { clauses, rows, values, dimensions, order }: GroupedParts,
  shown: readonly NativeJson[],
) {
  const [only] = dimensions;
  const { parts, aggregations } = bodyOf(rows, values);
  const { intervals, filter, ...others } = parts;
  return {
    queryType: 'topN',
    ...others,
    dimension: shown[0],
    metric: metricOf(order[0] ?? { name: only?.outputName ?? '', descending: false }, only),
    threshold: Number(clauses.tail.limit),
    intervals,
    ...(filter !== undefined && { filter }),
    granularity: { type: 'all' },
    aggregations: [],
    ...aggregations,
  };
}

function groupByQuery(plan: GroupedParts, shown: readonly NativeJson[]) {
  const { planned, rows, values, dimensions, having } = plan;
  const { sets } = planned.groups;
  const { parts, aggregations } = bodyOf(rows, values);
  return {
    queryType: 'groupBy',
    ...parts,
    granularity: { type: 'all' },
    dimensions: shown,
    ...aggregations,
    ...(having && { having: { type: 'filter', filter: having, finalize: true } }),
    limitSpec: limitSpec(plan),
    ...(sets && {
      subtotalsSpec: sets.map((set) => set.map((index) => dimensions[index]?.outputName)),
    }),
    ...bucketContext(dimensions),
  };
}

function limitSpec({ clauses, values, dimensions, order }: GroupedParts) {
  const { limit, offset = 0n } = clauses.tail;
  // Groups come sorted by their dimensions.
  const isSorted = order.every(
    ({ name, descending }, index) => !descending && name === dimensions[index]?.outputName,
  );
  if (isSorted && limit === undefined && offset === 0n) return { type: 'NoopLimitSpec' };
  const types = new Map(
    values
      .signature([...order.map(({ name }) => name)], dimensions)
      .map(({ name, type }) => [name, type]),
  );
  const columns = order.map(({ name, descending }) => ({
    dimension: name,
    direction: descending ? 'descending' : 'ascending',
    dimensionOrder: { type: orderOfType(types.get(name)) },
  }));
  return {
    type: 'default',
    columns,
    ...(offset > 0n && { offset: Number(offset) }),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
}

function orderOfType(type: string | undefined): 'lexicographic' | 'natural' | 'numeric' {
  if (type?.startsWith('ARRAY')) return 'natural';
  return type === 'STRING' ? 'lexicographic' : 'numeric';
}

// A groupBy of a table names its time bucket if it has just one: the broker can merge by it (Druid:
// GroupByQuery).
function bucketContext(
  dimensions: readonly { readonly outputName: string; readonly floor?: TimeFloor }[],
): NativeJson {
  const buckets = dimensions.flatMap(({ outputName, floor }, index) =>
    floor ? [{ outputName, floor, index }] : [],
  );
  const [only, second] = buckets;
  if (!only || second) return {};
  return {
    context: {
      timestampResultField: only.outputName,
      timestampResultFieldGranularity: JSON.stringify(granularityOf(only.floor)),
      timestampResultFieldInOriginalDimensions: only.index,
    },
  };
}

function natively(make: () => NativePlan): NativePlan | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof NotNative) return undefined;
    throw error;
  }
}

const typeOf = ({ type }: Pick<Typed, 'type'>): string => nativeTypeOf(type) ?? 'STRING';

// Only an order by time counts; the engine cannot scan in another order.
function scanOrder(
  order: readonly OrderPart[],
  rows: PlannedRows,
  { items }: PlannedClauses,
): 'ascending' | 'descending' | undefined {
  const [only, second] = order;
  if (!only) return undefined;
  const expression = only.index === undefined ? only.expression : items[only.index]?.expression;
  if (second || !expression || rows.column(expression) !== '__time' || !rows.isTable)
    throw new NotNative();
  return only.descending ? 'descending' : 'ascending';
}

const simpleGranularities: Readonly<Record<string, string>> = {
  PT1S: 'SECOND',
  PT1M: 'MINUTE',
  PT5M: 'FIVE_MINUTE',
  PT10M: 'TEN_MINUTE',
  PT15M: 'FIFTEEN_MINUTE',
  PT30M: 'THIRTY_MINUTE',
  PT1H: 'HOUR',
  PT6H: 'SIX_HOUR',
  PT8H: 'EIGHT_HOUR',
  P1D: 'DAY',
  P1W: 'WEEK',
  P1M: 'MONTH',
  P3M: 'QUARTER',
  P1Y: 'YEAR',
};

type TimeFloor = Pick<NonNullable<ReturnType<typeof timeFloor>>, 'period' | 'zone'>;

function granularityOf({ period, zone }: TimeFloor): unknown {
  const simple = zone === 'UTC' ? simpleGranularities[period.toUpperCase()] : undefined;
  return simple ?? { type: 'period', period, timeZone: zone, origin: null };
}

interface PlannedDimension {
  readonly outputName: string;
  readonly outputType: string;
}

function metricOf(
  order: { readonly name: string; readonly descending: boolean } | undefined,
  dimension: PlannedDimension | undefined,
): NativeJson {
  if (!order || !dimension) throw new NotNative();
  if (order.name === dimension.outputName) {
    const sorted = {
      type: 'dimension',
      ordering: { type: dimension.outputType === 'STRING' ? 'lexicographic' : 'numeric' },
    };
    return order.descending ? { type: 'inverted', metric: sorted } : sorted;
  }
  const sorted = { type: 'numeric', metric: order.name };
  return order.descending ? sorted : { type: 'inverted', metric: sorted };
}

function havingFilter(having: Expression, values: GroupValues): NativeJson {
  try {
    return nativeFilter(having, values.results);
  } catch (error) {
    if (!(error instanceof NotNative)) throw error;
    return { type: 'expression', expression: nativeText(having, values.results) };
  }
}

function bodyOf(rows: PlannedRows, values: GroupValues) {
  const aggregations = {
    ...(values.aggregators.length > 0 && { aggregations: values.aggregators }),
    ...(values.postAggregations.length > 0 && { postAggregations: values.postAggregations }),
  };
  return { parts: rows.parts(), aggregations };
}

// The rows of FROM: data source, interval, filter, and virtual columns for other parts.
class PlannedRows implements FilterNames {
  readonly depth: number;
  readonly isTable: boolean;
  readonly isJoin: boolean;
  readonly timeZone: string;
  readonly #clauses: PlannedClauses;
  #source: PlannedSource;
  readonly #virtual = new Map<string, { readonly name: string; readonly json: NativeJson }>();
  readonly #filters: readonly NativeJson[];

  constructor(clauses: PlannedClauses) {
    const source = clauses.source?.native?.();
    if (!source) throw new NotNative();
    this.#clauses = clauses;
    this.#source = source;
    this.depth = source.depth;
    this.isTable = source.dataSource.type === 'table';
    this.isJoin = source.dataSource.type === 'join';
    this.timeZone = clauses.translation.environment.timeZone;
    // Virtual columns of the filter are numbered first.
    const { filter: where } = clauses;
    const rest = where ? conjuncts(where).filter((part) => !this.#isRange(part)) : [];
    this.#filters = this.isUnnested
      ? this.#filterUnnested(rest)
      : rest.map((part) => nativeFilter(part, this));
  }

  get isUnnested(): boolean {
    return this.#source.dataSource.type === 'unnest';
  }

  // Conditions on the items and on the rows beside them are filters of the data source. Returns the
  // others.
  #filterUnnested(conditions: readonly Expression[]): readonly NativeJson[] {
    const { base, virtualColumn, ...unnest } = this.#source.dataSource;
    const { name: item } = virtualColumn as { readonly name: string };
    const [ofItems, ofRows, others] = [0, 0, 0].map((): NativeJson[] => []);
    for (const condition of conditions) {
      const names = new Set<boolean>();
      walk(condition, (part) => {
        const column = this.column(part);
        if (column !== undefined) names.add(column === item);
        return true;
      });
      const computed = this.#virtual.size;
      const filter = nativeFilter(condition, this);
      const isPlain = names.size === 1 && this.#virtual.size === computed;
      (isPlain ? (names.has(true) ? ofItems : ofRows) : others)?.push(filter);
    }
    this.#source = {
      ...this.#source,
      dataSource: {
        ...unnest,
        base: ofRows?.length
          ? { type: 'filter', base, filter: connectedFilter('AND', ofRows) }
          : base,
        virtualColumn,
        unnestFilter: ofItems?.length ? connectedFilter('AND', ofItems) : null,
      },
    };
    return others ?? [];
  }

  /** A name that is unique in the query and the queries below it. */
  reserveName(name: string): string {
    return '_'.repeat(this.depth) + name;
  }

  get scope(): QueryScope {
    return this.#clauses.rows;
  }

  resolve(expression: Expression): Typed {
    return resolveExpression(expression, this.#clauses.rows);
  }

  column(expression: Expression): string | undefined {
    const { source } = this.#clauses;
    if (expression.kind !== 'identifier' || !source) return undefined;
    const column = findColumn(source, expression.names, expression.at);
    if (!column) return undefined;
    const name = nativeNameIn(source, column);
    if (name === undefined) throw new NotNative();
    return name;
  }

  columnFor(expression: Expression): string {
    const column = this.column(expression);
    if (column !== undefined) return column;
    const text = nativeText(expression, this);
    // A time as a number is the column itself.
    const [, same] = /^"([^"\\]+)"$/.exec(text) ?? [];
    if (same !== undefined) return same;
    const known = this.#virtual.get(text) ?? this.#virtualColumn(expression, text);
    this.#virtual.set(text, known);
    return known.name;
  }

  #virtualColumn(expression: Expression, text: string) {
    const name = this.reserveName(`v${this.#virtual.size}`);
    const outputType = typeOf(this.resolve(expression));
    const own =
      this.#nestedField(expression, name, outputType) ?? this.#filteredValues(expression, name);
    return { name, json: own ?? { type: 'expression', name, expression: text, outputType } };
  }

  // A value at a known path of a column of nested data.
  #nestedField(expression: Expression, name: string, type: string): NativeJson | undefined {
    if (expression.kind !== 'call' || !['JSON_QUERY', 'JSON_VALUE'].includes(expression.name))
      return undefined;
    const [data, path] = expression.args;
    const columnName = data && this.column(data);
    const written = path && this.resolve(path).constant;
    if (columnName === undefined || typeof written !== 'string') return undefined;
    return {
      type: 'nested-field',
      columnName,
      outputName: name,
      expectedType: type,
      pathParts: parsePath(written).map((part) =>
        typeof part === 'string'
          ? { type: 'field', field: part }
          : { type: 'arrayElement', index: part },
      ),
      processFromRaw: expression.name === 'JSON_QUERY',
    };
  }

  // The values of a multi-value column that are in a list, or not in it.
  #filteredValues(expression: Expression, name: string): NativeJson | undefined {
    if (expression.kind !== 'call') return undefined;
    const isAllowList = expression.name === 'MV_FILTER_ONLY';
    if (!isAllowList && expression.name !== 'MV_FILTER_NONE') return undefined;
    const [first, second] = expression.args;
    const dimension = first && this.column(first);
    const values = second && this.resolve(second).constant;
    if (dimension === undefined || !Array.isArray(values)) return undefined;
    const delegate = { type: 'default', dimension, outputName: dimension, outputType: 'STRING' };
    return { type: 'mv-filtered', name, delegate, values, isAllowList };
  }

  /** Members that all query types share. Requested last. */
  parts(): NativeJson {
    const { filter: where } = this.#clauses;
    const range = where ? this.#rangeOf(where) : {};
    const filters = this.#filters;
    const virtualColumns = [...this.#virtual.values()]
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(({ json }) => json);
    return {
      dataSource: this.#source.dataSource,
      intervals: { type: 'intervals', intervals: intervalsOf(range) },
      ...(virtualColumns.length > 0 && { virtualColumns }),
      ...(filters.length > 0 && {
        filter: connectedFilter('AND', filters),
      }),
    };
  }

  // A condition that the interval covers is left out of the filter of a table.
  #isRange(part: Expression): boolean {
    if (!this.isTable) return false;
    const { startMs, endMs } = this.#rangeOf(part);
    return startMs !== undefined || endMs !== undefined;
  }

  #rangeOf(condition: Expression): TimeRange {
    if (!this.isTable && !this.isUnnested) return {};
    const isTimeColumn = (part: Expression) => this.column(part) === '__time';
    return timeRangeOf(condition, isTimeColumn, (part) => this.resolve(part), this.timeZone);
  }
}

const ETERNITY = ['-146136543-09-08T08:23:32.096Z', '146140482-04-24T15:36:27.903Z'] as const;

function intervalsOf({ startMs, endMs }: TimeRange): readonly string[] {
  if (startMs !== undefined && endMs !== undefined && startMs >= endMs) return [];
  const [first, last] = [startMs, endMs].map((millis) =>
    millis === undefined ? undefined : new Date(Number(millis)).toISOString(),
  );
  return [`${first ?? ETERNITY[0]}/${last ?? ETERNITY[1]}`];
}

// The values of groups: dimensions, aggregations and post-aggregations.
class GroupValues {
  readonly aggregators: NativeJson[] = [];
  readonly postAggregations: NativeJson[] = [];
  readonly results: FilterNames;
  readonly #types = new Map<string, string>();
  readonly #named = new Map<string, string>(); // by the print of an expression or aggregate
  readonly #planned: PlannedGroups;
  readonly #rows: PlannedRows;
  readonly #dimensions: readonly string[];
  readonly #print: (expression: Expression) => string;

  constructor(
    clauses: PlannedClauses,
    planned: PlannedGroups,
    rows: PlannedRows,
    dimensions: readonly string[],
  ) {
    this.#planned = planned;
    this.#rows = rows;
    this.#dimensions = dimensions;
    const identify = identifyIn(clauses.source);
    this.#print = (expression) => fingerprint(expression, identify);
    const all = [
      ...planned.items,
      ...planned.order.map(({ expression }) => expression),
      ...(planned.having ? [planned.having] : []),
    ];
    for (const expression of all) this.#collect(expression);
    const names: NativeNames = {
      timeZone: rows.timeZone,
      resolve: (expression) => resolveExpression(expression, planned.scope),
      column: (expression) => this.#column(expression),
    };
    this.results = {
      ...names,
      columnFor: (expression) => {
        const column = this.#column(expression);
        if (column === undefined) throw new NotNative();
        return column;
      },
    };
  }

  /**
   * The result column with the value of an expression; a post-aggregation if it must be computed.
   */
  columnFor(expression: Expression): string {
    const column = this.#column(expression);
    if (column !== undefined) return column;
    const print = this.#print(expression);
    const known = this.#named.get(print);
    if (known !== undefined) return known;
    const name = this.#rows.reserveName(
      `p${this.postAggregations.filter(({ type }) => type === 'expression').length}`,
    );
    const outputType = typeOf(this.results.resolve(expression));
    this.postAggregations.push({
      type: 'expression',
      name,
      expression: nativeText(expression, this.results),
      outputType,
    });
    this.#named.set(print, name);
    this.#types.set(name, outputType);
    return name;
  }

  signature(
    outputs: readonly string[],
    dimensions: readonly PlannedDimension[],
  ): NativePlan['signature'] {
    const types = new Map([
      ...dimensions.map(({ outputName, outputType }) => [outputName, outputType] as const),
      ...this.#types,
    ]);
    return [...new Set(outputs)].map((name) => ({ name, type: types.get(name) ?? 'STRING' }));
  }

  #column(expression: Expression): string | undefined {
    const key = this.#planned.groups.keyOf(expression);
    if (key) return this.#dimensions[this.#planned.groups.keys.indexOf(key)];
    return isPlainAggregate(expression) ? this.#named.get(this.#print(expression)) : undefined;
  }

  #collect(expression: Expression): void {
    walk(expression, (part) => {
      if (!isPlainAggregate(part)) return true;
      this.#aggregate(part as Call);
      return false;
    });
  }

  // A sketch that an earlier aggregate of the same column has built.
  #sameSketch(sketch: NativeJson): NativeJson | undefined {
    const printOf = ({ name: _, ...rest }: NativeJson) => JSON.stringify(rest);
    return this.aggregators.find(
      (known) => String(known.name).endsWith(':agg') && printOf(known) === printOf(sketch),
    );
  }

  #aggregate(call: Call): void {
    const print = this.#print(call);
    if (this.#named.has(print)) return;
    const name = this.#rows.reserveName(`a${this.#named.size}`);
    this.#named.set(print, name);
    const type = typeOf(resolveExpression(call, this.#planned.scope));
    this.#types.set(name, type);
    const filtered = withFilterOfCase(call, this.#rows.scope);
    const { aggregators, after, ofSketch } = nativeAggregation(filtered, name, type, this.#rows);
    const [sketch] = aggregators;
    const shared = ofSketch && sketch && this.#sameSketch(sketch);
    if (!shared) this.aggregators.push(...aggregators);
    if (after) this.postAggregations.push(after);
    if (ofSketch && sketch) this.postAggregations.push(ofSketch(String((shared ?? sketch).name)));
  }
}
