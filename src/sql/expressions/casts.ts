// Explicit and implicit conversions between types. Both convert the engine's values in the same
// way.

import { doubleText } from '../../model/java-text.ts';
import type { Position } from '../ast.ts';
import type { TimeRange } from '../catalog.ts';
import { longOf, parseDouble, parseLong } from '../runtime/java-values.ts';
import { failureSql, unexpectedWords } from '../runtime/own-words.ts';
import { quote } from '../runtime/quoted.ts';
import { invalidSql, invalidStatement, SqlError } from '../sql-error.ts';
import {
  boolean,
  double,
  duckdbTypeOf,
  isFractional,
  isInteger,
  isInterval,
  isJson,
  isNumeric,
  isText,
  isTime,
  nativeTypeOf,
  type SqlType,
  typeText,
  varchar,
} from '../types.ts';
import { bindOnce, lambda } from './bind-once.ts';
import { constantText } from './duckdb-text.ts';
import { dayStartOf, localTimestamp } from './local-time.ts';
import { localTime, parseSqlTime, sqlDateText, sqlTimeText } from './time-text.ts';
import { type Constant, type Typed, withText } from './typed.ts';

/**
 * The value as another type. `zone` is the statement's time zone. Throws if the service's SQL has
 * no such cast.
 */
export function castTo(value: Typed, type: SqlType, zone: string): Typed {
  const { at } = value;
  if (value.fieldText !== undefined && (isText(type) || isFractional(type)))
    return castTo({ type: varchar, at, sql: value.fieldText }, type, zone);
  if (value.isOfDouble && isText(type)) {
    const { isOfDouble: _, ...whole } = value;
    return castTo(castTo(whole, double, zone), type, zone);
  }
  // A condition on several values is itself a single BOOLEAN.
  const from = value.type.name === 'BOOLEAN' && type.name !== 'BOOLEAN' ? boolean : value.type;
  const to: SqlType = from.multiValue && isPlain(type) ? { ...type, multiValue: true } : type;
  if (from.isComputed && (isNumeric(type) || isTime(type)))
    return castTo(onlyComputed(value, type), type, zone);
  const nullable = value.nullable === undefined ? {} : { nullable: value.nullable };
  if (value.constant === null || from.name === 'NULL')
    return { ...constantOf(null, to, at), nullable: true };
  if (!isCastable(from, to)) throw castRefused(from, to, at);
  if (value.constant !== undefined) {
    const constant = castConstant(value.constant, from, to, zone, at);
    // The type of a text without a number is not null for the planner, as that of the text.
    if (constant !== undefined)
      return { ...constantOf(constant, fit(to, constant), at), nullable: false };
  }
  if (duckdbKind(from) === duckdbKind(to) && !(isInterval(from) && isInteger(to))) {
    const { constant: _, ...same } = value;
    return { ...same, type: to };
  }
  if (from.multiValue) {
    const items = mapList(value.sql, (item) => convert(item, single(from), single(to), zone));
    // A condition on several values holds if it holds for one of them.
    const isCondition = to.name === 'BOOLEAN';
    return { ...nullable, type: to, at, sql: isCondition ? `list_bool_or(${items})` : items };
  }
  if (to.multiValue)
    return { ...nullable, type: to, at, sql: `[${convert(value.sql, from, single(to), zone)}]` };
  return {
    ...nullable,
    type: to,
    at,
    sql: bindOnce([value.sql], ([sql = '']) => convert(sql, from, to, zone, value.timeRange)),
  };
}

// The engine casts a computed list as an array, which fails for several values.
function onlyComputed(value: Typed, type: SqlType): Typed {
  const words = `${unexpectedWords}Function[CAST] encountered exception: Invalid type, cannot cast [ARRAY<STRING>] to [${nativeTypeOf(type)}]`;
  const sql = bindOnce(
    [value.sql],
    ([list]) => `CASE WHEN len(${list}) > 1 THEN ${failureSql(quote(words))} ELSE ${list}[1] END`,
  );
  return { type: varchar, at: value.at, sql: `(${sql})` };
}

/** A value known during planning. */
export function constantOf(constant: Constant, type: SqlType, at: Position): Typed {
  // The planner computes with decimals, which have no negative zero.
  const known = constant === 0 ? 0 : constant;
  return { type, at, constant: known, sql: constantText(known, type), nullable: known === null };
}

/** A list with `change` applied to each of its values. */
export const mapList = (list: string, change: (item: string) => string): string =>
  `list_transform(${list}, ${lambda(change)})`;

// A cast to CHAR(n) does not change the text, whatever n is.
const fit = (type: SqlType, constant: Constant): SqlType =>
  type.name === 'CHAR' && typeof constant === 'string'
    ? { ...type, precision: constant.length }
    : type;

const single = (type: SqlType): SqlType => ({ ...type, multiValue: false });

const isPlain = (type: SqlType) =>
  isText(type) || isNumeric(type) || isTime(type) || type.name === 'BOOLEAN';

function isCastable(from: SqlType, to: SqlType): boolean {
  if (to.name === 'NULL') return false;
  if (from.name === 'ARRAY' && to.name === 'ARRAY') return true;
  if (to.name === 'ARRAY' || from.name === 'ARRAY') return isJson(from) && to.name === 'ARRAY';
  if (to.name === 'OTHER' || from.name === 'OTHER') return to.name === 'OTHER';
  if (from.name === 'BOOLEAN') return !isTime(to);
  if (to.name === 'BOOLEAN') return !isTime(from);
  if (isInterval(from))
    return isInterval(to)
      ? from.name === to.name
      : isText(to) || (isInteger(to) && !from.unit?.includes(' TO '));
  if (to.name === 'DATE') return isText(from) || isTime(from);
  if (from.name === 'DATE') return isText(to) || isTime(to) || isNumeric(to);
  return isPlain(from) && isPlain(to);
}

/** The refusal of an unsupported CAST. */
export const castRefused = (from: SqlType, to: SqlType, at: Position) =>
  invalidSql(
    `Cast function cannot convert value of type ${typeText(from)} to type ${typeText(to)}`,
    at,
  );

const arrayOfText: SqlType = { name: 'ARRAY', element: varchar };

// The DuckDB representation of a type. TIMESTAMP, BIGINT and INTEGER share one; a DATE is the start
// of its day.
function duckdbKind(type: SqlType): string {
  return type.name === 'DATE' ? 'DATE' : duckdbTypeOf(type);
}

function convert(sql: string, from: SqlType, to: SqlType, zone: string, range?: TimeRange): string {
  if (isInterval(from) && isInteger(to)) return `(${sql} // ${sizeOfUnit(from)})`;
  if (duckdbKind(from) === duckdbKind(to)) return sql;
  if (to.name === 'ARRAY' && from.name === 'ARRAY') {
    const [source, target] = [from.element ?? varchar, to.element ?? varchar];
    return source.name === 'NULL'
      ? `CAST(${sql} AS ${duckdbTypeOf(to)})`
      : mapList(sql, (item) => convert(item, source, target, zone));
  }
  if (to.name === 'ARRAY') return convert(`druid_json_texts(${sql})`, arrayOfText, to, zone);
  if (from.name === 'BOOLEAN') {
    const number = `CAST(${sql} AS BIGINT)`;
    return isText(to)
      ? `CAST(${number} AS VARCHAR)`
      : isFractional(to)
        ? `CAST(${number} AS DOUBLE)`
        : number;
  }
  if (isText(to)) return textOf(sql, from, zone, range);
  if (to.name === 'BOOLEAN') {
    if (isText(from)) return `druid_text_to_boolean(${sql})`;
    return isInteger(from) || from.name === 'DECIMAL'
      ? `(${sql} <> 0)`
      : `(druid_double_to_long(${sql}) > 0)`;
  }
  if (isTime(to)) {
    const instant = isText(from)
      ? `druid_text_to_time(${sql}, ${quote(zone)})`
      : isFractional(from)
        ? `druid_double_to_long(${sql})`
        : sql;
    return to.name === 'DATE' ? dayStartOf(instant, zone, range) : instant;
  }
  if (isFractional(to))
    return isText(from) ? `druid_text_to_double(${sql})` : `CAST(${sql} AS DOUBLE)`;
  return isText(from)
    ? `druid_text_to_long(${sql})`
    : isFractional(from)
      ? `druid_double_to_long(${sql})`
      : sql;
}

// The milliseconds or months of an interval's unit (Calcite: TimeUnit.multiplier). A quarter counts
// as a month.
const sizeOfUnit = ({ unit = '' }: SqlType): bigint =>
  ({ YEAR: 12n, SECOND: 1000n, MINUTE: 60_000n, HOUR: 3_600_000n, DAY: dayMs, WEEK: dayMs })[
    unit
  ] ?? 1n;

const dayMs = 86_400_000n;

function textOf(sql: string, from: SqlType, zone: string, range?: TimeRange): string {
  // The engine prints a nested array as its address in memory.
  if (from.name === 'ARRAY') return `druid_items_text(${convert(sql, from, arrayOfText, zone)})`;
  if (isTime(from)) {
    return `strftime(${localTimestamp(sql, zone, range)}, '${from.name === 'DATE' ? '%Y-%m-%d' : '%Y-%m-%d %H:%M:%S'}')`;
  }
  return isInteger(from) || isInterval(from)
    ? `CAST(${sql} AS VARCHAR)`
    : `druid_double_to_text(${sql})`;
}

// Undefined leaves the cast to run time.
function castConstant(
  value: Constant,
  from: SqlType,
  to: SqlType,
  zone: string,
  at: Position,
): Constant | undefined {
  if (Array.isArray(value)) {
    if (from.multiValue || to.multiValue || to.name !== 'ARRAY') return undefined;
    const [source, target] = [from.element ?? varchar, to.element ?? varchar];
    const items = value.map((item) =>
      item === null ? null : castConstant(item, source, target, zone, at),
    );
    return items.some((item) => item === undefined) ? undefined : (items as readonly Constant[]);
  }
  if (to.multiValue || to.name === 'OTHER') return undefined;
  if (isText(to)) return textOfConstant(value, from, zone);
  if (typeof value === 'string') return parsedConstant(value, to, zone);
  const number = typeof value === 'boolean' ? Number(value) : value;
  if (typeof number !== 'bigint' && typeof number !== 'number') return undefined;
  if (isInterval(from) && isInteger(to)) return BigInt(number) / sizeOfUnit(from);
  if (to.name === 'BOOLEAN') return (typeof number === 'bigint' ? number : longOf(number)) > 0n;
  if (isFractional(to)) return Number(number);
  const long = typeof number === 'bigint' ? number : longOf(number);
  return to.name === 'DATE' && from.name !== 'DATE' ? localTime(long, zone).dayStart : long;
}

function textOfConstant(value: Constant, from: SqlType, zone: string): Constant | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? '1' : '0';
  if (typeof value === 'number') return doubleText(value);
  if (typeof value !== 'bigint') return undefined;
  if (from.name === 'DATE') return sqlDateText(value, zone);
  return isTime(from)
    ? sqlTimeText(value, zone)
    : isFractional(from)
      ? doubleText(Number(value))
      : String(value);
}

function parsedConstant(text: string, to: SqlType, zone: string): Constant | undefined {
  if (isTime(to)) {
    const time = parseSqlTime(text, zone);
    if (time === null) throw illegalTime(text, to);
    return to.name === 'DATE' ? localTime(time, zone).dayStart : time;
  }
  if (to.name === 'BOOLEAN') {
    if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
    const long = parseLong(text);
    return long === null ? null : long > 0n;
  }
  if (isInteger(to)) return parseLong(text);
  const number = parseDouble(text);
  if (number === null || Number.isFinite(number)) return number;
  throw new UnsupportedNumber(`CAST('${text}', 'DOUBLE')`, number);
}

const illegalTime = (text: string, to: SqlType) =>
  invalidStatement(`Illegal ${to.name} constant [CAST('${text}'):${typeText(to)} NOT NULL]`);

/**
 * The refusal of a constant expression whose value no literal can have (Druid refuses NaN and
 * infinities in plans).
 */
export class UnsupportedNumber extends SqlError {
  readonly value: number;

  constructor(expression: string, value: number) {
    super(
      `Expression [${expression}] evaluates to an unsupported value [${value}], expected something that can be a Double.  Consider casting with 'CAST(<col> AS BIGINT)'`,
      { context: { sourceType: 'sql' } },
    );
    this.value = value;
  }
}

/** A FLOAT as the text of 32 bits, which is shorter than that of the same DOUBLE. */
export const shortTextOf = (sql: string): string => `druid_float_to_text(${sql})`;

/** A FLOAT as the DOUBLE that has the same digits. */
export const shortDoubleOf = (sql: string): string => `CAST(${shortTextOf(sql)} AS DOUBLE)`;

/** The value as a condition; conditions stay unchanged. */
export const toBoolean = (value: Typed, zone: string): Typed =>
  value.type.name === 'BOOLEAN' ? value : castTo(value, boolean, zone);

/** The value as a DOUBLE. `zone` is used to convert times to milliseconds. */
export const toDouble = (value: Typed, zone: string): Typed =>
  // A FLOAT column is 32 bits wide in DuckDB; the engine computes with doubles.
  value.type.name === 'FLOAT' && value.constant === undefined
    ? { ...withText(value, `CAST(${value.sql} AS DOUBLE)`), type: double }
    : castTo(value, double, zone);
