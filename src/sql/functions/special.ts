// Functions whose meaning depends on more than argument types: on conditions, units or literals.
import type { Call, Expression } from '../ast.ts';
import { bindOnce } from '../expressions/bind-once.ts';
import { castTo, constantOf } from '../expressions/casts.ts';
import { isList, mapValues, singleValued } from '../expressions/multi-value.ts';
import { comparison } from '../expressions/operators.ts';
import type { Scope, Typed } from '../expressions/typed.ts';
import { invalidSql } from '../sql-error.ts';
import {
  areComparable,
  commonType,
  isText,
  leastRestrictive,
  nullType,
  type SqlType,
  typeText,
  varchar,
} from '../types.ts';
import { jsonForms } from './json.ts';
import type { SpecialFunction } from './special-function.ts';
import { timeForms } from './time-forms.ts';

/**
 * The resolved call, or undefined if its name (with these modifiers) is not a special function.
 * Throws for wrong arguments.
 */
export function resolveSpecialCall(
  call: Call,
  scope: Scope,
  resolve: (part: Expression) => Typed,
): Typed | undefined {
  const name =
    call.unit !== undefined && (call.name === 'FLOOR' || call.name === 'CEIL')
      ? `${call.name} TO`
      : call.name;
  const row = Object.hasOwn(specialFunctionTable, name) ? specialFunctionTable[name] : undefined;
  if (!row) return undefined;
  if (call.args.length < row.least || call.args.length > row.most) {
    throw invalidSql(
      `Invalid number of arguments to function '${call.name}'. Was expecting ${row.least} arguments`,
      call.at,
    );
  }
  return row.resolve(call.args.map(resolve), call, scope.environment);
}

const coalesce: SpecialFunction['resolve'] = (args, { at }, { timeZone }) => {
  const type = commonType(args.map((arg) => arg.type));
  if (!type) throw invalidSql('Illegal mixing of types in CASE or COALESCE statement', at);
  return coalesceArguments(args, type, at, timeZone);
};

function coalesceArguments(
  args: readonly Typed[],
  type: SqlType,
  at: Call['at'],
  zone: string,
): Typed {
  if (type.name === 'NULL') return constantOf(null, nullType, at);
  const leading = args.find(({ constant }) => constant !== null);
  if (leading?.constant !== undefined) return { ...castTo(leading, singleValued(type), zone), at };
  // Arguments after an array that is never null are ignored.
  const known = args.findIndex(
    ({ nullable, type: { name } }) => nullable === false && name === 'ARRAY',
  );
  const values = (known < 0 ? args : args.slice(0, known + 1))
    .map((arg) => castTo(arg, type, zone))
    .filter(({ constant }) => constant !== null);
  const [first] = values;
  if (!first) return constantOf(null, type, at);
  const firstKnown = (parts: readonly Typed[]) =>
    `coalesce(${parts.map(({ sql }) => sql).join(', ')})`;
  if (!args.some(isList)) return { type, at, sql: firstKnown(values) };
  // Computed values are chosen as a whole.
  if (args[0]?.type.isComputed || args.every((arg) => !isList(arg) || arg.type.isComputed))
    return {
      type: { ...type, multiValue: true },
      at,
      sql: firstKnown(
        args.map((arg) =>
          isList(arg) ? arg : { ...arg, sql: `druid_list(${castTo(arg, varchar, zone).sql})` },
        ),
      ),
    };
  // The first non-null argument is chosen separately for each value of a row.
  const one = isText(type) ? varchar : singleValued(type);
  const parts = args
    .map((arg) => (isList(arg) && isText(type) ? arg : castTo(arg, one, zone)))
    .filter(({ constant }) => constant !== null);
  const single = parts.filter((part) => !isList(part));
  const found = mapValues(parts, firstKnown);
  const rest = isText(type) ? `druid_list(${firstKnown(single)})` : `[${firstKnown(single)}]`;
  return {
    type: { ...type, multiValue: true },
    at,
    sql: single.length === 0 ? found : `coalesce(${found}, ${rest})`,
  };
}

const nvl: SpecialFunction = {
  form: '<ANY>, <ANY>',
  least: 2,
  most: 2,
  resolve(args, { name, at }, { timeZone }) {
    const [one, other] = args.map((arg) => arg.type);
    if (one && other && !areComparable(one, other))
      throw invalidSql('Parameters must be of the same type', at);
    const type = leastRestrictive(args.map((arg) => arg.type));
    if (!type) {
      throw invalidSql(
        `Cannot infer return type for ${name}; operand types: [${args.map((arg) => typeText(arg.type)).join(', ')}]`,
        at,
      );
    }
    return coalesceArguments(args, type, at, timeZone);
  },
};

/** Keyed by name in capitals. */
export const specialFunctionTable: Readonly<Record<string, SpecialFunction>> = {
  COALESCE: { form: '<ANY>, ...', least: 1, most: Number.POSITIVE_INFINITY, resolve: coalesce },
  IFNULL: nvl,
  NVL: nvl,
  NULLIF: {
    form: '<ANY>, <ANY>',
    least: 2,
    most: 2,
    resolve([value, other], { at }, { timeZone }) {
      if (!value || !other) throw new TypeError('NULLIF has two arguments');
      if (value.type.name === 'NULL') return constantOf(null, nullType, at);
      const { constant, sql } = comparison('=', value, other, at, timeZone);
      if (constant === true) return constantOf(null, value.type, at);
      if (constant !== undefined) return { ...value, at };
      if (isList(value) || isList(other)) {
        const equal = ([a = value, b = other]: readonly Typed[]) =>
          `(CASE WHEN ${comparison('=', a, b, at, timeZone).sql} THEN NULL ELSE ${a.sql} END)`;
        const found = mapValues([value, other], equal);
        // A row without values differs from the constant.
        const isOfConstant = value.constant !== undefined;
        return {
          type: { ...value.type, multiValue: true },
          at,
          sql: isOfConstant ? `coalesce(${found}, [${value.sql}])` : found,
        };
      }
      if (value.constant !== undefined)
        return { type: value.type, at, sql: `(CASE WHEN ${sql} THEN NULL ELSE ${value.sql} END)` };
      const computed = other.constant === undefined ? [value.sql, other.sql] : [value.sql];
      const text = bindOnce(computed, ([x = '', y = other.sql]) => {
        const equal = comparison('=', { ...value, sql: x }, { ...other, sql: y }, at, timeZone);
        return `(CASE WHEN ${equal.sql} THEN NULL ELSE ${x} END)`;
      });
      return { type: value.type, at, sql: text };
    },
  },
  ...timeForms,
  ...jsonForms,
};
