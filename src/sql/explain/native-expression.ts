// SQL expressions in the engine's own expression language (docs/querying/math-expr.md), as EXPLAIN
// shows them.
import type { Binary, Call, Expression, In, Row } from '../ast.ts';
import { castTo } from '../expressions/casts.ts';
import { oppositeOf } from '../expressions/rewrite.ts';
import { typeOfName } from '../expressions/type-name.ts';
import type { Constant, Typed } from '../expressions/typed.ts';
import {
  isFractional,
  isInteger,
  isInterval,
  isNumeric,
  isText,
  isTime,
  nativeTypeOf,
  type SqlType,
  timestamp,
} from '../types.ts';

/** Signals a part without native JSON. The plan then falls back to a description. */
export class NotNative extends Error {}

/** What `make` makes; undefined if a part of it has no native JSON. */
export function natively<T>(make: () => T): T | undefined {
  try {
    return make();
  } catch (error) {
    if (error instanceof NotNative) return undefined;
    throw error;
  }
}

/** The meaning of names in an expression, and the columns that hold whole expressions. */
export interface NativeNames {
  readonly timeZone: string;
  resolve(expression: Expression): Typed;
  /** The native column that holds the value of the expression; undefined if it must be computed. */
  column(expression: Expression): string | undefined;
}

/** The columns of a filter: existing ones and virtual ones computed for it. */
export interface FilterNames extends NativeNames {
  /**
   * The native column with the value of an expression; a virtual column if the value must be
   * computed.
   */
  columnFor(expression: Expression): string;
}

/**
 * The native text of an expression.
 * Throws NotNative when the native language has no equivalent.
 */
export function nativeText(expression: Expression, names: NativeNames): string {
  const column = names.column(expression);
  if (column !== undefined) return quotedName(column);
  const text = (part: Expression) => nativeText(part, names);
  const { constant, type } = names.resolve(expression);
  if (constant !== undefined) return constantText(constant, type);
  switch (expression.kind) {
    case 'unary': {
      const { operand, operator } = expression;
      if (operator === '+') return text(operand);
      if (operator === '-') return `(- ${text(operand)})`;
      const opposite = oppositeOf(operand);
      return opposite ? text(opposite) : `!${text(operand)}`;
    }
    case 'binary':
      return binaryText(expression, names);
    case 'between': {
      const { operand, low, high, negated, symmetric, at } = expression;
      if (symmetric) throw new NotNative();
      const parts = [
        compare({ kind: 'binary', operator: '>=', left: operand, right: low, at }, names),
        compare({ kind: 'binary', operator: '<=', left: operand, right: high, at }, names),
      ];
      return `${negated ? '!' : ''}(${parts.join(' && ')})`;
    }
    case 'in': {
      const { operand, among, negated, at } = expression;
      if ('kind' in among) throw new NotNative();
      if (operand.kind === 'row') return text(comparisonsOfRows(expression, operand, among));
      const list = constantsOfOneType(operand, among, names);
      if (list) return `${negated ? '!' : ''}scalar_in_array(${text(operand)},${list})`;
      const parts = among.map((item) =>
        compare({ kind: 'binary', operator: '=', left: operand, right: item, at }, names),
      );
      return `${negated ? '!' : ''}(${parts.join(' || ')})`;
    }
    case 'like': {
      const { operator, operand, pattern, escape: escaping, negated } = expression;
      if (operator !== 'LIKE') throw new NotNative();
      const parts = [operand, pattern, ...(escaping ? [escaping] : [])].map(text);
      return `${negated ? '!' : ''}like(${parts.join(',')})`;
    }
    case 'is':
      return truthText(expression.what, expression.negated, text(expression.operand));
    case 'case': {
      const { operand, whens, otherwise, at } = expression;
      const conditions = whens.map(({ when }) =>
        operand
          ? compare({ kind: 'binary', operator: '=', left: operand, right: when, at }, names)
          : text(when),
      );
      const pairs = whens.flatMap(({ then }, index) => [conditions[index] ?? '', text(then)]);
      return `case_searched(${[...pairs, otherwise ? text(otherwise) : 'null'].join(',')})`;
    }
    case 'cast':
      if (expression.safe) throw new NotNative();
      return castText(
        names.resolve(expression.operand),
        text(expression.operand),
        typeOfName(expression.type),
        names.timeZone,
      );
    case 'call':
      return callText(expression, names);
    case 'array':
      return `array(${expression.items.map(text).join(',')})`;
    default:
      throw new NotNative();
  }
}

// Several constants that are compared unconverted, as an array.
function constantsOfOneType(
  operand: Expression,
  among: readonly Expression[],
  names: NativeNames,
): string | undefined {
  const { type } = names.resolve(operand);
  const items = among.map((item) => names.resolve(item));
  const isAlike = items.every(
    (item) =>
      item.constant !== undefined &&
      item.constant !== null &&
      ((isText(type) && isText(item.type)) || (isInteger(type) && isInteger(item.type))),
  );
  return items.length > 1 && isAlike
    ? `array(${items.map((item) => constantText(item.constant ?? null, item.type)).join(',')})`
    : undefined;
}

/** `"name"`. */
export const quotedName = (name: string): string => `"${escapeText(name, '"')}"`;

const quotedText = (text: string): string => `'${escapeText(text, "'")}'`;

// A backslash starts an escape; the lexer reads \u escapes.
function escapeText(text: string, quote: string): string {
  return [...text]
    .map((character) => {
      const code = character.charCodeAt(0);
      return character === quote || character === '\\' || code < 0x20
        ? `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`
        : character;
    })
    .join('');
}

function constantText(constant: Constant, type: SqlType): string {
  if (constant === null) return 'null';
  if (typeof constant === 'boolean') return constant ? '1' : '0';
  if (typeof constant === 'string') return quotedText(constant);
  if (typeof constant === 'bigint') return isFractional(type) ? `${constant}.0` : `${constant}`;
  if (typeof constant === 'number') {
    if (!Number.isFinite(constant)) throw new NotNative();
    return isFractional(type) && Number.isInteger(constant) && !`${constant}`.includes('e')
      ? `${constant}.0`
      : `${constant}`;
  }
  const element = type.element ?? type;
  return `array(${constant.map((item) => constantText(item, element)).join(',')})`;
}

const comparisons: Readonly<Partial<Record<Binary['operator'], string>>> = {
  '=': '==',
  '<>': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};
const connectives: Readonly<Partial<Record<Binary['operator'], string>>> = { AND: '&&', OR: '||' };

function binaryText(expression: Binary, names: NativeNames): string {
  const { operator, left, right } = expression;
  const text = (part: Expression) => nativeText(part, names);
  const connective = connectives[operator];
  if (connective) return `(${text(left)} ${connective} ${text(right)})`;
  if (comparisons[operator]) return compare(expression, names);
  if (operator === '||') return `concat(${operandsOf(expression, '||').map(text).join(',')})`;
  if (operator === 'IS DISTINCT FROM' || operator === 'IS NOT DISTINCT FROM') {
    return `${operator === 'IS DISTINCT FROM' ? 'isdistinctfrom' : 'notdistinctfrom'}(${text(left)},${text(right)})`;
  }
  const shifted = shiftedTime(expression, names);
  if (shifted !== undefined) return shifted;
  const types = [left, right].map((part) => names.resolve(part).type);
  if (!types.every(isNumeric)) throw new NotNative();
  // Calcite reduces the product of a whole number and 1.0 to a conversion.
  if (operator === '*' && types[0] && isInteger(types[0]) && names.resolve(right).constant === 1)
    return `CAST(${text(left)}, 'DOUBLE')`;
  return `(${text(left)} ${operator} ${text(right)})`;
}

// A time plus or minus a known interval: milliseconds are added, months are a period.
function shiftedTime({ operator, left, right }: Binary, names: NativeNames): string | undefined {
  const { constant, type } = names.resolve(right);
  if ((operator !== '+' && operator !== '-') || !isTime(names.resolve(left).type)) return undefined;
  if (typeof constant !== 'bigint' || !isInterval(type)) return undefined;
  const text = nativeText(left, names);
  return type.name === 'INTERVAL_DAY'
    ? `(${text} ${operator} ${constant})`
    : `timestamp_shift(${text},'P${constant}M',${operator === '-' ? -1 : 1},'${names.timeZone}')`;
}

// The operands of a chain such as `a || b || c`.
function operandsOf(expression: Expression, operator: Binary['operator']): readonly Expression[] {
  return expression.kind === 'binary' && expression.operator === operator
    ? [expression.left, expression.right].flatMap((part) => operandsOf(part, operator))
    : [expression];
}

// Both sides converted to the type of the comparison.
function compare({ operator, left, right }: Binary, names: NativeNames): string {
  const [a, b] = [names.resolve(left), names.resolve(right)];
  if (
    a.type.name === 'OTHER' ||
    b.type.name === 'OTHER' ||
    a.type.name === 'ARRAY' ||
    b.type.name === 'ARRAY'
  )
    throw new NotNative();
  const side = (part: Expression, value: Typed, other: Typed): string => {
    if (!isText(value.type) || isText(other.type) || other.type.name === 'NULL')
      return nativeText(part, names);
    if (isTime(other.type) && value.constant !== undefined)
      return constantText(castTo(value, timestamp, names.timeZone).constant ?? null, timestamp);
    if (!isNumeric(other.type)) throw new NotNative();
    return `CAST(${nativeText(part, names)}, '${isInteger(other.type) ? 'LONG' : 'DOUBLE'}')`;
  };
  return `(${side(left, a, b)} ${comparisons[operator]} ${side(right, b, a)})`;
}

function truthText(
  what: 'NULL' | 'TRUE' | 'FALSE' | 'UNKNOWN' | 'JSON',
  negated: boolean,
  operand: string,
): string {
  if (what === 'UNKNOWN' || what === 'JSON') throw new NotNative();
  const name = {
    NULL: negated ? 'notnull' : 'isnull',
    TRUE: negated ? 'nottrue' : 'istrue',
    FALSE: negated ? 'notfalse' : 'isfalse',
  }[what];
  return `${name}(${operand})`;
}

function castText(from: Typed, text: string, to: SqlType, zone: string): string {
  if (isTime(from.type) && isText(to))
    return `timestamp_format(${text},'${from.type.name === 'DATE' ? 'yyyy-MM-dd' : 'yyyy-MM-dd HH:mm:ss'}','${zone}')`;
  if (from.type.name === 'TIMESTAMP' && to.name === 'DATE')
    return `timestamp_floor(${text},'P1D',null,'${zone}')`;
  const plain = (type: SqlType) => isText(type) || isNumeric(type) || type.name === 'BOOLEAN';
  if (isTime(from.type) && (to.name === 'TIMESTAMP' || to.name === 'BIGINT')) return text;
  if (
    isTime(from.type) ||
    isTime(to) ||
    !plain(from.type) ||
    !plain(to) ||
    from.type.name === 'BOOLEAN' ||
    to.name === 'BOOLEAN'
  )
    throw new NotNative();
  if (isInteger(from.type) && isInteger(to)) return text;
  return `CAST(${text}, '${nativeTypeOf(to)}')`;
}

const periods: Readonly<Record<string, string>> = {
  SECOND: 'PT1S',
  MINUTE: 'PT1M',
  HOUR: 'PT1H',
  DAY: 'P1D',
  WEEK: 'P1W',
  MONTH: 'P1M',
  QUARTER: 'P3M',
  YEAR: 'P1Y',
};

/** A time, and the period and zone of its buckets. */
export interface TimeFloor {
  readonly of: Expression;
  readonly period: string;
  readonly zone: string;
}

/**
 * A time bucket: the floored expression and the period. Undefined for any other expression and for
 * buckets with another origin.
 */
export function timeFloor(
  expression: Expression,
  names: Pick<NativeNames, 'resolve' | 'timeZone'>,
): TimeFloor | undefined {
  if (expression.kind !== 'call') return undefined;
  const { name, args, unit } = expression;
  const [first, second, third, fourth] = args;
  const textOf = (part: Expression | undefined) =>
    part ? names.resolve(part).constant : undefined;
  if (name === 'FLOOR' && unit !== undefined && first) {
    const period = periods[unit];
    return period === undefined ? undefined : { of: first, period, zone: names.timeZone };
  }
  if (name === 'DATE_TRUNC' && second) {
    const period = periods[String(textOf(first)).toUpperCase()];
    return period === undefined ? undefined : { of: second, period, zone: names.timeZone };
  }
  if (name !== 'TIME_FLOOR' || !first || !second) return undefined;
  const [period, origin, zone] = [textOf(second), third && textOf(third), fourth && textOf(fourth)];
  if (typeof period !== 'string' || (third && origin !== null)) return undefined;
  return { of: first, period, zone: typeof zone === 'string' ? zone : names.timeZone };
}

// SQL functions whose native equivalent has another name.
const renamed: Readonly<Record<string, string>> = {
  CHAR_LENGTH: 'strlen',
  CHARACTER_LENGTH: 'strlen',
  LENGTH: 'strlen',
  STRLEN: 'strlen',
  TEXTCAT: 'concat',
  LN: 'log',
  POWER: 'pow',
  CEILING: 'ceil',
  DEGREES: 'todegrees',
  RADIANS: 'toradians',
  STRING_FORMAT: 'format',
  BTRIM: 'trim',
  MV_APPEND: 'array_append',
  MV_CONCAT: 'array_concat',
  MV_LENGTH: 'array_length',
  MV_OFFSET: 'array_offset',
  MV_OFFSET_OF: 'array_offset_of',
  MV_ORDINAL: 'array_ordinal',
  MV_ORDINAL_OF: 'array_ordinal_of',
  MV_PREPEND: 'array_prepend',
  MV_SLICE: 'array_slice',
  MV_TO_STRING: 'array_to_string',
  STRING_TO_MV: 'string_to_array',
};

const same: ReadonlySet<string> = new Set([
  ...[
    'ABS',
    'CEIL',
    'FLOOR',
    'EXP',
    'LOG10',
    'SQRT',
    'ROUND',
    'SIN',
    'COS',
    'TAN',
    'ATAN',
    'GREATEST',
    'LEAST',
    'SAFE_DIVIDE',
    'DIV',
  ],
  ...[
    'UPPER',
    'LOWER',
    'CONCAT',
    'REPLACE',
    'LEFT',
    'RIGHT',
    'LPAD',
    'RPAD',
    'LTRIM',
    'RTRIM',
    'REVERSE',
    'REPEAT',
    'LOOKUP',
    'PARSE_LONG',
  ],
  ...['REGEXP_EXTRACT', 'REGEXP_LIKE', 'REGEXP_REPLACE', 'CONTAINS_STRING', 'ICONTAINS_STRING'],
  ...[
    'ARRAY_LENGTH',
    'ARRAY_OFFSET',
    'ARRAY_ORDINAL',
    'ARRAY_CONTAINS',
    'ARRAY_OVERLAP',
    'ARRAY_APPEND',
    'ARRAY_CONCAT',
    'ARRAY_TO_STRING',
    'ARRAY_OFFSET_OF',
    'ARRAY_ORDINAL_OF',
    'ARRAY_PREPEND',
    'ARRAY_SLICE',
    'ARRAY_TO_MV',
    'MV_TO_ARRAY',
    'SCALAR_IN_ARRAY',
  ],
  ...[
    'STRING_TO_ARRAY',
    'PARSE_JSON',
    'TRY_PARSE_JSON',
    'TO_JSON_STRING',
    'JSON_OBJECT',
    'JSON_QUERY',
    'JSON_QUERY_ARRAY',
    'JSON_KEYS',
    'JSON_PATHS',
  ],
]);

function callText(call: Call, names: NativeNames): string {
  const text = (part: Expression) => nativeText(part, names);
  const constantOf = (part: Expression | undefined) =>
    part ? names.resolve(part).constant : undefined;
  const [first, second, third] = call.args;
  const floored = timeFloor(call, names);
  if (floored)
    return `timestamp_floor(${text(floored.of)},'${floored.period}',null,'${floored.zone}')`;
  if (call.unit !== undefined && call.name === 'CEIL' && first) {
    const period = periods[call.unit];
    if (period === undefined) throw new NotNative();
    return `timestamp_ceil(${text(first)},'${period}',null,'${names.timeZone}')`;
  }
  if (call.unit !== undefined && call.name !== 'EXTRACT') throw new NotNative();
  const zoneText = (zone: Expression | undefined) =>
    zone ? text(zone) : quotedText(names.timeZone);
  switch (call.name) {
    case 'EXTRACT':
    case 'TIME_EXTRACT': {
      const unit = call.unit ?? constantOf(second);
      const zone = call.name === 'TIME_EXTRACT' && third ? constantOf(third) : names.timeZone;
      if (!first || typeof unit !== 'string' || typeof zone !== 'string') throw new NotNative();
      return `timestamp_extract(${text(first)},'${unit.toUpperCase()}',${quotedText(zone)})`;
    }
    case 'TIME_FORMAT':
    case 'TIME_PARSE': {
      if (!first) throw new NotNative();
      const isFormat = call.name === 'TIME_FORMAT';
      const whole = isFormat ? quotedText("yyyy-MM-dd'T'HH:mm:ss.SSSZZ") : 'null';
      const pattern = second ? text(second) : whole;
      return `timestamp_${isFormat ? 'format' : 'parse'}(${text(first)},${pattern},${zoneText(third)})`;
    }
    case 'TIME_SHIFT':
      if (call.args.length < 3) throw new NotNative();
      return `timestamp_shift(${call.args.slice(0, 3).map(text).join(',')},${zoneText(call.args[3])})`;
    case 'TIME_CEIL': {
      const [origin, zone] = call.args.slice(2);
      if (!first || !second || (origin && constantOf(origin) !== null)) throw new NotNative();
      return `timestamp_ceil(${text(first)},${text(second)},null,${zoneText(zone)})`;
    }
    case 'MV_CONTAINS':
    case 'MV_OVERLAP':
      if (!first || !second) throw new NotNative();
      return `array_${call.name.slice(3).toLowerCase()}(${first.kind === 'identifier' ? `mv_harmonize_nulls(${text(first)})` : text(first)},${text(second)})`;
    case 'MV_FILTER_ONLY':
    case 'MV_FILTER_NONE': {
      if (!first || !second) throw new NotNative();
      const mark = call.name === 'MV_FILTER_ONLY' ? '' : '!';
      return `filter((x) -> ${mark}array_contains(${text(second)}, x), ${text(first)})`;
    }
    case 'MILLIS_TO_TIMESTAMP':
    case 'TIMESTAMP_TO_MILLIS':
      if (!first) throw new NotNative();
      return text(first);
    case 'SUBSTRING':
    case 'SUBSTR': {
      const start = constantOf(second);
      const size = third ? constantOf(third) : -1n;
      if (!first || typeof start !== 'bigint' || typeof size !== 'bigint' || start < 1n)
        throw new NotNative();
      return `substring(${text(first)}, ${start - 1n}, ${size})`;
    }
    case 'POSITION':
    case 'STRPOS': {
      const [part, whole] = call.name === 'POSITION' ? [first, second] : [second, first];
      if (!part || !whole || third) throw new NotNative();
      return `(strpos(${text(whole)},${text(part)}) + 1)`;
    }
    case 'MOD':
      if (!first || !second) throw new NotNative();
      return `(${text(first)} % ${text(second)})`;
    case 'COALESCE':
    case 'NVL':
      return `${call.args.length === 2 ? 'nvl' : 'coalesce'}(${call.args.map(text).join(',')})`;
    case 'NULLIF': {
      if (!first || !second) throw new NotNative();
      const equal = compare(
        { kind: 'binary', operator: '=', left: first, right: second, at: call.at },
        names,
      );
      return `case_searched(${equal},null,${text(first)})`;
    }
    case 'TRIM':
      if (call.trim !== undefined && call.trim !== 'BOTH') throw new NotNative();
      return `trim(${call.args.map(text).join(',')}${second ? '' : ",' '"})`;
    case 'JSON_VALUE': {
      const returning = call.json?.returning
        ? nativeTypeOf(typeOfName(call.json.returning))
        : 'STRING';
      if (!first || !second) throw new NotNative();
      return `json_value(${text(first)},${text(second)},'${returning}')`;
    }
  }
  const name = Object.hasOwn(renamed, call.name)
    ? renamed[call.name]
    : same.has(call.name)
      ? call.name.toLowerCase()
      : undefined;
  if (name === undefined || call.distinct || call.over || call.filter) throw new NotNative();
  return `${name}(${call.args.map(text).join(',')})`;
}

/**
 * Members of a list of rows as comparisons of their items.
 * Throws NotNative for rows of other lengths.
 */
export function comparisonsOfRows(
  { negated, at }: In,
  { items }: Row,
  among: readonly Expression[],
): Expression {
  const connect = (operator: Binary['operator'], parts: readonly Expression[]) =>
    parts.reduce((left, right): Expression => ({ kind: 'binary', operator, left, right, at }));
  const rows = among.map((row) => {
    if (row.kind !== 'row') throw new NotNative();
    const comparisons = items.map((left, index): Expression => {
      const right = row.items[index];
      if (!right) throw new NotNative();
      return { kind: 'binary', operator: negated ? '<>' : '=', left, right, at };
    });
    return connect(negated ? 'OR' : 'AND', comparisons);
  });
  return connect(negated ? 'AND' : 'OR', rows);
}
