// Functions of arrays and of multi-value strings read as arrays. A single value counts as an array
// of one.

import type { Call, Expression } from '../ast.ts';
import { castTo } from '../expressions/casts.ts';
import { leastLongList } from '../expressions/json-constants.ts';
import { rowsOfConstants } from '../expressions/long-list.ts';
import { anyValue, isList, onlyValue, singleValued } from '../expressions/multi-value.ts';
import { contains } from '../expressions/rewrite.ts';
import type { Constant, Typed } from '../expressions/typed.ts';
import { plainTextOf, readPattern, wholeMatchSql } from '../regex/pattern-sql.ts';
import { quote } from '../runtime/quoted.ts';
import { SqlError, unplannable } from '../sql-error.ts';
import {
  arrayOf,
  bigint,
  boolean,
  computedValues,
  double,
  integer,
  isFractional,
  isNumeric,
  isText,
  isTime,
  leastRestrictive,
  multiValueVarchar,
  nativeTypeOf,
  nullType,
  type SqlType,
  varchar,
} from '../types.ts';
import { sameInNative } from './same-in-native.ts';
import {
  any,
  asDouble,
  asText,
  character,
  druidFunction,
  knownCharacter,
  list,
  type ParameterType,
  type ScalarCall,
  type ScalarFunction,
} from './scalar-function.ts';

const elementOf = ({ type }: Typed): SqlType =>
  type.name === 'ARRAY' ? (type.element ?? varchar) : singleValued(type);

const listText = (arg: Typed | undefined): string =>
  !arg ? '' : arg.type.name === 'ARRAY' || isList(arg) ? arg.sql : `druid_list(${arg.sql})`;

/** A list as DuckDB text with converted elements. A single value is a list of one. */
function listOf(arg: Typed | undefined, element: SqlType, zone: string): string {
  if (!arg) return '';
  if (arg.type.name === 'NULL') return castTo(arg, arrayOf(element), zone).sql;
  return arg.type.name === 'ARRAY'
    ? castTo(arg, arrayOf(element), zone).sql
    : listText(castTo(arg, element, zone));
}

const itemOf = (arg: Typed | undefined, element: SqlType, zone: string): string =>
  arg ? castTo({ ...onlyValue(arg), type: singleValued(arg.type) }, element, zone).sql : '';

const isArray = (arg: Typed | undefined) =>
  arg?.type.name === 'ARRAY' || (arg !== undefined && isList(arg));

// Lists of numbers compare as doubles if either of them has fractions.
const comparedElement = (first: SqlType, other: SqlType): SqlType =>
  isFractional(other) && !isText(first) ? (leastRestrictive([first, other]) ?? first) : first;

type Text = (call: ScalarCall, zone: string) => string;

// `whole` disables the multi-value mapping for each argument.
const whole: ParameterType = { ...any, whole: true };
/** A text or a number, or a list of them; conditions and times are refused. */
const plainItem: ParameterType = {
  ...whole,
  accepts: ({ name }) => !['ARRAY', 'BOOLEAN', 'TIMESTAMP', 'DATE', 'OTHER'].includes(name),
};
const listOrItem: ParameterType = {
  ...plainItem,
  accepts: (type) => type.name === 'ARRAY' || plainItem.accepts(type),
  list: true,
};
const plainList: ParameterType = {
  ...list,
  accepts: (type) => (list.accepts(type) && type.name !== 'ARRAY') || isNumeric(type),
};
const index: ParameterType = { text: 'NUMERIC', accepts: isNumeric };
const onlyArray: ParameterType = { ...list, accepts: ({ name }) => name === 'ARRAY' };

const listFunction = (
  parameters: readonly ParameterType[],
  returns: ScalarFunction['returns'],
  text: Text,
  options: Partial<
    Pick<ScalarFunction, 'optional' | 'nullable' | 'fold' | 'foldsNull' | 'form' | 'variadic'>
  > = {},
): ScalarFunction =>
  druidFunction(
    parameters,
    returns,
    (_, call) => {
      refuseTwofold(parameters, call);
      return text(call, call.environment.timeZone);
    },
    options,
  );

// The engine reads a column as a list or as a single value, but not both in one call.
function refuseTwofold(parameters: readonly ParameterType[], { call }: ScalarCall): void {
  const isColumn = (part: Expression) => part.kind === 'identifier';
  const name = (part: Expression) => (part.kind === 'identifier' ? part.names.at(-1) : undefined);
  const lists = call.args.filter((part, index) => isColumn(part) && parameters[index]?.list);
  const twofold = lists.find((column) =>
    call.args.some((part, index) =>
      isColumn(part)
        ? !parameters[index]?.list && name(part) === name(column)
        : part.kind === 'array' &&
          contains(part, (inner) => isColumn(inner) && name(inner) === name(column)),
    ),
  );
  if (!twofold) return;
  throw new SqlError(
    `Invalid expression: ${call.name}; [${name(twofold)}] used as both scalar and array variables`,
    {
      category: 'UNCATEGORIZED',
      code: 'legacyQueryException',
      persona: 'OPERATOR',
    },
  );
}

type Family = 'array' | 'multiValue';

const sameList =
  (family: Family, position = 0) =>
  (args: readonly Typed[]): SqlType => {
    const arg = args[position];
    if (family === 'multiValue') return computedValues;
    return arrayOf(arg === undefined || arg.type.name === 'NULL' ? varchar : elementOf(arg));
  };

const elementAt =
  (family: Family) =>
  ([items]: readonly Typed[]): SqlType => {
    if (items?.type.name === 'NULL' && family === 'array') return nullType;
    if (family === 'multiValue' || items?.type.name !== 'ARRAY') return varchar;
    const element = elementOf(items);
    return element.isTruth ? boolean : element;
  };

// Items of multi-value strings are texts.
const elementIn = (family: Family, arg: Typed | undefined): SqlType =>
  family === 'multiValue' || !arg || arg.type.name === 'NULL' ? varchar : elementOf(arg);

// An item added to an array of numbers is a number or null. In a multi-value string, all items
// become texts.
function extend(
  family: Family,
  items: Typed | undefined,
  zone: string,
  text: (element: SqlType) => string,
): string {
  const element = items?.type.name === 'ARRAY' ? elementOf(items) : elementIn(family, items);
  const sql = text(element);
  return family === 'multiValue' && !isText(element) && items
    ? castTo({ sql, type: arrayOf(element), at: items.at }, arrayOf(varchar), zone).sql
    : sql;
}

const append = (family: Family): ScalarFunction =>
  listFunction(
    [list, family === 'multiValue' ? { ...character, whole: true } : plainItem],
    sameList(family),
    ({ args: [items, item] }, zone) =>
      extend(
        family,
        items,
        zone,
        (element) =>
          `druid_append(${listOf(items, element, zone)}, ${itemOf(item, element, zone)})`,
      ),
    { form: 'array, expr', nullable: 1 },
  );

const prepend = (family: Family): ScalarFunction =>
  listFunction(
    [family === 'multiValue' ? { ...character, whole: true } : plainItem, list],
    sameList(family, 1),
    ({ args: [item, items] }, zone) =>
      extend(
        family,
        items,
        zone,
        (element) =>
          `druid_prepend(${itemOf(item, element, zone)}, ${listOf(items, element, zone)})`,
      ),
    { form: 'expr, array' },
  );

const concat = (family: Family): ScalarFunction =>
  listFunction(
    [list, list],
    sameList(family),
    ({ args: [first, second] }, zone) => {
      const element = elementIn(family, first);
      const common = second ? comparedElement(element, elementIn(family, second)) : element;
      return `druid_concat(${listOf(first, common, zone)}, ${listOf(second, common, zone)})`;
    },
    { form: 'array, array' },
  );

const at = (family: Family, offset: 0 | 1): ScalarFunction =>
  listFunction(
    [list, index],
    elementAt(family),
    ({ args: [items, position] }, zone) => {
      // A null index is index 0.
      const known =
        position && position.type.name !== 'NULL'
          ? `coalesce(${castTo(position, bigint, zone).sql}, 0)`
          : '0';
      const element = elementIn(family, items);
      const found = `druid_at(${listOf(items, element, zone)}, ${offset === 0 ? known : `druid_previous(${known})`})`;
      return element.isTruth ? `(${found})::BOOLEAN` : found;
    },
    { form: 'array, expr', nullable: 1 },
  );

const positionOf = (family: Family, offset: 0 | 1): ScalarFunction =>
  listFunction(
    [list, whole],
    integer,
    ({ args: [items, item] }, zone) => {
      const element = elementIn(family, items);
      if (item?.type.name === 'ARRAY')
        throw new SqlError(`Function[${family}] second argument must be a scalar type`, {
          code: 'general',
        });
      // Items of another kind are never found: numbers among texts, or whole numbers among others.
      if (
        item &&
        item.type.name !== 'NULL' &&
        nativeTypeOf(element) !== nativeTypeOf(elementOf(item))
      )
        return 'NULL::BIGINT';
      return `(druid_index_of(${listOf(items, element, zone)}, ${itemOf(item, element, zone)}) - ${1 - offset})`;
    },
    { form: 'array, expr' },
  );

const slice = (family: Family): ScalarFunction =>
  listFunction(
    [list, { ...index, whole: true }, index],
    sameList(family),
    ({ args: [items, start, end] }, zone) => {
      const text = listOf(items, elementIn(family, items), zone);
      const from =
        start && start.type.name !== 'NULL' ? `coalesce(${itemOf(start, bigint, zone)}, 0)` : '0';
      return end === undefined
        ? `druid_slice_from(${text}, ${from})`
        : `druid_slice(${text}, ${from}, coalesce(${castTo(end, bigint, zone).sql}, 0))`;
    },
    { form: 'array, start, [end]', optional: 1 },
  );

// Any value can be a separator. A list is printed as in Java.
function separatorOf(separator: Typed | undefined, zone: string): string {
  if (!separator || separator.constant === null) return "''";
  if (separator.type.name === 'ARRAY')
    return `druid_list_text(${castTo(separator, arrayOf(varchar), zone).sql})`;
  return castTo(separator, varchar, zone).sql;
}

const toText = (family: Family): ScalarFunction =>
  listFunction(
    [list, any],
    varchar,
    ({ args: [items, separator] }, zone) => {
      const own = family === 'multiValue' || !items ? varchar : elementOf(items);
      const element = isTime(own) ? bigint : own; // times are shown as numbers
      const texts = items
        ? castTo(
            { sql: listOf(items, element, zone), type: arrayOf(element), at: items.at },
            arrayOf(varchar),
            zone,
          ).sql
        : '';
      const isKnown = separator?.constant !== undefined && separator.type.name !== 'ARRAY';
      const macro = isKnown ? 'druid_list_to_text' : 'druid_list_to_text_by';
      return `${macro}(${texts}, coalesce(${separatorOf(separator, zone)}, ''))`;
    },
    { form: 'array, expr', nullable: 1 },
  );

const counted: ParameterType = {
  ...list,
  accepts: (type) =>
    list.accepts(type) || isNumeric(type) || isTime(type) || type.name === 'BOOLEAN',
};

const length: ScalarFunction = listFunction(
  [counted],
  integer,
  ({ args: [items] }) => `len(${listText(items)})::BIGINT`,
  {
    form: 'array',
  },
);

// Without a pattern, the text is split into characters.
const split = (returns: SqlType, nullable: number): ScalarFunction =>
  druidFunction(
    [{ ...asText, takesNull: true }, asText],
    returns,
    ([text, pattern], { args: [, given], name }) => {
      if (!given || given.constant === null) return `druid_split(${text}, '')`;
      if (typeof given.constant !== 'string')
        return `druid_split(${text}, coalesce(${pattern}, ''))`;
      readPattern(given.constant, name.toLowerCase());
      const part = plainTextOf(given.constant);
      return part
        ? `druid_split_at(${text}, ${quote(part)}, ${pattern})`
        : `druid_split(${text}, ${pattern})`;
    },
    { form: 'string, expr', nullable },
  );

const arrayContains = listFunction(
  [list, listOrItem],
  boolean,
  ({ args: [items, wanted] }, zone) => {
    const element = elementIn('array', items);
    if (!wanted || wanted.type.name === 'NULL')
      return `druid_contains(${listOf(items, element, zone)}, NULL)`;
    const common = comparedElement(element, elementOf(wanted));
    const text = listOf(items, common, zone);
    if (isArray(wanted)) return `druid_contains_all(${text}, ${listOf(wanted, common, zone)})`;
    const item = itemOf(wanted, common, zone);
    // A row's text that is not a number is in no list. A constant one is looked for as null.
    return isText(wanted.type) && isNumeric(common) && wanted.constant === undefined
      ? `druid_contains_read(${text}, ${item}, ${wanted.sql})`
      : `druid_contains(${text}, ${item})`;
  },
  {
    form: 'array, array',
    foldsNull: true,
    fold: ([items, wanted]) => {
      if (!areAlike(items, wanted)) return undefined;
      const all = Array.isArray(wanted) ? wanted : [wanted];
      return all.every((item) => items.includes(item));
    },
  },
);

// Constants of one type, without nulls.
function areAlike(
  items: Constant | undefined,
  others: Constant | undefined,
): items is readonly Constant[] {
  if (!Array.isArray(items) || others === undefined) return false;
  const types = new Set([...items, ...(Array.isArray(others) ? others : [others])].map(typeNameOf));
  return types.size === 1 && (types.has('string') || types.has('bigint'));
}

const typeNameOf = (constant: Constant) => typeof constant;

const overlap = listFunction(
  [list, list],
  boolean,
  ({ args: [items, others] }, zone) => {
    const element = elementIn('array', items);
    const common =
      others && others.type.name !== 'NULL' ? comparedElement(element, elementOf(others)) : element;
    return `druid_overlap(${listOf(items, common, zone)}, ${listOf(others, common, zone)})`;
  },
  {
    form: 'array, array',
    foldsNull: true,
    fold: ([items, others]) =>
      areAlike(items, others) && Array.isArray(others)
        ? items.some((item) => others.includes(item))
        : undefined,
  },
);

// In predicates over a multi-value string, a row without values contains one null. A computed list
// is an array, and null without values (Druid: only columns pass through mv_harmonize_nulls).
const isOfValues = (items: Typed | undefined, { args: [written] }: Call): boolean =>
  written?.kind === 'identifier' ||
  (items !== undefined &&
    isList(items) &&
    !items.type.isComputed &&
    !(written?.kind === 'call' && written.name.startsWith('MV_FILTER')));

const multiValueContains = listFunction(
  [list, listOrItem],
  boolean,
  ({ args: [items, wanted], call }, zone) => {
    // Null, whereas for a column without values the result is false.
    if (items?.constant === null) return 'NULL::BOOLEAN';
    const given = listOf(items, varchar, zone);
    const text = isOfValues(items, call) ? `druid_values(${given})` : `druid_nonempty(${given})`;
    if (!wanted || wanted.type.name === 'NULL') return `druid_contains(${text}, NULL)`;
    return isArray(wanted)
      ? `druid_contains_all(${text}, ${isList(wanted) ? `druid_values(${wanted.sql})` : listOf(wanted, varchar, zone)})`
      : `druid_contains(${text}, ${itemOf(wanted, varchar, zone)})`;
  },
  { form: 'array, array' },
);

const multiValueOverlap = listFunction(
  [list, listOrItem],
  boolean,
  ({ args: [items, others], call, environment }, zone) => {
    // Nothing overlaps with null.
    const wanted = others?.constant === null ? '[]' : listOf(others, varchar, zone);
    const given = listOf(items, varchar, zone);
    if (!isOfValues(items, call)) return `druid_overlap(druid_nonempty(${given}), ${wanted})`;
    const overlap = `druid_values_overlap(druid_values(${given}), ${wanted})`;
    return environment.version < 37 && call.args[0]?.kind === 'identifier'
      ? `coalesce(${overlap}, false)`
      : overlap;
  },
  { form: 'array, array' },
);

// The values of a column stay several values. An array that a function made, or a constant, becomes
// an array again.
const filteredType = ([items]: readonly Typed[]): SqlType =>
  items?.type.isComputed || items?.constant !== undefined ? computedValues : multiValueVarchar;

const filterValues = (keep: boolean): ScalarFunction =>
  listFunction(
    [plainList, onlyArray],
    filteredType,
    ({ args: [items, others], environment }, zone) => {
      environment.inPlanning(() => {
        if (others?.constant === null) throw unplannable();
      });
      return `druid_nonempty(list_filter(${listOf(items, varchar, zone)}, lambda item: ${keep ? '' : 'NOT '}druid_contains(${listOf(others, varchar, zone)}, item)))`;
    },
    { form: 'string, array' },
  );

const filterByText = (
  condition: (item: string, text: Typed | undefined, call: ScalarCall) => string,
): ScalarFunction =>
  listFunction(
    [list, { ...knownCharacter, whole: true }],
    filteredType,
    (call, zone) => {
      const [items, text] = call.args;
      return `druid_nonempty(list_filter(${listOf(items, varchar, zone)}, lambda item: coalesce(${condition('item', text, call)}, false)))`;
    },
    { form: 'string, string' },
  );

export const arrayFunctions: Record<string, ScalarFunction> = {
  ARRAY_APPEND: sameInNative(append('array')),
  ARRAY_PREPEND: sameInNative(prepend('array')),
  ARRAY_CONCAT: sameInNative(concat('array')),
  ARRAY_CONTAINS: sameInNative(arrayContains),
  ARRAY_OVERLAP: sameInNative(overlap),
  ARRAY_LENGTH: sameInNative(length),
  ARRAY_OFFSET: sameInNative(at('array', 0)),
  ARRAY_ORDINAL: sameInNative(at('array', 1)),
  ARRAY_OFFSET_OF: sameInNative(positionOf('array', 0)),
  ARRAY_ORDINAL_OF: sameInNative(positionOf('array', 1)),
  ARRAY_SLICE: sameInNative(slice('array')),
  // Nulls are skipped. Between two items, the quantile is interpolated.
  ARRAY_QUANTILE: sameInNative(
    druidFunction(
      [
        { ...onlyArray, takesNull: false },
        { ...asDouble, literal: 'known' },
      ],
      double,
      (_, { args: [items, rank] }) => {
        if (!items || isText(elementOf(items))) return 'NULL::DOUBLE';
        const isRank =
          typeof rank?.constant === 'number' && rank.constant >= 0 && rank.constant <= 1;
        const numbers = castTo(items, arrayOf(double), 'UTC').sql;
        return isRank
          ? `druid_array_quantile(${numbers}, ${rank.sql})`
          : `(CASE WHEN ${numbers} IS NOT NULL THEN 'nan'::DOUBLE END)`;
      },
    ),
  ),
  ARRAY_TO_STRING: sameInNative(toText('array')),
  ARRAY_TO_MV: listFunction(
    [{ ...list, accepts: (type) => list.accepts(type) || isNumeric(type) || isTime(type) }],
    computedValues,
    ({ args: [items] }, zone) => listOf(items, varchar, zone),
    { form: 'array' },
  ),
  STRING_TO_ARRAY: sameInNative(split(arrayOf(varchar), 1)),
  SCALAR_IN_ARRAY: sameInNative(
    listFunction(
      [
        { ...plainItem, accepts: (type) => plainItem.accepts(type) && type.name !== 'ARRAY' },
        onlyArray,
      ],
      boolean,
      ({ args: [item, items], environment }, zone) => {
        const element = elementIn('array', items);
        const common =
          item && item.type.name !== 'NULL' ? comparedElement(element, elementOf(item)) : element;
        const constants = items && castTo(items, arrayOf(common), zone).constant;
        // A comparison of each row with each item would be slow for long lists.
        if (
          !environment.isWithoutQueries &&
          item &&
          !isList(item) &&
          Array.isArray(constants) &&
          constants.length >= leastLongList
        ) {
          const rows = rowsOfConstants(
            constants.filter((constant) => constant !== null),
            common,
          );
          const value = itemOf(item, common, zone);
          const whenNull = constants.includes(null) ? 'true' : 'NULL';
          if (rows !== undefined)
            return `(CASE WHEN ${value} IS NULL THEN ${whenNull} ELSE ${value} IN (${rows}) END)`;
        }
        const among = listOf(items, common, zone);
        // A text that is not a number is not in the list. Its number is null, which the list may
        // contain.
        const isOther = item && isText(item.type) && !isText(common);
        return anyValue(item ? [item] : [], ([one]) => {
          const value = itemOf(one, common, zone);
          const isIn = `druid_in(${value}, ${among})`;
          return isOther
            ? `CASE WHEN ${one?.sql} IS NOT NULL AND ${value} IS NULL THEN ${among} IS NULL AND NULL ELSE ${isIn} END`
            : isIn;
        }).sql;
      },
      { form: 'expr, array' },
    ),
  ),
  MV_APPEND: append('multiValue'),
  MV_PREPEND: prepend('multiValue'),
  MV_CONCAT: concat('multiValue'),
  MV_CONTAINS: multiValueContains,
  MV_OVERLAP: multiValueOverlap,
  MV_LENGTH: length,
  MV_OFFSET: at('multiValue', 0),
  MV_ORDINAL: at('multiValue', 1),
  MV_OFFSET_OF: positionOf('multiValue', 0),
  MV_ORDINAL_OF: positionOf('multiValue', 1),
  MV_SLICE: slice('multiValue'),
  MV_TO_STRING: toText('multiValue'),
  MV_TO_ARRAY: listFunction(
    [list],
    arrayOf(varchar),
    ({ args: [items], call, environment }, zone) => {
      const [written] = call.args;
      environment.inPlanning(() => {
        if (written?.kind !== 'identifier' && written?.kind !== 'literal') throw notAnIdentifier();
      });
      return listOf(items, varchar, zone);
    },
    { form: 'string' },
  ),
  MV_FILTER_ONLY: filterValues(true),
  MV_FILTER_NONE: filterValues(false),
  MV_FILTER_REGEX: filterByText((item, pattern, { name }) =>
    typeof pattern?.constant === 'string'
      ? wholeMatchSql(item, pattern.constant, name.toLowerCase())
      : 'false',
  ),
  MV_FILTER_PREFIX: filterByText((item, prefix) => `starts_with(${item}, ${prefix?.sql})`),
  STRING_TO_MV: split(computedValues, 2),
};

const notAnIdentifier = () =>
  new SqlError(
    'Function[mv_to_array] argument should be an identifier expression. Use array() instead',
    {
      category: 'UNCATEGORIZED',
      code: 'general',
      persona: 'ADMIN',
    },
  );
