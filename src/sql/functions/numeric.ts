// Functions of numbers.

import { bindOnce } from '../expressions/bind-once.ts';
import { castTo, toDouble } from '../expressions/casts.ts';
import { long } from '../expressions/duckdb-text.ts';
import { arithmetic, divisionByZero } from '../expressions/operators.ts';
import { isOfLiterals } from '../expressions/rewrite.ts';
import { groupedText, orderableText } from '../expressions/signed-zero.ts';
import type { Typed } from '../expressions/typed.ts';
import { precisionRefusal } from '../runtime/human-readable.ts';
import { longOf, wrap } from '../runtime/java-values.ts';
import { SqlError } from '../sql-error.ts';
import {
  bigint,
  decimal,
  double,
  duckdbTypeOf,
  isFractional,
  isInteger,
  isText,
  isTime,
  leastRestrictive,
  nullType,
  type SqlType,
  varchar,
} from '../types.ts';
import { sameInNative } from './same-in-native.ts';
import {
  any,
  asDouble,
  asLong,
  cannotApply,
  druidFunction,
  numeric,
  type ScalarFunction,
  standardFunction,
  typeOfFirst,
  wholeNumber,
} from './scalar-function.ts';

// A function of one double.
const ofDouble = (duckdb: (x: string) => string, fold: (x: number) => number): ScalarFunction =>
  standardFunction([asDouble], double, ([x = '']) => duckdb(x), {
    fold: ([x]) => (typeof x === 'number' ? fold(x) : undefined),
  });

const isLong = ({ type }: Typed) => isInteger(type);

// Rounding functions of doubles. Longs are converted to the nearest double and lose digits beyond
// 53 bits.
const rounding = (duckdb: (x: string) => string, fold: (x: number) => number): ScalarFunction =>
  standardFunction(
    [numeric],
    typeOfFirst,
    ([x = ''], { args }) => (args.every(isLong) ? throughDouble(x) : duckdb(x)),
    {
      computesDouble: true,
      fold: ([x]) =>
        typeof x === 'number' ? fold(x) : typeof x === 'bigint' ? longOf(Number(x)) : x,
    },
  );

const throughDouble = (x: string) => `druid_double_to_long(CAST(${x} AS DOUBLE))`;

// The smallest long has no positive counterpart and stays unchanged.
const absoluteLong = (x: string, [arg]: readonly Typed[]) =>
  arg?.isRepeatable
    ? `(CASE WHEN ${x} = ${long(-(2n ** 63n))} THEN ${x} ELSE abs(${x}) END)`
    : `druid_abs(${x})`;

const ofLongs = (
  duckdb: (x: string, y: string) => string,
  fold: (x: bigint, y: bigint) => bigint,
): ScalarFunction =>
  druidFunction([asLong, asLong], bigint, ([x = '', y = '']) => duckdb(x, y), {
    fold: ([x, y]) =>
      typeof x === 'bigint' && typeof y === 'bigint' ? wrap(fold(x, y)) : undefined,
  });

const humanReadable: ScalarFunction = druidFunction(
  [asLong, wholeNumber],
  varchar,
  ([x = '', digits = '2::BIGINT'], { name, args, call }) => {
    if (args.some(({ type }) => type.name === 'NULL')) throw cannotApply(humanReadable, args, call);
    const functionName = name.toLowerCase();
    const [value, count] = args.map(({ constant }) => constant);
    // Without rows, only constants are computed.
    if (typeof value === 'bigint' && typeof count === 'bigint' && (count < 0n || count > 3n))
      throw new SqlError(precisionRefusal(functionName, count), { code: 'general' });
    return `druid_human_readable(${x}, coalesce(${digits}, 0), '${functionName}')`;
  },
  { optional: 1, form: 'Number, [Precision]' },
);

// The widest type of the arguments: text before fractions before whole numbers. Times count as
// whole numbers.
function reducedType(args: readonly Typed[]): SqlType {
  const types = args.map(({ type }) => type);
  const text = types.find(isText);
  if (text) return text.name === 'CHAR' ? { name: 'CHAR' } : varchar;
  if (types.every(({ name }) => name === 'NULL')) return nullType;
  return types.some(isFractional) ? double : bigint;
}

const reduction = (duckdb: 'greatest' | 'least'): ScalarFunction =>
  druidFunction(
    [any],
    reducedType,
    (_, { args, call, environment: { timeZone } }) => {
      const type = reducedType(args);
      const converted = args
        .filter(({ constant }) => constant !== null)
        .map((arg) => (isTime(arg.type) ? castTo(arg, bigint, timeZone) : arg))
        .map((arg) =>
          type.name === 'DOUBLE' ? toDouble(arg, timeZone) : castTo(arg, type, timeZone),
        );
      if (converted.length === 0) return `NULL::${duckdbTypeOf(type)}`;
      const isDouble = type.name === 'DOUBLE';
      const compared = converted.map((arg) => (isDouble ? orderableText(arg) : arg.sql));
      const chosen = `${duckdb}(${compared.join(', ')})`;
      // The planner keeps a constant text with at least one letter, a space.
      const isPadded = type.name === 'CHAR' && isOfLiterals(call);
      const found = isPadded ? `coalesce(nullif(${chosen}, ''), ' ')` : chosen;
      const extreme = isDouble ? bindOnce([found], ([x = found]) => groupedText(x, type)) : found;
      if (type.name !== 'DOUBLE' || duckdb === 'greatest') return extreme;
      // DuckDB sorts NaN above all numbers. The engine's least of a NaN and a number is NaN.
      return `(CASE WHEN ${converted.map(({ sql }) => `coalesce(isnan(${sql}), false)`).join(' OR ')} THEN 'nan'::DOUBLE ELSE ${extreme} END)`;
    },
    { variadic: true, optional: 1 },
  );

function divisionType(args: readonly Typed[]): SqlType {
  return leastRestrictive(args.map(({ type }) => type)) ?? double;
}

export const numericFunctions: Record<string, ScalarFunction> = {
  ABS: sameInNative(
    standardFunction(
      [numeric],
      typeOfFirst,
      ([x = ''], { args }) => (args.every(isLong) ? absoluteLong(x, args) : `abs(${x})`),
      {
        fold: ([x]) =>
          typeof x === 'bigint'
            ? wrap(x < 0n ? -x : x)
            : typeof x === 'number'
              ? Math.abs(x)
              : undefined,
      },
    ),
  ),
  CEIL: sameInNative(rounding((x) => `ceil(${x})`, Math.ceil)),
  CEILING: rounding((x) => `ceil(${x})`, Math.ceil),
  FLOOR: sameInNative(rounding((x) => `floor(${x})`, Math.floor)),
  EXP: sameInNative(ofDouble((x) => `exp(${x})`, Math.exp)),
  LN: ofDouble((x) => `druid_ln(${x})`, Math.log),
  LOG10: sameInNative(ofDouble((x) => `druid_log10(${x})`, Math.log10)),
  SQRT: sameInNative(ofDouble((x) => `druid_sqrt(${x})`, Math.sqrt)),
  CBRT: sameInNative(ofDouble((x) => `cbrt(${x})`, Math.cbrt)),
  SIN: sameInNative(ofDouble((x) => `druid_finite(${x}, sin(druid_or_zero(${x})))`, Math.sin)),
  COS: sameInNative(ofDouble((x) => `druid_finite(${x}, cos(druid_or_zero(${x})))`, Math.cos)),
  TAN: sameInNative(ofDouble((x) => `druid_finite(${x}, tan(druid_or_zero(${x})))`, Math.tan)),
  COT: sameInNative(
    ofDouble(
      (x) => `druid_finite(${x}, cos(druid_or_zero(${x})) / sin(druid_or_zero(${x})))`,
      (x) => Math.cos(x) / Math.sin(x),
    ),
  ),
  ASIN: sameInNative(ofDouble((x) => `druid_unit(${x}, asin(druid_or_unit(${x})))`, Math.asin)),
  ACOS: sameInNative(ofDouble((x) => `druid_unit(${x}, acos(druid_or_unit(${x})))`, Math.acos)),
  ATAN: sameInNative(ofDouble((x) => `atan(${x})`, Math.atan)),
  ATAN2: sameInNative(
    standardFunction([asDouble, asDouble], double, ([y, x]) => `atan2(${y}, ${x})`, {
      fold: ([y, x]) =>
        typeof y === 'number' && typeof x === 'number' ? Math.atan2(y, x) : undefined,
    }),
  ),
  // The conversion factors of java.lang.Math.
  DEGREES: ofDouble(
    (x) => `(${x} * 57.29577951308232e0)`,
    (x) => x * 57.29577951308232,
  ),
  RADIANS: ofDouble(
    (x) => `(${x} * 0.017453292519943295e0)`,
    (x) => x * 0.017453292519943295,
  ),
  POWER: standardFunction([asDouble, asDouble], double, ([x, y]) => `druid_power(${x}, ${y})`, {
    fold: ([x, y]) => (typeof x === 'number' && typeof y === 'number' ? x ** y : undefined),
  }),
  PI: standardFunction([], double, () => 'pi()', { fold: () => Math.PI }),
  ROUND: sameInNative(
    standardFunction(
      [numeric, { ...wholeNumber, accepts: (type) => isInteger(type) && type.name !== 'BIGINT' }],
      typeOfFirst,
      ([x = '', digits], { args: [value, count] }) => {
        const isExact = value !== undefined && isLong(value);
        if (isExact) return digits === undefined ? x : `druid_round_long(${x}, ${digits})`;
        if (digits === undefined) return `druid_round(${x})`;
        const known = count?.constant;
        const isUsual = typeof known === 'bigint' && known >= 0n && known <= 15n;
        return isUsual ? `druid_round_digits(${x}, ${known})` : `druid_round_to(${x}, ${digits})`;
      },
      { optional: 1 },
    ),
  ),
  TRUNCATE: truncation(),
  TRUNC: truncation(),
  MOD: standardFunction(
    [numeric, numeric],
    (args) => (args[0] && args[1] ? withoutValue(args[0], args[1]) : double),
    (_, { args: [x, y], at, environment }) =>
      x && y ? arithmetic('%', x, y, at, environment.timeZone).sql : '',
    {
      fold: (_, { args: [x, y], at, environment }) =>
        x && y && arithmetic('%', x, y, at, environment.timeZone).constant,
    },
  ),
  DIV: sameInNative(
    standardFunction(
      [numeric, numeric],
      bigint,
      ([x, y], { args }) =>
        args.every(isLong) ? `druid_divide(${x}, ${y})` : `druid_double_to_long(${x} / ${y})`,
      {
        fold: ([x, y]) => {
          if (typeof x !== 'bigint' || typeof y !== 'bigint') return undefined;
          if (y === 0n) throw divisionByZero();
          return wrap(x / y);
        },
      },
    ),
  ),
  SAFE_DIVIDE: sameInNative(
    druidFunction([numeric, numeric], divisionType, ([x, y], { args }) =>
      // For doubles, 0 / 0 is 0 (Druid: Function.SafeDivide).
      args.every(isLong)
        ? `druid_divide(${x}, nullif(${y}, 0))`
        : `(CASE WHEN ${x} = 0 AND ${y} = 0 THEN 0 ELSE ${x} / nullif(${y}, 0) END)`,
    ),
  ),
  BITWISE_AND: ofLongs(
    (x, y) => `(${x} & ${y})`,
    (x, y) => x & y,
  ),
  BITWISE_OR: ofLongs(
    (x, y) => `(${x} | ${y})`,
    (x, y) => x | y,
  ),
  BITWISE_XOR: ofLongs(
    (x, y) => `xor(${x}, ${y})`,
    (x, y) => x ^ y,
  ),
  BITWISE_SHIFT_LEFT: ofLongs(
    (x, y) => `druid_shift_left(${x}, ${y})`,
    (x, y) => x << (y & 63n),
  ),
  BITWISE_SHIFT_RIGHT: ofLongs(
    (x, y) => `druid_shift_right(${x}, ${y})`,
    (x, y) => x >> (y & 63n),
  ),
  BITWISE_COMPLEMENT: druidFunction([asLong], bigint, ([x]) => `(~${x})`, {
    fold: ([x]) => (typeof x === 'bigint' ? ~x : undefined),
  }),
  BITWISE_CONVERT_DOUBLE_TO_LONG_BITS: druidFunction(
    [asDouble],
    bigint,
    ([x]) => `druid_double_to_bits(${x})`,
  ),
  BITWISE_CONVERT_LONG_BITS_TO_DOUBLE: druidFunction(
    [asLong],
    double,
    ([x]) => `druid_bits_to_double(${x})`,
  ),
  HUMAN_READABLE_BINARY_BYTE_FORMAT: sameInNative(humanReadable),
  HUMAN_READABLE_DECIMAL_BYTE_FORMAT: sameInNative(humanReadable),
  HUMAN_READABLE_DECIMAL_FORMAT: sameInNative(humanReadable),
  GREATEST: sameInNative(reduction('greatest')),
  LEAST: sameInNative(reduction('least')),
};

// Calcite: MOD has the type of its second operand when both are whole numbers, and is exact
// otherwise.
function withoutValue(x: Typed, y: Typed): SqlType {
  if ([x, y].some(({ type }) => isFractional(type) && type.name !== 'DECIMAL')) return decimal;
  if (y.type.name === 'NULL') return nullType;
  return isInteger(x.type) && isInteger(y.type)
    ? y.type
    : (leastRestrictive([x.type, y.type]) ?? double);
}

function truncation(): ScalarFunction {
  return druidFunction(
    [numeric, { ...wholeNumber, literal: 'known' }],
    typeOfFirst,
    ([x = '', digits], { args: [value, count] }) => {
      const isExact = value !== undefined && isLong(value);
      if (isExact)
        return digits === undefined || count?.constant === 0n
          ? throughDouble(x)
          : `druid_truncate_long(${x}, ${digits})`;
      return `druid_truncate_to(${x}, ${digits ?? 0})`;
    },
    { computesDouble: true, optional: 1 },
  );
}
