// Multi-value strings: one row, several values; in DuckDB a VARCHAR[].
//
// The rule, in one place: a scalar function of a multi-value string is applied to each of its
// values and gives a multi-value result; no values count as one null. A comparison holds when it
// holds for any value, is unknown when none holds and some value or the row is null, and its
// negation is the negation of that. The functions MV_*, ARRAY_* and MV_TO_ARRAY take the list as it
// is (their parameters say `whole`). CASE is applied to each value as a whole. A BOOLEAN marked
// multiValue is such a condition: it may filter, but it is not an output of a query.

import { boolean, type SqlType } from '../types.ts';
import { bindOnce, bindOutside } from './bind-once.ts';
import { mapped } from './casts.ts';
import type { Typed } from './typed.ts';

/**
 * Whether a value is a DuckDB list of several values. A multi-value condition is none: it is
 * already one BOOLEAN.
 */
export const isList = ({ type }: Typed): boolean =>
  type.multiValue === true && type.name !== 'BOOLEAN';

/** The type of one of the values. */
export function singleValued(type: SqlType): SqlType {
  const { multiValue: _, isComputed: __, ...single } = type;
  return single;
}

/** A value where one is wanted: several are null. */
export const onlyValue = (value: Typed): Typed =>
  isList(value)
    ? { type: singleValued(value.type), sql: `druid_only(${value.sql})`, at: value.at }
    : value;

/**
 * What a function that knows no lists takes: of values that were computed as an array the text `[a,
 * b]`, or the only one (Druid: ExprEval.asString).
 */
export const textOfComputed = (value: Typed): Typed =>
  value.type.isComputed
    ? { type: singleValued(value.type), sql: `druid_list_text(${value.sql})`, at: value.at }
    : value;

/** Of several values the first one. */
export const firstValue = (value: Typed): Typed =>
  isList(value)
    ? { type: singleValued(value.type), sql: `(${value.sql})[1]`, at: value.at }
    : value;

/**
 * Applies a function of single values to arguments of which some may be lists: each list takes
 * every value, equal lists the same one. Returns DuckDB text for a list, or for the value itself
 * when no argument is a list. What else is computed, such as a subquery, is computed before.
 * `items` is the text of a list whose items are taken.
 */
export function mapValues(
  args: readonly Typed[],
  apply: (args: readonly Typed[]) => string,
  items = orOneNull,
): string {
  const list = args.find(isList);
  if (!list) return apply(args);
  // DuckDB does not find a column that only a lambda over a list without columns mentions, where
  // the whole stands in FROM.
  const isPlain = (arg: Typed) =>
    arg.constant !== undefined || (arg.isRepeatable && list.isRepeatable);
  const computed = [...new Set(args.filter((arg) => !isPlain(arg)).map(({ sql }) => sql))];
  // It stands outside already
  if (computed.every((sql) => sql === list.sql)) return mappedValues(args, apply, items);
  return bindOutside(computed, (names) => {
    const named = args.map((arg): Typed => {
      const name = names[computed.indexOf(arg.sql)];
      return name === undefined ? arg : { type: arg.type, at: arg.at, sql: name };
    });
    return mappedValues(named, apply, items);
  });
}

// No values count as one null.
const orOneNull = (list: string): string =>
  bindOnce([list], ([items]) => `CASE WHEN len(${items}) = 0 THEN [NULL] ELSE ${items} END`);

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
  const mappedList = mapped(items(list.sql), (item) => mappedValues(rest(item), apply, items));
  return nested ? `druid_flattened(${mappedList})` : mappedList;
}

/** A condition on values of which some may be lists: whether it holds for any of them. */
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
