// Membership in lists of values: `x IN (a, b)`.
import type { Expression, Literal, Position } from '../ast.ts';
import { invalidSql } from '../sql-error.ts';
import {
  bigint,
  boolean,
  commonType,
  isFractional,
  isInteger,
  isNumeric,
  isText,
  isTime,
  leastRestrictive,
  varchar,
} from '../types.ts';
import { bindOnce } from './bind-once.ts';
import { castTo, constantOf } from './casts.ts';
import { leastLongList } from './json-constants.ts';
import { rowsOfConstants } from './long-list.ts';
import { anyValue, falseIfEmpty, isList, singleValued } from './multi-value.ts';
import { comparable, comparison, conditionType, connective } from './operators.ts';
import { orderableText } from './signed-zero.ts';
import { type Constant, type Environment, type Typed, withText } from './typed.ts';

/** Membership as equalities, to which the planner rewrites IN with a multi-value column. */
export function equalsAny(
  value: Typed,
  items: readonly Typed[],
  at: Position,
  zone: string,
): Typed {
  const condition = (x: Typed) =>
    items
      .map((item) => comparison('=', x, item, at, zone))
      .reduce((left, right) => connective('OR', left, right, at));
  if (value.constant !== undefined) return condition(value);
  const sql = bindOnce([value.sql], ([x = '']) => condition(withText(value, x)).sql);
  return { ...condition(value), sql };
}

/**
 * The values of a long list of literals that are compared unconverted; undefined for other lists. A
 * list of a million literals must not be resolved one by one.
 */
export function plainConstants(
  { type, constant }: Typed,
  among: readonly Expression[],
): readonly Constant[] | undefined {
  if (among.length < leastLongList || Array.isArray(constant)) return undefined;
  const wanted = isText(type) ? 'string' : isInteger(type) ? 'integer' : undefined;
  const isPlain = (part: Expression): part is Literal =>
    part.kind === 'literal' && part.type === wanted && (isText(type) || part.text.length <= 18);
  return among.every(isPlain)
    ? among.map(({ text }) => (isText(type) ? text : BigInt(text)))
    : undefined;
}

/**
 * The items that a value is compared with: a text among texts and numbers with texts only, a whole
 * number with whole numbers. The planner truncates the items, but truncates a single item only
 * where no DECIMAL stands beside a BIGINT.
 */
export function inItems(value: Typed, items: readonly Typed[], zone: string): readonly Typed[] {
  if (isInteger(value.type)) {
    const isCut =
      items.length > 1 || (value.type.name === 'BIGINT' && items[0]?.type.name === 'DECIMAL');
    return items.map((item) =>
      isCut && isFractional(item.type) ? castTo(item, bigint, zone) : item,
    );
  }
  const isMixed =
    isText(value.type) &&
    items.some(({ type }) => isText(type)) &&
    items.every(({ type }) => isText(type) || isNumeric(type) || type.name === 'NULL');
  return isMixed ? items.map((item) => castTo(item, varchar, zone)) : items;
}

/**
 * The converted items of a list that mixes types; undefined for other lists. Beside a text, the
 * engine converts each item to the type of the value; whole numbers beside times become times.
 * Throws for other mixtures, and for a value that cannot be compared with the list.
 */
export function mixedItems(
  value: Typed,
  items: readonly Typed[],
  { listAt, at }: { readonly listAt: Position; readonly at: Position },
  zone: string,
): readonly Typed[] | undefined {
  const types = items.map(({ type }) => singleValued(type));
  if (leastRestrictive(types) || types.some(({ name }) => name === 'OTHER')) return undefined;
  if (value.constant === null) return items.map(({ at }) => constantOf(null, value.type, at));
  const type = commonType(types);
  if (!type || type.name === 'ARRAY')
    throw invalidSql('Values in expression list must have compatible types', listAt);
  const { name } = value.type;
  if (
    name === 'ARRAY' ||
    name === 'OTHER' ||
    (isTime(type) && !isText(value.type) && !isTime(value.type))
  )
    throw invalidSql('Values passed to IN operator must have compatible types', at);
  const wanted = isTime(type) ? type : singleValued(value.type);
  return items.map((item) => castTo(item, wanted, zone));
}

/** Whether a value is among items, as a condition. */
export function isAmong(
  operand: Typed,
  among: readonly Typed[],
  at: Position,
  { timeZone, isWithoutQueries }: Environment,
): Typed {
  const [value, ...items] = comparable('IN', [operand, ...among], at, timeZone);
  if (!value) throw new TypeError('IN has an operand');
  if (items.length >= leastLongList && isWithoutQueries !== true) {
    const constants = items.map(({ constant }) => constant);
    const rows = rowsOfConstants(constants, singleValued(value.type));
    if (rows !== undefined) return amongRows(value, rows, constants.includes(null), at);
  }
  const list = items.map(({ sql }) => sql).join(', ');
  // The engine looks constants up in a set, where -0.0 is not 0.0.
  const isSet = items.length > 1 && items.every(({ constant }) => constant !== undefined);
  const hasZero = isSet && items.some(({ constant }) => constant === 0);
  // DuckDB evaluates the function once for each text of a dictionary, and IN for each row.
  const isShort =
    isSet &&
    items.length <= mostListed &&
    items.every(({ constant }) => typeof constant === 'string');
  if (isShort && isText(value.type) && !isList(value))
    return {
      at,
      type: conditionType([value]),
      sql: `list_contains([${list}], ${value.sql})`,
    };
  const item = (x: Typed) => (hasZero ? orderableText(x) : x.sql);
  const found = { at, ...anyValue([value], ([x]) => `(${x ? item(x) : ''} IN (${list}))`) };
  return falseIfEmpty(operand, found);
}

const mostListed = 16;

/**
 * Whether a value is among the rows of a query. As `druid_any` does for a multi-value string,
 * unknown when none of its values is among the rows and a null is.
 */
export function amongRows(value: Typed, rows: string, hasNull: boolean, at: Position): Typed {
  if (!isList(value))
    return { type: conditionType([value]), at, sql: `(${value.sql} IN (${rows}))` };
  const found = `EXISTS (SELECT 1 FROM (SELECT unnest(${value.sql}) AS "value") AS "values" WHERE "value" IN (${rows}))`;
  const otherwise = hasNull ? 'NULL' : `CASE WHEN NOT druid_any_null(${value.sql}) THEN false END`;
  return {
    type: { ...boolean, multiValue: true },
    at,
    sql: `(CASE WHEN ${found} THEN true ELSE ${otherwise} END)`,
  };
}
