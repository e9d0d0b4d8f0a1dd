// Values and names in DuckDB's syntax.

import { quotedName } from '../../model/sql-text.ts';
import { quote } from '../runtime/quoted.ts';
import { duckdbTypeOf, isFractional, type SqlType } from '../types.ts';
import { jsonTexts, leastLongList } from './json-constants.ts';
import type { Constant } from './typed.ts';

/** A DuckDB identifier. */
export const identifier = quotedName;

/** A BIGINT literal. */
export const long = (value: bigint | number): string =>
  value < 0 ? `(${value})::BIGINT` : `${value}::BIGINT`;

/**
 * Operands of an associative operator, nested in groups: DuckDB limits the depth of an expression,
 * and operators in a row are as deep as they are many.
 */
export function chained(operator: '+' | '||', operands: readonly string[]): string {
  if (operands.length <= mostInRow) return `(${operands.join(` ${operator} `)})`;
  const groups = Array.from({ length: Math.ceil(operands.length / mostInRow) }, (_, index) =>
    chained(operator, operands.slice(index * mostInRow, (index + 1) * mostInRow)),
  );
  return chained(operator, groups);
}

const mostInRow = 16;

/**
 * The texts of a column as new ones, which lie side by side in memory: following a pointer to each
 * text takes longer than hashing it.
 */
export const sideBySide = (text: string): string => `(${text} || '')`;

/** A constant of the given type as DuckDB text. */
export function constantText(value: Constant, type: SqlType): string {
  if (value === null) return type.name === 'NULL' ? 'NULL' : castText('NULL', type);
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'bigint')
    return isFractional(type) ? doubleNumber(Number(value)) : long(value);
  if (typeof value === 'number') return doubleNumber(value);
  if (typeof value === 'string') return quote(value);
  const element = type.multiValue ? { ...type, multiValue: false } : (type.element ?? type);
  const json = value.length >= leastLongList ? jsonTexts(value) : undefined;
  if (json) return `from_json(${quote(`[${json.join(',')}]`)}, '["${duckdbTypeOf(element)}"]')`;
  return castText(`[${value.map((item) => constantText(item, element)).join(', ')}]`, type);
}

// A list type that an item's number follows would be a list of lists.
function castText(value: string, type: SqlType): string {
  const name = duckdbTypeOf(type);
  return name.endsWith(']') ? `(${value}::${name})` : `${value}::${name}`;
}

/** A DOUBLE literal. Its exponent makes it one; without an exponent DuckDB reads a DECIMAL. */
export function doubleNumber(value: number): string {
  if (!Number.isFinite(value)) return `'${value}'::DOUBLE`;
  const text = Object.is(value, -0) ? '-0' : String(value);
  const withExponent = text.includes('e') ? text : `${text}e0`;
  return text.startsWith('-') ? `(${withExponent})` : withExponent;
}
