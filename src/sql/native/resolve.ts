// Resolver of native expressions. Functions are those of SQL. Types follow the engine's native
// rules: a function converts any value that it gets. If a multi-value column is used as a single
// value, the whole expression is computed for each of its values, and for each combination of the
// values of several such columns (Druid: Parser.applyUnappliedBindings). A row with one value has
// one result.
import { bindFound, bindOutside, lambda } from '../expressions/bind-once.ts';
import { constantOf, mapList } from '../expressions/casts.ts';
import { isList, singleValued } from '../expressions/multi-value.ts';
import { type Scope, scopeWith, type Typed } from '../expressions/typed.ts';
import { findFunction } from '../functions/functions.ts';
import type { ParameterType, ScalarFunction } from '../functions/scalar-function.ts';
import { resolveExpression } from '../resolution/resolve-expression.ts';
import { SqlError } from '../sql-error.ts';
import {
  arrayOf,
  bigint,
  boolean,
  double,
  integer,
  isInteger,
  isNumeric,
  isText,
  json,
  type SqlType,
  varchar,
} from '../types.ts';
import { apply } from './applications.ts';
import { resolveOver } from './call-values.ts';
import { callOf, sqlNameOf, textsOf } from './calls.ts';
import { columnNamed } from './expressions.ts';
import { cannotRun, isFailureOfRun } from './members.ts';
import {
  type NativeApplication,
  type NativeCall,
  type NativeExpression,
  partsOf,
} from './native-expression.ts';
import { nativeBinary, nativeUnary } from './native-operators.ts';
import { arrayFrom, convert, holds, isArray, numberOf, plain, textOf } from './native-values.ts';
import { ownForms } from './own-forms.ts';
import { parseNativeExpression } from './parse-expression.ts';
import { missingSql } from './source.ts';
import { invalidNative } from './tokenize.ts';

/**
 * The value of a native expression (the `expression` of a transform or virtual column). Conditions
 * are the numbers 1 and 0, as in the native language.
 * Throws SqlError for an invalid expression.
 */
export const resolveNativeExpression = (given: string | NativeExpression, scope: Scope): Typed =>
  plain(wholeValue(given, scope));

/**
 * A native expression as a condition. An expression with several values holds if any of them does.
 * Throws SqlError.
 */
export function nativeCondition(text: string, scope: Scope): Typed {
  const value = wholeValue(text, scope);
  if (!isList(value) && !isArray(value)) return holds(value);
  const element = isArray(value) ? (value.type.element ?? varchar) : singleValued(value.type);
  const each = lambda((item) => holds({ type: element, at: value.at, sql: item }).sql);
  // If no value meets the condition, the result is unknown for an empty list and beside a null.
  const sql = bindOutside(
    [`list_transform(${value.sql}, ${each})`],
    ([held = '']) =>
      `CASE WHEN list_contains(${held}, true) THEN true WHEN len(list_filter(${held}, ${lambda((item) => `${item} IS NOT NULL`)})) = len(${held}) AND ${isArray(value) ? 'true' : `len(${held}) > 0`} THEN false END`,
  );
  return { type: boolean, at: value.at, sql };
}

// How often a part within lambdas is computed per row.
interface ResolutionContext {
  readonly scope: Scope;
  readonly work?: string;
  readonly depth?: number; // nesting of lambdas
  /** The value of a lookup, which is computed outside of the lambda. */
  readonly lookedUp?: (call: NativeCall) => Typed;
}

const deepestLambda = 5; // each lambda multiplies the work

// An error in an expression is reported as an error of the query that contains it.
function wholeValue(given: string | NativeExpression, scope: Scope): Typed {
  try {
    return mapElements(typeof given === 'string' ? parseNativeExpression(given) : given, { scope });
  } catch (error) {
    if (error instanceof SqlError && error.category === 'UNCATEGORIZED')
      throw isFailureOfRun(error) ? cannotRun(error.message) : new SqlError(error.message);
    throw error;
  }
}

function mapElements(expression: NativeExpression, place: ResolutionContext): Typed {
  const lists = [...scalarLists(expression, place.scope)];
  const [only, another] = lists;
  if (only === undefined) return resolvePart(expression, place);
  if (another === undefined && hasLookup(expression))
    return mapLookups(expression, place.scope, only);
  let type: SqlType = varchar;
  const columns = lists.map((name) => place.scope.column([name], expression.at));
  const level = (index: number, { scope, work }: ResolutionContext): string => {
    const [name, list] = [lists[index], columns[index]];
    if (name === undefined || list === undefined) {
      const value = plain(resolvePart(expression, { scope, ...(work !== undefined && { work }) }));
      type = value.type.name === 'NULL' ? varchar : value.type;
      return value.type.name === 'NULL' ? constantOf(null, varchar, value.at).sql : value.sql;
    }
    const each = lambda((item) => {
      const single: Typed = { type: singleValued(list.type), at: list.at, sql: item };
      return level(index + 1, {
        scope: scopeWithNames(scope, [name], [single]),
        work: work === undefined ? `len(${list.sql})` : `${work} * len(${list.sql})`,
      });
    });
    const values = `druid_values(${list.sql})`;
    const safe =
      index === 0 && lists.length > 1
        ? `druid_fitting(${values}, ${columns.map(({ sql }) => `len(${sql})::DOUBLE`).join(' * ')}, 'cartesian_map')`
        : values;
    return index === lists.length - 1
      ? `list_transform(${safe}, ${each})`
      : `flatten(list_transform(${safe}, ${each}))`;
  };
  const sql = level(0, place);
  return {
    type: isArrayType(type) ? arrayOf(type) : { ...type, multiValue: true },
    at: expression.at,
    sql,
  };
}

// The values of an expression for each value of a list. A lambda cannot contain the query of a
// lookup, so all values are looked up before.
function mapLookups(expression: NativeExpression, scope: Scope, name: string): Typed {
  const list = scope.column([name], expression.at);
  let type: SqlType = varchar;
  const sql = bindFound((named) => {
    const all = named(`druid_values(${list.sql})`);
    return mapList(`range(1, len(${all}) + 1)`, (index) => {
      const single: Typed = {
        type: singleValued(list.type),
        at: list.at,
        sql: `${all}[${index}]`,
      };
      const value = plain(
        resolvePart(expression, {
          scope: scopeWithNames(scope, [name], [single]),
          work: `len(${list.sql})`,
          lookedUp(call) {
            const found = callValue(call, { scope });
            const text = named(found.sql);
            return isList(found)
              ? { type: singleValued(found.type), at: found.at, sql: `${text}[${index}]` }
              : { ...found, sql: text };
          },
        }),
      );
      type = value.type.name === 'NULL' ? varchar : value.type;
      return value.sql;
    });
  });
  return {
    type: isArrayType(type) ? arrayOf(type) : { ...type, multiValue: true },
    at: expression.at,
    sql,
  };
}

const hasLookup = (expression: NativeExpression): boolean =>
  (expression.kind === 'call' && expression.name === 'lookup') ||
  partsOf(expression).some(hasLookup);

const isArrayType = ({ name }: SqlType) => name === 'ARRAY' || name === 'OTHER';

/**
 * Multi-value columns that stand for single values in an expression. Array arguments and lambdas
 * handle their own columns.
 */
export function scalarLists(expression: NativeExpression, scope: Scope): ReadonlySet<string> {
  if (expression.kind === 'name')
    return new Set(isList(scope.column([expression.name], expression.at)) ? [expression.name] : []);
  const parts = partsOf(expression).filter((_, index) => !isArrayArgument(expression, index));
  return new Set(parts.flatMap((part) => [...scalarLists(part, scope)]));
}

// Whether the function reads an array at this index.
function isArrayArgument(expression: NativeExpression, index: number): boolean {
  if (expression.kind === 'application') return true;
  if (expression.kind !== 'call') return false;
  if (
    expression.name === 'lookup' ||
    expression.name === 'array_to_mv' ||
    expression.name === 'mv_to_array'
  )
    return index === 0;
  if (expression.name === 'cast') {
    const type = expression.args[1];
    return index === 0 && type?.kind === 'literal' && /^(ARRAY|COMPLEX)</i.test(type.text);
  }
  return parameterOf(expression.name, index)?.list === true;
}

function parameterOf(name: string, index: number): ParameterType | undefined {
  const row = functionOf(name);
  return row?.parameters[Math.min(index, row.parameters.length - 1)];
}

const functionOf = (name: string): ScalarFunction | undefined => {
  if (Object.hasOwn(ownForms, name)) return undefined;
  const sql = sqlNameOf(name);
  return sql === undefined ? undefined : findFunction(sql);
};

function resolvePart(expression: NativeExpression, place: ResolutionContext): Typed {
  const { scope } = place;
  switch (expression.kind) {
    case 'literal':
      if (expression.type === 'double')
        return constantOf(Number(expression.text), double, expression.at);
      return literal(expression, scope);
    case 'name': {
      const value = plain(
        resolveExpression({ ...columnNamed(expression.name), at: expression.at }, scope),
      );
      return value.sql === missingSql ? constantOf(null, varchar, value.at) : value;
    }
    case 'array':
      return arrayLiteral(expression, scope);
    case 'unary':
      // The smallest long has no positive counterpart.
      if (
        expression.operator === '-' &&
        expression.operand.kind === 'literal' &&
        expression.operand.type === 'integer'
      )
        return literal({ ...expression.operand, text: `-${expression.operand.text}` }, scope);
      return nativeUnary(
        expression.operator,
        resolvePart(expression.operand, place),
        expression.at,
      );
    case 'binary':
      return nativeBinary(
        expression.operator,
        resolvePart(expression.left, place),
        resolvePart(expression.right, place),
        expression.at,
        scope,
      );
    case 'call':
      return callValue(expression, place);
    case 'application':
      return applicationValue(expression, place);
  }
}

function literal(expression: Extract<NativeExpression, { kind: 'literal' }>, scope: Scope): Typed {
  const value = resolveExpression(expression, scope);
  if (expression.type === 'integer' && typeof value.constant !== 'bigint')
    throw invalidNative(expression.text, expression.at, 'it is out of the range of a LONG');
  return value;
}

function arrayLiteral(
  { items, element, at }: Extract<NativeExpression, { kind: 'array' }>,
  scope: Scope,
): Typed {
  const values = items.map((item) => resolvePart(item, { scope }));
  const kinds = new Set(
    values.filter(({ constant }) => constant !== null).map(({ type }) => isText(type)),
  );
  if (element === undefined && kinds.size > 1)
    throw new SqlError('An array in brackets holds texts or numbers, not both');
  const given = elementTypes[element ?? ''] ?? varchar;
  const type = element === undefined ? literalType(values) : given;
  const constants = values.map((value) =>
    value.constant === null ? null : convert(value, type).constant,
  );
  return constantOf(
    constants.map((constant) => constant ?? null),
    arrayOf(type),
    at,
  );
}

const elementTypes: Readonly<Record<string, SqlType>> = {
  LONG: bigint,
  DOUBLE: double,
  STRING: varchar,
};

const literalType = (values: readonly Typed[]): SqlType => {
  const known = values.filter(({ constant }) => constant !== null);
  if (known.length > 0 && known.every(({ type }) => isInteger(type))) return bigint;
  return known.length > 0 && known.every(({ type }) => isNumeric(type)) ? double : varchar;
};

// ── Functions ────────────────────────────────────────────────────────────────────────────────────

function callValue(call: NativeCall, place: ResolutionContext): Typed {
  const { name, args, at, text } = call;
  const { scope } = place;
  if (name === 'mv_to_array' && args[0]?.kind !== 'name')
    throw invalidNative(
      text,
      at,
      'Function[mv_to_array] argument should be an identifier expression. Use array() instead',
    );
  if (name === 'lookup' && place.lookedUp) return place.lookedUp(call);
  if (name === 'lookup' && place.work !== undefined)
    throw invalidNative(
      text,
      at,
      'Function[lookup] is not supported in a lambda; look the values of a multi-value column up',
    );
  const literals = literalArguments[name];
  const wrong = literals && args.slice(literals).find((arg) => arg.kind !== 'literal');
  if (wrong) throw invalidNative(text, wrong.at, `Function[${name}] needs a literal here`);
  if (patterns.has(name) && args[1]?.kind === 'literal' && args[1].type !== 'string')
    throw invalidNative(
      text,
      at,
      `Function[${name}] needs a string literal as its second argument`,
    );
  if (name === 'json_object' && args.length % 2 === 1)
    throw invalidNative(text, at, 'Function[json_object] must have an even number of arguments');
  const values = args.map((arg, index) =>
    isArrayArgument(call, index)
      ? name === 'lookup'
        ? mappedPart(arg, place)
        : arrayArgument(arg, place)
      : resolvePart(arg, place),
  );
  const [first] = values;
  if (first && onlyTexts.has(name) && !isText(first.type) && first.constant !== null)
    throw invalidNative(text, at, `Function[${name}] needs a STRING argument`);
  const own = Object.hasOwn(ownForms, name) ? ownForms[name] : undefined;
  if (own) return { ...own.resolve(values, { text, name, at, scope }), at };
  const row = functionOf(name);
  if (row !== undefined) {
    // Functions of one number do not accept texts or arrays.
    if (
      row.parameters.length === 1 &&
      first &&
      isNumber(row.parameters[0]) &&
      !isNumeric(plain(first).type)
    )
      return constantOf(null, double, at);
    // A set operation with a null array is null.
    if (
      name.startsWith('array_set_') &&
      values.some((value, index) => value.type.name === 'NULL' && parameterOf(name, index)?.list)
    )
      return constantOf(null, varchar, at);
    const fitting = values.map((value, index) => argumentOf(value, parameterOf(name, index)));
    return resolveOver(fitting, scope, (expressions) => callOf(name, expressions));
  }
  const texts = textsOf(name);
  return resolveOver(
    values.map((value, index) => (index < texts ? textOf(value) : plain(value))),
    scope,
    (expressions) => callOf(name, expressions),
  );
}

// The index of the first argument that must be a literal. All later arguments must be literals too.
const literalArguments: Readonly<Record<string, number>> = {
  timestamp_floor: 1,
  timestamp_ceil: 1,
  timestamp_extract: 1,
  timestamp_format: 1,
  timestamp_parse: 1,
  contains_string: 1,
  icontains_string: 1,
};

const patterns: ReadonlySet<string> = new Set(['contains_string', 'icontains_string', 'like']);

const onlyTexts: ReadonlySet<string> = new Set([
  'parse_json',
  'reverse',
  'timestamp',
  'unix_timestamp',
]);

const isNumber = (parameter: ParameterType | undefined) =>
  parameter?.accepts(bigint) === true && !parameter.accepts(varchar);

// An array is passed unchanged. Other expressions of a multi-value column are computed for each of
// its values.
const arrayArgument = (arg: NativeExpression, place: ResolutionContext): Typed => {
  const value = mappedPart(arg, place);
  return isList(value) ? arrayFrom(value) : value;
};

const mappedPart = (arg: NativeExpression, place: ResolutionContext): Typed =>
  arg.kind === 'name' ? resolvePart(arg, place) : mapElements(arg, place);

// A value converted for a parameter.
function argumentOf(given: Typed, parameter: ParameterType | undefined): Typed {
  const value = plain(given);
  if (!parameter) return value;
  const wanted =
    [varchar, bigint, integer, double, arrayOf(varchar), json].find((type) =>
      parameter.accepts(type),
    ) ?? varchar;
  if (value.type.name === 'NULL') {
    // A null pattern is not a pattern, and a null array is not a constant.
    if (parameter.accepts(value.type) || parameter.literal) return value;
    return wanted.name === 'ARRAY' || parameter.list
      ? { type: arrayOf(varchar), at: value.at, sql: 'NULL::VARCHAR[]' }
      : constantOf(null, wanted, value.at);
  }
  if (parameter.accepts(value.type)) return value;
  if (parameter.list) return arrayFrom(value);
  if (isText(wanted)) return textOf(value);
  if (isNumeric(wanted))
    return numberOf(
      value,
      isNumeric(value.type) ? wanted : parameter.accepts(double) ? double : bigint,
      'zero',
    );
  return convert(value, wanted);
}

// ── Lambdas ──────────────────────────────────────────────────────────────────────────────────────

function applicationValue(call: NativeApplication, place: ResolutionContext): Typed {
  const { scope } = place;
  const depth = (place.depth ?? 0) + 1;
  if (depth > deepestLambda)
    throw invalidNative(
      call.text,
      call.at,
      `lambdas are nested more than [${deepestLambda}] levels`,
    );
  const isFold = call.name.endsWith('fold');
  const bodyScope = scopeWithNames(
    scope,
    call.parameters,
    call.parameters.map(() => constantOf(null, varchar, call.at)),
  );
  const lifted = [...scalarLists(call.body, bodyScope)];
  if (lifted.length > 0 && !isFold && !call.name.endsWith('map'))
    throw invalidNative(
      call.text,
      call.at,
      `a multi-value column [${lifted[0]}] in the lambda of [${call.name}] is not supported; use it as an array`,
    );
  const args = call.args.map((arg, index) => {
    if (isFold && index === call.args.length - 1) return resolvePart(arg, place);
    return arg.kind === 'name'
      ? resolveExpression({ ...columnNamed(arg.name), at: arg.at }, scope)
      : mapElements(arg, place);
  });
  const more = lifted.map((name) => scope.column([name], call.at));
  const all = isFold ? [...args.slice(0, -1), ...more, ...args.slice(-1)] : [...args, ...more];
  const parameters = isFold
    ? [...call.parameters.slice(0, -1), ...lifted, ...call.parameters.slice(-1)]
    : [...call.parameters, ...lifted];
  const name =
    lifted.length > 0 && !call.name.startsWith('cartesian_') ? `cartesian_${call.name}` : call.name;
  const body = (values: readonly Typed[], work: string) =>
    resolvePart(call.body, { scope: scopeWithNames(scope, parameters, values), work, depth });
  return { ...apply({ ...call, name }, all, body, place.work), at: call.at };
}

// The scope in which some names are bound to values. DuckDB does not accept a query in a lambda.
const scopeWithNames = (scope: Scope, names: readonly string[], values: readonly Typed[]): Scope =>
  scopeWith(scope, {
    environment: { ...scope.environment, isWithoutQueries: true },
    column(path, at) {
      const value = values[names.lastIndexOf(path.at(-1) ?? '')];
      return value ? { ...value, at } : scope.column(path, at);
    },
  });
