// Literals as constants.
import type { IntervalLiteral, Literal, Position } from '../ast.ts';
import { invalidSql, invalidStatement } from '../sql-error.ts';
import {
  bigint,
  boolean,
  date,
  decimal,
  double,
  integer,
  nullType,
  type SqlType,
  timestamp,
} from '../types.ts';
import { constantOf } from './casts.ts';
import { intervalOf } from './interval-literal.ts';
import { parseTimeLiteral } from './time-text.ts';
import type { Typed } from './typed.ts';

/** A literal; times are in a zone. Throws SqlError for a value out of range or of no known form. */
export function resolveLiteral({ type, text, at }: Literal, zone: string): Typed {
  switch (type) {
    case 'string':
      return constantOf(text, { name: 'CHAR', precision: text.length }, at);
    case 'integer':
      return integerLiteral(BigInt(text), at);
    case 'decimal':
      return text.endsWith('.')
        ? integerLiteral(BigInt(text.slice(0, -1)), at)
        : constantOf(Number(text), { ...decimal, ...digitsOf(text) }, at);
    case 'double': {
      const value = Number(text);
      if (!Number.isFinite(value))
        throw invalidSql(`Numeric literal '${text.toUpperCase()}' out of range`, at);
      return constantOf(value, double, at);
    }
    case 'boolean':
      return constantOf(text === 'TRUE', boolean, at);
    case 'null':
      return constantOf(null, nullType, at);
    case 'timestamp':
    case 'date': {
      const value = parseTimeLiteral(text, type, zone);
      const precision = /\.(\d+)$/.exec(text)?.[1]?.length ?? 0;
      const timeType = type === 'date' ? date : { ...timestamp, precision: Math.min(precision, 3) };
      if (value !== null) return constantOf(value, timeType, at);
      const format = type === 'date' ? 'yyyy-MM-dd' : 'yyyy-MM-dd HH:mm:ss';
      throw invalidSql(
        `Illegal ${type.toUpperCase()} literal '${text}': not in format '${format}'`,
        at,
      );
    }
    case 'time':
      throw invalidStatement(`Cannot handle literal [${text}] of unsupported type [TIME].`);
  }
}

const digitsOf = (text: string) => {
  const [whole = '', fraction = ''] = text.split('.');
  return { precision: (whole.replace(/^0+/, '') + fraction).length, scale: fraction.length };
};

/** A whole number in the least type that holds it. */
export function integerLiteral(value: bigint, at: Position): Typed {
  if (value >= -(2n ** 31n) && value < 2n ** 31n) return constantOf(value, integer, at);
  if (value >= -(2n ** 63n) && value < 2n ** 63n) return constantOf(value, bigint, at);
  return constantOf(Number(value), decimal, at);
}

const mostLetters = 65_536; // of a CHAR, as in Calcite

/** A constant cast to CHAR(n) is padded with blanks. A longer constant keeps its length. */
export function fillUp(cast: Typed, { name, precision: asked = 1 }: SqlType): Typed {
  if (name !== 'CHAR' || typeof cast.constant !== 'string') return cast;
  const precision = Math.min(asked, mostLetters);
  if (cast.constant.length >= precision) return cast;
  return constantOf(cast.constant.padEnd(precision), { name, precision }, cast.at);
}

/** An interval: a number of months or of milliseconds. */
export function resolveInterval(literal: IntervalLiteral): Typed {
  const { months, ms } = intervalOf(literal);
  const unit = literal.to ? `${literal.from} TO ${literal.to}` : literal.from;
  return months === undefined
    ? { ...constantOf(ms, bigint, literal.at), type: { name: 'INTERVAL_DAY', unit } }
    : { ...constantOf(months, bigint, literal.at), type: { name: 'INTERVAL_YEAR_MONTH', unit } };
}
