// Functions of nested data. Other values are JSON values themselves: a text is a JSON string, not
// JSON text.

import { hashCodeOf, inHashOrder } from '../../model/java-hash.ts';
import type { Call, TypeName } from '../ast.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { castTo, mapList, toDouble } from '../expressions/casts.ts';
import { parsePath, pathText } from '../expressions/json-path.ts';
import { isList, mapValues, onlyValue } from '../expressions/multi-value.ts';
import { typeOfName } from '../expressions/type-name.ts';
import type { Environment, Typed } from '../expressions/typed.ts';
import { invalidSql, notLiteral, refusedCall, SqlError } from '../sql-error.ts';
import {
  arrayOf,
  isFractional,
  isInteger,
  isJson,
  isText,
  json,
  nativeTypeOf,
  type SqlType,
  typeText,
  varchar,
} from '../types.ts';
import { sameInNative } from './same-in-native.ts';
import { druidFunction, type ParameterType, type ScalarFunction } from './scalar-function.ts';
import type { SpecialFunction } from './special-function.ts';

/** Any value as JSON. */
export function jsonOf(arg: Typed): string {
  if (isJson(arg.type)) return arg.sql;
  if (arg.isOfDouble) return jsonOf(toDouble(arg, 'UTC'));
  if (arg.type.name === 'NULL') return 'NULL::JSON';
  if (arg.type.name === 'BOOLEAN') return `to_json((${arg.sql})::BIGINT)`;
  if (isFractional(arg.type) && isList(arg))
    return onlyOrAll(mapList(arg.sql, (item) => `druid_json_double(${item})`));
  if (isFractional(arg.type)) return bindOnce([arg.sql], ([x]) => `druid_json_double(${x})`);
  if (arg.type.element && isFractional(arg.type.element))
    return `to_json(${mapList(arg.sql, (item) => `druid_json_double(${item})`)})`;
  if (isList(arg)) return onlyOrAll(arg.sql);
  return `to_json(${arg.sql})`;
}

// A part of a value, or the whole value if the path is null or empty.
function partOf(value: Typed, path: Typed | undefined, { name, at }: Call): string {
  if (path && !isText(path.type) && path.type.name !== 'NULL') {
    const types = [value, path].map(({ type }) => `<${typeText(type).toUpperCase()}>`);
    const symbols = name === 'JSON_QUERY' ? ['<SYMBOL>', '<SYMBOL>', '<SYMBOL>'] : [];
    throw refusedCall({ name, at }, [...types, ...symbols].join(', '), `${name}(${form})`);
  }
  if (path !== undefined && path.constant !== null && typeof path.constant !== 'string') {
    throw notLiteral(name, at);
  }
  const parts = parsePath(typeof path?.constant === 'string' ? path.constant : '');
  return parts.length === 0 ? jsonOf(value) : `json_extract(${jsonOf(value)}, ${pathText(parts)})`;
}

// JSON_VALUE has no default and no error of its own.
function refuseBehaviours({ onEmpty = 'NULL', onError = 'NULL' }: Call['json'] = {}): void {
  const word = onEmpty !== 'NULL' ? 'EMPTY' : onError !== 'NULL' ? 'ERROR' : undefined;
  if (word === undefined) return;
  throw new SqlError(
    `Unsupported JSON_VALUE parameter 'ON ${word}' defined - please re-issue this query without this argument`,
    { category: 'UNCATEGORIZED', code: 'legacyQueryException', persona: 'OPERATOR' },
  );
}

// A condition in a column of nested data is read as stored: a text is true if it is `true`.
const jsonValue: SpecialFunction['resolve'] = (args, call, { timeZone: zone }) => {
  const [value, path] = args;
  const { at, json: modifiers } = call;
  if (!value) throw new TypeError('JSON_VALUE has an argument');
  refuseBehaviours(modifiers);
  const type = modifiers?.returning ? typeOfName(modifiers.returning) : varchar;
  const part = partOf(value, path, call);
  if (type.name === 'ARRAY') {
    return {
      ...castTo(
        {
          type: arrayOf(varchar),
          at,
          sql: bindOnce([part], ([json]) => `druid_json_texts(${json})`),
        },
        type,
        zone,
      ),
      at,
    };
  }
  if (type.name === 'BOOLEAN' && isJson(value.type) && call.args[0]?.kind === 'identifier')
    return { type, at, sql: bindOnce([part], ([json]) => `druid_json_boolean(${json})`) };
  const text = bindOnce([part], ([json]) => `druid_json_value(${json})`);
  const isNumberOfField = isInteger(type) && call.args[0]?.kind === 'identifier';
  return {
    ...castTo({ type: varchar, at, sql: text }, type, zone),
    at,
    ...(isNumberOfField && { fieldText: text }),
  };
};

const jsonPart =
  (type: SqlType, text: (part: string) => string): SpecialFunction['resolve'] =>
  ([value, path], call) => {
    if (!value) throw new TypeError(`${call.name} has an argument`);
    return {
      type,
      at: call.at,
      sql: bindOnce([partOf(value, path, call)], ([part = '']) => text(part)),
    };
  };

// The path must not be null.
const withPath =
  (resolve: SpecialFunction['resolve']): SpecialFunction['resolve'] =>
  (args, call, environment) => {
    if (args[1]?.constant === null) throw invalidSql("Illegal use of 'NULL'", args[1].at);
    return resolve(args, call, environment);
  };

// The word NULL makes all values texts.
function jsonObject(given: readonly Typed[], { at }: Call, { timeZone }: Environment): Typed {
  const isOfTexts = given.some(({ type }, index) => index % 2 === 1 && type.name === 'NULL');
  const args = isOfTexts ? given.map((arg) => castTo(arg, varchar, timeZone)) : given;
  const entries = new Map<string, { readonly name: string; readonly value: Typed }>();
  for (let index = 0; index + 1 < args.length; index += 2) {
    const [key, value] = [args[index], args[index + 1]];
    if (!key || !value) break;
    if (key.type.name === 'NULL') throw invalidSql("Illegal use of 'NULL'", key.at);
    if (!isText(key.type))
      throw invalidSql(`Cannot apply 'JSON_OBJECT' to a key of type '<${typeText(key.type)}>'`, at);
    if (isList(key))
      throw new SqlError(
        'Function[json_object] field name must be a STRING, not a multi-value string',
        { code: 'general' },
      );
    // The last of equal keys wins. The engine builds a hash table of the keys.
    const name = typeof key.constant === 'string' ? key.constant : '';
    entries.set(key.sql, { name, value });
  }
  const inOrder = inHashOrder([...entries], ([, { name }]) => hashCodeOf(name));
  if (inOrder.length === 0) return { type: json, at, sql: 'json_object()' };
  const values = inOrder.map(([, { value }]) => asArray(value));
  const objectOf = (items: readonly Typed[]) =>
    `druid_sized_json(json_object(${inOrder.map(([key], index) => `${key}, ${itemJson(items[index])}`).join(', ')}), 'json_object')`;
  const sql = mapValues(values, objectOf, orOneNull);
  return { type: json, at, sql: values.some(isList) ? onlyOrAll(sql) : sql };
}

// The values that a function made are an array of their own.
const asArray = (value: Typed): Typed =>
  value.type.isComputed ? { ...value, type: arrayOf(varchar) } : value;

// A row without values has one null.
const orOneNull = (list: string) =>
  bindOnce([list], ([x]) => `CASE WHEN coalesce(len(${x}), 0) = 0 THEN [NULL] ELSE ${x} END`);

const itemJson = (item: Typed | undefined) => (item ? jsonOf(item) : 'NULL');

// One item is itself; several are an array.
const onlyOrAll = (list: string) =>
  bindOnce([list], ([x]) => `CASE WHEN len(${x}) = 1 THEN to_json(${x}[1]) ELSE to_json(${x}) END`);

const jsonArgument: ParameterType = {
  text: 'ANY',
  accepts: () => true,
  whole: true,
};

// JSON texts or nested data, as JSON text.
function jsonTextOf(arg: Typed): string {
  if (isText(arg.type) || arg.type.name === 'NULL')
    return castTo(onlyValue(arg), varchar, 'UTC').sql;
  if (isJson(arg.type)) return `${arg.sql}::VARCHAR`;
  throw new SqlError(
    `Function[json_merge] invalid input expected STRING but got ${nativeTypeOf(arg.type)} instead`,
    { code: 'general' },
  );
}

// DuckDB prints doubles in its own format when it converts them to JSON.
const textOfDoubles = (doubles: string) =>
  `CASE WHEN ${doubles} IS NOT NULL THEN '[' || array_to_string(${mapList(doubles, (item) => `coalesce(druid_json_double(${item})::VARCHAR, 'null')`)}, ',') || ']' END`;

const jsonTextOfValue = (value: Typed): string =>
  isText(value.type)
    ? `(druid_sized_json(${jsonOf(value)}, 'to_json_string'))::VARCHAR`
    : value.type.element && isFractional(value.type.element)
      ? bindOnce([value.sql], ([doubles = '']) => textOfDoubles(doubles))
      : `(${jsonOf(value)})::VARCHAR`;

const parsing = (name: 'druid_parse_json' | 'druid_try_parse_json'): ScalarFunction =>
  druidFunction(
    [{ text: 'CHARACTER', accepts: isText, whole: true, takesNull: false }],
    json,
    (_, { args: [text] }) => {
      if (!text) return '';
      const parsed = mapValues([text], ([one]) => `${name}(${one?.sql})::JSON`);
      return isList(text) ? onlyOrAll(parsed) : parsed;
    },
  );

export const jsonFunctions: Record<string, ScalarFunction> = {
  PARSE_JSON: sameInNative(parsing('druid_parse_json')),
  TRY_PARSE_JSON: parsing('druid_try_parse_json'),
  TO_JSON_STRING: sameInNative(
    druidFunction(
      [jsonArgument],
      ([value]): SqlType => (value && isList(value) ? { ...varchar, multiValue: true } : varchar),
      (_, { args: [value] }) =>
        value ? mapValues([value], ([item]) => (item ? jsonTextOfValue(item) : '')) : '',
    ),
  ),
  JSON_MERGE: sameInNative(
    druidFunction(
      [jsonArgument, jsonArgument],
      json,
      (_, { args, environment }) =>
        `druid_merge_json([${args.map(jsonTextOf).join(', ')}], ${environment.version < 37})::JSON`,
      {
        variadic: true,
      },
    ),
  ),
  JSON_PATHS: sameInNative(
    druidFunction([jsonArgument], arrayOf(varchar), (_, { args: [value] }) => {
      if (!value) return '';
      return isJson(value.type)
        ? `coalesce(druid_json_paths(${value.sql}::VARCHAR), ['$'])`
        : "['$']";
    }),
  ),
};

const form = '<ANY>, <CHARACTER>';

// JSON_VALUE as the planner writes it for each type of RETURNING.
const typedValues: Readonly<Record<string, Omit<TypeName, 'at'>>> = {
  JSON_VALUE_ANY: { name: 'VARCHAR', native: false, array: false },
  JSON_VALUE_ARRAY_BIGINT: { name: 'BIGINT', native: false, array: true },
  JSON_VALUE_ARRAY_DOUBLE: { name: 'DOUBLE', native: false, array: true },
  JSON_VALUE_ARRAY_VARCHAR: { name: 'VARCHAR', native: false, array: true },
  JSON_VALUE_BIGINT: { name: 'BIGINT', native: false, array: false },
  JSON_VALUE_DOUBLE: { name: 'DOUBLE', native: false, array: false },
  JSON_VALUE_VARCHAR: { name: 'VARCHAR', native: false, array: false },
};

export const jsonForms: Readonly<Record<string, SpecialFunction>> = {
  JSON_VALUE: { form, least: 1, most: 2, resolve: jsonValue },
  ...Object.fromEntries(
    Object.entries(typedValues).map(([name, returning]) => [
      name,
      {
        form,
        least: 2,
        most: 2,
        resolve: (args, call, environment) =>
          jsonValue(
            args,
            { ...call, json: { returning: { ...returning, at: call.at } } },
            environment,
          ),
      } satisfies SpecialFunction,
    ]),
  ),
  JSON_QUERY: sameInNative({
    form,
    least: 1,
    most: 2,
    resolve: jsonPart(json, (part) => `druid_json(${part})`),
  }),
  JSON_QUERY_ARRAY: sameInNative({
    form,
    least: 2,
    most: 2,
    resolve: withPath(jsonPart(arrayOf(json), (part) => `druid_json_array(${part})`)),
  }),
  JSON_KEYS: sameInNative({
    form,
    least: 2,
    most: 2,
    resolve: withPath(jsonPart(arrayOf(varchar), (part) => `druid_json_keys(${part})`)),
  }),
  JSON_OBJECT: sameInNative({
    form: 'KEY <CHARACTER> VALUE <ANY>, ...',
    least: 0,
    most: Number.POSITIVE_INFINITY,
    resolve: jsonObject,
  }),
};
