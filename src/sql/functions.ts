// THE table of scalar functions. Whoever needs to know what functions there are reads it: the translation, INFORMATION_SCHEMA.ROUTINES, completion.
import { addressFunctions } from './functions/address.ts';
import { arrayFunctions } from './functions/array.ts';
import { bloomFunctions } from './functions/bloom.ts';
import { jsonFunctions } from './functions/json.ts';
import { numericFunctions } from './functions/numeric.ts';
import type { ScalarFunction } from './functions/scalar-function.ts';
import { sketchFunctions } from './functions/sketches.ts';
import { textFunctions } from './functions/text.ts';
import { timeFunctions } from './functions/time.ts';

/** By name in capitals. */
export const scalarFunctionTable: Readonly<Record<string, ScalarFunction>> = {
  ...numericFunctions,
  ...textFunctions,
  ...timeFunctions,
  ...arrayFunctions,
  ...jsonFunctions,
  ...addressFunctions,
  ...sketchFunctions,
  ...bloomFunctions,
};

/** The function of a name in capitals, or undefined. */
export const findFunction = (name: string): ScalarFunction | undefined =>
  Object.hasOwn(scalarFunctionTable, name) ? scalarFunctionTable[name] : undefined;
