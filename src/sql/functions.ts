// THE table of scalar functions. Whoever needs to know what functions there are reads it: the
// translation, INFORMATION_SCHEMA.ROUTINES, completion.
import { addressFunctions } from './functions/address.ts';
import { arrayFunctions } from './functions/array.ts';
import { bloomFunctions } from './functions/bloom.ts';
import { extractionFunctions } from './functions/extraction-functions.ts';
import { jsonFunctions } from './functions/json.ts';
import { nativeArrayFunctions } from './functions/native-arrays.ts';
import { nativeMathFunctions } from './functions/native-math.ts';
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

const nativeFunctions: Readonly<Record<string, ScalarFunction>> = {
  ...nativeMathFunctions,
  ...nativeArrayFunctions,
  ...extractionFunctions,
};

/**
 * The function of a name in capitals, or one that only native expressions have, of a name in small
 * letters; undefined for all else.
 */
export function findFunction(name: string): ScalarFunction | undefined {
  if (Object.hasOwn(nativeFunctions, name)) return nativeFunctions[name];
  return Object.hasOwn(scalarFunctionTable, name) ? scalarFunctionTable[name] : undefined;
}
