// A SELECT with groups as a timeseries, topN or groupBy query, and its windows as operators.
import type { Expression } from '../ast.ts';
import { containsWindow } from '../functions/call-kinds.ts';
import type { NativeJson, NativePlan } from '../resolution/native-plan.ts';
import { GroupValues, type PlannedDimension, type PlannedGroups } from './group-values.ts';
import { nativeDimension } from './native-dimension.ts';
import { NotNative, natively, nativeText, type TimeFloor, timeFloor } from './native-expression.ts';
import { nativeFilter } from './native-filter.ts';
import { windowOperators, windowQuery } from './native-window.ts';
import { type PlannedClauses, PlannedRows, typeOf } from './planned-rows.ts';

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
    const above = { tail: clauses.tail, order };
    const below = isWindowed ? unsorted : above;
    const plan = { ...below, clauses, planned, rows, values, dimensions, having };
    const operators = isWindowed ? operatorsOf(plan, windows) : [];
    const shown = () => early ?? show();
    const query = isTimeseries(plan)
      ? timeseriesQuery(plan)
      : planned.isTopN && !isWindowed
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
    const windowed = windowQuery(query, signature, operators);
    return { ...result, signature, query: sortedWindows(windowed, signature, above) };
  });
}

const unsorted = { tail: { limit: undefined, offset: undefined }, order: [] } as const;

// Expressions of windows are computed by a query above.
function operatorsOf(
  { clauses, planned, values, dimensions }: GroupedParts,
  windows: ReadonlyMap<Expression, string>,
): readonly NativeJson[] {
  if (clauses.select.distinct || planned.groups.sets) throw new NotNative();
  const calls = [...windows].map(([call, name]) => {
    if (call.kind !== 'call' || !call.over) throw new NotNative();
    return { call, name };
  });
  // HAVING hides the order of the groups from the planner.
  const sorted = planned.having ? [] : dimensions.map(({ outputName }) => outputName);
  const columnFor = (expression: Expression) => values.columnFor(expression);
  return windowOperators(calls, sorted, { ...values.results, columnFor });
}

// ORDER BY, LIMIT and OFFSET of windows are operators of a query above.
function sortedWindows(
  query: NativeJson,
  signature: NativePlan['signature'],
  { tail: { limit, offset }, order }: Pick<GroupedParts, 'order' | 'tail'>,
): NativeJson {
  const isCut = limit !== undefined || offset !== undefined;
  if (order.length === 0 && !isCut) return query;
  const shown = signature.map(({ name }) => name);
  if (order.some(({ name }) => !shown.includes(name))) throw new NotNative();
  const columns = order.map(({ name, descending }) => ({
    column: name,
    direction: descending ? 'DESC' : 'ASC',
  }));
  const scan = (offsetLimit: NativeJson | null, projectedColumns: readonly string[] | null) => ({
    type: 'scan',
    timeRange: null,
    filter: null,
    offsetLimit,
    projectedColumns,
    virtualColumns: null,
    ordering: null,
  });
  const bounds = {
    offset: Number(offset ?? 0n),
    ...(limit !== undefined && { limit: Number(limit) }),
  };
  const operators = [
    ...(columns.length > 0 ? [{ type: 'naiveSort', columns }] : []),
    ...(isCut ? [scan(bounds, null)] : []),
  ];
  return { ...windowQuery(query, signature, operators), leafOperators: [scan(null, shown)] };
}

interface GroupedParts {
  readonly tail: Pick<PlannedClauses['tail'], 'limit' | 'offset'>;
  readonly clauses: PlannedClauses;
  readonly planned: PlannedGroups;
  readonly rows: PlannedRows;
  readonly values: GroupValues;
  readonly dimensions: readonly PlannedDimension[];
  readonly order: readonly { readonly name: string; readonly descending: boolean }[];
  readonly having: NativeJson | undefined;
}

function isTimeseries({ tail, planned, rows, dimensions, order, having }: GroupedParts): boolean {
  const [only, second] = dimensions;
  const { limit, offset = 0n } = tail;
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

function timeseriesQuery({ tail, rows, values, dimensions, order }: GroupedParts) {
  const [only] = dimensions;
  const { limit } = tail;
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

function topNQuery(
  { tail, rows, values, dimensions, order }: GroupedParts,
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
    threshold: Number(tail.limit),
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

function limitSpec({ tail, values, dimensions, order }: GroupedParts) {
  const { limit, offset = 0n } = tail;
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

function granularityOf({ period, zone }: TimeFloor): unknown {
  const simple = zone === 'UTC' ? simpleGranularities[period.toUpperCase()] : undefined;
  return simple ?? { type: 'period', period, timeZone: zone, origin: null };
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
