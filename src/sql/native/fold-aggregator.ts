// The aggregator `expression` for any fold: rows are folded segment by segment, and the results are
// combined, as in the engine (Druid: ExpressionLambdaAggregatorFactory).
import { bindOutside, lambda } from '../expressions/bind-once.ts';
import { constantOf } from '../expressions/casts.ts';
import { isList } from '../expressions/multi-value.ts';
import { type Scope, scopeWith, type Typed } from '../expressions/typed.ts';
import { failureSql } from '../runtime/own-words.ts';
import {
  arrayOf,
  bigint,
  duckdbTypeOf,
  isInteger,
  isText,
  type SqlType,
  varchar,
} from '../types.ts';
import { reduce } from './applications.ts';
import { malformed, NOWHERE } from './members.ts';
import { columnsOf, type NativeExpression } from './native-expression.ts';
import { convert, plain } from './native-values.ts';
import { resolveNativeExpression, scalarLists } from './resolve.ts';
import type { RowScope } from './row-scope.ts';

/** The parsed members of an aggregator `expression`. */
export interface Fold {
  readonly name: string;
  readonly accumulator: string;
  readonly isOfRows: boolean; // false: the rows are results of the same aggregator
  readonly initial: Typed;
  readonly combineInitial: Typed;
  readonly fold: NativeExpression;
  readonly combine: NativeExpression;
  readonly skipsNulls: boolean;
  readonly combineSkipsNulls: boolean;
  readonly isNullAlone: boolean;
  readonly mostBytes: number;
}

/** The division of a query's rows into segments, and the way their results are combined. */
export interface Merging {
  /** Results are combined onto the initial value, not with one another. */
  readonly isGroupBy: boolean;
  /** The number of segments that have a result even without rows. */
  readonly segments: number;
  /** The starts of the segments that are read, ascending. */
  readonly starts: readonly number[];
  /** The order of rows; also of the segments, unless they share one of several buckets. */
  readonly order: 'ascending' | 'descending' | 'descending in each segment';
  /** What decides between segments that share one of several buckets. */
  readonly ranks?: MergeRanks;
}

export interface MergeRanks {
  readonly ofSegments: readonly number[];
  /** The segments that are the first of their buckets. They are shown even without rows. */
  readonly shown?: readonly boolean[];
}

/** The aggregate over the rows of a scope that meet the conditions. Throws SqlError. */
export function foldAggregate(
  given: Fold,
  scope: RowScope,
  conditions: readonly string[],
  merging: Merging,
): string {
  const collected = collectedValues(given, scope, conditions, merging);
  if (collected !== undefined) return collected;
  const fold = given.isOfRows ? given : asCombining(given);
  const names = [...columnsOf(fold.fold)].filter((name) => name !== fold.accumulator);
  const lists = scalarLists(fold.fold, scopeWithAccumulator(fold, scope));
  const inputs = names.map((name) => inputOf(name, scope));
  const segment = scope.segment();
  const passes = conditions.length === 0 ? 'true' : conditions.join(' AND ');
  const row = [segment, `coalesce(${passes}, false)`, ...inputs.map(({ sql }) => sql)].join(', ');
  return bindOutside([`coalesce(list(row(${row})), [])`], ([rows = '']) => {
    const foldRows = (list: string) => foldSegment(fold, scope, { names, inputs, lists }, list);
    const perSegment =
      segment === '0'
        ? `[${foldRows(rows)}]`
        : `list_transform(list_sort(list_distinct(list_transform(${rows}, ${lambda((item) => `struct_extract(${item}, 1)`)}))), ${lambda(
            (one) =>
              foldRows(
                `list_filter(${rows}, ${lambda((item) => `struct_extract(${item}, 1) = ${one}`)})`,
              ),
          )})`;
    return combineResults(given, scope, perSegment, merging);
  });
}

// Each row is a step of its own, which takes long in DuckDB.
const mostRows = 5000;

const foldable = (rows: string) =>
  bindOutside(
    [rows],
    ([list = '']) =>
      `CASE WHEN len(${list}) > ${mostRows} THEN ${failureSql(`'Aggregator [expression] folds at most [${mostRows}] rows of a group by this expression. Group by more dimensions, or fold with array_set_add, +, *, max or min'`)} ELSE ${list} END`,
  );

interface Collection {
  readonly combine: string;
  aggregate(value: string, over: (aggregate: string) => string): string;
}

// Folds that collect values are aggregates of DuckDB.
const collections: Readonly<Record<string, Collection>> = {
  array_set_add: {
    combine: 'array_set_add_all',
    aggregate: (value, over) =>
      `list_sort(${over(`list(DISTINCT ${value})`)}, 'ASC', 'NULLS FIRST')`,
  },
  array_append: {
    combine: 'array_concat',
    aggregate: (value, over) => over(`list(${value})`),
  },
};

function collectedValues(
  given: Fold,
  scope: RowScope,
  conditions: readonly string[],
  { segments }: Merging,
): string | undefined {
  // The null of a segment without rows makes the whole result null.
  const isPartlyNull = conditions.length > 0 || segments > 1;
  if (isPartlyNull && given.isNullAlone && !given.combineSkipsNulls) return undefined;
  const { fold, combine, name, accumulator, initial, combineInitial, isOfRows } = given;
  if (fold.kind !== 'call' || combine.kind !== 'call' || !isOfRows) return undefined;
  const collection = Object.hasOwn(collections, fold.name) ? collections[fold.name] : undefined;
  const isNamed = (part: NativeExpression | undefined, wanted: string) =>
    part?.kind === 'name' && part.name === wanted;
  const [acc, item] = fold.args;
  const isEmpty = ({ type, constant }: Typed) =>
    type.name === 'ARRAY' && Array.isArray(constant) && constant.length === 0;
  if (
    !collection ||
    combine.name !== collection.combine ||
    !isNamed(acc, accumulator) ||
    !isNamed(combine.args[0], accumulator) ||
    !isNamed(combine.args[1], name) ||
    item?.kind !== 'name' ||
    ![initial, combineInitial].every(isEmpty)
  )
    return undefined;
  const value = resolveNativeExpression(item, scope);
  const { type } = initial;
  if (isList(value) || value.type.name === 'ARRAY') return undefined;
  const converted = convert(value, type.element ?? varchar).sql;
  const all = given.skipsNulls ? [...conditions, `${converted} IS NOT NULL`] : conditions;
  const over = (aggregate: string) =>
    all.length === 0 ? aggregate : `${aggregate} FILTER (WHERE ${all.join(' AND ')})`;
  const kind = duckdbTypeOf(type);
  const none = given.isNullAlone ? `NULL::${kind}` : `[]::${kind}`;
  const found: Typed = { type, at: NOWHERE, sql: collection.aggregate(converted, over) };
  return bindOutside(
    [found.sql],
    ([list = '']) =>
      `CASE WHEN ${list} IS NULL THEN ${none} ELSE ${fitting({ ...found, sql: list }, given).sql} END`,
  );
}

// Rows that are results already are combined.
const asCombining = (fold: Fold): Fold => ({
  ...fold,
  fold: fold.combine,
  initial: fold.combineInitial,
  skipsNulls: fold.combineSkipsNulls,
});

const scopeWithAccumulator = ({ accumulator, initial }: Fold, scope: Scope): Scope =>
  scopeWith(scope, {
    column: (path, at) =>
      path.at(-1) === accumulator
        ? { type: initial.type, sql: 'NULL', at }
        : scope.column(path, at),
  });

// A multi-value string is an array of its values.
function inputOf(name: string, scope: RowScope): Typed {
  const value = scope.column([name], NOWHERE);
  return isList(value)
    ? { type: arrayOf(varchar), at: NOWHERE, sql: `druid_values(${value.sql})` }
    : plain(value);
}

interface Inputs {
  readonly names: readonly string[];
  readonly inputs: readonly Typed[];
  readonly lists: ReadonlySet<string>; // multi-value columns that stand for single values
}

function foldSegment(fold: Fold, scope: Scope, { names, inputs, lists }: Inputs, rows: string) {
  const { initial, accumulator, isNullAlone, skipsNulls } = fold;
  const body = [...lists].reduce<NativeExpression>(
    (inner, list) => foldOver(list, accumulator, inner),
    fold.fold,
  );
  const used = lambda((item) => {
    const given = inputs.map((_, index) => `struct_extract(${item}, ${index + 3}) IS NOT NULL`);
    return [`struct_extract(${item}, 2)`, ...(skipsNulls ? given : [])].join(' AND ');
  });
  return bindOutside([foldable(`list_filter(${rows}, ${used})`)], ([list = '']) => {
    const items = inputs.map(({ type }) => (type.name === 'NULL' ? varchar : type));
    const folded = reduce(
      initial,
      items,
      list,
      (item) => items.map((_, index) => `struct_extract(${item}, ${index + 3})`),
      (value, parts) =>
        fitting(
          resolveNativeExpression(
            body,
            scopeOfNames(scope, [...names, accumulator], [...parts, value]),
          ),
          fold,
        ),
    );
    return `CASE WHEN len(${list}) = 0 THEN ${isNullAlone ? `NULL::${duckdbTypeOf(initial.type)}` : initial.sql} ELSE ${folded} END`;
  });
}

const foldOver = (list: string, accumulator: string, body: NativeExpression): NativeExpression => ({
  kind: 'application',
  text: '',
  name: 'fold',
  nameAt: body.at,
  parameters: [list, accumulator],
  body,
  args: [
    { kind: 'name', name: list, at: body.at },
    { kind: 'name', name: accumulator, at: body.at },
  ],
  at: body.at,
});

// The engine holds an accumulator in a buffer of this size (Druid: TypeStrategies).
function fitting(value: Typed, { initial, mostBytes }: Fold): Typed {
  const { type } = initial;
  const next = value.type.name === 'NULL' ? constantOf(null, type, value.at) : convert(value, type);
  if (type.name !== 'ARRAY' && !isText(type)) return next;
  const sql = bindOutside([next.sql], ([x = '']) => {
    const tooLong = failureSql(
      `'Exceeded memory usage when aggregating type [expression], size is larger than max [${mostBytes}]'`,
      'state',
    );
    return `CASE WHEN ${sizeOf(x, type)} > ${mostBytes} THEN ${tooLong} ELSE ${x} END`;
  });
  return { type, at: value.at, sql };
}

function sizeOf(x: string, type: SqlType): string {
  if (isText(type)) return `coalesce(5 + strlen(${x}), 1)`;
  const items = isText(type.element ?? varchar)
    ? `coalesce(list_sum(list_transform(${x}, ${lambda((item) => `coalesce(5 + strlen(${item}), 1)`)})), 0)`
    : `9 * len(${x})`;
  return `coalesce(5 + ${items}, 1)`;
}

function combineResults(fold: Fold, scope: Scope, results: string, merging: Merging): string {
  const { combineInitial: initial, name, accumulator, isNullAlone, combineSkipsNulls } = fold;
  const { type } = initial;
  const kind = duckdbTypeOf(type);
  const none = isNullAlone ? `NULL::${kind}` : initial.sql;
  const given: Typed = { type: fold.initial.type, at: NOWHERE, sql: 'x' };
  const converted = `list_transform(${results}, ${lambda((item) => convert({ ...given, sql: item }, type).sql)})`;
  return bindOutside([converted], ([found = '']) => {
    const without = `list_transform(range(${merging.segments} - len(${found})), ${lambda(() => (fold.isNullAlone ? `NULL::${kind}` : initial.sql))})`;
    const all = merging.segments > 1 ? `list_concat(${found}, ${without})` : found;
    const values = combineSkipsNulls
      ? `list_filter(${all}, ${lambda((item) => `${item} IS NOT NULL`)})`
      : all;
    return bindOutside([values], ([list = '']) => {
      const combine = (start: Typed, rest: string) =>
        reduce(
          start,
          [type],
          rest,
          (item) => [item],
          (value, parts) =>
            fitting(
              resolveNativeExpression(
                fold.combine,
                scopeOfNames(scope, [accumulator, name], [value, ...parts]),
              ),
              { ...fold, initial },
            ),
        );
      const combined = merging.isGroupBy
        ? combine(initial, list)
        : `CASE WHEN len(${list}) = 1 THEN ${list}[1] ELSE ${combine({ type, at: NOWHERE, sql: `${list}[1]` }, `${list}[2:]`)} END`;
      return `CASE WHEN len(${list}) = 0 THEN ${none} ELSE ${combined} END`;
    });
  });
}

const scopeOfNames = (scope: Scope, names: readonly string[], values: readonly Typed[]): Scope =>
  scopeWith(scope, {
    environment: { ...scope.environment, isWithoutQueries: true },
    column(path, at) {
      const value = values[names.indexOf(path.at(-1) ?? '')];
      return value ? { ...value, at } : { type: varchar, sql: 'NULL::VARCHAR', at };
    },
  });

/** A literal of the members of an aggregator. Throws SqlError for an expression that is none. */
export function literalValue(tree: NativeExpression, key: string, scope: Scope): Typed {
  const value = plain(resolveNativeExpression(tree, scope));
  if (value.constant === undefined || columnsOf(tree).size > 0)
    throw malformed(`[${key}] of [expression] must be constant`);
  const { type, constant, at } = value;
  if (constant === null && type.name !== 'ARRAY') return constantOf(null, varchar, at);
  return isInteger(type)
    ? { ...value, type: bigint }
    : isText(type)
      ? { ...value, type: varchar }
      : value;
}
