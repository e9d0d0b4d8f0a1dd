// Window functions as operators of a native query (Druid: Windowing), as EXPLAIN shows them.
import type { Bound, Call, Expression, Window } from '../ast.ts';
import { fingerprint } from '../expressions/rewrite.ts';
import type { NativeJson, NativePlan } from '../resolution/native-plan.ts';
import { nativeTypeOf } from '../types.ts';
import { type FilterNames, NotNative } from './native-expression.ts';
import { intervalsOf } from './planned-rows.ts';

/** A call with OVER, and the column of its values. */
export interface PlannedWindow {
  readonly call: Call;
  readonly name: string;
}

/**
 * The operators of window functions over rows that are sorted by the columns `sorted`: those of
 * each window after those of another, windows without a partition first.
 * Throws NotNative.
 */
export function windowOperators(
  windows: readonly PlannedWindow[],
  sorted: readonly string[],
  names: FilterNames,
): readonly NativeJson[] {
  const print = (one: Window) => fingerprint(one, ({ names: parts }) => parts.join('.'));
  const byWindow = new Map<string, PlannedWindow[]>();
  for (const one of windows) {
    const key = print(windowOf(one.call));
    byWindow.set(key, [...(byWindow.get(key) ?? []), one]);
  }
  const partitions = (group: readonly PlannedWindow[]) =>
    group[0] && windowOf(group[0].call).partitionBy.length > 0 ? 1 : 0;
  let order = sorted.map((column) => ({ column, direction: 'ASC' }));
  return [...byWindow.values()]
    .toSorted((one, other) => partitions(one) - partitions(other))
    .flatMap((group) => {
      const { columns, operators } = operatorsOf(group, names);
      const isSorted = columns.every(
        ({ column, direction }, index) =>
          order[index]?.column === column && order[index]?.direction === direction,
      );
      if (isSorted) return operators;
      order = columns;
      return [{ type: 'naiveSort', columns }, ...operators];
    });
}

// The operators of functions with the same window, and the order of the rows that they need.
function operatorsOf(windows: readonly PlannedWindow[], names: FilterNames) {
  const [first] = windows;
  if (!first) throw new NotNative();
  const window = windowOf(first.call);
  const partitionColumns = window.partitionBy.map((part) => names.columnFor(part));
  const order = window.orderBy.map(({ expression, descending }) => ({
    column: names.columnFor(expression),
    direction: descending ? 'DESC' : 'ASC',
  }));
  const columns = [...partitionColumns.map((column) => ({ column, direction: 'ASC' })), ...order];
  const group = order.map(({ column }) => column);
  const own = windows.flatMap((one) => processorOf(one, window, group, names) ?? []);
  const aggregations = windows.flatMap((one) =>
    processorOf(one, window, group, names) ? [] : [aggregatorOf(one, names)],
  );
  const processors = [
    ...own,
    ...(aggregations.length > 0
      ? [{ type: 'framedAgg', frame: frameOf(window, group), aggregations }]
      : []),
  ];
  const [only, second] = processors;
  const operators: readonly NativeJson[] = [
    { type: 'naivePartition', partitionColumns },
    { type: 'window', processor: second ? { type: 'composing', processors } : only },
  ];
  return { columns, operators };
}

/** The query of operators over the rows of another query. */
export const windowQuery = (
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

function windowOf({ over }: Call): Window {
  if (over?.kind !== 'window' || over.base || over.frame?.exclude) throw new NotNative();
  return over;
}

// Undefined for aggregates.
function processorOf(
  { call, name: outputColumn }: PlannedWindow,
  window: Window,
  group: readonly string[],
  names: FilterNames,
): NativeJson | undefined {
  const [value, second, third] = call.args;
  const numberIn = (part: Expression | undefined, otherwise: number) => {
    const constant = part ? names.resolve(part).constant : BigInt(otherwise);
    if (typeof constant !== 'bigint') throw new NotNative();
    return Number(constant);
  };
  const inputColumn = () => {
    if (!value || third || call.nulls) throw new NotNative();
    return names.columnFor(value);
  };
  const end = endOf(window);
  switch (call.name) {
    case 'ROW_NUMBER':
      return { type: 'rowNumber', outputColumn };
    case 'RANK':
    case 'PERCENT_RANK':
      return { type: 'rank', group, outputColumn, asPercent: call.name === 'PERCENT_RANK' };
    case 'DENSE_RANK':
      return { type: 'denseRank', group, outputColumn };
    case 'CUME_DIST':
      return { type: 'cumeDist', group, outputColumn };
    case 'NTILE':
      return { type: 'percentile', outputColumn, numBuckets: numberIn(value, 1) };
    case 'LAG':
    case 'LEAD': {
      const offset = numberIn(second, 1) * (call.name === 'LAG' ? -1 : 1);
      return { type: 'offset', inputColumn: inputColumn(), outputColumn, offset };
    }
    case 'FIRST_VALUE':
      if (window.frame && window.frame.start.kind !== 'unbounded') throw new NotNative();
      return { type: 'first', inputColumn: inputColumn(), outputColumn };
    case 'LAST_VALUE':
      if (end === null) return { type: 'last', inputColumn: inputColumn(), outputColumn };
      return { type: 'offset', inputColumn: inputColumn(), outputColumn, offset: end };
    default:
      return undefined;
  }
}

function aggregatorOf({ call, name }: PlannedWindow, names: FilterNames): NativeJson {
  const [first, second] = call.args;
  if (call.distinct || call.filter || !first || second) throw new NotNative();
  if (call.name === 'COUNT' && first.kind === 'star') return { type: 'count', name };
  if (call.name === 'COUNT') {
    const field = { type: 'null', column: names.columnFor(first) };
    return {
      type: 'filtered',
      aggregator: { type: 'count', name },
      filter: { type: 'not', field },
      name,
    };
  }
  const kind = { SUM: 'Sum', MIN: 'Min', MAX: 'Max' }[call.name];
  const type = nativeTypeOf(names.resolve(first).type)?.toLowerCase() ?? '';
  if (kind === undefined || !['long', 'double'].includes(type)) throw new NotNative();
  return { type: `${type}${kind}`, name, fieldName: names.columnFor(first) };
}

// Without ORDER BY, the frame is the whole partition.
function frameOf(window: Window, orderByColumns: readonly string[]): NativeJson {
  const start = window.frame && window.orderBy.length > 0 ? offsetOf(window.frame.start) : null;
  const end = endOf(window);
  return window.orderBy.length === 0 || window.frame?.unit === 'ROWS' || (start ?? end) === null
    ? { type: 'rows', lowerOffset: start, upperOffset: end }
    : { type: 'groups', lowerOffset: start, upperOffset: end, orderByColumns };
}

function endOf({ frame, orderBy }: Window): number | null {
  if (orderBy.length === 0) return null;
  return frame?.end ? offsetOf(frame.end) : 0;
}

function offsetOf(bound: Bound): number | null {
  if (bound.kind === 'unbounded') return null;
  if (bound.kind === 'current') return 0;
  if (bound.offset.kind !== 'literal') throw new NotNative();
  return Number(bound.offset.text) * (bound.direction === 'PRECEDING' ? -1 : 1);
}
