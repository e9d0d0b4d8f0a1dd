// Functions of arrays that only native expressions have (docs/querying/math-expr.md).
import { castTo } from '../expressions/casts.ts';
import { localTimestamp } from '../expressions/local-time.ts';
import { zoneOf } from '../expressions/time-text.ts';
import type { Typed } from '../expressions/typed.ts';
import { SqlError } from '../sql-error.ts';
import { arrayOf, bigint, leastRestrictive, type SqlType, typeText, varchar } from '../types.ts';
import {
  any,
  asLong,
  druidFunction,
  knownCharacter,
  type ParameterType,
  type ScalarFunction,
} from './scalar-function.ts';

const array: ParameterType = {
  text: 'ARRAY',
  accepts: ({ name }) => name === 'ARRAY',
  list: true,
  whole: true,
};
const element: ParameterType = { ...any, whole: true };

const elementOf = (items: Typed | undefined): SqlType => items?.type.element ?? varchar;
const typeOf = ([items]: readonly Typed[]): SqlType => arrayOf(elementOf(items));

// Distinct values in order, null first.
const sortedSet = (items: string) => `list_sort(druid_set(${items}), 'ASC', 'NULLS FIRST')`;

// The common element type of the arrays. Mixed kinds of elements fail the query.
function commonElement(args: readonly Typed[]): SqlType {
  const [one = varchar, other = varchar] = args.map(elementOf);
  const common = leastRestrictive([one, other]);
  if (common === undefined)
    throw new SqlError(
      `Function[array_set_add_all] has arrays of [${typeText(one)}] and of [${typeText(other)}]`,
    );
  return common;
}

/** Keyed by name as in native expressions: in small letters. */
export const nativeArrayFunctions: Readonly<Record<string, ScalarFunction>> = {
  array_set_add: druidFunction([array, element], typeOf, ([items], { args: [list, item] }) => {
    const added = item ? castTo(item, elementOf(list), 'UTC').sql : 'NULL';
    return sortedSet(`druid_append(${items}, ${added})`);
  }),
  array_set_add_all: druidFunction(
    [array, array],
    (args) => arrayOf(commonElement(args)),
    (_, { args }) => {
      const [one, other] = args.map((arg) => castTo(arg, arrayOf(commonElement(args)), 'UTC').sql);
      return sortedSet(`druid_concat(${one}, ${other})`);
    },
  ),
  // Null and an empty array become one null, like unnested multi-value strings.
  mv_harmonize_nulls: druidFunction([array], arrayOf(varchar), (_, { args: [items] }) =>
    items ? `druid_values(${castTo(items, arrayOf(varchar), 'UTC').sql})` : '',
  ),
  // The months between two times.
  subtract_months: druidFunction(
    [asLong, asLong, knownCharacter],
    bigint,
    ([later = '', earlier = ''], { args: [, , name] }) => {
      const zone = zoneOf(String(name?.constant)).id;
      return `datesub('month', ${localTimestamp(earlier, zone)}, ${localTimestamp(later, zone)})`;
    },
  ),
};
