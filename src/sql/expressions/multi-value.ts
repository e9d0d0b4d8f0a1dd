// Multi-value strings: several values in one row, a VARCHAR[] in DuckDB. A scalar function is
// applied to each value and yields a multi-value result; an empty list counts as one null. A
// comparison holds when it holds for any value; it is unknown when it holds for none and some value
// or the row is null. Its negation negates that result. The functions MV_*, ARRAY_* and MV_TO_ARRAY
// take the whole list (their parameters have `whole`). CASE is applied to each value as a whole. A
// BOOLEAN marked multiValue is such a condition: it may filter, but it cannot be an output of a
// query.

import { failureSql, unsupportedWords } from '../runtime/own-words.ts';
import { boolean, type SqlType } from '../types.ts';
import { bindOnce, bindOutside, lambda } from './bind-once.ts';
import { mapList } from './casts.ts';
import type { Typed } from './typed.ts';

/**
 * Whether a value is a DuckDB list. A multi-value condition is not: it is already a single BOOLEAN.
 */
export const isList = ({ type }: Typed): boolean =>
  type.multiValue === true && type.name !== 'BOOLEAN';

/** The type of a single value of the list. */
export function singleValued(type: SqlType): SqlType {
  const { multiValue: _, isComputed: __, ...single } = type;
  return single;
}

/** The only value of a list; null if there are several. */
export const onlyValue = (value: Typed): Typed =>
  isList(value)
    ? {
        type: singleValued(value.type),
        sql: bindOnce([value.sql], ([list]) => `druid_only(${list})`),
        at: value.at,
      }
    : value;

/** The only value of a list as the key of a join, which fails for several. */
export const joinedValue = (value: Typed): Typed =>
  isList(value)
    ? {
        type: singleValued(value.type),
        sql: bindOnce(
          [value.sql],
          ([list]) => `CASE WHEN len(${list}) > 1 THEN ${severalKeys} ELSE ${list}[1] END`,
        ),
        at: value.at,
      }
    : value;

/**
 * A list as the key of an inner join, whose right side is a filter of the rows: of several values
 * none may be a key there, or only the first one that is counts. The latter needs keys that differ,
 * and no other column that is read (Druid: JoinableFactoryWrapper.convertJoinToFilter).
 */
export const valueAmong = (
  value: Typed,
  key: Typed,
  side: { readonly text: string; readonly isRead: boolean },
): Typed => {
  if (!isList(value)) return value;
  const distinct = `(SELECT DISTINCT ${key.sql} AS k FROM ${side.text} WHERE ${key.sql} IS NOT NULL LIMIT ${mostKeys + 1})`;
  const count = `(SELECT count(${key.sql}) FROM ${side.text})`;
  const keys = `(SELECT CASE WHEN count(*) <= ${mostKeys} THEN row(coalesce(list(k), []), count(*) = ${count}) END FROM ${distinct})`;
  const sql = bindOnce([value.sql, keys], ([list = '', found = '']) => {
    const [all, areUnique] = [1, 2].map((place) => `struct_extract(${found}, ${place})`);
    const first = side.isRead
      ? severalKeys
      : `CASE WHEN ${areUnique} THEN list_filter(${list}, ${lambda((item) => `list_contains(${all}, ${item})`)})[1] ELSE ${severalKeys} END`;
    return `CASE WHEN len(${list}) <= 1 THEN ${list}[1] WHEN ${found} IS NULL THEN ${severalKeys} WHEN list_has_any(${list}, ${all}) THEN ${first} END`;
  });
  return { type: singleValued(value.type), sql, at: value.at };
};

// A filter has at most this many values (Druid: joinFilterRewriteMaxSize).
const mostKeys = 10_000;

const severalKeys = failureSql(
  `'${unsupportedWords}Joining against a multi-value dimension is not supported.'`,
);

/**
 * The value for functions that do not accept lists. A list computed as an array becomes the text
 * `[a, b]`, or its only item (Druid: ExprEval.asString).
 */
export const textOfComputed = (value: Typed): Typed =>
  value.type.isComputed
    ? { type: singleValued(value.type), sql: `druid_list_text(${value.sql})`, at: value.at }
    : value;

/**
 * A condition on the items of an array that a function made, which an empty array does not meet.
 */
export const falseIfEmpty = <Condition extends Pick<Typed, 'sql'>>(
  value: Typed | undefined,
  condition: Condition,
): Condition =>
  value?.type.isComputed
    ? {
        ...condition,
        sql: `(CASE WHEN len(${value.sql}) = 0 THEN false ELSE ${condition.sql} END)`,
      }
    : condition;

/** The first value of a list. */
export const firstValue = (value: Typed): Typed =>
  isList(value)
    ? { type: singleValued(value.type), sql: `(${value.sql})[1]`, at: value.at }
    : value;

/**
 * Applies a function of single values to arguments of which some may be lists. Each list takes
 * every value; equal lists take the same one. Returns DuckDB text for a list, or for the single
 * value if no argument is a list. Other computed arguments, such as subqueries, are computed
 * beforehand. `items` returns the text of the list to iterate over.
 */
export function mapValues(
  args: readonly Typed[],
  apply: (args: readonly Typed[]) => string,
  items = orOneNull,
): string {
  const list = args.find(isList);
  if (!list) return apply(args);
  // In FROM, DuckDB does not find a column that occurs only in a lambda over a list without
  // columns.
  const isPlain = (arg: Typed) =>
    arg.constant !== undefined || (arg.isRepeatable && list.isRepeatable);
  const computed = [...new Set(args.filter((arg) => !isPlain(arg)).map(({ sql }) => sql))];
  // The list is already outside the lambda.
  if (computed.every((sql) => sql === list.sql)) return mappedValues(args, apply, items);
  return bindOutside(computed, (names) => {
    const named = args.map((arg): Typed => {
      const name = names[computed.indexOf(arg.sql)];
      return name === undefined ? arg : { type: arg.type, at: arg.at, sql: name };
    });
    return mappedValues(named, apply, items);
  });
}

/** The text of a list in which an empty list and no list count as one null. */
export const orOneNull = (list: string): string =>
  bindOnce([list], ([items]) => `CASE WHEN len(${items}) > 0 THEN ${items} ELSE [NULL] END`);

function mappedValues(
  args: readonly Typed[],
  apply: (args: readonly Typed[]) => string,
  items: (list: string) => string,
): string {
  const list = args.find(isList);
  if (!list) return apply(args);
  const rest = (item: string) =>
    args.map((arg) =>
      isList(arg) && arg.sql === list.sql
        ? { type: singleValued(arg.type), at: arg.at, sql: item }
        : arg,
    );
  const nested = args.some((arg) => isList(arg) && arg.sql !== list.sql);
  const mappedList = mapList(items(list.sql), (item) => mappedValues(rest(item), apply, items));
  return nested ? `druid_flattened(${mappedList})` : mappedList;
}

/** A condition on values of which some may be lists. It holds if it holds for any of the values. */
export function anyValue(
  args: readonly Typed[],
  condition: (args: readonly Typed[]) => string,
): Pick<Typed, 'sql' | 'type'> {
  if (!args.some(isList)) {
    const type = args.some((arg) => arg.type.multiValue)
      ? { ...boolean, multiValue: true }
      : boolean;
    return { type, sql: condition(args) };
  }
  return {
    type: { ...boolean, multiValue: true },
    sql: `druid_any(${mapValues(args, condition, (list) => list)})`,
  };
}
