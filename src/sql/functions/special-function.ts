// Row type of the table of special functions.
import type { Call } from '../ast.ts';
import type { Environment, Typed } from '../expressions/typed.ts';

export interface SpecialFunction {
  /** The arguments as ROUTINES and completion show them. */
  readonly form: string;
  readonly least: number;
  readonly most: number;
  readonly resolve: (args: readonly Typed[], call: Call, environment: Environment) => Typed;
}
