// A SELECT without groups, or without rows, as the native query that the engine's planner builds
// for it (Druid: DruidQuery), for EXPLAIN PLAN FOR.

import type { Expression } from '../ast.ts';
import type { Typed } from '../expressions/typed.ts';
import { containsWindow } from '../functions/call-kinds.ts';
import type { NativeJson, NativePlan } from '../resolution/native-plan.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { OrderPart } from '../resolution/select-items.ts';
import type { ResultColumn } from '../resolution/translation.ts';
import { nullType, type SqlType } from '../types.ts';
import { type FilterNames, NotNative, natively } from './native-expression.ts';
import { type PlannedWindow, windowOperators, windowQuery } from './native-window.ts';
import { intervalsOf, type PlannedClauses, PlannedRows, typeOf } from './planned-rows.ts';

/** The scan query of a SELECT without groups; undefined if it has no native form. */
export function scanPlan(
  clauses: PlannedClauses,
  order: readonly OrderPart[],
  hasWindows: boolean,
): NativePlan | undefined {
  return natively(() => {
    if (clauses.qualify || clauses.select.distinct) throw new NotNative();
    if (hasWindows) return windowPlan(clauses, order);
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
    const parts = rows.parts();
    const signature = [...types].map(([name, type]) => ({ name, type }));
    const groups = groupsOf(parts.dataSource);
    const isOfColumns = items.every(({ expression }) => expression.kind === 'identifier');
    const isWhole = tail.limit === undefined && tail.offset === undefined;
    // A query that only chooses columns of groups is the query of the groups.
    if (groups && isOfColumns && isWhole && !direction && !parts.filter && !parts.virtualColumns)
      return { outputs, signature, depth: rows.depth - 1, query: groups };
    return {
      outputs,
      signature,
      depth: rows.depth,
      query: scanQuery(parts, [...types], {
        ...(tail.offset !== undefined && tail.offset > 0n && { offset: Number(tail.offset) }),
        ...(tail.limit !== undefined && { limit: Number(tail.limit) }),
        ...(direction && { order: direction }),
      }),
    };
  });
}

// A scan of columns with their types. `bounds` are its limits and its order.
const scanQuery = (
  { filter, ...others }: NativeJson,
  columns: readonly (readonly [string, string])[],
  bounds: NativeJson = {},
): NativeJson => ({
  queryType: 'scan',
  ...others,
  resultFormat: 'compactedList',
  ...bounds,
  ...(filter !== undefined && { filter }),
  columns: columns.map(([name]) => name),
  columnTypes: columns.map(([, type]) => type),
  granularity: { type: 'all' },
  legacy: false,
});

// Windows read the rows of a scan of the columns that they need.
function windowPlan(clauses: PlannedClauses, order: readonly OrderPart[]): NativePlan {
  const { items, tail, source } = clauses;
  if (!source || order.length > 0 || tail.limit !== undefined || tail.offset !== undefined)
    throw new NotNative();
  const rows = new PlannedRows(clauses);
  const used = new Map<string, string>(); // types by name
  const columnFor = (expression: Expression) => {
    const name = rows.columnFor(expression);
    used.set(name, typeOf(rows.resolve(expression)));
    return name;
  };
  const windows: PlannedWindow[] = [];
  const signature = items.map(({ expression }) => {
    const type = typeOf(rows.resolve(expression));
    if (!containsWindow(expression)) return { name: columnFor(expression), type };
    if (expression.kind !== 'call' || !expression.over) throw new NotNative();
    const name = rows.reserveName(`w${windows.length}`);
    windows.push({ call: expression, name });
    return { name, type };
  });
  const names: FilterNames = {
    columnFor,
    column: (expression) => rows.column(expression),
    resolve: (expression) => rows.resolve(expression),
    timeZone: rows.timeZone,
  };
  const operators = windowOperators(windows, [], names);
  const stored = source.relations.flatMap(({ columns: all }) => all.map(({ name }) => name));
  const placeOf = (name: string) => (stored.includes(name) ? stored.indexOf(name) : stored.length);
  const columns = [...used].sort(([one], [other]) => placeOf(one) - placeOf(other));
  return {
    outputs: signature.map(({ name }) => name),
    signature,
    depth: rows.depth + 1,
    query: windowQuery(scanQuery(rows.parts(), columns), signature, operators),
  };
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
