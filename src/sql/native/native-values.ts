// Conversions between native types (Druid: ExprEval).
import { bindOnce } from '../expressions/bind-once.ts';
import { castTo, constantOf, mapList, toDouble } from '../expressions/casts.ts';
import { isList, singleValued } from '../expressions/multi-value.ts';
import { comparison } from '../expressions/operators.ts';
import { type Typed, withText } from '../expressions/typed.ts';
import { jsonOf } from '../functions/json.ts';
import {
  arrayOf,
  bigint,
  boolean,
  double,
  isFractional,
  isInteger,
  isJson,
  isNumeric,
  isText,
  isTime,
  leastRestrictive,
  type SqlType,
  varchar,
} from '../types.ts';

const zone = 'UTC';

/** Whether a value is an array, not a multi-value string. */
export const isArray = ({ type }: Typed): boolean => type.name === 'ARRAY';

/** A value in its native type: conditions are 1 and 0, times milliseconds, floats doubles. */
export function plain(value: Typed): Typed {
  if (value.type.name === 'BOOLEAN') return castTo(value, bigint, zone);
  if (isTime(value.type)) return { ...value, type: bigint };
  return value.type.name === 'FLOAT' ? toDouble(value, zone) : value;
}

/**
 * Whether a value is true as a condition: a number above zero, the text `true`, or an array of one
 * such value. Unknown for null.
 */
export function holds(value: Typed): Typed {
  const { type, at } = value;
  if (type.name === 'BOOLEAN') return value;
  if (type.name === 'NULL' || value.constant === null) return constantOf(null, boolean, at);
  if (isInteger(type)) return comparison('>', value, constantOf(0n, bigint, at), at, zone);
  // NaN, which is the largest number of DuckDB, is not true.
  if (isNumeric(type))
    return { type: boolean, at, sql: `(${value.sql} > 0 AND NOT isnan(${value.sql}))` };
  if (isText(type)) return { type: boolean, at, sql: `(lower(${value.sql}) = 'true')` };
  const sql = bindOnce([value.sql], ([x = '']) => {
    const one = isArray(value)
      ? `len(${x}) = 1 AND coalesce(${heldElement(elementOf(value, `${x}[1]`)).sql}, false)`
      : 'false';
    return `(CASE WHEN ${x} IS NOT NULL THEN ${one} END)`;
  });
  return { type: boolean, at, sql };
}

// Doubles in arrays are first truncated to longs.
const heldElement = (element: Typed): Typed =>
  holds(isFractional(element.type) ? castTo(element, bigint, zone) : element);

const elementOf = (array: Typed, sql: string): Typed => ({
  type: array.type.element ?? varchar,
  at: array.at,
  sql,
});

// The value with a fixed type.
function invariant(value: Typed): Typed {
  const { variant: _, ...rest } = value;
  return rest;
}

/** A value as text. An array becomes its only element, or all elements in brackets. */
export function textOf(given: Typed): Typed {
  const value = plain(given);
  const { type, at } = value;
  if (isText(type)) return invariant(value);
  if (type.name === 'NULL') return constantOf(null, varchar, at);
  if (isArray(value))
    return {
      type: varchar,
      at,
      sql: bindOnce([textsOf(value).sql], ([items]) => `druid_list_text(${items})`),
    };
  if (type.name === 'OTHER') return { type: varchar, at, sql: `(${value.sql})::VARCHAR` };
  return castTo(value, varchar, zone);
}

// The elements as texts.
function textsOf(array: Typed): Typed {
  const sql = isText(array.type.element ?? varchar)
    ? array.sql
    : mapList(array.sql, (item) => textOf(elementOf(array, item)).sql);
  return { type: arrayOf(varchar), at: array.at, sql };
}

/** The text of an array with all its elements in brackets. */
export const bracketedText = (array: Typed): string => `druid_items_text(${textsOf(array).sql})`;

/** A value as a number. `otherwise` replaces a text that is not a number. */
export function numberOf(given: Typed, type: SqlType, otherwise: 'null' | 'zero'): Typed {
  const value = plain(given);
  const { at } = value;
  if (isNumeric(value.type))
    return isFractional(type) ? toDouble(value, zone) : castTo(value, type, zone);
  if (isText(value.type)) {
    const number = castTo(value, type, zone);
    if (otherwise === 'null' || number.constant === null) return invariant(number);
    return {
      type,
      at,
      sql: bindOnce(
        [value.sql],
        ([x = '']) =>
          `(CASE WHEN ${x} IS NOT NULL THEN coalesce(${castTo({ ...value, sql: x }, type, zone).sql}, 0) END)`,
      ),
    };
  }
  if (!isArray(value)) return constantOf(null, type, at);
  const sql = bindOnce(
    [value.sql],
    ([x = '']) =>
      `(CASE WHEN len(${x}) = 1 THEN ${numberOf(elementOf(value, `${x}[1]`), type, 'null').sql} END)`,
  );
  return { type, at, sql };
}

/**
 * The text of a column as a number. Unlike in expressions, `true` and `false` are not numbers here.
 */
export function numberOfColumn(text: Typed, type: SqlType): Typed {
  const number = (sql: string) => castTo(withText(text, sql), type, zone).sql;
  const sql = bindOnce(
    [text.sql],
    ([x = '']) => `(CASE WHEN lower(${x}) NOT IN ('true', 'false') THEN ${number(x)} END)`,
  );
  return { ...withText(text, sql), type };
}

/**
 * As `numberOfColumn`, for grouping: a text with a fraction is not a LONG (Druid:
 * DimensionHandlerUtils.getExactLongFromDecimalString).
 */
export function exactNumberOfColumn(text: Typed, type: SqlType): Typed {
  const number = numberOfColumn(text, isInteger(type) ? double : type);
  if (!isInteger(type)) return number;
  const sql = bindOnce(
    [text.sql, number.sql],
    ([x = '', read = '']) =>
      `(CASE WHEN ${read} IS NOT NULL AND TRY_CAST(${x} AS ${exactDecimal}) = trunc(TRY_CAST(${x} AS ${exactDecimal})) THEN TRY_CAST(TRY_CAST(${x} AS ${exactDecimal}) AS BIGINT) END)`,
  );
  return { ...withText(text, sql), type };
}

const exactDecimal = 'DECIMAL(38, 18)';

/** A FLOAT as text, with the digits of a float. */
export const floatText = (value: Typed): Typed => ({
  ...withText(value, `druid_float_to_text(${value.sql})`),
  type: varchar,
});

/** A value as an array. A single value becomes its only element. */
export function arrayFrom(given: Typed): Typed {
  const value = plain(given);
  const { type, at, sql } = value;
  if (isArray(value)) return value;
  if (isList(value))
    return { type: arrayOf(singleValued(type)), at, sql: `druid_nonempty(${sql})` };
  if (type.name === 'NULL' || value.constant === null)
    return constantOf(null, arrayOf(isNumeric(type) ? type : varchar), at);
  if (isJson(type)) return { type: arrayOf(varchar), at, sql: `druid_json_texts(${sql})` };
  return { type: arrayOf(type), at, sql: bindOnce([sql], ([x]) => `druid_list(${x})`) };
}

/** A value as another type, as converted by `cast`. */
export function convert(value: Typed, type: SqlType): Typed {
  if (type.name === 'ARRAY') return castTo(arrayFrom(value), type, zone);
  if (isText(type)) return textOf(value);
  if (isNumeric(type)) return numberOf(value, type, 'null');
  const { at } = value;
  return { type, at, sql: isJson(type) ? jsonOf(plain(value)) : value.sql };
}

/**
 * The alternative results of a call, converted to one type. If their types differ, each is JSON
 * beside its text.
 */
export function unify(given: readonly Typed[]): {
  readonly type: SqlType;
  readonly values: readonly Typed[];
  readonly variants?: readonly string[];
} {
  const values = given.map(plain);
  const known = values.filter((value) => value.constant !== null && value.type.name !== 'NULL');
  const types = known.map(({ type }) => (isText(type) ? varchar : type));
  const common = types.length === 0 ? varchar : leastRestrictive(types);
  const isMixed = types.some(isInteger) && types.some(isFractional);
  const isPlain =
    common !== undefined && !isMixed && !known.some(({ variant }) => variant !== undefined);
  const type =
    common && (isPlain || isNumeric(common))
      ? common
      : types.some(({ name }) => name === 'ARRAY')
        ? arrayOf(varchar)
        : varchar;
  return {
    type,
    values: values.map((value) =>
      value.constant === null || value.type.name === 'NULL'
        ? constantOf(null, type, value.at)
        : convert(value, type),
    ),
    ...(!isPlain && { variants: values.map((value) => value.variant ?? jsonOf(value)) }),
  };
}
