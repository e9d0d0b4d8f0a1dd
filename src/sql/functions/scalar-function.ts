// Row type of the function table, and the check of a call against a row: arguments, result, DuckDB
// text.
import type { Call, Position } from '../ast.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { castTo, constantOf, toDouble, UnsupportedNumber } from '../expressions/casts.ts';
import { isList, mapValues, singleValued, textOfComputed } from '../expressions/multi-value.ts';
import type { Constant, Environment, Typed } from '../expressions/typed.ts';
import { cannotCall, invalidSql, notLiteral } from '../sql-error.ts';
import {
  bigint,
  decimal,
  isInteger,
  isNumeric,
  isText,
  isTime,
  nullType,
  type SqlType,
  varchar,
} from '../types.ts';

export interface ScalarFunction {
  readonly parameters: readonly ParameterType[];
  // How many of the last parameters may be omitted (or be the literal NULL)
  readonly optional: number;
  readonly nullable: number; // how many of the last parameters accept the literal NULL
  readonly variadic: boolean; // the last parameter repeats
  /** Calcite's own functions convert their arguments and accept NULL; Druid's do neither. */
  readonly lenient: boolean;
  readonly returns: SqlType | ((args: readonly Typed[]) => SqlType);
  /**
   * DuckDB text from the texts of the arguments. These are single values unless their parameter has
   * `whole`.
   */
  readonly duckdb: (args: readonly string[], call: ScalarCall) => string;
  readonly computesDouble?: true; // also where the result is a whole number
  readonly foldsNull?: true; // otherwise, a constant null makes the result null
  /** The value for constant arguments; undefined if it must be computed at run time. */
  readonly fold?: (args: readonly Constant[], call: ScalarCall) => Constant | undefined;
  readonly form?: string; // form of the arguments in messages, instead of the parameters' names
  readonly holdsQuery?: true; // its text is a subquery
  readonly isNative?: true; // native expressions have it under the same name
}

/** A call with resolved and converted arguments. */
export interface ScalarCall {
  readonly name: string;
  readonly at: Position;
  readonly args: readonly Typed[];
  readonly environment: Environment;
  readonly call: Call; // as written, for its modifiers
}

export interface ParameterType {
  readonly text: string; // in "Supported form(s)"
  readonly accepts: (type: SqlType) => boolean;
  readonly convert?: (arg: Typed, zone: string) => Typed;
  readonly literal?: 'known' | 'written'; // must be known during planning, or be a literal
  // The error for a wrong type, instead of the supported forms, if everything else is right
  readonly refusal?: (name: string) => Error;
  readonly list?: true; // the engine reads a list for this parameter
  readonly whole?: true; // takes a whole list, multi-value or not
  readonly takesNull?: boolean; // takes the word NULL; by default, whole lists and `any` do
}

const anyNumber = (text: string, convert?: ParameterType['convert']): ParameterType => ({
  text,
  accepts: isNumeric,
  ...(convert && { convert }),
});

/** A long or a double, unchanged. A FLOAT becomes a DOUBLE. */
export const numeric = anyNumber('NUMERIC', (arg, zone) =>
  isInteger(arg.type) ? arg : { ...toDouble(arg, zone), type: arg.type },
);
export const asDouble = anyNumber('NUMERIC', toDouble);
export const asLong = anyNumber('NUMERIC', (arg, zone) => castTo(arg, bigint, zone));
export const wholeNumber: ParameterType = { text: 'INTEGER', accepts: isInteger };
export const character: ParameterType = { text: 'CHARACTER', accepts: isText };
export const knownCharacter: ParameterType = { ...character, literal: 'known' };
export const literalText: ParameterType = { ...character, literal: 'written' };
export const time: ParameterType = {
  text: 'TIMESTAMP',
  accepts: (type) => type.name === 'TIMESTAMP',
};
export const any: ParameterType = { text: 'ANY', accepts: () => true };
export const asText: ParameterType = {
  text: 'CHARACTER',
  accepts: (type) => isText(type) || isNumeric(type) || isTime(type) || type.name === 'BOOLEAN',
  convert: (arg, zone) => (isText(arg.type) ? arg : castTo(arg, varchar, zone)),
};
/** An array, a multi-value string, or a single text as an array of one. */
export const list: ParameterType = {
  text: 'ARRAY',
  accepts: (type) => type.name === 'ARRAY' || isText(type),
  list: true,
  whole: true,
};

type Options = Partial<
  Pick<
    ScalarFunction,
    | 'computesDouble'
    | 'optional'
    | 'nullable'
    | 'variadic'
    | 'fold'
    | 'foldsNull'
    | 'form'
    | 'holdsQuery'
  >
>;

/** A function of Druid's own. */
export const druidFunction = (
  parameters: readonly ParameterType[],
  returns: ScalarFunction['returns'],
  duckdb: ScalarFunction['duckdb'],
  options: Options = {},
): ScalarFunction => ({
  optional: 0,
  nullable: options.optional ?? 0,
  variadic: false,
  lenient: false,
  parameters,
  returns,
  duckdb,
  ...options,
});

/** A function of the SQL standard (Calcite's). */
export const standardFunction = (
  parameters: readonly ParameterType[],
  returns: ScalarFunction['returns'],
  duckdb: ScalarFunction['duckdb'],
  options: Options = {},
): ScalarFunction => ({ ...druidFunction(parameters, returns, duckdb, options), lenient: true });

/** Checks a call's arguments and translates it. Throws with Calcite's messages. */
export function applyFunction(
  row: ScalarFunction,
  given: readonly Typed[],
  call: Call,
  environment: Environment,
): Typed {
  const { name, at } = call;
  checkCount(row, name, given.length, at);
  const args = given
    .map(withoutFieldText)
    .map((arg, index) =>
      convertArgument(
        row,
        parameterAt(row, index)?.whole ? arg : textOfComputed(arg),
        index,
        given,
        call,
        environment,
      ),
    );
  const refused = args
    .map((arg, index) => [arg, parameterAt(row, index)] as const)
    .find(([{ type }, parameter]) => parameter?.refusal && !parameter.accepts(type));
  if (refused?.[1]?.refusal) throw refused[1].refusal(name);
  const scalar: ScalarCall = { name, at, args, environment, call };
  const type = typeof row.returns === 'function' ? row.returns(args) : row.returns;
  if (type.name === 'NULL') return constantOf(null, nullType, at);
  const constants = args.map(({ constant }) => constant);
  if (row.fold && constants.every((constant) => constant !== undefined)) {
    const value =
      constants.includes(null) &&
      !row.foldsNull &&
      args.every(
        (arg, index) => arg.constant !== null || index < row.parameters.length - row.optional,
      )
        ? null
        : row.fold(constants, scalar);
    if (typeof value === 'number' && !Number.isFinite(value) && !environment.isNative)
      throw new UnsupportedNumber(nativeCall(name, constants), value);
    if (value !== undefined) return { ...constantOf(value, type, at), ...computedAs(row, type) };
  }
  const lists = args.filter((arg, index) => isList(arg) && !parameterAt(row, index)?.whole);
  if (lists.length === 0)
    return {
      type,
      at,
      sql: boundText(row, scalar),
      ...computedAs(row, type),
      ...(cascading.has(name) && isOfWholeArray(given) && { nullable: false }),
    };
  const wholes = args.map((arg, index) =>
    parameterAt(row, index)?.whole ? { ...arg, type: singleValued(arg.type) } : arg,
  );
  const sql = mapValues(wholes, (single) => {
    const given = single.map((arg, index) =>
      parameterAt(row, index)?.whole ? { ...(args[index] ?? arg), sql: arg.sql } : arg,
    );
    return row.duckdb(texts(given), { ...scalar, args: given });
  });
  // The lists of the single values are joined into one.
  const single =
    typeof row.returns === 'function'
      ? row.returns(args.map((arg) => ({ ...arg, type: singleValued(arg.type) })))
      : row.returns;
  if (single.multiValue || single.name === 'ARRAY')
    return { type: single, at, sql: `flatten(${sql})` };
  return type.name === 'BOOLEAN'
    ? { type: { ...type, multiValue: true }, at, sql: `druid_any(${sql})` }
    : { type: { ...type, multiValue: true }, at, sql };
}

// The expression that the planner makes of a call.
function nativeCall(name: string, constants: readonly unknown[]): string {
  if (name === 'SQRT') return `pow(${constants.join(',')},0.5)`;
  const nativeName = { LN: 'log', POWER: 'pow' }[name] ?? name.toLowerCase();
  return `${nativeName}(${constants.join(',')})`;
}

const computedAs = ({ computesDouble }: ScalarFunction, type: SqlType) =>
  computesDouble && isInteger(type) ? { isOfDouble: true as const } : {};

// Most functions use their arguments several times, in their text or in a macro. Long arguments are
// computed first.
function boundText(row: ScalarFunction, scalar: ScalarCall): string {
  const { args } = scalar;
  if (row.holdsQuery) return row.duckdb(texts(args), scalar);
  const computed = args.filter(({ constant }) => constant === undefined);
  return bindOnce(texts(computed), (names) => {
    const named = args.map((arg): Typed => {
      const sql = names[computed.indexOf(arg)];
      const { type, at, isOfDouble } = arg;
      return sql === undefined || sql === arg.sql
        ? arg
        : { type, at, sql, ...(isOfDouble && { isOfDouble }) };
    });
    return row.duckdb(texts(named), { ...scalar, args: named });
  });
}

// The planner assumes that these are null only if an argument is.
const cascading: ReadonlySet<string> = new Set([
  'ARRAY_LENGTH',
  'ARRAY_TO_STRING',
  'MV_LENGTH',
  'MV_TO_STRING',
]);

// An array that is written or that ARRAY_AGG made is never null.
const isOfWholeArray = (args: readonly Typed[]): boolean =>
  args.some(({ type, nullable }) => type.name === 'ARRAY' && nullable === false) &&
  args.every(({ constant, nullable }) => nullable === false || (constant ?? null) !== null);

// A function reads its arguments in their own types.
function withoutFieldText({ fieldText: _, ...arg }: Typed): Typed {
  return arg;
}

const texts = (args: readonly Typed[]) => args.map(({ sql }) => sql);

const parameterAt = (row: ScalarFunction, index: number) =>
  row.parameters[Math.min(index, row.parameters.length - 1)];

function checkCount(row: ScalarFunction, name: string, count: number, at: Position): void {
  const least = row.parameters.length - row.optional;
  if (count >= least && (row.variadic || count <= row.parameters.length)) return;
  throw invalidSql(
    `Invalid number of arguments to function '${name}'. Was expecting ${least} arguments`,
    at,
  );
}

function convertArgument(
  row: ScalarFunction,
  arg: Typed,
  index: number,
  given: readonly Typed[],
  call: Call,
  { timeZone }: Environment,
): Typed {
  const parameter = parameterAt(row, index);
  if (!parameter) throw new TypeError(`No parameter [${index}]`);
  if (parameter.refusal) return arg;
  const isKnown = parameter.literal === 'written' ? arg.isLiteral : arg.constant !== undefined;
  if (parameter.literal && !isKnown) throw notLiteral(call.name, arg.at);
  // Druid's functions of plain types read CAST(NULL AS type) as NULL where the type does not fit.
  const isNull = !row.lenient && row.form === undefined && arg.isLiteral && arg.constant === null;
  if (arg.type.name === 'NULL' || (isNull && !parameter.accepts(arg.type))) {
    if (
      !row.lenient &&
      index < row.parameters.length - row.nullable &&
      !(parameter.takesNull ?? (parameter === any || parameter.whole))
    ) {
      throw invalidSql("Illegal use of 'NULL'", arg.at);
    }
    return { ...arg, type: nullType };
  }
  const converted = parameter.accepts(arg.type)
    ? arg
    : row.lenient
      ? coerce(arg, parameter, timeZone)
      : undefined;
  if (!converted) throw cannotApply(row, given, call);
  return parameter.convert ? parameter.convert(converted, timeZone) : converted;
}

function coerce(arg: Typed, parameter: ParameterType, zone: string): Typed | undefined {
  if (isText(arg.type) && parameter.accepts(decimal)) return castTo(arg, decimal, zone);
  if (isText(arg.type) && parameter.accepts(bigint)) return castTo(arg, bigint, zone);
  if ((isNumeric(arg.type) || isTime(arg.type)) && parameter.accepts(varchar))
    return castTo(arg, varchar, zone);
  return undefined;
}

/** The refusal of arguments that do not fit. */
export const cannotApply = (row: ScalarFunction, given: readonly Typed[], call: Call) =>
  cannotCall(call, given, `${call.name}(${formOf(row)})`);

/**
 * The arguments of a row in Calcite's notation: `<CHARACTER>, [<INTEGER>]`, or the form of the row.
 */
export function formOf({ form, parameters, optional }: ScalarFunction): string {
  if (form !== undefined) return form;
  const needed = parameters.slice(0, parameters.length - optional).map(({ text }) => `<${text}>`);
  const rest = parameters.slice(parameters.length - optional).map(({ text }) => `[<${text}>`);
  return `${[...needed, ...rest].join(', ')}${']'.repeat(optional)}`;
}

/** Result types that follow from the arguments. */
export const typeOfFirst = (args: readonly Typed[]): SqlType =>
  singleValued(args[0]?.type ?? nullType);
