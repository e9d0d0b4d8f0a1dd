// THE table of aggregates and window functions. The query half decides where they may stand and what FILTER and OVER add.
import type { Call } from './ast.ts';
import { castTo, toDouble } from './casts.ts';
import { invalidSql } from './sql-error.ts';
import type { Environment, Typed } from './typed.ts';
import { bigint, double, isInteger, isNumeric, isText, type SqlType, typeText } from './types.ts';

export interface Aggregate {
  readonly form: string; // the arguments, as messages, ROUTINES and completion show them
  readonly least: number;
  readonly most: number;
  /** The result's type; throws for arguments that do not fit. */
  readonly check: (args: readonly Typed[], call: Call, environment: Environment) => SqlType;
  /**
   * DuckDB text. `over` adds FILTER and OVER to each single aggregate in it, because what is around (a cut to 64 bits, say) must stay outside.
   * For COUNT(*) there are no arguments.
   */
  readonly duckdb: (args: readonly Typed[], call: Call, environment: Environment, over: (aggregate: string) => string) => string;
  readonly windowOnly?: true;
  readonly emptyValue?: 0; // of no rows; otherwise null
}

/** The type and the DuckDB text of a call whose arguments are resolved. Throws SqlError. */
export function resolveAggregate(
  call: Call,
  args: readonly Typed[],
  environment: Environment,
  over: (aggregate: string) => string = (aggregate) => aggregate,
): Pick<Typed, 'type' | 'sql'> {
  const row = aggregates[call.name];
  if (!row) throw invalidSql(`No match found for function signature ${call.name}`, call.at);
  if (args.length < row.least || args.length > row.most) {
    throw invalidSql(`Invalid number of arguments to function '${call.name}'. Was expecting ${row.least} arguments`, call.at);
  }
  return { type: row.check(args, call, environment), sql: row.duckdb(args, call, environment, over) };
}

const refused = ({ name, at }: Call, args: readonly Typed[], form: string) =>
  invalidSql(
    `Cannot apply '${name}' to arguments of type '${name}(${args.map(({ type }) => `<${typeText(type)}>`).join(', ')})'. Supported form(s): '${name}(${form})'`,
    at,
  );

const distinct = ({ distinct: isDistinct }: Call) => (isDistinct ? 'DISTINCT ' : '');

/** By name in capitals. */
export const aggregates: Readonly<Record<string, Aggregate>> = {
  COUNT: {
    form: '[<ANY>]',
    least: 0,
    most: Number.POSITIVE_INFINITY,
    emptyValue: 0,
    check: () => bigint,
    duckdb: ([arg], call, _, over) => over(arg ? `count(${distinct(call)}${arg.sql})` : 'count(*)'),
  },
  SUM: {
    form: '<NUMERIC>',
    least: 1,
    most: 1,
    check: (args, call) => {
      const type = args[0]?.type;
      if (!type || !(isNumeric(type) || isText(type) || type.name === 'NULL')) throw refused(call, args, '<NUMERIC>');
      return isInteger(type) ? bigint : double;
    },
    duckdb([arg], call, { timeZone }, over) {
      if (!arg) return '';
      if (isInteger(arg.type)) return `druid_wrap(${over(`sum(${distinct(call)}${arg.sql})`)})`;
      return over(`sum(${distinct(call)}${(isNumeric(arg.type) ? toDouble(arg, timeZone) : castTo(arg, double, timeZone)).sql})`);
    },
  },
};
