// Row type of the table of aggregates.
import type { Call } from '../ast.ts';
import type { Environment, Typed } from '../expressions/typed.ts';
import type { SqlType } from '../types.ts';

export interface Aggregate {
  readonly form: string; // the arguments, as shown in messages, ROUTINES and completion
  readonly least: number;
  readonly most: number;
  /** The type of the result. Throws for arguments that do not fit. */
  readonly check: (args: readonly Typed[], call: Call, environment: Environment) => SqlType;
  /**
   * DuckDB text. `over` adds FILTER and OVER to each single aggregate in the text, because the
   * surrounding text (such as a cut to 64 bits) must stay outside. COUNT(*) has no arguments.
   * `order` is the order of the rows for aggregates that collect them (`x ASC, ...`), and the place
   * of a row for those that pick one of several; empty if DuckDB's own order is right. `finest` is
   * true, in DuckDB, for the groups whose lists have a size limit.
   */
  readonly duckdb: (
    args: readonly Typed[],
    call: Call,
    environment: Environment,
    over: (aggregate: string) => string,
    order: string,
    finest?: string,
  ) => string;
  // Collects all values into one, so that DISTINCT and ORDER BY affect the result
  readonly collects?: true;
  readonly picks?: true; // yields one of the values, as text unless it is a number
  readonly isLast?: true; // of several rows with the same time, it takes the last one
  readonly isNeverNull?: true; // the planner assumes so, whatever the result is
  readonly windowOnly?: true;
  readonly isUnplanned?: true; // parsed, but every use is refused
  readonly readsDoubles?: true; // its numbers are doubles, whatever type a cast gives to a column
  readonly emptyValue?: 0; // result for no rows; null by default
  // EARLIEST(x): the caller adds the column __time after the first argument
  readonly implicitTime?: true;
}

/**
 * The values of all rows as a list, as DuckDB text. The macro's name marks the list as collected.
 * `over` and `order` are those of the aggregate.
 */
export const collect = (values: string, over: (aggregate: string) => string, order = ''): string =>
  `druid_collected(${over(`list(${values}${order === '' ? '' : ` ORDER BY ${order}`})`)})`;

/** A setting as a whole number: fractions are cut off (Java: Number.intValue). */
export const wholeOf = (setting: Typed | undefined, otherwise: number): number =>
  setting === undefined ? otherwise : Math.trunc(Number(setting.constant ?? Number.NaN));
