// Table of all scalar functions. Its readers are the translation, INFORMATION_SCHEMA.ROUTINES and
// completion.
import { addressFunctions } from './address.ts';
import { arrayFunctions } from './array.ts';
import { bloomFunctions } from './bloom.ts';
import { extractionFunctions } from './extraction-functions.ts';
import { jsonFunctions } from './json.ts';
import { nativeArrayFunctions } from './native-arrays.ts';
import { nativeMathFunctions } from './native-math.ts';
import { numericFunctions } from './numeric.ts';
import type { ScalarFunction } from './scalar-function.ts';
import { sketchFunctions } from './sketch-readers.ts';
import { textFunctions } from './text.ts';
import { timeFunctions } from './time.ts';

/** Keyed by name in capitals. */
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
 * The function for a name in capitals, or a function of native expressions for a name in small
 * letters; undefined for other names.
 */
export function findFunction(name: string): ScalarFunction | undefined {
  if (Object.hasOwn(nativeFunctions, name)) return nativeFunctions[name];
  return Object.hasOwn(scalarFunctionTable, name) ? scalarFunctionTable[name] : undefined;
}
