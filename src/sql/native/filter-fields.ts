// Members of a native filter.
import type { Expression } from '../ast.ts';
import type { Scope } from '../expressions/typed.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import type { SqlError } from '../sql-error.ts';
import { isTime } from '../types.ts';
import { castAs, columnNamed, computedTextOf, literalOf } from './expressions.ts';
import { extract } from './extraction.ts';
import { faultOfNode, has, malformed } from './members.ts';

/** A native filter as parsed JSON. */
export type Filter = Readonly<Record<string, unknown>>;

/**
 * The column that a member names, after the extraction function of the filter. A time is a number
 * of milliseconds. Throws SqlError for a member that is not a text and for an unknown column.
 */
export function column(filter: Filter, key: string, scope: Scope): Expression {
  const name = textOf(filter, key);
  const operand = columnNamed(name);
  const { type, computedText } = resolveExpression(operand, scope);
  const value = isTime(type)
    ? castAs(operand, 'BIGINT')
    : type.name === 'OTHER' && filter.type !== 'null' && filter.type !== 'equals'
      ? computedText === undefined
        ? castAs(literalOf(null), 'VARCHAR') // a complex value has no text
        : computedTextOf(name)
      : operand;
  return filter.extractionFn === undefined || filter.extractionFn === null
    ? value
    : extract(filter.extractionFn, value, scope);
}

/** A filter as an object. Throws SqlError for any other value. */
export function objectOf(given: unknown): Filter {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw malformed(
      `A filter must be an object with a [type], not [${Array.isArray(given) ? 'a list' : String(given)}]`,
      faultOfNode(given, 'filter'),
    );
  }
  return Object.fromEntries(Object.entries(given));
}

/** The text of a member. Throws SqlError if it is missing or has no text. */
export function textOf(filter: Filter, key: string): string {
  const value = filter[key];
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return String(value);
  if (typeof value !== 'string') {
    throw malformed(
      `Property [${key}] of a [${String(filter.type)}] filter must be a text`,
      has(filter, key) ? 'mismatch' : 'construction',
    );
  }
  return value;
}

/** The items of a member, each through `item`. Throws SqlError for anything but a list. */
export function listOf<Item>(filter: Filter, key: string, item: (value: unknown) => Item): Item[] {
  const value = filter[key];
  if (!Array.isArray(value)) {
    throw malformed(
      `Property [${key}] of a [${String(filter.type)}] filter must be a list`,
      has(filter, key) ? 'mismatch' : 'construction',
    );
  }
  return value.map(item);
}

/** The refusal of a filter whose members contradict each other. */
export const invalid = (message: string): SqlError => malformed(message);
