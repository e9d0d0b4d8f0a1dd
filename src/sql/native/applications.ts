// Functions that apply a lambda to arrays (Druid: ApplyFunction): map, filter, fold and others.
import type { Position } from '../ast.ts';
import { bindOutside, foldLambda, lambda } from '../expressions/bind-once.ts';
import { castTo, constantOf } from '../expressions/casts.ts';
import type { Typed } from '../expressions/typed.ts';
import {
  arrayOf,
  bigint,
  duckdbTypeOf,
  isInteger,
  isText,
  type SqlType,
  varchar,
} from '../types.ts';
import type { NativeApplication } from './native-expression.ts';
import { arrayFrom, convert, holds, plain } from './native-values.ts';
import { invalidNative } from './tokenize.ts';

/** The value of a lambda's body for its parameters. */
export type LambdaBody = (parameters: readonly Typed[], work: string) => Typed;

interface Application {
  /** The number of arguments after the lambda, and the lambda's number of parameters for them. */
  readonly least: number;
  readonly most: number;
  readonly parameters: (args: number) => number;
  readonly resolve: (args: readonly Typed[], body: LambdaBody, call: Call) => Typed;
}

interface Call {
  readonly name: string;
  readonly at: Position;
  // How often the call itself is computed per row, as DuckDB text
  readonly work: string | undefined;
}

/** Names of the functions that apply a lambda. */
export const applicationNames = {
  has: (name: string): boolean => Object.hasOwn(applications, name),
};

/** Throws SqlError for an unknown function or a wrong number of lambda parameters. */
export function checkApplication(
  text: string,
  name: string,
  written: string,
  parameters: number,
  args: number,
  at: Position,
): void {
  const row = Object.hasOwn(applications, name) ? applications[name] : undefined;
  if (row === undefined)
    throw invalidNative(
      text,
      at,
      `function '${written}' is not defined as one that applies a lambda.`,
    );
  if (args < row.least || args > row.most)
    throw invalidNative(
      text,
      at,
      `Function[${written}] requires [${row.least}] arguments after its lambda, but has [${args}]`,
    );
  const wanted = row.parameters(args);
  if (parameters !== wanted)
    throw invalidNative(
      text,
      at,
      `Function[${written}] lambda expression has [${parameters}] parameters, but gets [${wanted}] values`,
    );
}

/** The value of a call with resolved arguments. */
export function apply(
  { name, at }: NativeApplication,
  args: readonly Typed[],
  body: LambdaBody,
  work: string | undefined,
): Typed {
  const row = applications[name];
  if (row === undefined) throw new TypeError(`[${name}] applies no lambda`);
  return row.resolve(args, body, { name, at, work });
}

const withItem = (array: Typed, sql: string, type = elementOf(array)): Typed => ({
  type,
  at: array.at,
  sql,
});
const elementOf = ({ type }: Typed): SqlType => type.element ?? varchar;

// Nested lists grow fast, so the number of values is checked before any is computed.
const bound = (list: string, count: string, name: string) =>
  `druid_fitting(${list}, ${count}, '${name}')`;

/** Applies a lambda to each element of one array. */
function ofOne(
  given: Typed,
  body: LambdaBody,
  { name, work }: Call,
  make: (list: string, item: (sql: string) => Typed) => string,
): string {
  const array = arrayFrom(given);
  return bindOutside([array.sql], ([list = '']) => {
    const count = work === undefined ? `len(${list})` : `len(${list}) * (${work})`;
    return make(work === undefined ? list : bound(list, count, name), (sql) =>
      body([withItem(array, sql)], count),
    );
  });
}

// Combines each element of each array with each element of the others; the last array changes
// fastest. All parameters have the element type of the last array.
function ofAll(
  given: readonly Typed[],
  { name, work }: Call,
  make: (combine: (result: (items: readonly Typed[], count: string) => string) => string) => string,
): string {
  const arrays = given.map(arrayFrom);
  const last = arrays.at(-1);
  const type = last ? elementOf(last) : varchar;
  return bindOutside(
    arrays.map(({ sql }) => sql),
    (lists) => {
      const count = [
        ...lists.map((list) => `len(${list})::DOUBLE`),
        ...(work === undefined ? [] : [`(${work})`]),
      ].join(' * ');
      const missing = lists.map((list) => `${list} IS NULL`).join(' OR ');
      const combine = (result: (items: readonly Typed[], count: string) => string) => {
        const level = (index: number, items: readonly Typed[]): string => {
          const [list, array] = [lists[index], arrays[index]];
          if (list === undefined || array === undefined) return result(items, count);
          const safe = index === 0 ? bound(list, count, name) : list;
          const each = lambda((item) =>
            level(index + 1, [...items, castTo(withItem(array, item), type, 'UTC')]),
          );
          return index === lists.length - 1
            ? `list_transform(${safe}, ${each})`
            : `flatten(list_transform(${safe}, ${each}))`;
        };
        return level(0, []);
      };
      return `(CASE WHEN NOT (${missing}) THEN ${make(combine)} END)`;
    },
  );
}

const map: Application['resolve'] = ([array], body, call) => {
  let type: SqlType = varchar;
  const sql = ofOne(array as Typed, body, call, (list, item) => {
    const each = lambda((name) => {
      const value = plain(item(name));
      type = value.type;
      return value.sql;
    });
    return `list_transform(${list}, ${each})`;
  });
  return { type: arrayOf(elementType(type)), at: call.at, sql: nullTyped(sql, type) };
};

const elementType = (type: SqlType): SqlType =>
  type.name === 'NULL' || type.name === 'CHAR' ? varchar : type;
const nullTyped = (sql: string, type: SqlType) =>
  type.name === 'NULL' ? `(${sql})::VARCHAR[]` : sql;

const cartesianMap: Application['resolve'] = (args, body, call) => {
  let type: SqlType = varchar;
  const sql = ofAll(args, call, (combine) =>
    combine((items, count) => {
      const value = plain(body(items, count));
      type = value.type;
      return value.sql;
    }),
  );
  return { type: arrayOf(elementType(type)), at: call.at, sql: nullTyped(sql, type) };
};

// At each step, the accumulator has the type of its initial value.
function accumulate(start: Typed): Typed {
  const value = plain(start);
  const type = value.type.name === 'NULL' ? varchar : storedType(value.type);
  return value.constant === null ? constantOf(null, type, value.at) : { ...value, type };
}

const storedType = (type: SqlType): SqlType =>
  isText(type) ? varchar : isInteger(type) ? bigint : type;

type Step = (accumulator: Typed, items: readonly Typed[]) => Typed;

/**
 * The accumulator after all items of a list. DuckDB reduces only lists of one type: the start and
 * the items become structs with the same fields, the first of which is the accumulator.
 */
export function reduce(
  start: Typed,
  types: readonly SqlType[],
  list: string,
  rowOf: (item: string) => readonly string[],
  step: Step,
): string {
  const { type, at } = start;
  const kind = duckdbTypeOf(type);
  const nulls = types.map((each) => `NULL::${duckdbTypeOf(each)}`);
  const rows = `list_transform(${list}, ${lambda((item) => `row(NULL::${kind}, ${rowOf(item).join(', ')})`)})`;
  const body = foldLambda((accumulator, row) => {
    const items = types.map(
      (each, index): Typed => ({ type: each, at, sql: `struct_extract(${row}, ${index + 2})` }),
    );
    const value = plain(step({ type, at, sql: `struct_extract(${accumulator}, 1)` }, items));
    const next = value.type.name === 'NULL' ? constantOf(null, type, at) : convert(value, type);
    return `row((${next.sql})::${kind}, ${nulls.join(', ')})`;
  });
  return `struct_extract(list_reduce(list_prepend(row((${start.sql})::${kind}, ${nulls.join(', ')}), ${rows}), ${body}), 1)`;
}

const fold: Application['resolve'] = ([given, initial], body, call) => {
  const start = accumulate(initial as Typed);
  const array = arrayFrom(given as Typed);
  const sql = bindOutside([array.sql, start.sql], ([list = '', from = '']) => {
    const count = call.work === undefined ? `len(${list})` : `len(${list}) * (${call.work})`;
    const safe = call.work === undefined ? list : bound(list, count, call.name);
    const step: Step = (accumulator, items) => body([...items, accumulator], count);
    const text = reduce(typedAs(start, from), [elementOf(array)], safe, (item) => [item], step);
    return `(CASE WHEN ${list} IS NOT NULL THEN ${text} END)`;
  });
  return { type: start.type, at: call.at, sql };
};

const typedAs = ({ type, at }: Typed, sql: string): Typed => ({ type, at, sql });

const cartesianFold: Application['resolve'] = (args, body, call) => {
  const start = accumulate(args.at(-1) as Typed);
  const arrays = args.slice(0, -1).map(arrayFrom);
  const last = arrays.at(-1);
  const types = arrays.map(() => (last ? elementOf(last) : varchar));
  const sql = bindOutside([start.sql], ([from = '']) =>
    ofAll(arrays, call, (combine) => {
      let work = '';
      const rows = combine((items, count) => {
        work = count;
        return `row(${items.map((item) => item.sql).join(', ')})`;
      });
      const rowOf = (item: string) =>
        types.map((_, index) => `struct_extract(${item}, ${index + 1})`);
      const text = reduce(typedAs(start, from), types, rows, rowOf, (accumulator, items) =>
        body([...items, accumulator], work),
      );
      return `CASE WHEN ${work} > 0 THEN ${text} END`;
    }),
  );
  return { type: start.type, at: call.at, sql };
};

const filter: Application['resolve'] = ([given], body, call) => {
  const array = given as Typed;
  const sql = ofOne(
    array,
    body,
    call,
    (list, item) => `druid_nonempty(list_filter(${list}, ${lambda((name) => hold(item(name)))}))`,
  );
  // A multi-value string stays multi-value.
  return { type: array.type.multiValue ? array.type : arrayFrom(array).type, at: call.at, sql };
};

const hold = (value: Typed): string => `coalesce(${holds(value).sql}, false)`;

const matching =
  (isAll: boolean): Application['resolve'] =>
  ([given], body, call) => {
    const sql = ofOne(given as Typed, body, call, (list, item) => {
      const count = `len(list_filter(${list}, ${lambda((name) => (isAll ? `NOT ${hold(item(name))}` : hold(item(name))))}))`;
      return `coalesce(${count} ${isAll ? '=' : '>'} 0, false)::BIGINT`;
    });
    return { type: bigint, at: call.at, sql };
  };

const applications: Readonly<Record<string, Application>> = {
  map: { least: 1, most: 1, parameters: () => 1, resolve: map },
  cartesian_map: {
    least: 1,
    most: Number.POSITIVE_INFINITY,
    parameters: (args) => args,
    resolve: cartesianMap,
  },
  filter: { least: 1, most: 1, parameters: () => 1, resolve: filter },
  fold: { least: 2, most: 2, parameters: () => 2, resolve: fold },
  cartesian_fold: {
    least: 2,
    most: Number.POSITIVE_INFINITY,
    parameters: (args) => args,
    resolve: cartesianFold,
  },
  any: { least: 1, most: 1, parameters: () => 1, resolve: matching(false) },
  all: { least: 1, most: 1, parameters: () => 1, resolve: matching(true) },
};
