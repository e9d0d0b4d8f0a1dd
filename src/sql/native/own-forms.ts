// Native functions without an equivalent in SQL: conditions, casts, and functions of values of any
// type (docs/querying/math-expr.md).
import type { Position } from '../ast.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { constantOf, UnsupportedNumber } from '../expressions/casts.ts';
import type { Scope, Typed } from '../expressions/typed.ts';
import { failureSql } from '../runtime/own-words.ts';
import {
  arrayOf,
  boolean,
  isJson,
  isText,
  json,
  type SqlType,
  sqlTypeOfNative,
  varchar,
} from '../types.ts';
import { resolveOver } from './call-values.ts';
import { callTo } from './expressions.ts';
import { nativeComparison } from './native-operators.ts';
import { convert, holds, unify } from './native-values.ts';
import { invalidNative } from './tokenize.ts';

interface OwnForm {
  readonly least: number;
  readonly most: number;
  readonly resolve: (args: readonly Typed[], call: OwnCall) => Typed;
}

interface OwnCall {
  readonly text: string; // the whole expression, for messages
  readonly name: string;
  readonly at: Position;
  readonly scope: Scope;
}

const of = (least: number, most: number, resolve: OwnForm['resolve']): OwnForm => ({
  least,
  most,
  resolve,
});

const any = Number.POSITIVE_INFINITY;

const ofOne = (resolve: (value: Typed, call: OwnCall) => Typed): OwnForm =>
  of(1, 1, ([value], call) => resolve(value as Typed, call));

const truth = (sql: string, at: Position): Typed => ({ type: boolean, at, sql, nullable: false });

const isNull = (negated: boolean): OwnForm =>
  ofOne((value, { at }) => {
    if (value.constant !== undefined)
      return constantOf((value.constant === null) !== negated, boolean, at);
    return truth(`(${value.sql} IS ${negated ? 'NOT ' : ''}NULL)`, at);
  });

const is = (what: boolean, negated: boolean): OwnForm =>
  ofOne((value, { at }) =>
    truth(`(${holds(value).sql} IS ${negated ? '' : 'NOT '}DISTINCT FROM ${what})`, at),
  );

const distinct = (operator: 'IS DISTINCT FROM' | 'IS NOT DISTINCT FROM'): OwnForm =>
  of(2, 2, ([left, right], { at }) =>
    nativeComparison(operator, left as Typed, right as Typed, at),
  );

/** The result of the first condition that holds. */
function chooseResult(
  conditions: readonly Typed[],
  results: readonly Typed[],
  at: Position,
): Typed {
  const { type, values, variants } = unify(results);
  const otherwise = (texts: readonly string[]) => texts[conditions.length] ?? 'NULL';
  const sqlOf = (texts: readonly string[]) =>
    `(CASE ${conditions.map(({ sql }, index) => `WHEN ${sql} THEN ${texts[index]}`).join(' ')} ELSE ${otherwise(texts)} END)`;
  const sql = sqlOf(values.map((value) => value.sql));
  return { type, at, sql, ...(variants && { variant: sqlOf(variants) }) };
}

// c1, r1, c2, r2, ... and the default result.
function cases(parts: readonly Typed[], conditionOf: (value: Typed) => Typed, at: Position): Typed {
  const pairs = Math.floor(parts.length / 2);
  const results = parts.filter((_, index) => index % 2 === 1 || index === 2 * pairs);
  return chooseResult(
    Array.from({ length: pairs }, (_, index) => conditionOf(parts[2 * index] as Typed)),
    results,
    at,
  );
}

// The subject is computed once, for its values and for their variants.
const caseSimple: OwnForm = of(3, any, ([subject, ...parts], { at }) => {
  const compared = subject as Typed;
  const cased = (x: string) =>
    cases(parts, (value) => nativeComparison('=', { ...compared, sql: x }, value, at), at);
  if (compared.constant !== undefined) return cased(compared.sql);
  let made = cased(compared.sql);
  const sql = bindOnce([compared.sql], ([x = '']) => {
    made = cased(x);
    return made.sql;
  });
  const { variant } = made;
  return {
    ...made,
    sql,
    ...(variant !== undefined && {
      variant: bindOnce([compared.sql], ([x = '']) => cased(x).variant ?? ''),
    }),
  };
});

const coalesceValues: OwnForm['resolve'] = (args, { at }) => {
  const { type, values, variants } = unify(args);
  const sqlOf = (texts: readonly string[]) => `coalesce(${texts.join(', ')})`;
  return {
    type,
    at,
    sql: sqlOf(values.map(({ sql }) => sql)),
    ...(variants && { variant: sqlOf(variants) }),
  };
};

const cast: OwnForm = of(2, 2, ([value, given], { text, name, at }) => {
  const written = given as Typed;
  if (typeof written.constant !== 'string')
    throw invalidNative(
      text,
      written.at,
      `Function[${name}] needs a literal type as its second argument`,
    );
  const type = /^FLOAT$/i.test(written.constant)
    ? undefined
    : sqlTypeOfNative(written.constant.toUpperCase().replace(/COMPLEX<.*>/, 'COMPLEX<json>'));
  if (type === undefined)
    throw invalidNative(
      text,
      written.at,
      `[${written.constant}] is not a type; STRING, LONG, DOUBLE, ARRAY<...> and COMPLEX<json> are`,
    );
  const { type: from, sql } = value as Typed;
  if (isJson(from) && !isJson(type))
    throw invalidNative(text, at, `it cannot cast [COMPLEX<json>] to [${written.constant}]`);
  const result = convertAny(value as Typed, type);
  if (from.name !== 'ARRAY' || type.name === 'ARRAY' || type.name === 'OTHER')
    return { ...result, at };
  const single = bindOnce(
    [sql],
    ([x = '']) =>
      `CASE WHEN len(${x}) = 1 OR ${x} IS NULL THEN ${convert({ type: from, at, sql: x }, type).sql} ELSE ${notOne} END`,
  );
  return { type: result.type, at, sql: single };
});

// No literal of SQL is NaN or infinite, but a native constant may be.
function convertAny(value: Typed, type: SqlType): Typed {
  try {
    return convert(value, type);
  } catch (error) {
    if (!(error instanceof UnsupportedNumber)) throw error;
    const { constant: _, ...computed } = value;
    return convert(computed, type);
  }
}

const notOne = failureSql("'Function[cast] makes a single value only of an array of one element'");

// A number keeps its type. Other types become text.
const jsonValue: OwnForm = of(2, 3, ([document, path, given], { text, name, at, scope }) => {
  const args = [document as Typed, path as Typed];
  const value = () =>
    resolveOver(args, scope, (expressions) => callTo('JSON_VALUE', ...expressions));
  const part = () =>
    resolveOver(args, scope, (expressions) => callTo('JSON_QUERY', ...expressions)).sql;
  if (given === undefined)
    return {
      ...value(),
      variant: bindOnce([part()], ([x]) => scalarJson(x ?? '')),
      computedType: 'COMPLEX<json>',
    };
  const type = typeof given.constant === 'string' ? sqlTypeOfNative(given.constant) : undefined;
  if (type === undefined || type.name === 'OTHER')
    throw invalidNative(
      text,
      given.at,
      `Function[${name}] needs the name of a type as its third argument`,
    );
  return convert(
    type.name === 'ARRAY'
      ? { type: arrayOf(varchar), at, sql: `druid_json_texts(${part()})` }
      : value(),
    type,
  );
});

/** A scalar of a document as JSON; a number keeps its type. Null for objects and arrays. */
export const scalarJson = (x: string): string =>
  `CASE WHEN json_type(${x}) IN ('BIGINT', 'UBIGINT', 'HUGEINT', 'DOUBLE') THEN ${x} WHEN json_type(${x}) = 'BOOLEAN' THEN druid_json_value(${x})::JSON ELSE to_json(druid_json_value(${x})) END`;

const array: OwnForm = of(1, any, (args, { at }) => {
  const { type, values } = unify(args);
  return { type: arrayOf(type), at, sql: `[${values.map(({ sql }) => sql).join(', ')}]` };
});

/** Functions and their numbers of arguments, keyed by name in small letters. */
export const ownForms: Readonly<Record<string, OwnForm>> = {
  if: of(3, 3, ([condition, then, otherwise], { at }) =>
    chooseResult([holds(condition as Typed)], [then as Typed, otherwise as Typed], at),
  ),
  case_searched: of(2, any, (args, { at }) => cases(args, holds, at)),
  case_simple: caseSimple,
  nvl: of(2, 2, coalesceValues),
  coalesce: of(1, any, coalesceValues),
  cast,
  isnull: isNull(false),
  notnull: isNull(true),
  istrue: is(true, false),
  isfalse: is(false, false),
  nottrue: is(true, true),
  notfalse: is(false, true),
  isdistinctfrom: distinct('IS DISTINCT FROM'),
  notdistinctfrom: distinct('IS NOT DISTINCT FROM'),
  array,
  array_to_mv: ofOne((value) => convert(value, arrayOf(varchar))),
  mv_to_array: ofOne((value) => convert(value, arrayOf(varchar))),
  try_parse_json: ofOne((value, { scope, at }) =>
    isText(value.type)
      ? resolveOver([value], scope, (args) => callTo('TRY_PARSE_JSON', ...args))
      : constantOf(null, json, at),
  ),
  json_value: jsonValue,
};
