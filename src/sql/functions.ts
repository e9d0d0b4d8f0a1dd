// THE table of scalar functions. Whoever needs to know what functions there are reads it: the translation, INFORMATION_SCHEMA.ROUTINES, completion.
import { arrayFunctions } from './functions/array.ts';
import { numericFunctions } from './functions/numeric.ts';
import type { ScalarFunction } from './functions/scalar-function.ts';
import { textFunctions } from './functions/text.ts';

/** By name in capitals. */
export const scalarFunctionTable: Readonly<Record<string, ScalarFunction>> = {
  ...numericFunctions,
  ...textFunctions,
  ...arrayFunctions,
};

/** The function of a name in capitals, or undefined. */
export const findFunction = (name: string): ScalarFunction | undefined =>
  Object.hasOwn(scalarFunctionTable, name) ? scalarFunctionTable[name] : undefined;
