// SQL operators with the engine's semantics: longs wrap, integer division truncates and fails on
// zero, operands are converted to a common type.
import { type EngineVersion, newestVersion } from '../../model/engine-version.ts';
import type { Position } from '../ast.ts';
import { wrap } from '../runtime/java-values.ts';
import { invalidSql, SqlError } from '../sql-error.ts';
import {
  arrayOf,
  bigint,
  boolean,
  decimal,
  double,
  isFractional,
  isInteger,
  isInterval,
  isJson,
  isNumeric,
  isText,
  isTime,
  leastRestrictive,
  type SqlType,
  typeText,
  varchar,
} from '../types.ts';
import { bindOnce } from './bind-once.ts';
import { castTo, constantOf, toDouble, UnsupportedNumber } from './casts.ts';
import { chained } from './duckdb-text.ts';
import { exactSum, type RingOperator } from './exact-arithmetic.ts';
import { plusMonths } from './local-time.ts';
import {
  anyValue,
  falseIfEmpty,
  isList,
  mapValues,
  singleValued,
  textOfComputed,
} from './multi-value.ts';
import { orderableText } from './signed-zero.ts';
import { beyondCalendar, shiftTime, zoneOf } from './time-text.ts';
import { type Typed, withText } from './typed.ts';

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';
export type ComparisonOperator =
  | '='
  | '<>'
  | '<'
  | '<='
  | '>'
  | '>='
  | 'IS DISTINCT FROM'
  | 'IS NOT DISTINCT FROM';

/** `left operator right` for numbers, times and intervals. Throws for other operands. */
export function arithmetic(
  operator: ArithmeticOperator,
  left: Typed,
  right: Typed,
  at: Position,
  zone: string,
  version = newestVersion,
): Typed {
  const moved = timeArithmetic(operator, left, right, at, zone);
  if (moved) return moved;
  if (![left, right].every(({ type }) => isNumeric(type) || isText(type) || type.name === 'NULL'))
    throw cannotApply(operator, left, right, at);
  // Text takes the type of the other operand.
  const typeOf = (type: SqlType, other: SqlType) =>
    isText(type) ? (isNumeric(other) ? other : decimal) : type;
  const types = [typeOf(left.type, right.type), typeOf(right.type, left.type)].map(singleValued);
  const common = leastRestrictive(types) ?? double;
  // Calcite: MOD has the type of its second operand.
  const type =
    operator === '%' && types[1] && isInteger(types[1]) && isInteger(common) ? types[1] : common;
  if (type.name === 'NULL') return constantOf(null, type, at);
  const [a, b] = isInteger(common)
    ? [
        isInteger(left.type) ? left : castTo(left, bigint, zone),
        isInteger(right.type) ? right : castTo(right, bigint, zone),
      ]
    : [toDouble(left, zone), toDouble(right, zone)];
  const folded = foldArithmetic(operator, a, b, type, at, version);
  if (folded) return folded;
  const multiValue = a.type.multiValue || b.type.multiValue ? { multiValue: true } : {};
  // A number computed from a double is a double, too: it loses digits beyond 53 bits.
  const isOfDouble = isInteger(common) && isRing(operator) && (a.isOfDouble ?? b.isOfDouble);
  const result = {
    type: { ...type, ...multiValue },
    at,
    ...(isOfDouble && { isOfDouble }),
  };
  if (multiValue.multiValue)
    return {
      ...result,
      sql: mapValues([a, b], ([x, y]) =>
        x && y ? numberText(operator, x, y, isInteger(common)) : '',
      ),
    };
  if (isOfDouble) {
    const [x, y] = [toDouble(a, zone), toDouble(b, zone)];
    const computed = numberText(operator, x, y, false);
    return { ...result, sql: bindOnce([computed], ([value]) => `druid_double_to_long(${value})`) };
  }
  return isInteger(common) && isRing(operator)
    ? { ...result, ...exactSum(operator, a, b) }
    : { ...result, sql: numberText(operator, a, b, isInteger(common)) };
}

const isRing = (operator: ArithmeticOperator): operator is RingOperator =>
  operator === '+' || operator === '-' || operator === '*';

function numberText(operator: ArithmeticOperator, a: Typed, b: Typed, exact: boolean): string {
  if (exact && isRing(operator)) return exactSum(operator, a, b).sql;
  if (!exact) return `(${a.sql} ${operator} ${b.sql})`;
  if (typeof b.constant === 'bigint' && b.constant !== 0n && b.constant !== -1n)
    return `(${a.sql} ${operator === '/' ? '//' : '%'} ${b.sql})`;
  return bindOnce(
    [a.sql, b.sql],
    ([x, y]) => `${operator === '/' ? 'druid_divide' : 'druid_remainder'}(${x}, ${y})`,
  );
}

function foldArithmetic(
  operator: ArithmeticOperator,
  a: Typed,
  b: Typed,
  type: SqlType,
  at: Position,
  version: EngineVersion,
): Typed | undefined {
  if (a.constant === null || b.constant === null) return constantOf(null, type, at);
  if (typeof a.constant === 'bigint' && typeof b.constant === 'bigint') {
    if (b.constant === 0n && (operator === '/' || operator === '%')) throw divisionByZero();
    return constantOf(wrap(exactOperations[operator](a.constant, b.constant)), type, at);
  }
  if (typeof a.constant === 'number' && typeof b.constant === 'number') {
    const value = operations[operator](a.constant, b.constant);
    const isDecimalQuotient = type.name === 'DECIMAL' && operator === '/' && version >= 37;
    if (Number.isFinite(value))
      return constantOf(isDecimalQuotient ? decimalQuotient(value) : value, type, at);
    throw new UnsupportedNumber(`(${a.constant} ${operator} ${b.constant})`, value);
  }
  return undefined;
}

// Since version 37, Calcite reduces a division of decimals to six digits after the point.
const decimalQuotient = (value: number) => Math.trunc(value * 1e6) / 1e6;

const exactOperations: Record<ArithmeticOperator, (a: bigint, b: bigint) => bigint> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};
const operations: Record<ArithmeticOperator, (a: number, b: number) => number> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
};

/** The error for a constant division by zero in a plan. */
export const divisionByZero = (): SqlError =>
  new SqlError('/ by zero', { category: 'UNCATEGORIZED', code: 'general', persona: 'ADMIN' });

/** `-x`. */
export function negation(value: Typed, at: Position, zone: string): Typed {
  if (isInterval(value.type)) return arithmetic('*', value, constantOf(-1n, bigint, at), at, zone);
  if (!isNumeric(value.type) && !isText(value.type) && value.type.name !== 'NULL') {
    throw invalidSql(
      `Cannot apply '-' to arguments of type '-<${typeText(value.type)}>'. Supported form(s): '-<NUMERIC>'\n'-<DATETIME_INTERVAL>'`,
      at,
    );
  }
  if (typeof value.constant === 'bigint') return constantOf(wrap(-value.constant), value.type, at);
  if (typeof value.constant === 'number') return constantOf(-value.constant, value.type, at);
  if (isInteger(value.type) || value.type.name === 'NULL')
    return {
      ...arithmetic('-', constantOf(0n, singleValued(value.type), at), value, at, zone),
      at,
    };
  const operand = isText(value.type) ? castTo(value, decimal, zone) : toDouble(value, zone);
  const type = isText(value.type) ? operand.type : value.type;
  return { type, at, sql: mapValues([operand], ([x]) => `(-${x?.sql ?? ''})`) };
}

// ── Times and intervals ──────────────────────────────────────────────────────────────────────────

// An interval is a number of milliseconds or of months.
function timeArithmetic(
  operator: ArithmeticOperator,
  left: Typed,
  right: Typed,
  at: Position,
  zone: string,
): Typed | undefined {
  if (isInterval(left.type) && isNumeric(right.type) && (operator === '*' || operator === '/'))
    return scaledInterval(operator, left, right, at, zone);
  if (isInterval(right.type) && isNumeric(left.type) && operator === '*')
    return scaledInterval('*', right, left, at, zone);
  if (operator !== '+' && operator !== '-') return undefined;
  if (isInterval(left.type) && isInterval(right.type) && left.type.name === right.type.name) {
    return { ...arithmetic(operator, asLong(left), asLong(right), at, zone), type: left.type };
  }
  if (operator === '+' && isInterval(left.type) && isTime(right.type))
    return timePlus(right, left, 1n, at, zone);
  if (isTime(left.type) && isInterval(right.type))
    return timePlus(left, right, operator === '+' ? 1n : -1n, at, zone);
  return undefined;
}

/** A time or an interval as its number of milliseconds or months. */
export const asLong = (interval: Typed): Typed => ({ ...interval, type: bigint });

function scaledInterval(
  operator: '*' | '/',
  interval: Typed,
  factor: Typed,
  at: Position,
  zone: string,
): Typed {
  return {
    ...arithmetic(operator, asLong(interval), castTo(factor, bigint, zone), at, zone),
    type: interval.type,
  };
}

/**
 * `time + sign * interval`. Days have 24 hours; months are calendar months in the statement's zone.
 * A DATE stays a DATE, and keeps a part of a day, which is not shown. An unknown number of months
 * counts as zero.
 */
export function timePlus(
  time: Typed,
  interval: Typed,
  sign: 1n | -1n,
  at: Position,
  zone: string,
): Typed {
  if (interval.type.name === 'INTERVAL_DAY') {
    const moved = arithmetic(sign === 1n ? '+' : '-', asLong(time), asLong(interval), at, zone);
    return { ...moved, type: time.type };
  }
  if (typeof time.constant === 'bigint' && typeof interval.constant === 'bigint') {
    const period = { years: 0, months: Number(sign * interval.constant), weeks: 0, days: 0, ms: 0 };
    const shifted = shiftTime(time.constant, period, 1n, zoneOf(zone));
    if (shifted === undefined) throw invalidSql(beyondCalendar(1n, period), at);
    return constantOf(shifted, time.type, at);
  }
  const months = sign === 1n ? asLong(interval) : negation(asLong(interval), at, zone);
  return { type: time.type, at, sql: plusMonths(time.sql, zeroIfUnknown(months), zone) };
}

/** A value with null replaced by 0, as functions of periods read it. */
export const zeroIfUnknown = ({ sql, constant, nullable }: Typed): string =>
  constant === undefined && nullable !== false ? `coalesce(${sql}, 0)` : sql;

// ── Comparisons and conditions ───────────────────────────────────────────────────────────────────

/**
 * `left operator right` as a BOOLEAN. Three-valued, except that IS [NOT] DISTINCT FROM is never
 * unknown.
 */
export function comparison(
  operator: ComparisonOperator,
  left: Typed,
  right: Typed,
  at: Position,
  zone: string,
): Typed {
  const [a, b] = comparable(operator, [left, right], at, zone);
  if (!a || !b) throw new TypeError('A comparison has two operands');
  const folded = foldComparison(operator, a, b);
  if (folded !== undefined) return constantOf(folded, boolean, at);
  if (isJson(a.type) && ![a, b].some(isConstant) && a.sql !== b.sql)
    return { type: boolean, at, sql: documentComparison(operator, a, b) };
  // A list differs from a value only if none of its values equals it.
  const isAgainstValue = isList(a) !== isList(b);
  if (isAgainstValue && operator === 'IS DISTINCT FROM' && !isConstant(a) && !isConstant(b)) {
    const withNull = (side: Typed) =>
      isList(side) ? { ...side, sql: `coalesce(${side.sql}, [NULL])` } : side;
    const among = anyValue(
      [withNull(a), withNull(b)],
      ([x, y]) => `(${textToCompare(x)} IS NOT DISTINCT FROM ${textToCompare(y)})`,
    );
    return { type: among.type, at, sql: `(NOT ${among.sql})` };
  }
  const isAgainstConstant = isAgainstValue && (a.constant ?? b.constant) != null;
  if (isAgainstConstant && (operator === '<>' || operator === 'IS DISTINCT FROM')) {
    const { type, sql } = comparison('=', left, right, at, zone);
    return { type, at, sql: operator === '<>' ? `(NOT ${sql})` : `(NOT coalesce(${sql}, false))` };
  }
  const equalText = operator === '=' && isAgainstConstant ? equalToText(a, b) : undefined;
  const made = [left, right].find(({ type }) => type.isComputed);
  if (equalText)
    return falseIfEmpty(made, { type: { ...boolean, multiValue: true }, at, sql: equalText });
  const condition = (x: Typed | undefined, y: Typed | undefined) =>
    orderAroundZero(operator, x, y) ??
    orderOfDoubles(operator, [x, y], [left, right]) ??
    `(${textToCompare(x)} ${operator} ${textToCompare(y)})`;
  // DuckDB merges two comparisons into BETWEEN, which it does not support for lists.
  if (a.type.name === 'ARRAY')
    return { type: boolean, at, sql: `list_extract([${condition(a, b)}], 1)` };
  return falseIfEmpty(made, { at, ...anyValue([a, b], ([x, y]) => condition(x, y)) });
}

// Documents are compared as numbers. Objects, lists and texts without a number are equal to
// nothing, and are distinct from all others.
const documentComparison = (operator: ComparisonOperator, left: Typed, right: Typed): string =>
  bindOnce([left.sql, right.sql], ([a = '', b = '']) => {
    const [x, y] = [`druid_json_number(${a})`, `druid_json_number(${b})`];
    if (operator === '=' || operator === '<>') return `(${x} ${operator} ${y})`;
    const isSame = `CASE WHEN ${a} IS NULL OR ${b} IS NULL THEN ${a} IS NULL AND ${b} IS NULL ELSE coalesce(${x} = ${y}, false) END`;
    return operator === 'IS DISTINCT FROM' ? `(NOT ${isSame})` : `(${isSame})`;
  });

// A list beside a text. DuckDB plans it ten times as fast as a condition for each value.
function equalToText(a: Typed, b: Typed): string | undefined {
  const [list, text] = isList(a) ? [a, b] : [b, a];
  return isText(list.type) && typeof text.constant === 'string'
    ? `druid_any_equal(${list.sql}, ${text.sql})`
    : undefined;
}

// Negative zero is below zero (Java: Double.compare), so the sign bit decides which values are
// below zero.
function orderAroundZero(
  operator: ComparisonOperator,
  left: Typed | undefined,
  right: Typed | undefined,
): string | undefined {
  if (!left || !right || !isFractional(left.type)) return undefined;
  const isNegative = (value: Typed) => `signbit(${value.sql})`;
  if (right.constant === 0)
    return operator === '<'
      ? isNegative(left)
      : operator === '>='
        ? `(NOT ${isNegative(left)})`
        : undefined;
  if (left.constant === 0)
    return operator === '>'
      ? isNegative(right)
      : operator === '<='
        ? `(NOT ${isNegative(right)})`
        : undefined;
  return undefined;
}

// The order of two computed numbers tells -0.0 from 0.0; their equality does not.
function orderOfDoubles(
  operator: ComparisonOperator,
  [x, y]: readonly (Typed | undefined)[],
  given: readonly Typed[],
): string | undefined {
  if (!x || !y || !isFractional(x.type) || !['<', '<=', '>', '>='].includes(operator))
    return undefined;
  if (x.constant !== undefined || y.constant !== undefined) return undefined;
  const [a, b] = [x, y].map((value, index) =>
    isInteger(given[index]?.type ?? value.type) ? value.sql : orderableText(value),
  );
  return `(${a} ${operator} ${b})`;
}

const isConstant = ({ constant }: Typed) => constant !== undefined;

// In lists, the engine sorts null before all values, DuckDB after them.
function textToCompare(value: Typed | undefined): string {
  if (!value) return '';
  return value.type.name === 'ARRAY' ? `druid_ordered(${value.sql})` : value.sql;
}

/** The operands converted to one comparable type. Throws if there is none. */
export function comparable(
  operator: string,
  values: readonly Typed[],
  at: Position,
  zone: string,
): readonly Typed[] {
  const types = values.map(({ type }) => singleValued(type)).filter(({ name }) => name !== 'NULL');
  const type = comparisonType(types);
  const isEquality = ['=', '<>', 'IN', 'IS DISTINCT FROM', 'IS NOT DISTINCT FROM'].includes(
    operator,
  );
  if (type?.name === 'OTHER' && !isEquality) throw cannotCompare(operator, values, at);
  if (!type || (operator !== '=' && operator !== '<>' && operator !== 'IN' && mixesTruths(values)))
    throw cannotCompare(operator, values, at);
  return values.map((value) => {
    if (value.type.name === 'NULL') return constantOf(null, type, value.at);
    return isFractional(type) ? toDouble(value, zone) : castTo(value, type, zone);
  });
}

/** A double rounded to 32 bits, as a key that is matched with a FLOAT; other values unchanged. */
export const roundedToFloat = (key: Typed): Typed =>
  key.type.name === 'DOUBLE' && key.constant === undefined
    ? withText(key, `druid_float(${key.sql})`)
    : key;

/** Whether conditions are compared with numbers. They equal 1 and 0, but have no order. */
export const mixesTruths = (values: readonly Typed[]): boolean =>
  values.some(({ type }) => type.name === 'BOOLEAN') && values.some(({ type }) => isNumeric(type));

function comparisonType(types: readonly SqlType[]): SqlType | undefined {
  const [first] = types;
  if (types.some(({ name }) => name === 'OTHER'))
    return types.every(({ name, complex }) => name === 'OTHER' && complex === first?.complex)
      ? first
      : undefined;
  const common = leastRestrictive(types);
  if (common)
    return common.name === 'NULL'
      ? varchar
      : isInteger(common)
        ? bigint
        : isNumeric(common)
          ? double
          : isText(common)
            ? varchar
            : common;
  const arrays = types.filter(({ name }) => name === 'ARRAY').length;
  if (arrays > 0 && arrays < types.length) return undefined;
  if (arrays > 0) return arrayOf(varchar); // elements of all kinds compare as texts
  const others = types.filter((type) => !isText(type));
  // Text takes the type of the other operands. A condition compared with text or a number is 1 or
  // 0.
  if (others.length < types.length)
    return others.every(({ name }) => name === 'BOOLEAN') ? bigint : comparisonType(others);
  return others.every((type) => isNumeric(type) || type.name === 'BOOLEAN')
    ? comparisonType(others.map((type) => (isNumeric(type) ? type : bigint)))
    : undefined;
}

function cannotCompare(operator: string, values: readonly Typed[], at: Position): SqlError {
  if (operator === 'IN')
    return invalidSql('Values passed to IN operator must have compatible types', at);
  const types = values.map(({ type }) => `<${typeText(type).toUpperCase()}>`);
  if (operator.includes('BETWEEN')) {
    const [value, low, high] = types;
    const plain = operator.replace(/ A?SYMMETRIC$/, '');
    return invalidSql(
      `Cannot apply '${operator}' to arguments of type '${value} ${operator} ${low} AND ${high}'. Supported form(s): '<COMPARABLE_TYPE> ${plain} <COMPARABLE_TYPE> AND <COMPARABLE_TYPE>'`,
      at,
    );
  }
  const list = types.join(` ${operator} `);
  return invalidSql(
    `Cannot apply '${operator}' to arguments of type '${list}'. Supported form(s): '<COMPARABLE_TYPE> ${operator} <COMPARABLE_TYPE>'`,
    at,
  );
}

function foldComparison(
  operator: ComparisonOperator,
  { constant: a }: Typed,
  { constant: b }: Typed,
): boolean | null | undefined {
  if (a === undefined || b === undefined || Array.isArray(a) || Array.isArray(b)) return undefined;
  if (operator === 'IS DISTINCT FROM') return a !== b;
  if (operator === 'IS NOT DISTINCT FROM') return a === b;
  if (a === null || b === null) return null;
  switch (operator) {
    // NaN equals itself, as in Java.
    case '=':
      return Object.is(a, b);
    case '<>':
      return !Object.is(a, b);
  }
  if (typeof a !== 'bigint' || typeof b !== 'bigint') return undefined;
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
  }
  return undefined;
}

const intervalForms: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  '+': [
    ['DATETIME_INTERVAL', 'DATETIME_INTERVAL'],
    ['DATETIME', 'DATETIME_INTERVAL'],
    ['DATETIME_INTERVAL', 'DATETIME'],
  ],
  '-': [
    ['DATETIME_INTERVAL', 'DATETIME_INTERVAL'],
    ['DATETIME', 'DATETIME_INTERVAL'],
  ],
  '*': [
    ['DATETIME_INTERVAL', 'NUMERIC'],
    ['NUMERIC', 'DATETIME_INTERVAL'],
  ],
  '/': [['DATETIME_INTERVAL', 'NUMERIC']],
};

function cannotApply(operator: string, left: Typed, right: Typed, at: Position): SqlError {
  const forms = [
    `'<NUMERIC> ${operator} <NUMERIC>'`,
    ...(intervalForms[operator] ?? []).map(([a, b]) => `'<${a}> ${operator} <${b}>'`),
  ];
  return invalidSql(
    `Cannot apply '${operator}' to arguments of type '<${typeText(left.type).toUpperCase()}> ${operator} <${typeText(right.type).toUpperCase()}>'. Supported form(s): ${forms.join('\n')}`,
    at,
  );
}

/** `left AND right`, `left OR right`. */
export function connective(operator: 'AND' | 'OR', left: Typed, right: Typed, at: Position): Typed {
  for (const { type } of [left, right]) {
    if (type.name === 'BOOLEAN' || type.name === 'NULL') continue;
    const text = [left, right]
      .map(({ type }) => `<${typeText(type).toUpperCase()}>`)
      .join(` ${operator} `);
    throw invalidSql(
      `Cannot apply '${operator}' to arguments of type '${text}'. Supported form(s): '<BOOLEAN> ${operator} <BOOLEAN>'`,
      at,
    );
  }
  const [a, b] = [left, right].map((value) =>
    value.type.name === 'NULL' ? constantOf(null, boolean, value.at) : value,
  );
  if (!a || !b) throw new TypeError('A connective has two operands');
  const decisive = operator === 'OR';
  if (a.constant === decisive || b.constant === decisive) return constantOf(decisive, boolean, at);
  if (a.constant === !decisive) return { ...b, at };
  if (b.constant === !decisive) return { ...a, at };
  return { type: conditionType([a, b]), at, sql: `(${a.sql} ${operator} ${b.sql})` };
}

/** The type of a condition on these values: BOOLEAN, marked multi-value if any of the values is. */
export const conditionType = (values: readonly Typed[]): SqlType =>
  values.some(({ type }) => type.multiValue) ? { ...boolean, multiValue: true } : boolean;

/** `NOT x`. */
export function not(value: Typed, at: Position): Typed {
  if (value.type.name === 'NULL' || value.constant === null) return constantOf(null, boolean, at);
  if (value.type.name !== 'BOOLEAN') {
    throw invalidSql(
      `Cannot apply 'NOT' to arguments of type 'NOT<${typeText(value.type)}>'. Supported form(s): 'NOT<BOOLEAN>'`,
      at,
    );
  }
  if (typeof value.constant === 'boolean') return constantOf(!value.constant, boolean, at);
  return { type: value.type, at, sql: `(NOT ${value.sql})` };
}

/** `left || right`; null if either is null. */
export function concatenation(left: Typed, right: Typed, at: Position, zone: string): Typed {
  if ([left, right].some(({ type }) => type.name === 'ARRAY' || type.name === 'OTHER')) {
    const text = [left, right].map(({ type }) => `<${typeText(type).toUpperCase()}>`).join(' || ');
    throw invalidSql(
      `Cannot apply '||' to arguments of type '${text}'. Supported form(s): '<STRING> || <STRING>'\n'<EQUIVALENT_TYPE> || <EQUIVALENT_TYPE>'`,
      at,
    );
  }
  const [a, b] = [
    castTo(textOfComputed(left), varchar, zone),
    castTo(textOfComputed(right), varchar, zone),
  ];
  if (a.constant === null || b.constant === null) {
    // Beside a null, the first text keeps its fixed length.
    const isFixed = left.type.name === 'CHAR' && ['CHAR', 'NULL'].includes(right.type.name);
    return constantOf(null, isFixed ? left.type : varchar, at);
  }
  if (typeof a.constant === 'string' && typeof b.constant === 'string') {
    const text = a.constant + b.constant;
    // Two texts of fixed length make a text of fixed length.
    const isFixed = left.type.name === 'CHAR' && right.type.name === 'CHAR';
    return constantOf(text, isFixed ? { name: 'CHAR', precision: text.length } : varchar, at);
  }
  if (isList(a) || isList(b)) {
    const sql = mapValues([a, b], (pair) => joinTexts(pair));
    return { type: { ...varchar, multiValue: true }, at, sql };
  }
  const parts = [...partsOf(a), ...partsOf(b)];
  const isOfFixed = left.type.name === 'CHAR' && right.type.name === 'CHAR';
  const type: SqlType = isOfFixed ? { name: 'CHAR' } : varchar;
  const result: Joined = { type, at, parts, sql: joinTexts(parts) };
  return result;
}

// Concatenated texts, kept as parts so that the total length is checked once.
interface Joined extends Typed {
  readonly parts: readonly Typed[];
}

const partsOf = (value: Typed): readonly Typed[] =>
  'parts' in value ? (value as Joined).parts : [value];

/**
 * Texts concatenated, as DuckDB text; null if any is null. A result that would be too long is
 * refused.
 */
export function joinTexts(parts: readonly Typed[]): string {
  const known = parts.filter(({ constant }) => typeof constant === 'string');
  const others = parts.filter(({ constant }) => typeof constant !== 'string');
  const knownBytes = known.reduce(
    (sum, { constant }) => sum + Buffer.byteLength(String(constant)),
    0,
  );
  return bindOnce(
    others.map(({ sql }) => sql),
    (names) => {
      const name = (part: Typed) =>
        typeof part.constant === 'string' ? part.sql : (names[others.indexOf(part)] ?? '');
      const size = chained('+', [`${knownBytes}`, ...names.map((text) => `strlen(${text})`)]);
      const [first = '', ...rest] = parts.map(name);
      return chained('||', [`druid_short(${first}, ${size}, 'concat')`, ...rest]);
    },
  );
}
