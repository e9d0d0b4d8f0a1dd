// Row type of the table of special functions.
import type { Call } from '../ast.ts';
import type { Environment, Typed } from '../expressions/typed.ts';

export interface SpecialFunction {
  /** The arguments as shown in ROUTINES and completion. */
  readonly form: string;
  readonly least: number;
  readonly most: number;
  readonly isNative?: true; // native expressions have it under the same name
  readonly resolve: (args: readonly Typed[], call: Call, environment: Environment) => Typed;
}
