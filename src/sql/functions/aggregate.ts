// Row type of the table of aggregates.
import type { Call } from '../ast.ts';
import type { Environment, Typed } from '../expressions/typed.ts';
import type { SqlType } from '../types.ts';

export interface Aggregate {
  readonly form: string; // the arguments, as messages, ROUTINES and completion show them
  readonly least: number;
  readonly most: number;
  /** The result's type; throws for arguments that do not fit. */
  readonly check: (args: readonly Typed[], call: Call, environment: Environment) => SqlType;
  /**
   * DuckDB text. `over` adds FILTER and OVER to each single aggregate in it, because what is around
   * (a cut to 64 bits, say) must stay outside. For COUNT(*) there are no arguments. `order` is the
   * order of the rows, for those that collect them (`x ASC, ...`); empty where none is known.
   */
  readonly duckdb: (
    args: readonly Typed[],
    call: Call,
    environment: Environment,
    over: (aggregate: string) => string,
    order: string,
  ) => string;
  // Makes one value of all, so that DISTINCT and ORDER BY mean something to it
  readonly collects?: true;
  readonly picks?: true; // one of the values; what is not a number as text
  readonly isNeverNull?: true; // to the planner, whatever comes out
  readonly windowOnly?: true;
  readonly emptyValue?: 0; // of no rows; otherwise null
  // EARLIEST(x): the caller puts the column __time behind the first argument
  readonly implicitTime?: true;
}

/**
 * The values of all rows in a list, as DuckDB text: the macro's name tells that they are gathered.
 * `over` and `order` are those of the aggregate.
 */
export const collect = (values: string, over: (aggregate: string) => string, order = ''): string =>
  `druid_collected(${over(`list(${values}${order === '' ? '' : ` ORDER BY ${order}`})`)})`;
